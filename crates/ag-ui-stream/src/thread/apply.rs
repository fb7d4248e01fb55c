//! Applies events to a thread.

use super::calls::{CallState, RestatedCall};
use super::snapshot::with_own_ids;
use super::{Change, List, RunState, Thread, in_place, merge};
use crate::LEGACY;
use crate::event::{EventRef, EventType};
use crate::message::{Content, Message, Role, ToolCall, unique};
use crate::notice::NoticeDetail;
use crate::outcome::{Interrupt, RunOutcome};
use crate::patch;
use crate::protocol::EntityKind;
use crate::reader::EndOutcome;
use json_tree::pieces::{follow, is_same};
use json_tree::{Json, Members, WireValue};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::mem;

impl Thread {
    /// Applies an event. The cost depends only on the event, except for snapshots and for messages that are inserted in the middle of the list.
    pub fn handle_event(&mut self, event: &EventRef<'_>) -> Change {
        match event.kind() {
            EventType::RunStarted => self.start_run(event),
            EventType::RunFinished => self.finish_run(event),
            EventType::RunError => self.break_run(EndOutcome::Error),
            EventType::TextMessageStart => {
                self.start_text(event, Role::from_word(event.text("role")).unwrap_or_default())
            }
            EventType::ReasoningMessageStart => self.start_text(event, Role::Reasoning),
            EventType::TextMessageContent | EventType::ReasoningMessageContent => self.append_text(event),
            EventType::TextMessageEnd => self.end_text(event),
            EventType::ReasoningMessageEnd => self.merge_message(event),
            EventType::ToolCallStart => self.start_call(event),
            EventType::ToolCallArgs => self.append_arguments(event),
            EventType::ToolCallEnd => self.end_call(event),
            EventType::ToolCallResult => self.add_result(event),
            EventType::StateSnapshot => {
                self.state.iter().for_each(|state| self.copied.drop_value(state));
                self.state = Some(event.get("snapshot").map_or(Json::Null, unique));
                Change::StateChanged
            }
            EventType::StateDelta => {
                let operations = event.members.items("delta");
                let state = self.state.get_or_insert_with(|| Json::Object(Members::new()));
                match patch::apply(operations, state, &mut self.copied, |_| true) {
                    Ok(()) => Change::StateChanged,
                    Err(error) => {
                        self.warn(NoticeDetail::StatePatch, &[&error.operation.to_string(), error.reason]);
                        Change::Nothing
                    }
                }
            }
            EventType::MessagesSnapshot => self.reconcile(event),
            EventType::ActivitySnapshot => self.set_activity(event),
            EventType::ActivityDelta => self.patch_activity(event),
            EventType::ReasoningEncryptedValue => self.encrypt(event),
            // The reader has expanded chunks into other events.
            EventType::TextMessageChunk | EventType::ToolCallChunk | EventType::ReasoningMessageChunk => {
                Change::Nothing
            }
            EventType::StepStarted
            | EventType::StepFinished
            | EventType::ReasoningStart
            | EventType::ReasoningEnd
            | EventType::SubagentStarted
            | EventType::SubagentFinished
            | EventType::SubagentError
            | EventType::Raw => Change::Nothing,
            EventType::Custom => {
                self.note_legacy(event);
                Change::Nothing
            }
        }
    }

    fn start_run(&mut self, started: &EventRef<'_>) -> Change {
        self.run = RunState::Running { run_id: started.run_id().to_owned() };
        self.calls.start_run();
        self.legacy.clear();
        self.copies.clear();
        self.ended_text = None;
        // The run could only begin because its input answers them.
        self.resumed = mem::take(&mut self.interrupts);
        let before = self.messages.len();
        let mut told = with_own_ids(started.messages());
        self.set_keys(&mut told, List::Later);
        for message in &mut told {
            message.id = self.holder(message).unwrap_or_else(|| mem::take(&mut message.id));
        }
        if started.get("input").is_some() {
            self.note_told(&told);
        }
        for message in told {
            if self.slots.find(message.id()).is_none() {
                self.put(message);
            }
        }
        self.drop_answered();
        Change::RunStarted { added: self.messages.len() - before }
    }

