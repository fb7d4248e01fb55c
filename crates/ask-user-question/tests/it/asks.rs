//! The verdict on asks: paths, codes, words, and inputs that want to hurt.

use ask_user_question::guidance::{self, Mode};
use ask_user_question::limits::ExtraMember;
use ask_user_question::outcome::{AnsweredBy, OutcomeKind};
use ask_user_question::reply::Selection;
use ask_user_question::text::is_blank;
use ask_user_question::tool::tool_definition;
use ask_user_question::validate::{Code, MAX_ASK_BYTES, MAX_REPORTED, describe, validate};
use ask_user_question::{AskUserQuestion, Limits, Phase, Reply};
use question_compat::{RepairCode, check, check_text, from_arguments};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Display;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[track_caller]
fn violations(limits: &Limits, ask: Value, expected: &[(&str, &str)]) {
    let found = validate(limits, &ask);
    let codes: Vec<(&str, &str)> =
        found.iter().map(|violation| (violation.path.as_str(), violation.code.as_str())).collect();
    assert_eq!(codes, expected, "{found:?}");
}

fn question(options: Value) -> Value {
    json!({"question": "Which?", "header": "Which", "options": options})
}

fn two() -> Value {
    json!([{"label": "A"}, {"label": "B"}])
}

#[test]
fn all_violations_come_at_once_in_reading_order() {
    let ask = json!({"questions": [
        {"question": "", "header": "thirteen char", "options": [{"label": "A"}]},
        {"question": "Q", "options": [{"label": "A"}, {"label": " "}, {"label": "A"}, {}]},
        {"question": "Q", "header": "H", "multiSelect": 1, "options": "A or B"},
    ]});
    violations(
        &Limits::CODING,
        ask,
        &[
            ("questions[0].question", "blank_text"),
            ("questions[0].header", "header_too_long"),
            ("questions[0].options", "too_few_options"),
            ("questions[1].header", "missing_field"),
            ("questions[1].options[1].label", "blank_text"),
            ("questions[1].options[2].label", "duplicate_label"),
            ("questions[1].options[3].label", "missing_field"),
            ("questions[2].question", "duplicate_question"),
            ("questions[2].multiSelect", "wrong_type"),
            ("questions[2].options", "wrong_type"),
        ],
    );
}

#[test]
fn an_error_result_tells_the_model_what_to_do() {
    let headed = |header: &str| json!({"question": header, "header": header, "options": two()});
    for (limits, ask, says) in [
        (Limits::RUNTIME, json!([]), " The arguments must be an object with `questions`."),
        (Limits::RUNTIME, json!({"questions": []}), " questions: Must have 1-4 questions; this ask has 0."),
        (
            Limits::CHAT,
            json!({"questions": [headed("1"), headed("2")]}),
            " questions: Must have exactly 1 question; this ask has 2.",
        ),
        (
            Limits::RUNTIME,
            json!({"questions": [question(json!([{"label": "A"}]))]}),
            " questions[0].options: Question 'Which?' must have 2-4 options; it has 1. Do not count \"Other\": the card adds it.",
        ),
        (
            Limits::RUNTIME,
            json!({"questions": [headed("0123456789abc")]}),
            " questions[0].header: Header '0123456789abc' has 13 characters; at most 12 are allowed.",
        ),
        (
            Limits::RUNTIME,
            json!({"questions": [{"question": 1, "options": {}}]}),
            "\n- questions[0].question: `question` must be a string.\n- questions[0].options: `options` must be an array.",
        ),
    ] {
        assert_eq!(describe(&validate(&limits, &ask)), format!("Invalid input:{says}"));
    }
}

#[test]
fn headers_are_counted_in_scalar_values() {
    let header = |text: &str| json!({"questions": [{"question": "Q", "header": text, "options": two()}]});
    violations(&Limits::CODING, header("Größenangabe"), &[]);
    violations(&Limits::CODING, header(&"🛠".repeat(12)), &[]);
    violations(&Limits::CODING, header(&"🛠".repeat(13)), &[("questions[0].header", "header_too_long")]);
    violations(&Limits::CHAT, header(&"🛠".repeat(1300)), &[]);
}

