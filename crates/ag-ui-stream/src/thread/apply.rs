//! What each event does to a thread.

use super::snapshot::with_own_ids;
use super::{Change, RunState, Thread, merge};
use crate::event::{EventRef, EventType};
use crate::message::{Content, Message, Role, ToolCall, sorted, text_of};
use crate::outcome::RunOutcome;
use crate::patch;
use crate::reader::EndOutcome;
use crate::warning::Detail;
use json_tree::Json;
use std::mem;

pub(super) fn apply(thread: &mut Thread, event: &EventRef<'_>) -> Change {
    match event.kind() {
        EventType::RunStarted => thread.start_run(event),
        EventType::RunFinished => thread.finish_run(event),
        EventType::RunError => {
            thread.run = RunState::Ended { outcome: EndOutcome::Error };
            Change::RunEnded
        }
        EventType::TextMessageStart => thread.start_text(event, Role::of(event.text("role"))),
        EventType::ReasoningMessageStart => thread.start_text(event, Role::Reasoning),
        EventType::TextMessageContent | EventType::ReasoningMessageContent => thread.append_text(event),
        EventType::TextMessageEnd | EventType::ReasoningMessageEnd => thread.merge_message(event),
        EventType::ToolCallStart => thread.start_call(event),
        EventType::ToolCallArgs => thread.append_arguments(event),
        EventType::ToolCallEnd => thread.end_call(event),
        EventType::ToolCallResult => thread.add_result(event),
        EventType::StateSnapshot => {
            thread.copied.drop_value(&thread.state);
            thread.state = event.get("snapshot").map_or(Json::Null, sorted);
            Change::StateChanged
        }
        EventType::StateDelta => {
            let operations = event.get("delta").and_then(Json::as_list).unwrap_or_default();
            match patch::apply_counting(operations, &mut thread.state, &mut thread.copied) {
                Ok(()) => Change::StateChanged,
                Err(error) => {
                    thread.warn(Detail::StatePatch(error), &[]);
                    Change::Nothing
                }
            }
        }
        EventType::MessagesSnapshot => thread.reconcile(event),
        EventType::ActivitySnapshot => thread.set_activity(event),
        EventType::ActivityDelta => thread.patch_activity(event),
        EventType::ReasoningEncryptedValue => thread.encrypt(event),
        _ => Change::Nothing,
    }
}

impl Thread {
    fn start_run(&mut self, started: &EventRef<'_>) -> Change {
        self.run = RunState::Running { run_id: started.run_id().to_owned() };
        self.calls.start_run();
        // The run could begin only because its input answered them.
        self.interrupts.clear();
        let before = self.messages.len();
        for message in with_own_ids(started.messages()) {
            if !self.positions.contains(message.id()) {
                self.put(message);
            }
        }
        for id in mem::take(&mut self.pending) {
            if self.calls.state(&id).is_none_or(|call| !call.answered) {
                self.pending.push(id);
            }
        }
        Change::RunStarted { added: self.messages.len() - before }
    }

    fn finish_run(&mut self, finished: &EventRef<'_>) -> Change {
        self.interrupts.clear();
        self.pending.clear();
        let outcome = match finished.outcome() {
            None => EndOutcome::Completed,
            Some(RunOutcome::Success { pending_tool_call_ids }) => {
                self.pending = pending_tool_call_ids;
                EndOutcome::Completed
            }
            Some(RunOutcome::Interrupt { interrupts }) => {
                self.interrupts = interrupts;
                EndOutcome::Interrupt
            }
            Some(RunOutcome::Cancelled) => EndOutcome::Cancelled,
        };
        if self.pending.is_empty() {
            self.pending = self.calls.unanswered();
        }
        self.run = RunState::Ended { outcome };
        Change::RunEnded
    }

    fn start_text(&mut self, start: &EventRef<'_>, role: Role) -> Change {
        if self.positions.contains(start.message_id()) {
            return self.merge_message(start);
        }
        let mut message =
            of_event(Message::new(role, start.message_id().to_owned(), Content::Text(String::new())), start);
        message.name = start.get("name").and_then(text_of);
        self.put(message)
    }

