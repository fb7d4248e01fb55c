//! One conversation as a page has it: what its agent sends, and what its user does.

use ag_ui_stream::asks::AskDelta;
use ag_ui_stream::asks::reply::{AskReply, Delivery, NextRun, Refusal, RunDefaults, UserTurn};
use ag_ui_stream::conversation::Update;
use ag_ui_stream::input::Tool;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::{Asks, Conversation, Event, History, Message};
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::tool::NAMES;
use ask_user_question::{Outcome, Phase, Reply};
use json_tree::Json;
use question_compat::READERS;
use serde_json::{Value, json};

/// A conversation in which nothing was said, that reads answers in all words.
pub(crate) fn unread() -> Conversation {
    Conversation::new(all_asks(), Vec::new())
}

/// What a page watches for that reads all there is.
pub(crate) fn all_asks() -> Asks {
    Asks::new(NAMES, READERS).with_forms()
}

/// The time of all events: before every deadline in the fixtures.
pub(crate) const NOW: u64 = 1_795_176_000_000;

pub(crate) const FOREIGN: Delivery = Delivery::Automatic;

pub(crate) const ASK: &str = r#"{"questions":[{"question":"Which service?","header":"Service","options":[{"label":"Brakes"},{"label":"Oil"}]}]}"#;

/// The arguments of another question.
pub(crate) const OTHER: &str =
    r#"{"questions":[{"question":"Which day?","header":"Day","options":[{"label":"Monday"},{"label":"Friday"}]}]}"#;

#[track_caller]
pub(crate) fn event(json: Value) -> Event {
    serde_json::from_value(json).unwrap()
}

pub(crate) fn messages(json: Value) -> Vec<Message> {
    serde_json::from_value(json).unwrap()
}

pub(crate) fn started(run: &str) -> Value {
    json!({"type": "RUN_STARTED", "threadId": "t", "runId": run})
}

pub(crate) fn finished(run: &str) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": run})
}

pub(crate) fn interrupted(run: &str, interrupts: Value) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": run, "outcome": {"type": "interrupt", "interrupts": interrupts}})
}

/// The interrupt that asks for the answer to the call `c1`.
pub(crate) fn about_the_call() -> Value {
    interrupted("r1", json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1"}]))
}

pub(crate) fn legacy(value: &Value) -> Value {
    json!({"type": "CUSTOM", "name": "on_interrupt", "value": value})
}

pub(crate) fn snapshot(messages: &[Message]) -> Value {
    json!({"type": "MESSAGES_SNAPSHOT", "messages": messages})
}

pub(crate) fn result(call: &str, content: &str) -> Value {
    json!({"type": "TOOL_CALL_RESULT", "messageId": format!("{call}-result"), "toolCallId": call, "content": content})
}

pub(crate) fn call(id: &str, arguments: &str) -> [Value; 3] {
    call_of("ask_user_question", id, arguments)
}

pub(crate) fn call_of(name: &str, id: &str, arguments: &str) -> [Value; 3] {
    [
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": arguments}),
        json!({"type": "TOOL_CALL_END", "toolCallId": id}),
    ]
}

/// A message of the agent.
pub(crate) fn speaks(id: &str) -> [Value; 3] {
    [
        json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": "Good."}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": id}),
    ]
}

pub(crate) fn roles(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(Message::role).collect()
}

/// A conversation in which the agent has sent these events.
pub(crate) fn chat(events: impl IntoIterator<Item = Value>) -> Conversation {
    let mut chat = unread();
    chat.take(events);
    chat
}

/// The conversation as a page has it that kept its history as text.
#[track_caller]
pub(crate) fn reloaded(conversation: &Conversation) -> Conversation {
    let text = Json::from(&conversation.history()).to_string();
    let (history, warnings) = History::from_json(Json::parse(&text).unwrap()).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(Json::from(&history).to_string(), text);
    Conversation::new(all_asks(), history)
}

/// A run that asks with these arguments, and what follows.
pub(crate) fn asked(arguments: &str, rest: impl IntoIterator<Item = Value>) -> Conversation {
    chat([started("r1")].into_iter().chain(call("c1", arguments)).chain(rest))
}

pub(crate) fn said(text: &str) -> UserTurn {
    UserTurn { text: Some(text.to_owned()), ..UserTurn::default() }
}

pub(crate) fn reply(id: &str, outcome: Outcome) -> AskReply {
    AskReply { tool_call_id: id.to_owned(), reply_id: "x1".to_owned(), outcome, by: AnsweredBy::Card }
}

pub(crate) fn declines(id: &str) -> AskReply {
    reply(id, Outcome::Declined)
}

