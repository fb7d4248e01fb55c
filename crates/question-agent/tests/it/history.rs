//! The history of a conversation.

use crate::samples::{ask_call, database_ask, other_call, picks, replies, responds, response, user, waiting};
use question_agent::Rejected;
use question_agent::call::ToolResult;
use question_agent::event::Event;
use question_agent::message::Message;

#[test]
fn a_call_keeps_its_arguments_as_they_came() {
    assert_eq!(other_call("c").arguments(), r#"{"path":"a"}"#);
    assert_eq!(ask_call("c").arguments(), serde_json::to_string(&database_ask()).unwrap());
}

#[test]
fn a_result_is_found_by_its_call_and_by_its_reply() {
    let mut conversation = waiting(vec![]);
    for id in ["u1", "a1"] {
        assert!(conversation.knows_message(id), "{id}");
    }
    assert!(!conversation.knows_message("u2"));
    assert_eq!((conversation.result_of("call-1"), conversation.result_by("r1")), (None, None));
    conversation.handle(replies("call-1", "r1", picks(1))).unwrap();
    let result = conversation.result_by("r1").expect("the reply was taken");
    assert_eq!(result.content, r#"{"answers":{"Which database?":"SQLite"}}"#);
    assert_eq!(conversation.result_of("call-1"), Some(result));
    assert_eq!(conversation.result_by("r2"), None);
}

#[test]
fn only_a_failure_is_written_as_one() {
    let mut conversation = waiting(vec![]);
    conversation.handle(replies("call-1", "r1", picks(1))).unwrap();
    let result: ToolResult = conversation.result_of("call-1").unwrap().clone();
    assert!(!serde_json::to_string(&result).unwrap().contains("rror"));
}

#[test]
fn an_id_of_the_history_is_refused_for_what_the_model_says() {
    let mut conversation = waiting(vec![]);
    conversation.handle(replies("call-1", "r1", picks(1))).unwrap();
    for id in ["u1", "a1"] {
        let rejected = conversation.handle(responds(id, "Done.", vec![])).unwrap_err();
        assert_eq!(rejected, Rejected::KnownMessage { id: id.to_owned() });
    }
    conversation.handle(responds("a2", "Done.", vec![])).unwrap();
}

#[test]
fn a_result_stands_behind_its_call_whatever_came_in_between() {
    let mut conversation = waiting(vec![other_call("call-2")]);
    let mut reply = response("call-1", "r1", picks(1));
    reply.messages = vec![user("u2", "SQLite")];
    assert!(!conversation.state().is_at_work(), "the user is");
    conversation.handle(Event::UserQuestionResponse(reply)).unwrap();
    assert!(conversation.state().is_at_work(), "call-2 runs");
    conversation.handle(Event::ToolComplete { result: ToolResult::success("call-2", "b") }).unwrap();
    let ids: Vec<&str> = conversation.messages().iter().map(Message::id).collect();
    assert_eq!(ids, ["u1", "a1", "call-1-result", "call-2-result", "u2"]);
}
