//! Approvals by an open call, as `Agno` has them: the host says which tools need one.

use super::{left_open, own_call};
use crate::chat::{
    Chat, FOREIGN, all_asks, declines, finished, interrupted, legacy, messages, result, said, snapshot, started,
};
use ag_ui_stream::Conversation;
use ag_ui_stream::asks::reply::{Delivery, NextRun, Refusal};
use ask_user_question::Phase;
use ask_user_question::outcome::DECLINED_TEXT;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A conversation whose page knows that `delete_file` needs approval.
fn approving(events: impl IntoIterator<Item = Value>) -> Conversation {
    let mut conversation = Conversation::new(all_asks().with_approvals(["delete_file"]), Vec::new());
    conversation.take(events);
    conversation
}

/// The tool message of an input that brings nothing else.
#[track_caller]
fn only_result(next: &NextRun) -> (String, Option<String>) {
    assert_eq!(next.input().resume, None);
    let [tool] = &next.messages[..] else { panic!("{:?}", next.messages) };
    assert_eq!(tool.tool_call_id(), Some("w1"));
    (tool.text().into_owned(), tool.error().map(str::to_owned))
}

#[test]
fn an_open_call_of_a_tool_that_needs_approval_is_a_yes_or_no() {
    let conversation = approving(left_open("delete_file", finished("r1")));
    assert_eq!(conversation.only_waiting(), "w1");
    let ask = conversation.asks().ask("w1").unwrap().ask.clone().unwrap();
    assert_eq!(ask.questions[0].question, r#"delete_file {"path":"a.txt"}"#);
    let labels: Vec<&str> = ask.questions[0].options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["Yes", "No"]);
    for (option, expected) in [(0, r#"{"accepted":true}"#), (1, r#"{"accepted":false}"#)] {
        // Its server takes the result alone, whatever is chosen for questions.
        for delivery in [FOREIGN, Delivery::UserMessage, Delivery::Resume] {
            let next = conversation.next(delivery, [conversation.picks("w1", option)]).unwrap();
            assert_eq!(only_result(&next), (expected.to_owned(), None));
        }
    }
    let next = conversation.next(FOREIGN, [declines("w1")]).unwrap();
    let told = DECLINED_TEXT.to_owned();
    assert_eq!(only_result(&next), (told.clone(), Some(told)));
    // A typed text is never taken for consent, and no message goes past the approval.
    let typed = conversation.types("w1", "Yes, but keep a copy");
    let refused = conversation.next(FOREIGN, [typed]);
    assert!(matches!(refused, Err(Refusal::Payload { .. })), "{refused:?}");
    let refused = conversation.say(FOREIGN, said("Never mind"));
    assert!(matches!(refused, Err(Refusal::QuestionsWait { .. })), "{refused:?}");
}

#[test]
fn a_call_waits_for_approval_only_after_a_run_that_succeeded() {
    let named = |json: Value| {
        let conversation = approving(left_open("delete_file", json));
        let asks = conversation.asks().asks();
        asks.map(|ask| ask.tool_call_id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(named(finished("r1")), ["w1"]);
    assert_eq!(named(json!({"type": "RUN_ERROR", "message": "Out of paper"})), Vec::<String>::new());
    let interrupt = json!([{"id": "i1", "reason": "acme:sure", "message": "Sure?"}]);
    assert_eq!(named(interrupted("r1", interrupt)), ["i1"]);
    let of = |events: Vec<Value>| approving(events).asks().asks().count();
    assert_eq!(of(left_open("read_file", finished("r1"))), 0);
    let mut done = left_open("delete_file", result("w1", "Deleted."));
    done.push(finished("r1"));
    assert_eq!(of(done), 0);
    let mut cut = left_open("delete_file", finished("r1"));
    cut[2]["delta"] = r#"{"path":"#.into();
    assert_eq!(of(cut), 0);
    // The call is the question, which needs no arguments.
    let mut bare = left_open("delete_file", finished("r1"));
    bare[2]["delta"] = "{}".into();
    let bare = approving(bare);
    let question = &bare.asks().ask("w1").unwrap().questions[0].question;
    assert_eq!(question.text, "delete_file");
    let mut suspended = left_open("delete_file", legacy(&json!("Sure?")));
    suspended.push(finished("r1"));
    assert_ne!(approving(suspended).only_waiting(), "w1");
}

#[test]
fn an_approval_is_asked_again_after_a_reload_until_it_is_given() {
    let mut live = approving(left_open("delete_file", finished("r1")));
    let reload = |live: &Conversation| approving([started("h"), snapshot(live.thread().messages()), finished("h")]);
    let reloaded = reload(&live);
    assert_eq!(reloaded.only_waiting(), "w1");
    for (reply, phase) in [(live.picks("w1", 1), Phase::Answered), (declines("w1"), Phase::Declined)] {
        let next = reloaded.next(FOREIGN, [reply.clone()]).unwrap();
        let mut answered = reload(&live);
        answered.start_response(&next);
        for conversation in [&reload(&answered), &answered] {
            let ask = conversation.asks().ask("w1").unwrap();
            assert_eq!(ask.phase, phase);
            assert_eq!(ask.outcome, Some(reply.outcome.clone()));
        }
    }
    // The agent makes the call that it is allowed to make, under the same id.
    let next = live.next(FOREIGN, [live.picks("w1", 0)]).unwrap();
    live.start_response(&next);
    let resumed = [started("r2")].into_iter().chain(own_call("w1", "delete_file"));
    live.take(resumed.chain([result("w1", "Deleted."), finished("r2")]));
    assert_eq!(live.phase("w1"), Phase::Answered);
    let next = live.say(FOREIGN, said("Thanks")).unwrap();
    assert_eq!(next.messages.len(), 1);
    let receipt = reload(&live);
    assert_eq!(receipt.asks().ask("w1"), live.asks().ask("w1"));
    // A result that no user gave is the agent's own, and who went on with something else is not asked again.
    for after in [
        json!({"role": "tool", "id": "t1", "toolCallId": "w1", "content": r#"{"accepted":true}"#}),
        json!({"role": "user", "id": "u1", "content": "Yes"}),
    ] {
        let call = json!({"id": "w1", "type": "function", "function": {"name": "delete_file", "arguments": "{}"}});
        let history = json!([{"role": "assistant", "id": "a1", "toolCalls": [call]}, after]);
        let messages = messages(history);
        let asks = || all_asks().with_approvals(["delete_file"]);
        assert!(Conversation::new(asks(), messages.clone()).asks().ask("w1").is_none(), "{after}");
        let mut conversation = Conversation::new(asks(), messages[..1].to_vec());
        assert_eq!(conversation.phase("w1"), Phase::Answerable);
        conversation.push_message(messages[1].clone());
        assert_ne!(conversation.phase("w1"), Phase::Answerable, "{after}");
    }
}