    /// The id of the message with exactly these calls, if `told` has no text: a server may repeat streamed calls under its own message id.
    fn holder(&self, told: &Message) -> Option<String> {
        let (holder, _) = self.place(&told.tool_calls.first()?.id).filter(|_| LEGACY && told.text().is_empty())?;
        let held = &self.messages[holder];
        let is_it = |(one, other): (&ToolCall, &ToolCall)| {
            (&one.id, &one.name) == (&other.id, &other.name) && is_same(&one.arguments, &other.arguments)
        };
        let are_same =
            held.tool_calls.len() == told.tool_calls.len() && held.tool_calls.iter().zip(&told.tool_calls).all(is_it);
        are_same.then(|| held.id.clone())
    }

    fn finish_run(&mut self, finished: &EventRef<'_>) -> Change {
        self.interrupts.clear();
        self.resumed.clear();
        self.pending.clear();
        let (messages, last_user) = (&self.messages, OnceCell::new());
        let find = || messages.iter().rposition(|message| message.role == Role::User);
        let last_user = || *last_user.get_or_init(find);
        let mut asked_again = Vec::new();
        if LEGACY {
            let is_passed = |call: &CallState| call.owner.map(|slot| self.slots.position(slot)) < last_user();
            asked_again = self.calls.asked_again(is_passed);
        }
        let outcome = finished.outcome();
        if let Some(RunOutcome::Success { pending_tool_call_ids }) = &outcome {
            let copies = mem::take(&mut self.copies).into_iter();
            let is_named = |id: &str| pending_tool_call_ids.iter().any(|named| named == id);
            asked_again.extend(copies.filter(|copy| is_named(copy.start.tool_call_id())));
        }
        let change = if asked_again.is_empty() { Change::RunEnded } else { Change::MessagesReplaced };
        for again in asked_again {
            self.begin_another(again);
        }
        let outcome = match outcome {
            None => EndOutcome::Completed,
            Some(RunOutcome::Success { pending_tool_call_ids }) => {
                for id in &pending_tool_call_ids {
                    self.pending.push(self.calls.key(id).into_owned());
                }
                EndOutcome::Completed
            }
            Some(RunOutcome::Interrupt { interrupts }) => {
                self.interrupts = interrupts;
                EndOutcome::Interrupt
            }
            Some(RunOutcome::Cancelled) => EndOutcome::Cancelled,
        };
        if outcome != EndOutcome::Interrupt {
            self.interrupts = mem::take(&mut self.legacy);
        }
        if self.pending.is_empty() {
            self.pending = self.calls.unanswered();
        }
        self.run = RunState::Ended { outcome };
        change
    }

    fn note_legacy(&mut self, custom: &EventRef<'_>) {
        let run_id = if let RunState::Running { run_id } = &self.run { run_id } else { "" };
        let unnamed = || run_id.to_owned() + "-on_interrupt-" + &self.legacy.len().to_string();
        let interrupt = Interrupt::of_legacy(&custom.members, unnamed);
        self.legacy.extend(interrupt);
    }

    /// Starts a text message. It gets a new id if it has that of the reasoning before it, as `AGUI.Server` with Anthropic's models
    /// (<https://github.com/ag-ui-protocol/ag-ui/issues/2199>) and `AgentScope` (<https://github.com/agentscope-ai/agentscope-java/issues/1629>)
    /// sent it, or that of an activity (<https://github.com/ag-ui-protocol/ag-ui/issues/1350>).
    fn start_text(&mut self, start: &EventRef<'_>, role: Role) -> Change {
        let (id, position) = self.text_id(start);
        let is_other = |held: Role| {
            let differs = |kind: Role| (held == kind) != (role == kind);
            differs(Role::Reasoning) || differs(Role::User) || matches!(held, Role::Tool | Role::Activity)
        };
        let own_id = match position {
            Some(position) if is_other(self.messages[position].role) => id.into_owned() + suffix(start),
            Some(_) => return self.merge_message(start),
            None => id.into_owned(),
        };
        if own_id != start.message_id() {
            self.warn(NoticeDetail::RepeatedMessage, &[start.message_id(), &own_id]);
        }
        let mut message = of_event(Message::new(role, own_id, Content::Text(String::new())), start);
        message.name = start.get("name").and_then(String::of);
        self.put(message)
    }

