//! A conversation at rest.

use crate::samples::{ask_call, database_ask, other_call, picks, replies, responds, says, waiting};
use question_agent::call::ToolResult;
use question_agent::message::Message;
use question_agent::snapshot::{SNAPSHOT_VERSION, Snapshot, SnapshotError};
use question_agent::{Conversation, Effect, Timestamp, event::Event};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// What is stored and read again, through text as a store would.
pub(crate) fn stored(conversation: &Conversation) -> Conversation {
    let text = Snapshot::new(conversation.clone()).to_json().to_string();
    let json = serde_json::from_str(&text).expect("a snapshot is JSON");
    Snapshot::from_json(json).expect("this version wrote it").into_conversation()
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
    let newer = Snapshot::from_json(json!({"version": SNAPSHOT_VERSION + 1, "anything": 1}));
    let version = u64::from(SNAPSHOT_VERSION) + 1;
    assert_eq!(newer, Err(SnapshotError::Newer { version }));
    for json in [json!(null), json!({}), json!({"version": 0}), json!({"version": 1}), json!({"version": "1"})] {
        let read = Snapshot::from_json(json.clone());
        assert!(matches!(read, Err(SnapshotError::Unreadable(_))), "{json}: {read:?}");
    }
}

#[test]
fn the_stored_form_is_the_agreed_one() {
    let json = Snapshot::new(waiting(Vec::new())).to_json();
    assert_eq!(json["version"], 2);
    let state = &json["conversation"]["state"];
    assert_eq!(state["type"], "awaiting_user_response");
    assert_eq!(state["tool_use_id"], "call-1");
    assert_eq!(state["questions"][0]["question"], "Which database?");
    let messages = &json["conversation"]["messages"];
    assert_eq!(messages[0], json!({"role": "user", "id": "u1", "text": "set it up"}));
    assert_eq!(messages[1]["toolCalls"][0]["kind"], "ask_user_question");
}

#[test]
fn a_deadline_is_kept() {
    let mut conversation = Conversation::new();
    for event in [
        says("u1", "go"),
        responds("a1", "", vec![ask_call("call-1")]),
        Event::AskUserQuestionPending {
            tool_use_id: "call-1".to_owned(),
            questions: database_ask(),
            expires_at: Some(Timestamp(5)),
        },
    ] {
        conversation.handle(event).expect("each follows the other");
    }
    let mut after = stored(&conversation);
    assert_eq!(after, conversation);
    let now = Timestamp(5);
    after.handle(Event::QuestionExpired { now }).expect("its time is over");
}

#[test]
fn an_older_version_is_read() {
    let mut json = Snapshot::new(waiting(Vec::new())).to_json();
    json["version"] = 1.into();
    let read = Snapshot::from_json(json).expect("an earlier server wrote it");
    assert_eq!(read.into_conversation(), waiting(Vec::new()));
    let parts = Snapshot::from_parts(1, json!({"type": "idle"}), Vec::new());
    assert!(parts.is_ok(), "{parts:?}");
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
    let state = serde_json::to_value(conversation.state()).expect("a state has only strings for keys");
    let read = Snapshot::from_parts(SNAPSHOT_VERSION, state.clone(), parts).expect("this version wrote it");
    assert_eq!(read.into_conversation(), conversation);
    let newer = Snapshot::from_parts(SNAPSHOT_VERSION + 1, state, Vec::new());
    assert!(matches!(newer, Err(SnapshotError::Newer { .. })), "{newer:?}");
}
