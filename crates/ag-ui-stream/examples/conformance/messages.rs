//! The messages of a run for every reader: rules that need only the events and the run's input. (No expected messages are recorded, and
//! another reader's would be only another opinion.)
//!
//! 1. Every id is there once.
//! 2. The messages that started the run stay, in their order.
//! 3. Every text that began is a message with all of its deltas.
//! 4. Every call that began stands in one assistant message, with its name and all of its arguments.
//! 5. Every result is a tool message with its content, and stands behind the message of its call with nothing but tool messages between.
//! 6. The added messages come in the order in which they began, and there are no others.
//!
//! A snapshot of the messages is a new start: what it holds takes the place of what was before.

use crate::run::Run;
use ag_ui_stream::event::EventType;
use ag_ui_stream::message::Content;
use ag_ui_stream::{Event, Message};
use std::collections::{BTreeMap, HashSet};

pub(crate) fn check(run: &Run) -> Result<(), String> {
    let expected = Expected::of(run);
    let messages = Messages(run.thread().messages());
    messages.check_ids()?;
    messages.check_start(&expected)?;
    expected.texts.iter().try_for_each(|(id, text)| messages.check_text(id, text))?;
    expected.calls.iter().try_for_each(|(id, call)| messages.check_call(id, call))?;
    expected.results.iter().try_for_each(|result| messages.check_result(result))?;
    messages.check_order(&expected)?;
    messages.check_no_others(&expected)
}

/// The messages that the events call for.
#[derive(Default)]
struct Expected {
    start: Vec<Message>,
    /// The start is a snapshot, whose messages take the places of those that are there.
    is_snapshot: bool,
    texts: BTreeMap<String, String>,
    calls: BTreeMap<String, Call>,
    results: Vec<Answer>,
    /// The added messages, in the order in which they began.
    added: Vec<Added>,
    /// Messages that a snapshot may keep although it omits them.
    spared: HashSet<String>,
}

#[derive(Default)]
struct Call {
    name: String,
    arguments: String,
}

struct Answer {
    message_id: String,
    call: String,
    content: Content,
}

enum Added {
    Message(String),
    Call(String),
}

impl Expected {
    fn of(run: &Run) -> Self {
        let mut expected = Self { start: run.history.clone(), ..Self::default() };
        for event in &run.events {
            expected.take(event);
        }
        expected
    }

    fn take(&mut self, event: &Event) {
        match event.kind() {
            EventType::RunStarted => {
                for message in event.messages() {
                    self.spared.insert(message.id().to_owned());
                }
            }
            EventType::TextMessageStart | EventType::ReasoningMessageStart => {
                let id = event.message_id().to_owned();
                if !self.texts.contains_key(&id) {
                    self.added.push(Added::Message(id.clone()));
                    self.texts.insert(id, String::new());
                }
            }
            EventType::TextMessageContent | EventType::ReasoningMessageContent => {
                if let Some(text) = self.texts.get_mut(event.message_id()) {
                    *text += event.delta();
                }
            }
            EventType::ToolCallStart => {
                let id = event.tool_call_id().to_owned();
                if !self.calls.contains_key(&id) {
                    self.added.push(Added::Call(id.clone()));
                }
                event.tool_call_name().clone_into(&mut self.calls.entry(id).or_default().name);
            }
            EventType::ToolCallArgs => {
                if let Some(call) = self.calls.get_mut(event.tool_call_id()) {
                    call.arguments += event.delta();
                }
            }
            EventType::ToolCallResult => {
                let (message_id, call) = (event.message_id().to_owned(), event.tool_call_id().to_owned());
                self.results.retain(|it| it.message_id != message_id || it.call != call);
                self.results.push(Answer { message_id, call, content: event.content() });
            }
            EventType::ActivitySnapshot => self.added.push(Added::Message(event.message_id().to_owned())),
            EventType::MessagesSnapshot => {
                let added = std::mem::take(&mut self.added).into_iter();
                let added = added.filter_map(|it| match it {
                    Added::Message(id) => Some(id),
                    Added::Call(_) => None,
                });
                let start = std::mem::take(&mut self.start).into_iter();
                let mut spared = std::mem::take(&mut self.spared);
                spared.extend(added.chain(start.map(|it| it.id().to_owned())));
                *self = Self { start: event.messages(), is_snapshot: true, spared, ..Self::default() };
            }
            _ => {}
        }
    }
}

