//! What each event does to a thread.

use super::snapshot::with_own_ids;
use super::{Change, RunState, Thread, merge};
use crate::event::{
    ActivityDelta, ActivitySnapshot, EncryptedSubtype, Event, ReasoningEncryptedValue, RunFinished, RunStarted,
    TextMessageStart, TextRole, ToolCallResult, ToolCallStart,
};
use crate::message::{
    ActivityMessage, AssistantMessage, CallType, Content, DeveloperMessage, FunctionCall, Message, Metadata,
    ReasoningMessage, SystemMessage, ToolCall, ToolMessage, UserMessage,
};
use crate::outcome::RunOutcome;
use crate::reader::EndOutcome;
use crate::warning::Detail;
use serde_json::Value;
use std::mem;

pub(super) fn apply(thread: &mut Thread, event: &Event) -> Change {
    match event {
        Event::RunStarted(e) => thread.start_run(e),
        Event::RunFinished(e) => thread.finish_run(e),
        Event::RunError(_) => {
            thread.run = RunState::Ended { outcome: EndOutcome::Error };
            Change::RunEnded
        }
        Event::TextMessageStart(e) => thread.start_text(e),
        Event::TextMessageContent(e) => thread.append_text(&e.message_id, &e.delta, e.metadata.as_ref()),
        Event::TextMessageEnd(e) => thread.merge_message(&e.message_id, e.metadata.as_ref()),
        Event::ToolCallStart(e) => thread.start_call(e),
        Event::ToolCallArgs(e) => thread.append_arguments(&e.tool_call_id, &e.delta, e.metadata.as_ref()),
        Event::ToolCallEnd(e) => {
            thread.end_call(&e.tool_call_id);
            thread.change_call(&e.tool_call_id, |call| merge(&mut call.metadata, e.metadata.as_ref()))
        }
        Event::ToolCallResult(e) => thread.add_result(e),
        Event::StateSnapshot(e) => {
            thread.copied.drop_value(&thread.state);
            thread.state = e.snapshot.clone();
            Change::StateChanged
        }
        Event::StateDelta(e) => match e.delta.apply_counting(&mut thread.state, &mut thread.copied) {
            Ok(()) => Change::StateChanged,
            Err(error) => {
                thread.warn(Detail::StatePatch(error), &[]);
                Change::Nothing
            }
        },
        Event::MessagesSnapshot(e) => thread.reconcile(e),
        Event::ActivitySnapshot(e) => thread.set_activity(e),
        Event::ActivityDelta(e) => thread.patch_activity(e),
        Event::ReasoningMessageStart(e) => {
            if thread.positions.contains(&e.message_id) {
                return thread.merge_message(&e.message_id, e.metadata.as_ref());
            }
            let message = ReasoningMessage::new(e.message_id.clone(), String::new());
            let (subagent_run_id, metadata) = (e.subagent_run_id.clone(), e.metadata.clone());
            thread.put(Message::Reasoning(ReasoningMessage { subagent_run_id, metadata, ..message }))
        }
        Event::ReasoningMessageContent(e) => thread.append_text(&e.message_id, &e.delta, e.metadata.as_ref()),
        Event::ReasoningMessageEnd(e) => thread.merge_message(&e.message_id, e.metadata.as_ref()),
        Event::ReasoningEncryptedValue(e) => thread.encrypt(e),
        Event::StepStarted(_)
        | Event::StepFinished(_)
        | Event::ReasoningStart(_)
        | Event::ReasoningEnd(_)
        | Event::SubagentStarted(_)
        | Event::SubagentFinished(_)
        | Event::SubagentError(_)
        | Event::Raw(_)
        | Event::Custom(_)
        // A reader expands chunks before.
        | Event::TextMessageChunk(_)
        | Event::ToolCallChunk(_)
        | Event::ReasoningMessageChunk(_) => Change::Nothing,
    }
}