#[test]
fn bounds_are_inclusive() {
    let options =
        |n: usize| json!({"questions": [question((0..n).map(|o| json!({"label": o.to_string()})).collect())]});
    for (limits, most) in [(Limits::RUNTIME, 4), (Limits::CODING, 4), (Limits::CHAT, 6)] {
        violations(&limits, options(1), &[("questions[0].options", "too_few_options")]);
        violations(&limits, options(2), &[]);
        violations(&limits, options(most), &[]);
        violations(&limits, options(most + 1), &[("questions[0].options", "too_many_options")]);
    }
    let questions = |n: usize| json!({"questions": (0..n).map(|q| json!({"question": q.to_string(), "header": "H", "options": two()})).collect::<Value>()});
    violations(&Limits::CODING, questions(4), &[]);
    violations(&Limits::CODING, questions(5), &[("questions", "too_many_questions")]);
}

#[test]
fn previews_are_judged_only_where_allowed() {
    let ask = |multi: bool, preview: Value| json!({"questions": [{"question": "Q", "multiSelect": multi, "options": [{"label": "A", "preview": preview}, {"label": "B"}]}]});
    let with = Limits::RUNTIME.with(ExtraMember::Preview);
    violations(&Limits::RUNTIME, ask(true, json!(7)), &[]);
    violations(&with, ask(false, json!("x")), &[]);
    violations(&with, ask(false, json!(7)), &[("questions[0].options[0].preview", "wrong_type")]);
    violations(&with, ask(true, json!("x")), &[]);
}

#[test]
fn wire_types_have_the_defaults_of_their_origins() {
    let ask: AskUserQuestion =
        serde_json::from_value(json!({"questions": [{"question": "Q", "options": [{"label": "A", "x": 1}]}], "y": 2}))
            .unwrap();
    assert_eq!(ask.questions[0].header, None);
    assert!(!ask.questions[0].multi_select);
    assert_eq!(
        serde_json::to_string(&ask).unwrap(),
        r#"{"questions":[{"question":"Q","multiSelect":false,"options":[{"label":"A"}]}]}"#
    );
    let open: AskUserQuestion = serde_json::from_value(json!({"questions": [{"question": "Q"}]})).unwrap();
    assert_eq!(open.questions[0].options, []);
}

#[test]
fn what_survives_repair_is_shown_and_the_rest_left_out() {
    let input = json!({"questions": [{"header": "Only a header, and a long one"}, 5, {}, {"question": "Q", "options": [{}, {"label": ""}, {"label": "A"}]}]});
    let ask = check(&Limits::CODING, input).ask.unwrap();
    assert_eq!(ask.questions.len(), 2);
    assert_eq!(ask.questions[0].header.as_deref(), Some("Only a header, and a long one"));
    assert_eq!(ask.questions[1].options.len(), 1);
    for nothing in [json!(null), json!({}), json!({"questions": []}), json!({"questions": [{}]}), json!("text")] {
        let checked = check(&Limits::RUNTIME, nothing);
        assert_eq!(checked.ask, None);
        assert!(!checked.is_valid());
    }
}

