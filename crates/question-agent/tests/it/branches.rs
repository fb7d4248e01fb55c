//! Changed answers from which the agent begins anew.

use crate::samples::{ask_call, intercept_running, other_call, picks, replies, responds, says, waiting};
use ask_user_question::Outcome;
use question_agent::ag_ui::{Bounds, RunInput, Step, View, read, wire};
use question_agent::background::text_for_model;
use question_agent::branch::{ChangedAnswer, for_model};
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::Message;
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Event};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A conversation whose question was answered with "SQLite", whereupon the agent ran the call behind it, and another.
fn answered() -> Conversation {
    let mut conversation = waiting(vec![other_call("call-2")]);
    conversation.handle(replies("call-1", "r1", picks(1))).unwrap();
    ran(&mut conversation, "call-2");
    let install = ToolCall::new("call-3", "install", "{}");
    conversation.handle(responds("a2", "SQLite it is.", vec![install])).unwrap();
    ran(&mut conversation, "call-3");
    conversation.handle(responds("a3", "Installed.", Vec::new())).unwrap();
    conversation
}

fn ran(conversation: &mut Conversation, call: &str) {
    let result = ToolResult::success(call, "done");
    conversation.handle(Event::ToolComplete { result }).unwrap();
}

fn change(id: &str, call: &str, text: &str) -> Value {
    let ask = json!({"toolCallId": call, "replyId": id, "outcome": "answered", "by": "card", "replaces": call});
    // What a client claims of the branch counts for nothing.
    let metadata = json!({"ask": ask, "undoes": {"after": "u1", "tools": ["nothing"]}});
    json!({"role": "user", "id": id, "content": text, "metadata": metadata})
}

/// Takes a message of a client. Returns true if the agent begins anew.
fn takes(conversation: &mut Conversation, changed_answer: ChangedAnswer, message: &Value) -> bool {
    takes_all(conversation, changed_answer, std::slice::from_ref(message))
}

fn takes_all(conversation: &mut Conversation, changed_answer: ChangedAnswer, messages: &[Value]) -> bool {
    let body = json!({"threadId": "t", "runId": messages[0]["id"], "messages": messages});
    let input = RunInput::parse(body.to_string().as_bytes()).unwrap();
    let bounds = Bounds { changed_answer, ..Bounds::default() };
    let view = View { conversation, context: &ToolContext::default() };
    let event = read(&bounds, view, &input).unwrap().expect("it is new");
    Step::of(conversation.handle(event).unwrap()).begins_anew()
}

const POSTGRES: &str = "I changed my answer to “Which database?”: Postgres";

fn ids(history: &[Message]) -> Vec<&str> {
    history.iter().map(Message::id).collect()
}

fn result_of<'a>(history: &'a [Message], call: &str) -> &'a str {
    let mut results = history.iter().rev().filter_map(|message| match message {
        Message::Tool(result) if result.tool_use_id == call => Some(&*result.content),
        _ => None,
    });
    results.next().expect("it has a result")
}

