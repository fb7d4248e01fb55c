//! A conversation that a store has kept.

use crate::samples::{other_call, picks, replies, says, waiting};
use question_agent::call::ToolResult;
use question_agent::message::Message;
use question_agent::stored::{StoredError, VERSION};
use question_agent::{Conversation, Effect, event::Event};
use serde::Deserialize;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Stores and reads again, through text as a store would.
pub(crate) fn stored(conversation: &Conversation) -> Conversation {
    let text = json!({"state": conversation.state(), "messages": conversation.messages()}).to_string();
    let Parts { state, messages } = serde_json::from_str(&text).expect("its parts are JSON");
    Conversation::from_parts(VERSION, state, messages).expect("this version wrote it")
}

#[derive(Deserialize)]
struct Parts {
    state: Value,
    messages: Vec<Value>,
}

#[test]
fn a_waiting_question_is_still_waiting_afterwards() {
    let before = waiting(vec![other_call("call-2")]);
    let mut after = stored(&before);
    assert_eq!(after, before);
    let effects = after.resume();
    assert!(matches!(effects.as_slice(), [Effect::NotifyStateChange(_)]), "{effects:?}");
    after.handle(replies("call-1", "r1", picks(0))).expect("it still waits");
    assert_eq!(after.resume().last(), Some(&Effect::ExecuteTool(other_call("call-2"))));
}

#[test]
fn a_running_tool_starts_again_with_its_sub_agents() {
    let mut conversation = waiting(vec![other_call("call-2")]);
    conversation.handle(replies("call-1", "r1", picks(0))).expect("it waits");
    let started = || Event::SubAgentStarted { tool_use_id: "call-2".to_owned(), sub_agent_id: "helper".to_owned() };
    conversation.handle(started()).expect("it runs");
    let mut after = stored(&conversation);
    assert_eq!(after.resume().last(), Some(&Effect::ExecuteTool(other_call("call-2"))));
    let finished = Event::SubAgentFinished { sub_agent_id: "helper".to_owned() };
    assert!(after.handle(finished).is_err(), "the old process's sub-agent is gone");
    after.handle(started()).expect("it runs again");
}

#[test]
fn what_cannot_be_read_says_why() {
    let version = VERSION + 1;
    let newer = Conversation::from_parts(version, json!({"anything": 1}), Vec::new());
    assert_eq!(newer, Err(StoredError::Newer { version }));
    assert!(newer.unwrap_err().to_string().contains("stored by a newer version"));
    let idle = || json!({"type": "idle"});
    for (state, messages) in [
        (json!(null), vec![]),
        (json!({}), vec![]),
        (json!({"type": "asleep"}), vec![]),
        (idle(), vec![json!(null)]),
        (idle(), vec![json!({"role": "user"})]),
    ] {
        let read = Conversation::from_parts(VERSION, state.clone(), messages.clone());
        assert!(matches!(read, Err(StoredError::Unreadable(_))), "{state} {messages:?}: {read:?}");
    }
}

#[test]
fn the_stored_form_is_the_agreed_one() {
    let conversation = waiting(Vec::new());
    let state = json!(conversation.state());
    assert_eq!(state["type"], "awaiting_user_response");
    assert_eq!(state["tool_use_id"], "call-1");
    assert_eq!(state["questions"][0]["question"], "Which database?");
    let messages = json!(conversation.messages());
    assert_eq!(messages[0], json!({"role": "user", "id": "u1", "text": "set it up"}));
    assert_eq!(messages[1]["toolCalls"][0]["kind"], "ask_user_question");
}

#[test]
fn an_older_version_is_read() {
    let conversation = waiting(Vec::new());
    let messages = conversation.messages().iter().map(|message| json!(message));
    let read = Conversation::from_parts(1, json!(conversation.state()), messages.collect());
    assert_eq!(read, Ok(conversation));
}

#[test]
fn a_result_that_was_stored_late_is_put_behind_its_call() {
    let call = json!({"kind": "other", "id": "c", "name": "stock", "arguments": "{}"});
    let parts = vec![
        json!({"role": "assistant", "id": "a1", "text": "", "toolCalls": [call]}),
        json!({"role": "user", "id": "u2", "text": "and?"}),
        json!(Message::Tool(ToolResult::success("c", "12"))),
    ];
    let conversation = Conversation::from_parts(VERSION, json!({"type": "idle"}), parts).expect("they are read");
    let order: Vec<&str> = conversation.messages().iter().map(Message::id).collect();
    assert_eq!(order, ["a1", "c-result", "u2"]);
}

#[test]
fn parts_in_the_order_in_which_they_came_make_the_same_history() {
    let mut conversation = waiting(vec![other_call("call-2")]);
    let mut parts: Vec<Value> = Vec::new();
    let mut keep = |effects: Vec<Effect>| {
        for effect in effects {
            match effect {
                Effect::PersistMessage(message) => parts.push(json!(message)),
                Effect::PersistToolResults { results } => {
                    parts.extend(results.into_iter().map(|result| json!(Message::Tool(result))));
                }
                _ => {}
            }
        }
    };
    for message in conversation.messages() {
        keep(vec![Effect::PersistMessage(message.clone())]);
    }
    // The answer is typed, so that the second call's result comes behind the user's message, and belongs before it.
    keep(conversation.handle(says("u9", "PostgreSQL")).expect("it waits"));
    let result = ToolResult::success("call-2", "done");
    keep(conversation.handle(Event::ToolComplete { result }).expect("it runs"));
    let order: Vec<&str> = conversation.messages().iter().map(Message::id).collect();
    assert_eq!(order.last(), Some(&"u9"));
    assert_eq!(Conversation::from_parts(VERSION, json!(conversation.state()), parts), Ok(conversation));
}
