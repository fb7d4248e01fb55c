//! What the history of a conversation tells.

use crate::samples::{ask_call, database_ask, other_call, picks, replies, waiting};
use question_agent::call::ToolResult;

#[test]
fn a_call_keeps_its_arguments_as_they_came() {
    assert_eq!(other_call("c").arguments(), r#"{"path":"a"}"#);
    assert_eq!(ask_call("c").arguments(), serde_json::to_string(&database_ask()).unwrap());
}

#[test]
fn a_result_is_found_by_its_call_and_by_the_reply_that_led_to_it() {
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
