//! The contract of `examples/ask.rs`, without a process around it.

use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[path = "../../examples/ask.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod ask;

/// The output and whether the exit status is 0 (else 1); `None` for exit status 2.
fn run(arguments: &[&str], input: &str) -> Option<(Value, bool)> {
    let output = ask::run(arguments, || Ok(input.to_owned())).ok()?;
    Some((serde_json::from_str(&output.text).unwrap(), output.valid))
}

fn sample() -> Value {
    json!({"questions": [
        {"question": "Which?", "header": "Which", "multiSelect": false, "options": [{"label": "A"}, {"label": "B"}]},
        {"question": "How?", "multiSelect": true, "options": [{"label": "C"}, {"label": "D"}]},
    ]})
}

#[test]
fn tool_prints_the_definition() {
    for (profile, name) in
        [("runtime", "ask_user_question"), ("coding", "AskUserQuestion"), ("chat", "ask_user_question")]
    {
        let (tool, ok) = run(&["tool", profile], "").unwrap();
        let mut keys: Vec<&str> = tool.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!((keys, ok), (vec!["description", "name", "parameters"], true));
        assert_eq!(tool["name"], name);
        assert_eq!(tool["parameters"]["type"], "object");
    }
    let (tool, _) = run(&["tool", "coding", "--previews"], "").unwrap();
    assert!(tool.to_string().contains("\"preview\""));
}

#[test]
fn check_prints_the_verdict() {
    let (verdict, ok) = run(&["check", "runtime"], &sample().to_string()).unwrap();
    assert_eq!((verdict, ok), (json!({"valid": true, "violations": [], "repairs": [], "ask": sample()}), true));
    let (verdict, ok) =
        run(&["check", "chat"], r#"{"questions":{"question":"Q","header":"H","options":["A"]}}"#).unwrap();
    assert!(!ok);
    assert_eq!(verdict["valid"], false);
    assert_eq!(verdict["violations"][0]["code"], "too_few_options");
    assert_eq!(verdict["violations"][0]["path"], "questions[0].options");
    assert_eq!(
        verdict["repairs"][1],
        json!({"path": "questions[0].options[0]", "code": "plain_option", "message": "The plain value was read as the option's label."})
    );
    assert_eq!(verdict["ask"]["questions"][0]["options"][0]["label"], "A");
    let (verdict, ok) = run(&["check", "chat"], "{").unwrap();
    assert_eq!((&verdict["violations"][0]["code"], &verdict["ask"], ok), (&json!("invalid_json"), &Value::Null, false));
}

#[test]
fn reply_prints_reply_and_message() {
    let reply =
        |selections: Value| run(&["reply"], &json!({"ask": sample(), "selections": selections}).to_string()).unwrap();
    let expected = json!({"reply": {"answers": {"Which?": "B", "How?": "C, D"}}, "message": "Which: B\nHow?: C, D"});
    assert_eq!(
        reply(json!([{"question": 0, "selected": [1]}, {"question": 1, "selected": [0, 1]}])),
        (expected.clone(), true)
    );
    assert_eq!(
        reply(json!([{"question": "How?", "selected": ["D", 0]}, {"question": "Which?", "selected": ["B"]}])),
        (expected, true)
    );
    let (output, ok) =
        reply(json!([{"question": 0, "selected": [], "other": "Z", "note": "n"}, {"question": 1, "skipped": true}]));
    assert!(ok);
    assert_eq!(output["message"], "Which: Z (note: n)\nHow?: (skipped)");
    assert_eq!(output["reply"]["details"][1]["status"], "skipped");
}

#[test]
fn reply_prints_errors_with_paths() {
    let errors = |selections: Value| {
        let (output, ok) = run(&["reply"], &json!({"ask": sample(), "selections": selections}).to_string()).unwrap();
        assert!(!ok);
        let pairs = output["errors"].as_array().unwrap().iter();
        pairs
            .map(|error| format!("{} {}", error["path"].as_str().unwrap(), error["code"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        errors(json!([{"question": 0, "selected": [5]}])),
        ["selections[0].selected[0] unknown_option", "questions[1] unanswered"]
    );
    assert_eq!(
        errors(json!([{"question": "Who?"}, {"question": 0, "selected": ["Z"]}])),
        ["selections[0].question unknown_question", "selections[1].selected[0] unknown_option"]
    );
    assert_eq!(
        errors(json!([{"question": 0, "selected": [-1]}, 7])),
        ["selections[0] wrong_type", "selections[1] wrong_type"]
    );
    assert_eq!(errors(json!(null)), ["selections wrong_type"]);
}

#[test]
fn match_says_what_a_message_answers() {
    let matched = |text: &str| {
        run(
            &["match"],
            &json!({"ask": sample(), "text": text, "selections": [{"question": 1, "selected": [0]}]}).to_string(),
        )
        .unwrap()
    };
    let (answered, ok) = matched("which: b\nhow?: 1, d");
    assert_eq!(
        (answered, ok),
        (
            json!({"outcome": "answered", "reply": {"answers": {"Which?": "B", "How?": "C, D"}}, "message": "Which: B\nHow?: C, D"}),
            true
        )
    );
    let (chat, ok) = matched("B");
    assert!(ok);
    assert_eq!((&chat["outcome"], &chat["text"]), (&json!("replied_in_chat"), &json!("B")));
    assert!(chat["content"].as_str().unwrap().contains("\"selected\":[{\"index\":0,\"label\":\"C\"}]"));
}

#[test]
fn wrong_usage_and_unreadable_input_are_refused() {
    let ask = sample().to_string();
    for (arguments, input) in [
        (&[][..], ""),
        (&["tool"][..], ""),
        (&["tool", "fancy"][..], ""),
        (&["tool", "chat", "extra"][..], ""),
        (&["check"][..], &ask),
        (&["reply", "chat"][..], &ask),
        (&["reply"][..], "{"),
        (&["reply"][..], &ask),
        (&["reply"][..], r#"{"ask":{"questions":[]},"selections":[]}"#),
        (&["match"][..], r#"{"ask":{"questions":[{"question":"Q","options":[]}]}}"#),
    ] {
        assert!(run(arguments, input).is_none(), "{arguments:?} {input}");
    }
    assert!(ask::run(&["check", "chat"], || Err("no input".to_owned())).is_err());
}

#[test]
fn help_documents_every_command() {
    let help = ask::run(&["reply", "--help"], || panic!("no input is read")).unwrap();
    assert!(help.valid);
    for word in ["ask tool", "ask check", "ask reply", "ask match", "runtime", "coding", "chat", "EXIT STATUS"] {
        assert!(help.text.contains(word), "{word}");
    }
}
