//! Outcomes: what the agent reads, and that nothing but an answer reads as one.

use crate::replies::{noted, pick};
use ask_user_question::outcome::{AnsweredBy, AskMetadata, OutcomeKind};
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome, Reply};
use json_tree::Json;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn ask() -> AskUserQuestion {
    serde_json::from_value(json!({"questions": [
        {"question": "Proceed?", "header": "Proceed", "options": [{"label": "Yes"}, {"label": "No"}]},
        {"question": "Which?", "header": "Which", "multiSelect": true, "options": [{"label": "A"}, {"label": "B"}]},
    ]}))
    .unwrap()
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
fn every_outcome_is_read_back() {
    for outcome in every_outcome() {
        let content = outcome.tool_content(&ask());
        assert_eq!(Outcome::parse(&ask(), &content), Some(outcome.clone()), "{content}");
        let as_json = Value::String(content.clone()).to_string();
        if !matches!(outcome, Outcome::Answered(_) | Outcome::RepliedInChat { .. }) {
            assert_eq!(Outcome::parse(&ask(), &as_json), Some(outcome.clone()));
            assert_eq!(Outcome::parse(&ask(), &format!("Error: {content}\n")), Some(outcome));
        }
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
fn only_an_answer_reads_as_an_answer() {
    for outcome in every_outcome().into_iter().skip(1) {
        let content = outcome.tool_content(&ask());
        let json: Value = serde_json::from_str(&content).unwrap_or_default();
        assert!(Reply::parse(&ask(), &json).is_err(), "{content}");
        assert!(json.get("answers").is_none());
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
    let parse = |content: &str| Outcome::parse(&ask(), content);
    assert_eq!(parse("User cancelled the question"), Some(Outcome::Declined));
    assert_eq!(parse("Error: User cancelled the question"), Some(Outcome::Declined));
    assert_eq!(parse(r#"{"status":"cancelled"}"#), Some(Outcome::Declined));
    assert_eq!(parse(r#"{"outcome":"declined"}"#), Some(Outcome::Declined));
    assert_eq!(parse(r#"{"outcome":"expired"}"#), Some(Outcome::Expired));
    assert_eq!(parse(r#"{"outcome":"superseded","by":"m1"}"#), Some(Outcome::Superseded));
    assert_eq!(parse(r#"{"outcome":"cancelled"}"#), Some(Outcome::Cancelled));
    assert!(matches!(
        parse(r#"{"outcome":"answered","answers":{"Proceed?":"Yes","Which?":"A"}}"#),
        Some(Outcome::Answered(_))
    ));
}

#[test]
fn picks_so_far_are_kept_only_where_they_fit() {
    let noted = noted(pick(0, &[]), "because");
    let odd = vec![
        pick(1, &[1, 0, 1, 9]),
        pick(0, &[0, 1]),
        pick(7, &[0]),
        Selection { other: Some(" ".into()), ..pick(0, &[]) },
        Selection { skipped: true, ..pick(0, &[0]) },
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
fn kinds_are_the_same_word_everywhere() {
    let kinds: Vec<&str> = every_outcome().iter().map(|outcome| outcome.kind().as_str()).collect();
    assert_eq!(
        kinds,
        ["answered", "declined", "replied_in_chat", "replied_in_chat", "expired", "superseded", "cancelled"]
    );
    for outcome in every_outcome() {
        assert_eq!(serde_json::to_value(outcome.kind()).unwrap(), outcome.kind().as_str());
    }
}

#[test]
fn metadata_names_the_reply() {
    let ask = AskMetadata {
        tool_call_id: "call_1".into(),
        reply_id: "r-1".into(),
        outcome: OutcomeKind::RepliedInChat,
        by: AnsweredBy::Composer,
    };
    let metadata =
        json!({"ask": {"toolCallId": "call_1", "replyId": "r-1", "outcome": "replied_in_chat", "by": "composer"}});
    assert_eq!(ask.to_metadata(), metadata);
    assert_eq!(AskMetadata::of(&Json::from(metadata)), Some(ask));
    for other in [json!({}), json!({"ask": {"toolCallId": "call_1"}}), json!(null)] {
        assert_eq!(AskMetadata::of(&Json::from(other)), None);
    }
}

#[test]
fn json_is_read_as_its_text_is() {
    for outcome in every_outcome() {
        let content = outcome.tool_content(&ask());
        if let Ok(json) = serde_json::from_str::<Value>(&content) {
            assert_eq!(Outcome::from_json(&ask(), &json), Some(outcome), "{content}");
        }
    }
}