    fn append_text(&mut self, event: &EventRef<'_>) -> Change {
        let (id, delta) = (event.message_id(), event.delta());
        let Some(position) = self.position(id) else {
            return Change::Nothing;
        };
        let message = &mut self.messages[position];
        merge(&mut message.metadata, event.metadata());
        if let Content::None = message.content {
            message.content = Content::Text(String::new());
        }
        let Content::Text(text) = &mut message.content else {
            if !delta.is_empty() {
                self.warn(Detail::TextDropped, &[id]);
            }
            return Change::MessageChanged { message: position };
        };
        let from = text.len();
        text.push_str(delta);
        Change::TextAppended { message: position, from }
    }

    fn merge_message(&mut self, event: &EventRef<'_>) -> Change {
        let Some(position) = self.position(event.message_id()) else {
            return Change::Nothing;
        };
        merge(&mut self.messages[position].metadata, event.metadata());
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

    fn start_call(&mut self, start: &EventRef<'_>) -> Change {
        let (id, name) = (start.tool_call_id(), start.tool_call_name());
        let run_id = if let RunState::Running { run_id } = &self.run { Some(run_id.clone()) } else { None };
        self.calls.begin(id, name, run_id);
        if self.calls.state(id).is_some_and(|call| call.place.is_some()) {
            return self.restart_call(start);
        }
        let mut call = ToolCall::new(id, name, "");
        merge(&mut call.metadata, start.metadata());
        let (message, new_message) = self.parent_of(start);
        let calls = &mut self.messages[message].tool_calls;
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
        let answers = |message: &Message| message.tool_call_id() == Some(call);
        if !self.messages[..holder].iter().any(answers) {
            return false;
        }
        let mut early = Vec::new();
        for (position, message) in mem::take(&mut self.messages).into_iter().enumerate() {
            if position < holder && answers(&message) {
                early.push(message);
                continue;
            }
            self.messages.push(message);
            if position == holder {
                self.messages.append(&mut early);
            }
        }
        self.reindex(0);
        true
    }

    /// A call that is there keeps its arguments.
    fn restart_call(&mut self, start: &EventRef<'_>) -> Change {
        let (id, name) = (start.tool_call_id(), start.tool_call_name());
        let Some((change, call)) = self.call_mut(id) else {
            return Change::Nothing;
        };
        merge(&mut call.metadata, start.metadata());
        if call.name != name {
            let before = mem::replace(&mut call.name, name.to_owned());
            self.warn(Detail::Renamed, &[id, &before, name]);
        }
        change
    }

    /// The assistant message that a new call belongs to, and whether it was added for it.
    fn parent_of(&mut self, start: &EventRef<'_>) -> (usize, bool) {
        let call = start.tool_call_id();
        // Some adapters write an empty id where there is no parent.
        let named = Some(start.text("parentMessageId")).filter(|id| !id.is_empty());
        let is_parent = |position: usize| self.messages[position].role == Role::Assistant;
        let id = match (named, named.and_then(|id| self.positions.get(id))) {
            (_, Some(position)) if is_parent(position) => return (position, false),
            (Some(parent), Some(_)) => {
                self.warn(Detail::ForeignParent, &[parent, call]);
                call
            }
            (Some(parent), None) => parent,
            (None, _) => call,
        };
        // The fallback id may be taken as well: an assistant message is reused, anything else keeps its place in the index.
        if let Some(position) = self.positions.get(id)
            && self.messages[position].role == Role::Assistant
        {
            return (position, false);
        }
        let position = self.messages.len();
        let mut message = Message::new(Role::Assistant, id.to_owned(), Content::None);
        message.subagent_run_id = start.subagent_run_id().map(str::to_owned);
        self.messages.push(message);
        if !self.positions.contains(id) {
            self.positions.insert(id, position);
        }
        (position, true)
    }

    fn append_arguments(&mut self, event: &EventRef<'_>) -> Change {
        let (id, delta) = (event.tool_call_id(), event.delta());
        let Some(state) = self.calls.state_mut(id) else {
            return Change::Nothing;
        };
        let Some((message, index)) = state.place else {
            state.detached.push_str(delta);
            return Change::Nothing;
        };
        let Some(call) = self.messages.get_mut(message).and_then(|it| it.tool_calls.get_mut(index)) else {
            return Change::Nothing;
        };
        let from = call.arguments.len();
        call.arguments.push_str(delta);
        merge(&mut call.metadata, event.metadata());
        Change::ArgumentsAppended { message, call: index, from }
    }

    fn end_call(&mut self, event: &EventRef<'_>) -> Change {
        let id = event.tool_call_id();
        if let Some(state) = self.calls.state_mut(id) {
            state.ended = true;
            if state.place.is_none() {
                self.warn(Detail::MissingCall, &[id]);
            }
        }
        let Some((change, call)) = self.call_mut(id) else {
            return Change::Nothing;
        };
        merge(&mut call.metadata, event.metadata());
        change
    }

    /// A call in its message, and that it changes.
    fn call_mut(&mut self, id: &str) -> Option<(Change, &mut ToolCall)> {
        let (message, call) = self.calls.state(id)?.place?;
        let held = self.messages.get_mut(message)?.tool_calls.get_mut(call)?;
        Some((Change::ToolCallChanged { message, call }, held))
    }

    fn add_result(&mut self, result: &EventRef<'_>) -> Change {
        let call = result.tool_call_id();
        self.calls.take_result(call);
        self.insert_result(of_event(Message::tool(result.message_id(), call, result.content()), result))
    }

    fn encrypt(&mut self, event: &EventRef<'_>) -> Change {
        let (id, value) = (event.text("entityId"), Some(event.text("encryptedValue").to_owned()));
        let change = if event.text("subtype") == "tool-call" {
            self.call_mut(id).map(|(change, call)| {
                call.encrypted_value = value;
                change
            })
        } else {
            self.positions.get(id).map(|message| {
                if self.messages[message].role == Role::Activity {
                    return Change::Nothing;
                }
                self.messages[message].encrypted_value = value;
                Change::MessageChanged { message }
            })
        };
        change.unwrap_or_else(|| {
            self.warn(Detail::MissingEncrypted, &[id]);
            Change::Nothing
        })
    }

    fn set_activity(&mut self, event: &EventRef<'_>) -> Change {
        let (id, keeps) = (event.message_id(), event.get("replace") == Some(&Json::Bool(false)));
        let mut held = None;
        if let Some(message) = self.positions.get(id) {
            let it = &mut self.messages[message];
            if it.role != Role::Activity && keeps {
                return Change::Nothing;
            }
            if it.role == Role::Activity {
                // Content is replaced, metadata goes on accumulating.
                merge(&mut it.metadata, event.metadata());
                if keeps {
                    return Change::MessageChanged { message };
                }
                held = Some(it.metadata.take());
                if let Content::Open(content) = mem::replace(&mut it.content, Content::None) {
                    self.copied.drop_value(&content);
                }
            }
        }
        let content = event.get("content").map_or(Json::Null, sorted);
        let mut activity = of_event(Message::new(Role::Activity, id.to_owned(), Content::Open(content)), event);
        event.text("activityType").clone_into(&mut activity.activity_type);
        if let Some(metadata) = held {
            activity.metadata = metadata;
        }
        self.put(activity)
    }

    fn patch_activity(&mut self, event: &EventRef<'_>) -> Change {
        let id = event.message_id();
        let position = self.positions.get(id).filter(|position| self.messages[*position].role == Role::Activity);
        let Some(position) = position else {
            self.warn(Detail::MissingActivity, &[id]);
            return Change::Nothing;
        };
        let activity = &mut self.messages[position];
        merge(&mut activity.metadata, event.metadata());
        let operations = event.get("patch").and_then(Json::as_list).unwrap_or_default();
        if let Content::Open(content) = &mut activity.content {
            match patch::apply_to_object(operations, content, &mut self.copied) {
                Ok(()) => event.text("activityType").clone_into(&mut activity.activity_type),
                Err(error) => self.warn(Detail::ActivityPatch(error), &[id]),
            }
        }
        Change::MessageChanged { message: position }
    }
}

/// A message that an event makes, with what it says about whose it is.
fn of_event(mut message: Message, event: &EventRef<'_>) -> Message {
    message.subagent_run_id = event.subagent_run_id().map(str::to_owned);
    merge(&mut message.metadata, event.metadata());
    message
}