impl Thread {
    fn start_run(&mut self, started: &RunStarted) -> Change {
        self.run = RunState::Running { run_id: started.run_id.clone() };
        self.calls.start_run();
        // The run could begin only because its input answered them.
        self.interrupts.clear();
        let before = self.messages.len();
        let told = started.input.as_ref().map(|input| with_own_ids(&input.messages));
        for message in told.into_iter().flatten() {
            if !self.positions.contains(message.id()) {
                self.put(message);
            }
        }
        let calls = &self.calls;
        self.pending.retain(|id| calls.state(id).is_none_or(|call| !call.answered));
        Change::RunStarted { added: self.messages.len() - before }
    }

    fn finish_run(&mut self, finished: &RunFinished) -> Change {
        self.interrupts.clear();
        self.pending.clear();
        let outcome = match &finished.outcome {
            None => EndOutcome::Completed,
            Some(RunOutcome::Success(success)) => {
                self.pending = success.pending_tool_call_ids.clone().unwrap_or_default();
                EndOutcome::Completed
            }
            Some(RunOutcome::Interrupt(interrupt)) => {
                self.interrupts.clone_from(&interrupt.interrupts);
                EndOutcome::Interrupt
            }
            Some(RunOutcome::Cancelled(_)) => EndOutcome::Cancelled,
        };
        if self.pending.is_empty() {
            self.pending = self.calls.unanswered();
        }
        self.run = RunState::Ended { outcome };
        Change::RunEnded
    }

    fn start_text(&mut self, start: &TextMessageStart) -> Change {
        let id = start.message_id.clone();
        if self.positions.contains(&id) {
            return self.merge_message(&id, start.metadata.as_ref());
        }
        let (name, subagent_run_id, metadata) =
            (start.name.clone(), start.subagent_run_id.clone(), start.metadata.clone());
        let message = match start.role.unwrap_or(TextRole::Assistant) {
            TextRole::Developer => Message::Developer(DeveloperMessage {
                name,
                subagent_run_id,
                metadata,
                ..DeveloperMessage::new(id, String::new())
            }),
            TextRole::System => Message::System(SystemMessage {
                name,
                subagent_run_id,
                metadata,
                ..SystemMessage::new(id, String::new())
            }),
            TextRole::User => {
                Message::User(UserMessage { name, subagent_run_id, metadata, ..UserMessage::new(id, String::new()) })
            }
            TextRole::Assistant => {
                let content = Some(String::new());
                Message::Assistant(AssistantMessage {
                    content,
                    name,
                    subagent_run_id,
                    metadata,
                    ..AssistantMessage::new(id)
                })
            }
        };
        self.put(message)
    }

    fn append_text(&mut self, id: &str, delta: &str, metadata: Option<&Metadata>) -> Change {
        let Some(position) = self.position(id) else {
            return Change::Nothing;
        };
        let message = &mut self.messages[position];
        if metadata.is_some() {
            merge(message.metadata_mut(), metadata);
        }
        let text = match message {
            Message::Developer(m) => &mut m.content,
            Message::System(m) => &mut m.content,
            Message::Reasoning(m) => &mut m.content,
            Message::Assistant(m) => m.content.get_or_insert_default(),
            Message::User(UserMessage { content: Content::Text(text), .. })
            | Message::Tool(ToolMessage { content: Content::Text(text), .. }) => text,
            Message::User(_) | Message::Tool(_) | Message::Activity(_) => {
                if !delta.is_empty() {
                    self.warn(Detail::TextDropped, &[id]);
                }
                return Change::MessageChanged { message: position };
            }
        };
        let from = text.len();
        text.push_str(delta);
        Change::TextAppended { message: position, from }
    }

    fn merge_message(&mut self, id: &str, metadata: Option<&Metadata>) -> Change {
        let Some(position) = self.position(id) else {
            return Change::Nothing;
        };
        merge(self.messages[position].metadata_mut(), metadata);
        Change::MessageChanged { message: position }
    }

    /// Where a message is; a snapshot may have dropped one that is still being written.
    fn position(&mut self, id: &str) -> Option<usize> {
        let position = self.positions.get(id);
        if position.is_none() {
            self.warn(Detail::MissingMessage, &[id]);
        }
        position
    }