#[test]
fn texts_of_arguments_are_judged_as_they_stream_in() {
    let codes = |text: &str| check_text(&Limits::RUNTIME, text).violations.iter().map(|v| v.code).collect::<Vec<_>>();
    assert_eq!(codes(r#"{"questions":[{"question":"Q","options":["A","B"]}]}"#), Vec::<Code>::new());
    assert_eq!(codes(r#"{"questions":[{"question":"Q","#), [Code::InvalidJson]);
    for twice in [
        r#"{"questions":[],"questions":[]}"#,
        r#"{"questions":[{"question":"Q","options":[{"label":"A","label":"B"},"C"]}]}"#,
        r#"{"questions":[{"question":"Q","options":["A","B"]}],"more":{"x":1,"\u0078":1}}"#,
    ] {
        let checked = check_text(&Limits::RUNTIME, twice);
        assert_eq!((checked.ask, checked.violations[0].code), (None, Code::InvalidJson), "{twice}");
        assert!(checked.violations[0].message.contains("given twice"));
    }
    assert_eq!(codes(""), [Code::MissingField]);
    assert_eq!(codes("null"), [Code::WrongType]);
}

#[test]
fn depth_does_no_harm() {
    // Deeper than any parser would go.
    let mut deep = json!(0);
    for _ in 0..1_000 {
        deep = Value::Array(vec![deep]);
    }
    let mut ask = json!({"questions": [question(two())]});
    ask["questions"][0]["extra"] = deep;
    assert!(check(&Limits::RUNTIME, ask).is_valid());
    let text = "[".repeat(500_000);
    assert_eq!(check_text(&Limits::RUNTIME, &text).violations[0].code, Code::InvalidJson);
    let packed = json!({"questions": text});
    assert_eq!(check(&Limits::RUNTIME, packed).violations[0].code, Code::WrongType);
}

#[test]
fn size_is_limited_by_name() {
    let ask = |length: usize| json!({"questions": [{"question": "q".repeat(length), "options": two()}]});
    assert!(check(&Limits::RUNTIME, ask(MAX_ASK_BYTES - 100)).is_valid());
    let bare = |length: usize| AskUserQuestion::from_json(json!({"questions": [{"question": "q".repeat(length)}]}));
    let beside = "questions".len() + "question".len() + 4;
    assert!(bare(MAX_ASK_BYTES - beside).is_some());
    assert_eq!(bare(MAX_ASK_BYTES - beside + 1), None);
    let large = check(&Limits::RUNTIME, ask(MAX_ASK_BYTES));
    assert_eq!(large.ask, None);
    assert_eq!(large.violations.iter().map(|v| v.code).collect::<Vec<_>>(), [Code::TooLarge]);
    assert_eq!(validate(&Limits::RUNTIME, &ask(MAX_ASK_BYTES))[0].code, Code::TooLarge);
    let mut long_key = json!({"questions": [question(two())]});
    long_key["k".repeat(MAX_ASK_BYTES)] = json!(0);
    assert_eq!(check(&Limits::RUNTIME, long_key).violations[0].code, Code::TooLarge);
    let many = Value::Array(vec![Value::Null; MAX_ASK_BYTES + 1]);
    assert_eq!(check(&Limits::RUNTIME, many).violations[0].code, Code::TooLarge);
    let text = format!("\"{}\"", " ".repeat(6 * MAX_ASK_BYTES));
    assert_eq!(check_text(&Limits::RUNTIME, &text).violations[0].code, Code::TooLarge);
}

#[test]
fn reports_stay_short_whatever_is_wrong() {
    let many = json!({"questions": vec![json!({"multiple": "x"}); 30_000]});
    let checked = check(&Limits::CODING, many);
    assert_eq!(checked.violations.len(), MAX_REPORTED);
    assert_eq!(checked.repairs.len(), MAX_REPORTED);
    let long = json!({"questions": [{"question": "long ".repeat(10_000), "options": []}]});
    assert!(describe(&validate(&Limits::CODING, &long)).len() < 500);
}

#[test]
fn ten_thousand_options_are_refused_with_a_path_or_as_good_as_two() {
    let options: Vec<Value> = (0..10_000).map(|at| json!({"label": format!("Option {at}")})).collect();
    let mut many = question(options.into());
    many["multiSelect"] = true.into();
    let two = json!({"question": "And?", "header": "And", "options": two()});
    let ask = json!({"questions": [two, many]});
    for limits in [Limits::RUNTIME, Limits::CODING] {
        violations(&limits, ask.clone(), &[("questions[1].options", "too_many_options")]);
        let found = check(&limits, ask.clone()).violations;
        assert!(found[0].message.ends_with("it has 10000."), "{}", found[0].message);
    }
    let limits = Limits::RUNTIME.with_options(2..=10_000);
    let ask = check(&limits, ask).into_valid().expect("they are allowed");
    let selections = [vec![1], (0..10_000).collect()].into_iter().enumerate();
    let selections = selections.map(|(question, selected)| Selection::picked(question, selected));
    let reply = Reply::check(&ask, selections.collect()).expect("it is an answer");
    assert_eq!(Reply::parse(&ask, &reply.to_json()).as_ref(), Ok(&reply));
    assert_eq!(reply.answers()[1].given.options()[9_999].label, "Option 9999");
}

#[test]
fn a_full_report_still_knows_the_schemas_verdict() {
    let limits = Limits::RUNTIME.with_options(2..=10_000);
    let mut options = vec![json!({"label": "same"}); 1_000];
    options.push(json!({"label": 5}));
    let found = validate(&limits, &json!({"questions": [question(options.into())]}));
    assert_eq!(found.len(), MAX_REPORTED + 1);
    assert_eq!(found.last().unwrap().path, "questions[0].options[1000].label");
}

/// Checks that each kind has a spelling of its own, which text and JSON share. Returns all of them.
fn spelled<T: Copy + Display + Serialize, const N: usize>(all: [T; N], as_str: fn(T) -> &'static str) -> String {
    let words = all.map(as_str);
    assert_eq!(BTreeSet::from(words).len(), N);
    for (kind, word) in all.into_iter().zip(words) {
        assert!(word.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase()), "{word}");
        assert_eq!((kind.to_string().as_str(), serde_json::to_value(kind).unwrap()), (word, json!(word)));
    }
    words.join(" ")
}

#[test]
fn codes_are_stable_and_distinct() {
    spelled(Code::ALL, Code::as_str);
    spelled(RepairCode::ALL, RepairCode::as_str);
    assert_eq!(
        spelled(Phase::ALL, Phase::as_str),
        "streaming ready malformed answerable answered declined superseded expired interrupted settled"
    );
    assert_eq!(
        spelled(OutcomeKind::ALL, OutcomeKind::as_str),
        "answered declined replied_in_chat expired superseded cancelled withdrawn"
    );
    assert_eq!(spelled(AnsweredBy::ALL, AnsweredBy::as_str), "card composer");
    for code in Code::ALL {
        assert!(code == code.as_str() && code == *code.as_str());
        assert!(code != "" && code != *"");
    }
}

#[test]
fn characters_without_a_glyph_are_blank_and_all_others_are_not() {
    for blank in ["\u{7}", "\u{AD}\u{FEFF}", "\u{200B} \u{200F}", "\u{202A}", "\u{2060}\n"] {
        assert!(is_blank(blank), "{blank:?}");
    }
    for text in ["a", "\u{200B}.", "–", "\u{2070}", "ẞ"] {
        assert!(!is_blank(text), "{text:?}");
    }
}

#[test]
fn who_asks_and_why_are_shown_and_judged_only_where_offered() {
    let ask = |asked_by: Value| json!({"questions": [{"question": "Q", "options": [{"label": "A"}, {"label": "B"}]}], "askedBy": asked_by, "why": " It costs money. "});
    let with = Limits::RUNTIME.with(ExtraMember::AskedBy).with(ExtraMember::Why);
    violations(&Limits::RUNTIME, ask(json!(7)), &[]);
    violations(&with, ask(json!(7)), &[("askedBy", "wrong_type")]);
    violations(&with, ask(json!("billing")), &[]);
    for (asked_by, shown) in
        [(json!("billing"), Some("billing")), (json!(" "), None), (json!(7), None), (json!(null), None)]
    {
        let shown_ask = from_arguments(&ask(asked_by.clone()).to_string()).unwrap();
        assert_eq!(
            (shown_ask.asked_by.as_deref(), shown_ask.why.as_deref()),
            (shown, Some("It costs money.")),
            "{asked_by}"
        );
    }
    let schema = serde_json::to_value(tool_definition(&with).parameters).unwrap();
    assert_eq!(schema["required"], json!(["questions"]));
    for member in ["askedBy", "why"] {
        assert_eq!(schema["properties"][member]["type"], "string");
    }
}

#[test]
fn an_ask_that_does_not_block_is_judged_only_where_offered() {
    let ask = |blocking: Value| json!({"questions": [{"question": "Q", "options": [{"label": "A"}, {"label": "B"}]}], "blocking": blocking});
    let with = Limits::RUNTIME.with(ExtraMember::Blocking);
    assert_eq!(Limits::by_name("runtime+blocking"), Some(with.clone()));
    violations(&Limits::RUNTIME, ask(json!("later")), &[]);
    violations(&with, ask(json!("later")), &[("blocking", "wrong_type")]);
    for (blocking, is_background) in [
        (json!(false), true),
        (json!("false"), true),
        (json!(true), false),
        (json!(null), false),
        (json!(" "), false),
        (json!("later"), false),
        (json!([false]), false),
    ] {
        let shown = from_arguments(&ask(blocking.clone()).to_string()).unwrap();
        assert_eq!(shown.is_background(), is_background, "{blocking}");
    }
    let schema = serde_json::to_value(tool_definition(&with).parameters).unwrap();
    assert_eq!(schema["required"], json!(["questions"]));
    assert_eq!(schema["properties"]["blocking"]["default"], true);
    let is_told = |limits: &Limits| guidance::text(limits, Mode::Any).contains("Set `blocking`");
    assert!(is_told(&with) && !is_told(&Limits::RUNTIME));
}
