//! Outcomes: what the agent reads, and that nothing but an answer reads as one.

use crate::replies::{noted, pick};
use ask_user_question::outcome::{AnsweredBy, AskMetadata, OutcomeKind, Via};
use ask_user_question::{AskUserQuestion, Outcome, Question, Reply};
use json_tree::Json;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn ask() -> AskUserQuestion {
    AskUserQuestion::new([
        Question::new("Proceed?", ["Yes", "No"]).with_header("Proceed"),
        Question::new("Which?", ["A", "B"]).with_header("Which").with_multi_select(true),
    ])
}

fn every_outcome() -> Vec<Outcome> {
    vec![
        Outcome::Answered(Reply::check(&ask(), vec![pick(0, &[0]), pick(1, &[0, 1])]).unwrap()),
        Outcome::Declined,
        Outcome::replied_in_chat(&ask(), "What does it cost?", vec![pick(1, &[1])]),
        Outcome::replied_in_chat(&ask(), "", vec![]),
        Outcome::Expired,
        Outcome::Superseded,
        Outcome::Cancelled,
    ]
}

#[test]
fn every_outcome_is_read_back_and_only_an_answer_as_an_answer() {
    for outcome in every_outcome() {
        let content = outcome.tool_content(&ask());
        let read = |content: &str| Outcome::parse(&ask(), content);
        assert_eq!(read(&content), Some(outcome.clone()), "{content}");
        let as_text = Value::String(content.clone());
        let json = serde_json::from_str::<Value>(&content).unwrap_or(as_text.clone());
        if json == as_text {
            assert_eq!(read(&as_text.to_string()), Some(outcome.clone()));
            assert_eq!(read(&format!("Error: {content}\n")), Some(outcome.clone()));
        } else {
            assert_eq!(Outcome::from_json(&ask(), &json), Some(outcome.clone()), "{content}");
        }
        let is_answer = outcome.kind() == OutcomeKind::Answered;
        assert_eq!((Reply::parse(&ask(), &json).is_ok(), json.get("answers").is_some()), (is_answer, is_answer));
    }
}

#[test]
fn the_agent_reads_what_happened() {
    let texts: Vec<String> = every_outcome().iter().map(|outcome| outcome.tool_content(&ask())).collect();
    assert_eq!(texts[0], r#"{"answers":{"Proceed?":"Yes","Which?":"A, B"}}"#);
    assert_eq!(texts[1], "User cancelled the question. This is no answer and no consent.");
    let chat: Value = serde_json::from_str(&texts[2]).unwrap();
    assert_eq!(chat["outcome"], "replied_in_chat");
    assert_eq!(chat["text"], "What does it cost?");
    assert_eq!(
        chat["details"],
        json!([
            {"index": 0, "header": "Proceed", "selected": [], "status": "skipped"},
            {"index": 1, "header": "Which", "selected": [{"index": 1, "label": "B"}], "status": "answered"},
        ])
    );
    for text in [&texts[1]].into_iter().chain(&texts[4..]) {
        assert!(text.contains("no answer and no consent"), "{text}");
    }
}

#[test]
fn acknowledgements_are_no_outcome() {
    for content in [
        "",
        "user response will follow",
        "Forwarded to client",
        "[Awaiting external execution]",
        "{}",
        "null",
        "[]",
        "Yes",
        r#"{"status":"pending"}"#,
        r#"{"answers":{}}"#,
        r#"{"answers":{"Proceed?":"Yes"}}"#,
        r#"{"outcome":"answered"}"#,
        r#"{"outcome":"unheard_of","answers":{"Proceed?":"Yes","Which?":"A"}}"#,
        r#"{"outcome":"replied_in_chat"}"#,
        "User cancelled the question, but a sentence follows",
    ] {
        assert_eq!(Outcome::parse(&ask(), content), None, "{content}");
    }
}

#[test]
fn other_ways_to_say_it_are_read() {
    for (content, expected) in [
        ("User cancelled the question", OutcomeKind::Declined),
        ("Error: User cancelled the question", OutcomeKind::Declined),
        (r#"{"status":"cancelled"}"#, OutcomeKind::Declined),
        (r#"{"outcome":"declined"}"#, OutcomeKind::Declined),
        (r#"{"outcome":"expired"}"#, OutcomeKind::Expired),
        (r#"{"outcome":"superseded","by":"m1"}"#, OutcomeKind::Superseded),
        (r#"{"outcome":"cancelled"}"#, OutcomeKind::Cancelled),
        (r#"{"outcome":"answered","answers":{"Proceed?":"Yes","Which?":"A"}}"#, OutcomeKind::Answered),
    ] {
        assert_eq!(Outcome::parse(&ask(), content).map(|outcome| outcome.kind()), Some(expected), "{content}");
    }
}

#[test]
fn picks_so_far_are_kept_only_where_they_fit() {
    let noted = noted(pick(0, &[]), "because");
    let mut contradictory = pick(0, &[0]);
    contradictory.skipped = true;
    let odd = vec![
        pick(1, &[1, 0, 1, 9]),
        pick(0, &[0, 1]),
        pick(7, &[0]),
        pick(0, &[]).with_other(" "),
        contradictory,
        noted.clone(),
    ];
    let Outcome::RepliedInChat { partial, .. } = Outcome::replied_in_chat(&ask(), "?", odd.clone()) else {
        panic!("replied in chat")
    };
    assert_eq!(partial, [noted, pick(1, &[0, 1])]);
    // An outcome made by hand is written as if it had come through the constructor.
    let by_hand = Outcome::RepliedInChat { text: "?".into(), partial: odd };
    assert_eq!(by_hand.tool_content(&ask()), Outcome::replied_in_chat(&ask(), "?", partial).tool_content(&ask()));
}

#[test]
fn picks_that_do_not_fit_the_ask_are_not_read() {
    let content = r#"{"outcome":"replied_in_chat","text":"?","details":[{"index":0,"selected":[{"index":0,"label":"No"}]},{"index":9},"x",{"index":1,"selected":[{"index":0,"label":"A"}]}]}"#;
    assert_eq!(Outcome::parse(&ask(), content), Some(Outcome::replied_in_chat(&ask(), "?", vec![pick(1, &[0])])));
}

#[test]
fn metadata_names_the_reply() {
    let ask = AskMetadata {
        tool_call_id: "call_1".into(),
        reply_id: "r-1".into(),
        outcome: OutcomeKind::RepliedInChat,
        by: AnsweredBy::Composer,
        replaces: None,
        via: None,
    };
    let metadata =
        json!({"ask": {"toolCallId": "call_1", "replyId": "r-1", "outcome": "replied_in_chat", "by": "composer"}});
    assert_eq!(ask.to_metadata(), metadata);
    assert_eq!(AskMetadata::of(&Json::from(metadata)), Some(ask));
    let told = json!({"ask": {"toolCallId": "call_1", "replyId": "r-1", "outcome": "answered", "by": "card", "via": "slack", "answeredBy": "Ann"}});
    let ask = AskMetadata::of(&Json::from(told.clone())).expect("it is one");
    assert_eq!(ask.via, Some(Via { answered_by: Some("Ann".into()), ..Via::named("slack") }));
    assert_eq!((ask.to_metadata(), json!({"ask": ask})), (told.clone().into(), told.clone()));
    assert_eq!(serde_json::from_value::<AskMetadata>(told["ask"].clone()).expect("it is one"), ask);
    for other in [json!({}), json!({"ask": {"toolCallId": "call_1"}}), json!(null)] {
        assert_eq!(AskMetadata::of(&Json::from(other)), None);
    }
}
