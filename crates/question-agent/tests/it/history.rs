//! The history of a conversation.

use crate::samples::{picks, replies, responds, waiting};
use question_agent::Rejected;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_result_is_found_by_its_call_and_by_its_reply() {
    let mut conversation = waiting(vec![]);
    let has = |id: &str| conversation.messages().iter().any(|message| message.id() == id);
    for id in ["u1", "a1"] {
        assert!(has(id), "{id}");
    }
    assert!(!has("u2"));
    assert_eq!((conversation.result_of("call-1"), conversation.result_by("r1")), (None, None));
    conversation.handle(replies("call-1", "r1", picks(1))).unwrap();
    let result = conversation.result_by("r1").expect("the reply was taken");
    assert_eq!(result.content, r#"{"answers":{"Which database?":"SQLite"}}"#);
    assert_eq!(conversation.result_of("call-1"), Some(result));
    assert_eq!(conversation.result_by("r2"), None);
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