    /// The id of the message that a text or reasoning event is about, and its position if it exists. A message that began under another message's id
    /// has an id of its own.
    fn text_id<'e>(&self, event: &'e EventRef<'_>) -> (Cow<'e, str>, Option<usize>) {
        let id = event.message_id();
        let position = self.position_of(id);
        let is_usual = match position.map(|position| self.messages[position].role) {
            Some(Role::Reasoning) => suffix(event) == REASONING,
            Some(Role::Assistant) => suffix(event) == TEXT,
            Some(_) => false,
            None => true,
        };
        if !is_usual {
            let own_id = id.to_owned() + suffix(event);
            if let Some(own) = self.position_of(&own_id) {
                return (own_id.into(), Some(own));
            }
        }
        (id.into(), position)
    }

    /// As [`text_id`](Self::text_id), but only the position. `None` if a snapshot dropped a message that is still being written.
    fn text_position(&mut self, event: &EventRef<'_>) -> Option<usize> {
        let (id, position) = self.text_id(event);
        if position.is_none() {
            self.warn(NoticeDetail::MissingMessage, &[&id]);
        }
        position
    }

    fn append_text(&mut self, event: &EventRef<'_>) -> Change {
        let delta = event.delta();
        let Some(position) = self.text_position(event) else {
            return Change::Nothing;
        };
        let message = &mut self.messages[position];
        merge(&mut message.metadata, event.metadata());
        if let Content::None = message.content {
            message.content = Content::Text(String::new());
        }
        let Content::Text(text) = &mut message.content else {
            if !delta.is_empty() {
                let id = message.id.clone();
                self.warn(NoticeDetail::TextDropped, &[&id]);
            }
            return Change::MessageChanged { message: position };
        };
        let from = text.len();
        text.push_str(delta);
        Change::TextAppended { message: position, from }
    }

    /// Ends a text message. Drops it if it repeats the one before it: ADK's adapter streams a text and then sends all of it again as another message
    /// (<https://github.com/ag-ui-protocol/ag-ui/issues/984>).
    fn end_text(&mut self, end: &EventRef<'_>) -> Change {
        let change = self.merge_message(end);
        let id = self.text_id(end).0.into_owned();
        let before = self.ended_text.replace(id);
        if let [.., first, second] = &self.messages[..]
            && before.as_ref() == Some(&first.id)
            && self.ended_text.as_ref() == Some(&second.id)
            && repeats(first, second)
        {
            let dropped = mem::replace(&mut self.ended_text, before).unwrap_or_default();
            self.messages.pop();
            self.slots.remove(&dropped);
            self.warn(NoticeDetail::RepeatedText, &[&dropped]);
            return Change::MessagesReplaced;
        }
        change
    }

    fn merge_message(&mut self, event: &EventRef<'_>) -> Change {
        let Some(position) = self.text_position(event) else {
            return Change::Nothing;
        };
        merge(&mut self.messages[position].metadata, event.metadata());
        Change::MessageChanged { message: position }
    }

    fn start_call(&mut self, start: &EventRef<'_>) -> Change {
        let (id, name) = (start.tool_call_id(), start.tool_call_name());
        let slot = self.calls.newest_or_new(id);
        let Some(call) = self.calls.state_at(slot) else {
            return self.begin_call(start, slot);
        };
        let is_whole = call.is_answered() || !self.arguments_of(call).is_empty();
        if call.ended && (call.name != name || !LEGACY && is_whole) {
            return self.begin_another(RestatedCall::of(start));
        }
        if call.ended && is_whole {
            self.calls.tell_again(slot, RestatedCall::of(start));
            return Change::Nothing;
        }
        self.restart_call(start, slot)
    }

    /// Begins a second call under an existing id, with the arguments that came so far.
    fn begin_another(&mut self, again: RestatedCall) -> Change {
        let id = again.start.tool_call_id();
        let key = self.calls.use_again(id, self.calls.next_use(id));
        self.warn(NoticeDetail::RepeatedCall, &[id, &key]);
        let slot = self.calls.slot(&key);
        let change = self.begin_call(&again.start, slot);
        if let Some((_, call)) = self.call_mut(slot) {
            call.arguments = again.said;
        }
        if let Some(state) = self.calls.state_at_mut(slot) {
            state.ended = again.ended;
        }
        change
    }

    fn begin_call(&mut self, start: &EventRef<'_>, slot: usize) -> Change {
        self.note_call(start, slot);
        let key = self.calls.key_at(slot).to_owned();
        let mut call = ToolCall::new(start.tool_call_id(), start.tool_call_name(), "");
        call.set_key(key.clone());
        merge(&mut call.metadata, start.metadata());
        let owner = self.parent_of(start, &key);
        let message = self.slots.position(owner);
        let calls = &mut self.messages[message].tool_calls;
        let index = calls.len();
        self.calls.place(slot, owner, index, &call.name);
        calls.push(call);
        if self.bring_answers(&key, message) {
            return Change::MessagesReplaced;
        }
        Change::ToolCallAdded { message, call: index }
    }

    fn note_call(&mut self, start: &EventRef<'_>, slot: usize) {
        let run_id = if let RunState::Running { run_id } = &self.run { Some(run_id.clone()) } else { None };
        self.calls.begin(slot, start.tool_call_name(), run_id);
    }

    /// Moves results that came before their call behind its message. Returns false if there were none.
    fn bring_answers(&mut self, call: &str, holder: usize) -> bool {
        if !self.calls.results(call).iter().any(|slot| self.slots.position(*slot) < holder) {
            return false;
        }
        self.messages = in_place(mem::take(&mut self.messages), Vec::new());
        self.reindex();
        true
    }

    /// Restarts a call that never ended or has no arguments.
    fn restart_call(&mut self, start: &EventRef<'_>, slot: usize) -> Change {
        self.note_call(start, slot);
        let Some((change, call)) = self.call_mut(slot) else {
            return self.begin_call(start, slot);
        };
        call.arguments.clear();
        merge(&mut call.metadata, start.metadata());
        let name = mem::replace(&mut call.name, start.tool_call_name().to_owned());
        if name != start.tool_call_name() {
            self.warn(NoticeDetail::Renamed, &[start.tool_call_id(), &name, start.tool_call_name()]);
        }
        change
    }

    /// The slot of the assistant message that a new call belongs to, and true if the message was created for it.
    fn parent_of(&mut self, start: &EventRef<'_>, call: &str) -> usize {
        // An empty id names no parent; DataRobot's adapter sends it (<https://github.com/datarobot-oss/datarobot-genai/pull/335>).
        let named = Some(start.text("parentMessageId")).filter(|id| !id.is_empty());
        let is_parent = |slot: usize| self.messages[self.slots.position(slot)].role == Role::Assistant;
        let id = match (named, named.and_then(|id| self.slots.find(id))) {
            (_, Some(slot)) if is_parent(slot) => return slot,
            (Some(parent), Some(_)) => {
                self.warn(NoticeDetail::ForeignParent, &[parent, call]);
                call
            }
            (Some(parent), None) => parent,
            (None, _) => call,
        };
        // The call's id may be taken as a message id. An assistant message is reused; any other message keeps its index entry.
        let taken = self.slots.find(id);
        if let Some(slot) = taken.filter(|slot| self.messages[self.slots.position(*slot)].role == Role::Assistant) {
            return slot;
        }
        let slot = self.slots.add(self.messages.len());
        let mut message = Message::new(Role::Assistant, id.to_owned(), Content::None);
        message.subagent_run_id = start.subagent_run_id().map(str::to_owned);
        self.messages.push(message);
        if taken.is_none() {
            self.slots.name(slot, id);
        }
        slot
    }

    fn append_arguments(&mut self, event: &EventRef<'_>) -> Change {
        let mut delta = event.delta();
        let Some(state) = self.calls.newest(event.tool_call_id()).and_then(|slot| self.calls.state_at_mut(slot)) else {
            return Change::Nothing;
        };
        let place = state.owner.map(|slot| (self.slots.position(slot), state.index));
        let held = place.and_then(|(message, call)| self.messages.get_mut(message)?.tool_calls.get_mut(call));
        let arguments = match &held {
            Some(call) => &call.arguments,
            None => &state.detached,
        };
        let is_new = state.is_new();
        if let Some(again) = state.again.as_mut().filter(|_| LEGACY) {
            let (known_to, said_to) = again.agreed;
            let rest = arguments.get(known_to..).unwrap_or_default();
            let is_first = known_to == 0;
            again.said.push_str(delta);
            if let Some((known, said)) = follow(rest, again.said.get(said_to..).unwrap_or_default()) {
                again.agreed = (known_to + known, said_to + said);
                return Change::Nothing;
            }
            let behind = delta.strip_prefix(rest);
            if is_new && (behind.is_some() || is_first) && is_cut(arguments) {
                // The call was only ended early by another event that closed its chunks, and continues here (`basic/patterns/streaming`).
                delta = behind.unwrap_or(delta);
                (state.again, state.ended) = (None, false);
            } else if rest.trim_ascii().is_empty() || is_first && !delta.trim_start().starts_with('{') {
                // Arguments after complete ones, or that can't start an object, are late.
                again.said.truncate(again.said.len() - delta.len());
                self.warn(NoticeDetail::LateArguments, &[event.tool_call_id()]);
                return Change::Nothing;
            } else {
                return state.again.take().map_or(Change::Nothing, |again| self.begin_another(again));
            }
        }
        if LEGACY {
            state.pieces.push(arguments, delta);
        }
        let Some(call) = held else {
            state.detached.push_str(delta);
            return Change::Nothing;
        };
        let from = call.arguments.len();
        call.arguments.push_str(delta);
        merge(&mut call.metadata, event.metadata());
        let (message, call) = place.unwrap_or_default();
        Change::ArgumentsAppended { message, call, from }
    }

    fn end_call(&mut self, event: &EventRef<'_>) -> Change {
        let id = event.tool_call_id();
        let Some(slot) = self.calls.newest(id) else {
            return Change::Nothing;
        };
        let known = self.calls.state_at(slot).filter(|call| call.again.is_some());
        let known = known.map(|call| self.arguments_of(call).to_owned());
        let Some(state) = self.calls.state_at_mut(slot) else {
            return Change::Nothing;
        };
        if let Some((again, known)) = state.again.as_mut().zip(known).filter(|_| LEGACY) {
            again.ended = true;
            // The adapter of `LangGraph` may omit arguments (<https://github.com/ag-ui-protocol/ag-ui/issues/2463>), also when it repeats a call.
            if again.said.is_empty() {
                again.said = known;
            } else if !is_same(&known, &again.said) {
                return state.again.take().map_or(Change::Nothing, |again| self.begin_another(again));
            }
            return Change::Nothing;
        }
        state.ended = true;
        let (pieces, told) = (mem::take(&mut state.pieces), state.told.take());
        let Some((change, call)) = self.call_mut(slot) else {
            self.warn(NoticeDetail::MissingCall, &[id]);
            return Change::Nothing;
        };
        merge(&mut call.metadata, event.metadata());
        let settled = if LEGACY { pieces.settle(&call.arguments) } else { &call.arguments };
        if settled.len() < call.arguments.len() {
            call.arguments = settled.to_owned();
            self.warn(NoticeDetail::SettledArguments, &[id]);
        } else if let Some(told) = told.filter(|told| !is_json(&call.arguments) && is_json(told)) {
            call.arguments = told;
        }
        change
    }

    pub(super) fn call_mut(&mut self, slot: usize) -> Option<(Change, &mut ToolCall)> {
        let (message, call) = self.place_of(self.calls.state_at(slot)?)?;
        let held = self.messages.get_mut(message)?.tool_calls.get_mut(call)?;
        Some((Change::ToolCallChanged { message, call }, held))
    }

    fn add_result(&mut self, result: &EventRef<'_>) -> Change {
        let id = result.tool_call_id();
        let slot = self.calls.newest_or_new(id);
        self.calls.take_result(slot);
        let mut message = of_event(Message::tool(result.message_id(), id, result.content()), result);
        message.set_call_key(self.calls.key_at(slot).to_owned());
        message.error = result.get("error").and_then(String::of);
        self.insert_result(message)
    }

    fn encrypt(&mut self, event: &EventRef<'_>) -> Change {
        let (id, value) = (event.text("entityId"), Some(event.text("encryptedValue").to_owned()));
        let kind = event.get("encryptedValueType").and_then(String::of);
        let change = if event.text("subtype") == "tool-call" {
            self.calls.newest(id).and_then(|slot| self.call_mut(slot)).map(|(change, call)| {
                (call.encrypted_value, call.encrypted_value_type) = (value, kind);
                change
            })
        } else {
            self.position_of(id).map(|message| {
                if self.messages[message].role == Role::Activity {
                    return Change::Nothing;
                }
                let it = &mut self.messages[message];
                (it.encrypted_value, it.encrypted_value_type) = (value, kind);
                Change::MessageChanged { message }
            })
        };
        change.unwrap_or_else(|| {
            self.warn(NoticeDetail::MissingEncrypted, &[id]);
            Change::Nothing
        })
    }

    fn set_activity(&mut self, event: &EventRef<'_>) -> Change {
        let (id, keeps) = (event.message_id(), event.get("replace") == Some(&Json::Bool(false)));
        let mut held = None;
        if let Some(message) = self.position_of(id) {
            let it = &mut self.messages[message];
            if it.role != Role::Activity && keeps {
                return Change::Nothing;
            }
            if it.role == Role::Activity {
                // The content is replaced, but metadata is merged.
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
        let content = event.get("content").map_or(Json::Null, unique);
        let mut activity = of_event(Message::new(Role::Activity, id.to_owned(), Content::Open(content)), event);
        event.text("activityType").clone_into(&mut activity.activity_type);
        if let Some(metadata) = held {
            activity.metadata = metadata;
        }
        self.put(activity)
    }

    fn patch_activity(&mut self, event: &EventRef<'_>) -> Change {
        let id = event.message_id();
        let position = self.position_of(id).filter(|position| self.messages[*position].role == Role::Activity);
        let Some(position) = position else {
            self.warn(NoticeDetail::MissingActivity, &[id]);
            return Change::Nothing;
        };
        let activity = &mut *self.messages[position];
        merge(&mut activity.metadata, event.metadata());
        let operations = event.members.items("patch");
        if let Content::Open(content) = &mut activity.content {
            match patch::apply(operations, content, &mut self.copied, |content| content.as_object().is_some()) {
                Ok(()) => event.text("activityType").clone_into(&mut activity.activity_type),
                Err(error) => {
                    let operation = error.operation.to_string();
                    self.warn(NoticeDetail::ActivityPatch, &[id, &operation, error.reason]);
                }
            }
        }
        Change::MessageChanged { message: position }
    }
}

fn is_json(text: &str) -> bool {
    Json::parse(text).is_ok()
}

/// Returns true if the arguments are incomplete JSON. The size limit bounds the cost for an agent that restarts a call again and again.
fn is_cut(arguments: &str) -> bool {
    const MOST: usize = 1 << 16;
    arguments.len() <= MOST && Json::parse(arguments).is_err_and(|error| error.is_incomplete())
}

/// Suffixes for the ids of messages that began under the id of another message.
const TEXT: &str = "-text";
const REASONING: &str = "-reasoning";

fn suffix(event: &EventRef<'_>) -> &'static str {
    if event.rule.entity() == Some(EntityKind::Text) { TEXT } else { REASONING }
}

/// Returns true if two messages of an agent have the same text.
fn repeats(first: &Message, second: &Message) -> bool {
    let is_text = |message: &Message| message.role == Role::Assistant && message.tool_calls.is_empty();
    is_text(first)
        && is_text(second)
        && !first.text().is_empty()
        && first.content == second.content
        && first.name == second.name
        && first.subagent_run_id == second.subagent_run_id
}

fn of_event(mut message: Message, event: &EventRef<'_>) -> Message {
    message.subagent_run_id = event.subagent_run_id().map(str::to_owned);
    merge(&mut message.metadata, event.metadata());
    message
}