#[test]
fn the_model_reads_the_new_answer_in_the_place_of_the_first_and_nothing_since() {
    let mut conversation = answered();
    let before = conversation.messages().to_vec();
    assert!(takes(&mut conversation, ChangedAnswer::Branch, &change("u9", "call-1", POSTGRES)));
    let history = conversation.messages();
    assert_eq!(history[..before.len()], before, "people see all of it");
    let read = for_model(history);
    assert_eq!(ids(&read), [&ids(&before[..4])[..], &["u9"]].concat());
    assert_eq!(result_of(&read, "call-1"), r#"{"answers":{"Which database?":"Postgres"}}"#);
    assert_eq!(result_of(history, "call-1"), r#"{"answers":{"Which database?":"SQLite"}}"#);
    let Some(Message::User(told)) = read.last() else { panic!("{read:?}") };
    let said = "Postgres\n\nI changed this answer. What you did since the first one may stay done: read_file, install.";
    assert_eq!(text_for_model(&read, told), said);
    // Clients read what is undone, in the history and in the message that goes to the others.
    let view = View { conversation: &conversation, context: &ToolContext::default() };
    let sent = json!(wire::messages(view).last());
    let after = before[3].id();
    assert_eq!(sent["metadata"]["undoes"], json!({"after": after, "tools": ["read_file", "install"]}));
    assert_eq!((&sent["content"], &sent["metadata"]["ask"]["replaces"]), (&json!(POSTGRES), &json!("call-1")));
}

#[test]
fn it_is_the_same_after_a_restart_and_each_further_change_begins_at_the_answer() {
    let mut conversation = answered();
    takes(&mut conversation, ChangedAnswer::Branch, &change("u9", "call-1", POSTGRES));
    conversation.handle(responds("a9", "Postgres, then.", Vec::new())).unwrap();
    let again = "I changed my answer to “Which database?”: SQLite";
    assert!(takes(&mut conversation, ChangedAnswer::Branch, &change("u10", "call-1", again)));
    conversation.handle(responds("a10", "SQLite again.", Vec::new())).unwrap();
    let kept = |message: &Message| serde_json::to_value(message).unwrap();
    let state = serde_json::to_value(conversation.state()).unwrap();
    let messages = conversation.messages().iter().map(kept).collect();
    let replayed = Conversation::from_parts(question_agent::stored::VERSION, state, messages).unwrap();
    for conversation in [conversation, replayed] {
        let read = for_model(conversation.messages());
        assert_eq!(ids(&read)[4..], ["u10", "a10"]);
        assert_eq!(result_of(&read, "call-1"), r#"{"answers":{"Which database?":"SQLite"}}"#);
    }
}

#[test]
fn what_changes_no_answer_that_the_model_knows_of_is_a_message_like_any_other() {
    for (how, message) in [
        (ChangedAnswer::Continue, change("u9", "call-1", POSTGRES)),
        (ChangedAnswer::Branch, change("u9", "call-9", POSTGRES)),
        (ChangedAnswer::Branch, change("u9", "call-2", POSTGRES)),
        (ChangedAnswer::Branch, change("u9", "call-1", "I changed my mind")),
        (ChangedAnswer::Branch, change("u9", "call-1", "I changed my answer to “Which day?”: Monday")),
        (ChangedAnswer::Branch, json!({"role": "user", "id": "u9", "content": POSTGRES})),
    ] {
        let mut conversation = answered();
        assert!(!takes(&mut conversation, how, &message), "{message}");
        assert_eq!(*for_model(conversation.messages()), *conversation.messages());
    }
    // A question that was not answered has nothing to go back to.
    let mut conversation = waiting(Vec::new());
    conversation.handle(replies("call-1", "r1", Outcome::Declined)).unwrap();
    conversation.handle(responds("a2", "As you like.", Vec::new())).unwrap();
    assert!(!takes(&mut conversation, ChangedAnswer::Branch, &change("u9", "call-1", POSTGRES)));
    // One that was undone is gone for the model.
    let mut conversation = waiting(Vec::new());
    conversation.handle(replies("call-1", "r1", picks(1))).unwrap();
    let effects = conversation.handle(responds("a2", "", vec![ask_call("call-2")])).unwrap();
    intercept_running(&mut conversation, &effects);
    conversation.handle(replies("call-2", "r2", picks(1))).unwrap();
    conversation.handle(responds("a3", "Done.", Vec::new())).unwrap();
    assert!(takes(&mut conversation, ChangedAnswer::Branch, &change("u9", "call-1", POSTGRES)));
    conversation.handle(responds("a9", "Postgres, then.", Vec::new())).unwrap();
    assert!(!takes(&mut conversation, ChangedAnswer::Branch, &change("u10", "call-2", POSTGRES)));
}

#[test]
fn a_change_undoes_nothing_that_the_model_has_not_read() {
    let says = |id: &str| json!({"role": "user", "id": id, "content": "Also use TLS"});
    let (first, second) = (change("u8", "call-1", POSTGRES), change("u9", "call-1", POSTGRES));
    for (messages, begins_anew) in
        [([says("u8"), second.clone()], false), ([first.clone(), says("u9")], true), ([first, second], true)]
    {
        let mut conversation = answered();
        assert_eq!(takes_all(&mut conversation, ChangedAnswer::Branch, &messages), begins_anew, "{messages:?}");
        let read = for_model(conversation.messages());
        assert!(ids(&read).ends_with(&["u8", "u9"]), "{messages:?}: {read:?}");
    }
}

#[test]
fn a_message_before_any_question_undoes_nothing() {
    let mut conversation = Conversation::new();
    conversation.handle(says("u1", "Hello")).unwrap();
    conversation.handle(responds("a1", "Hello.", Vec::new())).unwrap();
    assert!(!takes(&mut conversation, ChangedAnswer::Branch, &change("u9", "call-1", POSTGRES)));
}
