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
use std::collections::HashSet;

pub(crate) fn check(run: &Run) -> Result<(), String> {
    let mut expected = Expected { start: run.history.clone(), ..Expected::default() };
    for event in &run.events {
        expected.take(event);
    }
    let messages = Messages(run.thread().messages());
    messages.check_start(&expected)?;
    messages.check_begun(&expected)?;
    expected.results.iter().try_for_each(|result| messages.check_result(result))?;
    messages.check_no_others(&expected)
}

/// The messages that the events call for.
#[derive(Default)]
struct Expected {
    start: Vec<Message>,
    /// The start is a snapshot, whose messages take the places of those that are there.
    is_snapshot: bool,
    /// What began, in its order.
    begun: Vec<Begun>,
    results: Vec<Answer>,
    /// Messages that a snapshot may keep although it omits them.
    spared: HashSet<String>,
}

#[derive(PartialEq)]
enum Kind {
    Text,
    Call,
    Activity,
}

struct Begun {
    kind: Kind,
    id: String,
    /// The tool of a call.
    name: String,
    /// The text, or the arguments.
    text: String,
}

struct Answer {
    message_id: String,
    call: String,
    content: Content,
}

impl Expected {
    fn find(&mut self, kind: &Kind, id: &str) -> Option<&mut Begun> {
        self.begun.iter_mut().find(|begun| begun.kind == *kind && begun.id == id)
    }

    /// Something begins, or begins again where it was.
    fn begin(&mut self, kind: Kind, id: &str, name: &str) {
        match self.find(&kind, id) {
            Some(known) => name.clone_into(&mut known.name),
            None => self.begun.push(Begun { kind, id: id.to_owned(), name: name.to_owned(), text: String::new() }),
        }
    }

    fn grow(&mut self, kind: &Kind, id: &str, delta: &str) {
        if let Some(begun) = self.find(kind, id) {
            begun.text += delta;
        }
    }

    fn take(&mut self, event: &Event) {
        match event.kind() {
            EventType::RunStarted => {
                self.spared.extend(event.messages().iter().map(|message| message.id().to_owned()));
            }
            EventType::TextMessageStart | EventType::ReasoningMessageStart => {
                self.begin(Kind::Text, event.message_id(), "");
            }
            EventType::TextMessageContent | EventType::ReasoningMessageContent => {
                self.grow(&Kind::Text, event.message_id(), event.delta());
            }
            EventType::ToolCallStart => self.begin(Kind::Call, event.tool_call_id(), event.tool_call_name()),
            EventType::ToolCallArgs => self.grow(&Kind::Call, event.tool_call_id(), event.delta()),
            EventType::ToolCallResult => {
                let (message_id, call) = (event.message_id().to_owned(), event.tool_call_id().to_owned());
                self.results.retain(|it| it.message_id != message_id || it.call != call);
                self.results.push(Answer { message_id, call, content: event.content() });
            }
            EventType::ActivitySnapshot => self.begin(Kind::Activity, event.message_id(), ""),
            EventType::MessagesSnapshot => {
                let mut spared = std::mem::take(&mut self.spared);
                spared.extend(self.begun.drain(..).filter(|it| it.kind != Kind::Call).map(|it| it.id));
                spared.extend(self.start.iter().map(|it| it.id().to_owned()));
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

    fn check_start(&self, expected: &Expected) -> Result<(), String> {
        let mut ids = HashSet::new();
        if let Some(twice) = self.0.iter().find(|message| !ids.insert(message.id())) {
            return Err(format!("two messages have the id {}", twice.id()));
        }
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

    fn check_begun(&self, expected: &Expected) -> Result<(), String> {
        let start = expected.start.iter().filter_map(|it| self.position(it.id()));
        let (mut seen, mut last): (HashSet<usize>, _) = (start.collect(), 0);
        for Begun { kind, id, name, text } in &expected.begun {
            let position = if *kind == Kind::Call { self.holder(id) } else { self.position(id) };
            let position = position.ok_or_else(|| format!("{id} is gone"))?;
            match kind {
                Kind::Text if !self.0[position].text().ends_with(text) => {
                    return Err(format!("the text of {id} is not {text:?}"));
                }
                Kind::Call => {
                    let held = self.0.iter().flat_map(Message::tool_calls).filter(|held| held.id == *id);
                    let held: Vec<_> = held.collect();
                    if held.len() != 1 || held[0].name != *name || !held[0].arguments.ends_with(text) {
                        return Err(format!("the call {id} is {held:?}"));
                    }
                }
                Kind::Text | Kind::Activity => {}
            }
            if seen.insert(position) {
                if position < last {
                    return Err(format!("{id} stands before what began before it"));
                }
                last = position;
            }
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

    fn check_no_others(&self, expected: &Expected) -> Result<(), String> {
        let is_expected = |message: &&Message| {
            let id = message.id();
            let holds = |call: &str| message.tool_calls().iter().any(|it| it.id == call);
            let began = |it: &Begun| if it.kind == Kind::Call { holds(&it.id) } else { it.id == id };
            expected.spared.contains(id)
                || expected.start.iter().any(|it| it.id() == id)
                || expected.begun.iter().any(began)
                || expected.results.iter().any(|it| message.tool_call_id() == Some(&it.call))
        };
        match self.0.iter().find(|message| !is_expected(message)) {
            Some(message) => Err(format!("no event adds the message {}", message.id())),
            None => Ok(()),
        }
    }
}