/// The actions of a test on a conversation.
pub(crate) trait Chat {
    /// Takes events as they come in frames. Returns their changes of the asks.
    fn take(&mut self, events: impl IntoIterator<Item = Value>) -> Vec<AskDelta>;
    /// The other changes of the asks.
    fn changes(&mut self) -> Vec<AskDelta>;
    /// Takes the end of the response.
    fn end(&mut self) -> EndOutcome;
    fn phase(&self, id: &str) -> Phase;
    /// The reply to an ask.
    fn reply_of(&self, id: &str) -> &Reply;
    /// The asks that wait, in their order.
    fn waiting(&self) -> Vec<String>;
    fn only_waiting(&self) -> String;
    fn picks(&self, id: &str, option: usize) -> AskReply;
    fn types(&self, id: &str, text: &str) -> AskReply;
    fn next(&self, delivery: Delivery, replies: impl IntoIterator<Item = AskReply>) -> Result<NextRun, Refusal>;
    fn say(&self, delivery: Delivery, said: UserTurn) -> Result<NextRun, Refusal>;
}

impl Chat for Conversation {
    fn take(&mut self, events: impl IntoIterator<Item = Value>) -> Vec<AskDelta> {
        let mut changes = Vec::new();
        for event in events {
            self.feed_json(&event.to_string());
            changes.extend(self.changes());
        }
        changes
    }

    #[track_caller]
    fn changes(&mut self) -> Vec<AskDelta> {
        let mut changes = Vec::new();
        while let Some(update) = self.next_update(NOW) {
            match update {
                Update::Ask(delta) | Update::Event { ask: Some(delta), .. } => changes.push(delta),
                Update::Refused(error) => panic!("{error}"),
                _ => {}
            }
        }
        changes
    }

    fn end(&mut self) -> EndOutcome {
        let mut outcome = None;
        self.finish();
        while let Some(update) = self.next_update(NOW) {
            if let Update::End(end) = update {
                outcome = Some(end.outcome);
            }
        }
        outcome.expect("what is finished ends")
    }

    #[track_caller]
    fn phase(&self, id: &str) -> Phase {
        self.asks().ask(id).unwrap().phase
    }

    #[track_caller]
    fn reply_of(&self, id: &str) -> &Reply {
        let ask = self.asks().ask(id).unwrap();
        let Some(Outcome::Answered(reply)) = &ask.outcome else { panic!("{ask:?}") };
        reply
    }

    fn waiting(&self) -> Vec<String> {
        let waiting = self.asks().asks().filter(|ask| ask.phase == Phase::Answerable);
        waiting.map(|ask| ask.tool_call_id.clone()).collect()
    }

    #[track_caller]
    fn only_waiting(&self) -> String {
        let waiting = self.waiting();
        assert_eq!(waiting.len(), 1, "{waiting:?} wait");
        waiting[0].clone()
    }

    fn picks(&self, id: &str, option: usize) -> AskReply {
        answers(self, id, Selection::picked(0, [option]))
    }

    fn types(&self, id: &str, text: &str) -> AskReply {
        answers(self, id, Selection::typed(0, text))
    }

    fn next(&self, delivery: Delivery, replies: impl IntoIterator<Item = AskReply>) -> Result<NextRun, Refusal> {
        self.say(delivery, UserTurn { replies: replies.into_iter().collect(), ..UserTurn::default() })
    }

    fn say(&self, delivery: Delivery, said: UserTurn) -> Result<NextRun, Refusal> {
        say_with(self, Vec::new(), delivery, said)
    }
}

fn answers(chat: &Conversation, id: &str, selection: Selection) -> AskReply {
    let ask = chat.asks().ask(id).unwrap().ask.as_ref().unwrap();
    reply(id, Outcome::Answered(Reply::check(ask, vec![selection]).unwrap()))
}

/// A message of the user on a page that offers tools of its own.
pub(crate) fn say_with(
    chat: &Conversation,
    tools: Vec<Tool>,
    delivery: Delivery,
    said: UserTurn,
) -> Result<NextRun, Refusal> {
    request(chat, &RunDefaults { tools, delivery, ..RunDefaults::default() }, said)
}

/// The request of a page with this set-up.
pub(crate) fn request(chat: &Conversation, setup: &RunDefaults, said: UserTurn) -> Result<NextRun, Refusal> {
    let setup = RunDefaults { thread_id: "t".to_owned(), ..setup.clone() };
    let mut ids = (1..).map(|id| format!("id{id}"));
    chat.request(NOW, &setup, &said, || ids.next().unwrap())
}