/// The messages that a reader made of it.
struct Messages<'a>(&'a [Message]);

impl Messages<'_> {
    fn position(&self, id: &str) -> Option<usize> {
        self.0.iter().position(|message| message.id() == id)
    }

    /// The index of the message with a call.
    fn holder(&self, call: &str) -> Option<usize> {
        self.0.iter().position(|message| message.tool_calls().iter().any(|it| it.id == call))
    }

    fn check_ids(&self) -> Result<(), String> {
        let mut ids = HashSet::new();
        match self.0.iter().find(|message| !ids.insert(message.id())) {
            Some(twice) => Err(format!("two messages have the id {}", twice.id())),
            None => Ok(()),
        }
    }

    fn check_start(&self, expected: &Expected) -> Result<(), String> {
        let mut last = 0;
        for message in &expected.start {
            let id = message.id();
            let position = self.position(id).ok_or_else(|| format!("the message {id} is gone"))?;
            if self.0[position].role() != message.role() {
                return Err(format!("the message {id} has become another"));
            }
            if position < last && !expected.is_snapshot {
                return Err(format!("the message {id} left its place"));
            }
            last = position;
        }
        Ok(())
    }

    fn check_text(&self, id: &str, text: &str) -> Result<(), String> {
        match self.position(id).map(|position| self.0[position].text()) {
            Some(found) if found.ends_with(text) => Ok(()),
            found => Err(format!("the text of {id} is {found:?} instead of {text:?}")),
        }
    }

    fn check_call(&self, id: &str, call: &Call) -> Result<(), String> {
        let held = self.0.iter().flat_map(Message::tool_calls);
        let held: Vec<_> = held.filter(|held| held.id == id).collect();
        let [held] = held.as_slice() else {
            return Err(format!("the call {id} is there {} times", held.len()));
        };
        if held.name != call.name || !held.arguments.ends_with(&call.arguments) {
            return Err(format!("the call {id} is {held:?}"));
        }
        Ok(())
    }

    fn check_result(&self, result: &Answer) -> Result<(), String> {
        let call = &result.call;
        let is_it = |it: &Message| it.tool_call_id() == Some(call) && *it.content() == result.content;
        let position = self.0.iter().position(is_it);
        let position = position.ok_or_else(|| format!("the result of {call} is gone"))?;
        let Some(holder) = self.holder(call) else {
            return Ok(());
        };
        let between = self.0.get(holder + 1..position);
        let stands_behind = between.is_some_and(|it| it.iter().all(|it| it.role() == "tool"));
        if stands_behind { Ok(()) } else { Err(format!("the result of {call} does not stand behind it")) }
    }

    fn check_order(&self, expected: &Expected) -> Result<(), String> {
        let mut seen: HashSet<usize> = HashSet::new();
        seen.extend(expected.start.iter().filter_map(|it| self.position(it.id())));
        let mut last = 0;
        for added in &expected.added {
            let (id, position) = match added {
                Added::Message(id) => (id, self.position(id)),
                Added::Call(id) => (id, self.holder(id)),
            };
            let position = position.ok_or_else(|| format!("{id} is gone"))?;
            if !seen.insert(position) {
                continue;
            }
            if position < last {
                return Err(format!("{id} stands before what began before it"));
            }
            last = position;
        }
        Ok(())
    }

    fn check_no_others(&self, expected: &Expected) -> Result<(), String> {
        let is_expected = |message: &&Message| {
            let id = message.id();
            let began = |added: &Added| matches!(added, Added::Message(it) if it == id);
            let of_call = |call: &str| message.tool_calls().iter().any(|it| it.id == call);
            let answers = |call: &str| message.tool_call_id() == Some(call);
            expected.spared.contains(id)
                || expected.start.iter().any(|it| it.id() == id)
                || expected.added.iter().any(began)
                || expected.calls.keys().any(|it| of_call(it))
                || expected.results.iter().any(|it| answers(&it.call))
        };
        match self.0.iter().find(|message| !is_expected(message)) {
            Some(message) => Err(format!("no event adds the message {}", message.id())),
            None => Ok(()),
        }
    }
}