    fn start_call(&mut self, start: &ToolCallStart) -> Change {
        let (id, name) = (&start.tool_call_id, &start.tool_call_name);
        let run_id = if let RunState::Running { run_id } = &self.run { Some(run_id.clone()) } else { None };
        self.calls.begin(id, name, run_id);
        if self.calls.state(id).is_some_and(|call| call.place.is_some()) {
            return self.restart_call(start);
        }
        let mut call = ToolCall::new(id.clone(), CallType::Function, FunctionCall::new(name.clone(), String::new()));
        call.metadata.clone_from(&start.metadata);
        let (message, new_message) = self.parent_of(start);
        let Message::Assistant(parent) = &mut self.messages[message] else {
            return Change::Nothing;
        };
        let calls = parent.tool_calls.get_or_insert_default();
        calls.push(call);
        let call = calls.len() - 1;
        self.calls.place(message, &self.messages[message]);
        if self.bring_answers(id, message) {
            return Change::MessagesReplaced;
        }
        Change::ToolCallAdded { message, call, new_message }
    }

    /// Puts results that came before their call behind its message; false where there is none.
    fn bring_answers(&mut self, call: &str, holder: usize) -> bool {
        if self.calls.state(call).is_none_or(|call| !call.answered) {
            return false;
        }
        let answers = |it: &mut Message| matches!(it, Message::Tool(tool) if tool.tool_call_id == call);
        let early: Vec<Message> = self.messages.extract_if(..holder, answers).collect();
        if early.is_empty() {
            return false;
        }
        let behind = holder - early.len() + 1;
        self.messages.splice(behind..behind, early);
        self.reindex(0);
        true
    }

    /// A call that is there keeps its arguments.
    fn restart_call(&mut self, start: &ToolCallStart) -> Change {
        let (id, name) = (&start.tool_call_id, &start.tool_call_name);
        let mut renamed = None;
        let change = self.change_call(id, |call| {
            if call.function.name != *name {
                renamed = Some(mem::replace(&mut call.function.name, name.clone()));
            }
            merge(&mut call.metadata, start.metadata.as_ref());
        });
        if let Some(before) = renamed {
            self.warn(Detail::Renamed, &[id, &before, name]);
        }
        change
    }

    /// The assistant message that a new call belongs to, and whether it was added for it.
    fn parent_of(&mut self, start: &ToolCallStart) -> (usize, bool) {
        // Some adapters write an empty id where there is no parent.
        let named = start.parent_message_id.as_deref().filter(|id| !id.is_empty());
        let found = named.and_then(|id| self.positions.get(id));
        let id = match (named, found) {
            (_, Some(position)) if matches!(self.messages[position], Message::Assistant(_)) => {
                return (position, false);
            }
            (Some(parent), Some(_)) => {
                self.warn(Detail::ForeignParent, &[parent, &start.tool_call_id]);
                &start.tool_call_id
            }
            (Some(parent), None) => parent,
            (None, _) => &start.tool_call_id,
        };
        // The fallback id may be taken as well: an assistant message is reused, anything else keeps its place in the index.
        if let Some(position) = self.positions.get(id)
            && matches!(self.messages[position], Message::Assistant(_))
        {
            return (position, false);
        }
        let message = AssistantMessage { subagent_run_id: start.subagent_run_id.clone(), ..AssistantMessage::new(id) };
        self.messages.push(Message::Assistant(message));
        let position = self.messages.len() - 1;
        if !self.positions.contains(id) {
            self.positions.insert(id, position);
        }
        (position, true)
    }

    fn append_arguments(&mut self, id: &str, delta: &str, metadata: Option<&Metadata>) -> Change {
        let Some(state) = self.calls.state_mut(id) else {
            return Change::Nothing;
        };
        let Some((message, index)) = state.place else {
            state.detached.push_str(delta);
            return Change::Nothing;
        };
        let Some(call) = self.call_at(message, index) else {
            return Change::Nothing;
        };
        let from = call.function.arguments.len();
        call.function.arguments.push_str(delta);
        if metadata.is_some() {
            merge(&mut call.metadata, metadata);
        }
        Change::ArgumentsAppended { message, call: index, from }
    }

    fn end_call(&mut self, id: &str) {
        let Some(state) = self.calls.state_mut(id) else {
            return;
        };
        state.ended = true;
        if state.place.is_none() {
            self.warn(Detail::MissingCall, &[id]);
        }
    }

    fn change_call(&mut self, id: &str, change: impl FnOnce(&mut ToolCall)) -> Change {
        let Some((message, index)) = self.calls.state(id).and_then(|call| call.place) else {
            return Change::Nothing;
        };
        let Some(call) = self.call_at(message, index) else {
            return Change::Nothing;
        };
        change(call);
        Change::ToolCallChanged { message, call: index }
    }

    fn call_at(&mut self, message: usize, index: usize) -> Option<&mut ToolCall> {
        match self.messages.get_mut(message)? {
            Message::Assistant(owner) => owner.tool_calls.as_mut()?.get_mut(index),
            _ => None,
        }
    }

    fn add_result(&mut self, result: &ToolCallResult) -> Change {
        let message = ToolMessage::new(result.message_id.clone(), result.tool_call_id.clone(), result.content.clone());
        self.calls.take_result(&result.tool_call_id);
        self.insert_result(ToolMessage {
            subagent_run_id: result.subagent_run_id.clone(),
            metadata: result.metadata.clone(),
            ..message
        })
    }

    fn encrypt(&mut self, event: &ReasoningEncryptedValue) -> Change {
        let (id, value) = (&event.entity_id, Some(event.encrypted_value.clone()));
        let change = match event.subtype {
            EncryptedSubtype::ToolCall => self.change_call(id, |call| call.encrypted_value = value),
            EncryptedSubtype::Message => match self.positions.get(id) {
                Some(position) => {
                    let place = match &mut self.messages[position] {
                        Message::Developer(m) => &mut m.encrypted_value,
                        Message::System(m) => &mut m.encrypted_value,
                        Message::Assistant(m) => &mut m.encrypted_value,
                        Message::User(m) => &mut m.encrypted_value,
                        Message::Tool(m) => &mut m.encrypted_value,
                        Message::Reasoning(m) => &mut m.encrypted_value,
                        Message::Activity(_) => return Change::Nothing,
                    };
                    *place = value;
                    Change::MessageChanged { message: position }
                }
                None => Change::Nothing,
            },
        };
        if change == Change::Nothing {
            self.warn(Detail::MissingEncrypted, &[id]);
        }
        change
    }

    fn set_activity(&mut self, event: &ActivitySnapshot) -> Change {
        let (id, keeps) = (&event.message_id, event.replace == Some(false));
        let held = self.positions.get(id);
        let metadata = match held.map(|position| (position, &mut self.messages[position])) {
            Some((message, Message::Activity(held))) => {
                // Content is replaced, metadata goes on accumulating.
                merge(&mut held.metadata, event.metadata.as_ref());
                if keeps {
                    return Change::MessageChanged { message };
                }
                let content = Value::Object(mem::take(&mut held.content));
                self.copied.drop_value(&content);
                held.metadata.take()
            }
            Some(_) if keeps => return Change::Nothing,
            _ => event.metadata.clone(),
        };
        let (kind, content) = (event.activity_type.clone(), event.content.clone());
        self.put(Message::Activity(ActivityMessage {
            subagent_run_id: event.subagent_run_id.clone(),
            metadata,
            ..ActivityMessage::new(&**id, kind, content)
        }))
    }

    fn patch_activity(&mut self, event: &ActivityDelta) -> Change {
        let id = &event.message_id;
        let position = self.positions.get(id);
        let Some((position, Message::Activity(activity))) =
            position.map(|position| (position, &mut self.messages[position]))
        else {
            self.warn(Detail::MissingActivity, &[id]);
            return Change::Nothing;
        };
        merge(&mut activity.metadata, event.metadata.as_ref());
        let content = &mut activity.content;
        match event.patch.apply_to_object(content, &mut self.copied) {
            Ok(()) => activity.activity_type.clone_from(&event.activity_type),
            Err(error) => {
                self.warn(Detail::ActivityPatch(error), &[id]);
            }
        }
        Change::MessageChanged { message: position }
    }
}
