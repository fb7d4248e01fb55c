//! Answers that are typed, ranked, or a yes or no: what is asked, what is answered, and how it travels.

use crate::generate::config;
use ask_user_question::input::{Flaw, Input, InputKind};
use ask_user_question::limits::ExtraMember;
use ask_user_question::reply::Selection;
use ask_user_question::tool::tool_definition;
use ask_user_question::validate::validate;
use ask_user_question::{AskUserQuestion, Limits, Outcome, Question, QuestionOption, Reply, guidance};
use json_tree::Json;
use proptest::prelude::*;
use question_compat::check;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const LIMITS: Limits = Limits::RUNTIME.with(ExtraMember::Input);

pub(crate) fn typed(text: &str) -> Selection {
    Selection::typed(0, text)
}

fn picked(selected: &[usize]) -> Selection {
    Selection::picked(0, selected)
}

fn ask(input: Input) -> AskUserQuestion {
    let options: &[&str] = if input.kind == InputKind::Rank { &["A", "B, C", "D"] } else { &[] };
    AskUserQuestion::new([Question::new("Say", options.to_vec()).with_input(input)])
}

/// Checks that a reply comes back as it is from each way in which it travels.
#[track_caller]
pub(crate) fn check_deliveries(ask: &AskUserQuestion, reply: &Reply) {
    let json = reply.to_json();
    assert_eq!(Reply::parse(ask, &json).as_ref(), Ok(reply), "{json}");
    let text: Value = serde_json::from_str(&serde_json::to_string(reply).unwrap()).unwrap();
    assert_eq!(Reply::parse(ask, &text).as_ref(), Ok(reply), "{text}");
    assert_eq!(Reply::read_message(ask, &reply.message()).as_ref(), Some(reply), "{}", reply.message());
    assert_eq!(Reply::check(ask, reply.selections()).as_ref(), Ok(reply));
    let outcome = Outcome::Answered(reply.clone());
    assert_eq!(Outcome::parse(ask, &outcome.tool_content(ask)), Some(outcome));
    let again: AskUserQuestion = serde_json::from_str(&serde_json::to_string(ask).unwrap()).unwrap();
    assert_eq!(&again, ask);
}

#[test]
fn the_agent_gets_the_value_behind_a_label() {
    let limits = Limits::RUNTIME.with(ExtraMember::Value);
    let arguments = json!({"questions": [{"question": "Where to?", "multiSelect": true, "options": [
        {"label": "Staging", "value": "stg-2"}, {"label": "Production", "value": "prd-1"}, {"label": "Nowhere"},
    ]}]});
    let ask = check(&limits, arguments).into_valid().expect("it is valid");
    let reply = Reply::check(&ask, vec![picked(&[1, 2])]).expect("it is an answer");
    assert_eq!(
        serde_json::to_value(&reply).unwrap(),
        json!({
            "answers": {"Where to?": "Production, Nowhere"},
            "details": [{"index": 0, "status": "answered", "selected": [
                {"index": 1, "label": "Production", "value": "prd-1"}, {"index": 2, "label": "Nowhere"},
            ]}],
        })
    );
    assert_eq!(reply.message(), "Production, Nowhere");
    check_deliveries(&ask, &reply);
    // People see labels and no values: one whose label is missing is its label, as before.
    let plain = json!({"questions": [{"question": "Where to?", "options": [{"value": "stg"}, {"value": "prd"}]}]});
    assert_eq!(check(&limits, plain).ask.unwrap().questions[0].options[0], QuestionOption::new("stg"));
    let bad = json!({"questions": [{"question": "Q", "options": [{"label": "A", "value": {}}, {"label": "B"}]}]});
    assert_eq!(validate(&limits, &bad)[0].path, "questions[0].options[0].value");
    assert_eq!(validate(&Limits::RUNTIME, &bad), []);
}

#[test]
fn what_is_typed_has_the_value_of_its_kind() {
    let number = || Input::new(InputKind::Number);
    let integer = || Input::new(InputKind::Integer);
    for (input, text, expected) in [
        (Input::new(InputKind::Text), " as typed ", Ok(json!(" as typed "))),
        (Input::new(InputKind::Lines), "one\ntwo", Ok(json!("one\ntwo"))),
        (Input::new(InputKind::Email), " ann@example.com ", Ok(json!("ann@example.com"))),
        (Input::new(InputKind::Email), "ann at example.com", Err(Flaw::Unreadable)),
        (Input::new(InputKind::Email), "ann@.com", Err(Flaw::Unreadable)),
        (Input::new(InputKind::Url), "https://example.com/a?b", Ok(json!("https://example.com/a?b"))),
        (Input::new(InputKind::Url), "example.com", Err(Flaw::Unreadable)),
        (Input::new(InputKind::Url), "https://", Err(Flaw::Unreadable)),
        (Input::new(InputKind::Json), r#" {"a": [1, null]} "#, Ok(json!({"a": [1, null]}))),
        (Input::new(InputKind::Json), r#""a""#, Ok(json!("a"))),
        (Input::new(InputKind::Json), "a", Err(Flaw::Unreadable)),
        (number(), " 2.50 ", Ok(json!(2.5))),
        (number(), "-.5", Ok(json!(-0.5))),
        (number(), "+007", Ok(json!(7))),
        (number(), "0", Ok(json!(0))),
        (number(), "1,5", Err(Flaw::Unreadable)),
        (number(), "1e999", Err(Flaw::Unreadable)),
        (number(), "\"1\"", Err(Flaw::Unreadable)),
        (integer(), "12.0", Ok(json!(12))),
        (integer(), "1e3", Ok(json!(1000))),
        (integer(), "18446744073709551615", Ok(json!(18_446_744_073_709_551_615_u64))),
        (integer(), "1.5", Err(Flaw::Unreadable)),
        (integer().with_min("2"), "1", Err(Flaw::TooLow)),
        (integer().with_min("2"), "2", Ok(json!(2))),
        (integer().with_max("2"), "3", Err(Flaw::TooHigh)),
        (integer().with_min("-10").with_max("-2"), "-11", Err(Flaw::TooLow)),
        (number().with_max("1e300"), "1e301", Err(Flaw::TooHigh)),
        (number().with_step("0.1"), "0.3", Ok(json!(0.3))),
        (number().with_step("0.1"), "0.35", Err(Flaw::OffStep)),
        (integer().with_min("1").with_step("2"), "3", Ok(json!(3))),
        (integer().with_min("1").with_step("2"), "4", Err(Flaw::OffStep)),
        (Input::new(InputKind::Date), "2024-02-29", Ok(json!("2024-02-29"))),
        (Input::new(InputKind::Date), "2023-02-29", Err(Flaw::Unreadable)),
        (Input::new(InputKind::Date), "2026-13-01", Err(Flaw::Unreadable)),
        (Input::new(InputKind::Date), "29.2.2024", Err(Flaw::Unreadable)),
        (Input::new(InputKind::Date).with_min("2026-12-01"), "2026-11-30", Err(Flaw::TooLow)),
        (Input::new(InputKind::DateTime), "2026-11-28 09:30", Ok(json!("2026-11-28T09:30"))),
        (Input::new(InputKind::DateTime), "2026-11-28T09:30:05.5+01:00", Ok(json!("2026-11-28T09:30:05.5+01:00"))),
        (Input::new(InputKind::DateTime), "2026-11-28T24:00", Err(Flaw::Unreadable)),
        (Input::new(InputKind::DateTime), "2026-11-28", Err(Flaw::Unreadable)),
        (Input::new(InputKind::DateTime).with_max("2026-11-28T09:30"), "2026-11-28T09:31", Err(Flaw::TooHigh)),
    ] {
        let value = input.value(text).map(|typed| typed.to_json().into_value());
        // As texts: 2.50 is spelled as it was typed.
        let number = |value: &Value| value.as_f64();
        match (&value, &expected) {
            (Ok(value), Ok(expected)) if value.is_number() => assert_eq!(number(value), number(expected), "{text}"),
            _ => assert_eq!(value, expected, "{input:?} {text}"),
        }
        let ask = ask(input);
        match Reply::check(&ask, vec![typed(text)]) {
            Ok(reply) => {
                assert!(expected.is_ok());
                check_deliveries(&ask, &reply);
            }
            Err(violations) => {
                let found: Vec<_> = violations.iter().map(|it| (it.path.as_str(), it.code.as_str())).collect();
                assert_eq!(found, [("selections[0].other", "wrong_value")], "{text}");
            }
        }
    }
}

#[test]
fn the_agent_reads_a_text_and_a_value() {
    let port = ask(Input::new(InputKind::Integer));
    let reply = Reply::check(&port, vec![typed("08080")]).unwrap();
    let content = json!({"answers": {"Say": "8080"}, "details": [
        {"index": 0, "selected": [], "value": 8080, "status": "answered"}]});
    assert_eq!(serde_json::to_value(&reply).unwrap(), content);
    let order = ask(Input::new(InputKind::Rank));
    let reply = Reply::check(&order, vec![picked(&[1, 0, 2])]).unwrap();
    let content = serde_json::to_value(&reply).unwrap();
    assert_eq!(content["answers"], json!({"Say": "B, C, A, D"}));
    assert_eq!(content["details"][0]["value"], json!(["B, C", "A", "D"]));
    check_deliveries(&order, &reply);
    let sure = ask(Input::new(InputKind::YesNo));
    let reply = Reply::check(&sure, vec![picked(&[1])]).unwrap();
    let content = serde_json::to_value(&reply).unwrap();
    assert_eq!((&content["answers"], &content["details"][0]["value"]), (&json!({"Say": "No"}), &json!(false)));
    check_deliveries(&sure, &reply);
    let skipped = Reply::check(&port, vec![Selection::skipped(0)]).unwrap();
    check_deliveries(&port, &skipped);
}

#[test]
fn a_client_may_answer_with_the_map_alone_or_with_values() {
    let port = ask(Input::new(InputKind::Integer).with_max("9"));
    for answer in [
        json!({"answers": {"Say": "7"}}),
        json!({"answers": {"Say": 7}}),
        json!({"answers": {"Say": "7"}, "details": [{"index": 0, "value": 7}]}),
        json!({"answers": {"Say": 7}, "details": [{"index": 0, "value": "7"}]}),
        json!({"answers": {"Say": "7"}, "details": [{"index": 0, "other": "7"}]}),
    ] {
        let reply = Reply::parse(&port, &answer).unwrap_or_else(|violations| panic!("{answer}: {violations:?}"));
        assert_eq!(reply.answers()[0].given.value().map(|value| value.text()).as_deref(), Some("7"));
    }
    for (answer, path, code) in [
        (json!({"answers": {"Say": "seven"}}), "answers[\"Say\"]", "wrong_value"),
        (json!({"answers": {"Say": 70}}), "answers[\"Say\"]", "wrong_value"),
        (json!({"answers": {"Say": [7]}}), "answers[\"Say\"]", "wrong_type"),
        (json!({"answers": {"Say": "7"}, "details": [{"index": 0, "value": [7]}]}), "details[0].value", "wrong_type"),
        (json!({"answers": {"Say": "7"}, "details": [{"index": 0, "value": 70}]}), "details[0].value", "wrong_value"),
        (json!({"answers": {"Say": "7"}, "details": [{"index": 0, "value": 6}]}), "answers[\"Say\"]", "contradiction"),
        (
            json!({"answers": {"Say": "7"}, "details": [{"index": 0, "other": "7", "value": 6}]}),
            "details[0].value",
            "contradiction",
        ),
    ] {
        let violations = Reply::parse(&port, &answer).expect_err("it is no answer");
        assert_eq!((violations[0].path.as_str(), violations[0].code.as_str()), (path, code), "{answer}");
    }
    let rank = ask(Input::new(InputKind::Rank));
    assert!(Reply::parse(&rank, &json!({"answers": {"Say": "D, A, B, C"}})).is_ok());
    assert!(Reply::parse(&rank, &json!({"answers": {"Say": "D, A"}})).is_err());
    for (selection, path, code) in [
        (picked(&[0, 1]), "selections[0]", "wrong_value"),
        (picked(&[0, 1, 1]), "selections[0].selected[2]", "repeated_option"),
        (picked(&[0, 1, 9]), "selections[0].selected[2]", "unknown_option"),
        (typed("none"), "selections[0]", "wrong_value"),
    ] {
        let violations = Reply::check(&rank, vec![selection]).unwrap_err();
        assert_eq!((violations[0].path.as_str(), violations[0].code.as_str()), (path, code));
    }
}

#[test]
fn an_input_is_judged_with_a_path_for_each_fault() {
    let options = json!([{"label": "A"}, {"label": "B"}]);
    for (question, expected) in [
        (json!({"input": {"type": "integer", "min": 1, "max": 9}}), vec![]),
        (json!({"input": {"type": "rank"}, "options": options}), vec![]),
        (json!({"input": {"type": "boolean"}}), vec![]),
        (json!({"options": options}), vec![]),
        (json!({}), vec![("options", "bad_input")]),
        (json!({"input": "number"}), vec![("input", "wrong_type")]),
        (json!({"input": {}}), vec![("input.type", "missing_field")]),
        (json!({"input": {"type": "money"}}), vec![("input.type", "wrong_type")]),
        (json!({"input": {"type": "number", "min": []}}), vec![("input.min", "wrong_type")]),
        (json!({"input": {"type": "number", "min": 2, "max": 1}}), vec![("input.min", "bad_input")]),
        (json!({"input": {"type": "number", "max": "many"}}), vec![("input.max", "bad_input")]),
        (json!({"input": {"type": "number", "step": 0}}), vec![("input.step", "bad_input")]),
        (json!({"input": {"type": "date", "min": "2026-02-30"}}), vec![("input.min", "bad_input")]),
        (json!({"input": {"type": "date", "unit": "days"}}), vec![("input.unit", "bad_input")]),
        (json!({"input": {"type": "email", "max": 3}}), vec![("input.max", "bad_input")]),
        (json!({"input": {"type": "text"}, "options": options}), vec![("options", "bad_input")]),
        (json!({"input": {"type": "rank"}}), vec![("options", "bad_input")]),
        (
            json!({"input": {"type": "boolean"}, "options": [{"label": "A"}, {"label": "B"}, {"label": "C"}]}),
            vec![("options", "bad_input")],
        ),
    ] {
        let mut question = question;
        question["question"] = json!("Which?");
        let violations = validate(&LIMITS, &json!({"questions": [&question]}));
        let found: Vec<_> =
            violations.iter().map(|it| (it.path.trim_start_matches("questions[0]."), it.code.as_str())).collect();
        assert_eq!(found, expected, "{question}: {violations:?}");
    }
}

#[test]
fn a_yes_or_no_gets_its_options_and_an_empty_list_goes() {
    let checked = check(
        &LIMITS,
        json!({"questions": [
            {"question": "Sure?", "input": {"type": "boolean"}, "options": []},
            {"question": "How many?", "input": {"type": "integer"}, "options": []},
        ]}),
    );
    assert!(checked.is_valid(), "{:?}", checked.violations);
    let ask = checked.ask.unwrap();
    let labels: Vec<_> = ask.questions[0].options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["Yes", "No"]);
    assert!(ask.questions[1].options.is_empty());
}

#[test]
fn models_are_told_of_inputs_and_conditions_only_where_they_are_offered() {
    for (extra, name) in [(ExtraMember::Input, "input"), (ExtraMember::ShowIf, "showIf")] {
        let told = |limits: &Limits| {
            let schema = tool_definition(limits).parameters.text();
            let guidance = guidance::text(limits, guidance::Mode::Work);
            (schema.contains(&format!("\"{name}\"")), guidance.contains(&format!("`{name}`")))
        };
        for limits in [Limits::RUNTIME, Limits::CODING, Limits::CHAT] {
            assert_eq!((told(&limits), told(&limits.with(extra))), ((false, false), (true, true)), "{name}");
        }
    }
}

#[test]
fn a_default_is_an_answer() {
    let ask = |input: Value| json!({"questions": [{"question": "Q", "input": input}]});
    for (input, default) in [
        (json!({"type": "integer", "min": 2, "default": 8}), Ok("8")),
        (json!({"type": "text", "default": "as is"}), Ok("as is")),
        (json!({"type": "json", "default": {"a": [1]}}), Ok(r#"{"a":[1]}"#)),
        (json!({"type": "integer", "min": 2, "default": 1}), Err("questions[0].input.default")),
        (json!({"type": "date", "default": "tomorrow"}), Err("questions[0].input.default")),
    ] {
        let checked = check(&LIMITS, ask(input.clone()));
        let found = checked.violations.first().map(|violation| violation.path.as_str());
        assert_eq!(found, default.err(), "{input}");
        let shown = checked.ask.unwrap().questions[0].input.clone().unwrap();
        assert_eq!(default.map_or(shown.default.as_deref(), Some), shown.default.as_deref());
        assert_eq!(serde_json::to_value(&shown).unwrap(), input);
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_number_and_date_comes_back_from_every_delivery(
        number in prop_oneof![any::<i64>().prop_map(|n| n.to_string()), "-?[0-9]{1,6}(\\.[0-9]{1,6})?(e[0-9])?"],
        date in "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])",
        order in Just(vec![0, 1, 2]).prop_shuffle(),
    ) {
        for (kind, selection) in [
            (InputKind::Number, typed(&number)),
            (InputKind::Date, typed(&date)),
            (InputKind::DateTime, typed(&(date.clone() + "T23:59"))),
            (InputKind::Json, typed(&json!([date, {"n": order}]).to_string())),
            (InputKind::Json, typed(&json!(date).to_string())),
            (InputKind::Rank, picked(&order)),
        ] {
            let ask = ask(Input::new(kind));
            let reply = Reply::check(&ask, vec![selection]).expect("it is an answer");
            check_deliveries(&ask, &reply);
        }
    }

    #[test]
    fn any_text_is_an_answer_or_is_none(text: String, step in "[0-9]{1,3}(\\.[0-9]{1,3})?", min in "-?[0-9]{1,4}") {
        for kind in InputKind::ALL {
            let ask = ask(Input::new(kind).with_min(&*min).with_step(&*step));
            if let Ok(reply) = Reply::check(&ask, vec![typed(&text)]) {
                let json = reply.to_json();
                prop_assert_eq!(Reply::parse(&ask, &json), Ok(reply));
            }
        }
    }
}

#[test]
fn own_words_beside_a_yes_are_kept() {
    let mut sure = ask(Input::new(InputKind::YesNo));
    sure.questions[0].multi_select = true;
    let reply = Reply::check(&sure, vec![picked(&[0]).with_other("but not today")]).unwrap();
    assert_eq!(reply.to_json().into_value()["details"][0]["other"], json!("but not today"));
    check_deliveries(&sure, &reply);
}

#[test]
fn a_text_keeps_to_its_schema() {
    let takes = |schema: Value, text: &str| {
        let input = Input::new(InputKind::Text).with_schema(Json::from(&schema).into_static());
        Reply::check(&ask(input), vec![typed(text)]).is_ok()
    };
    for (schema, fits, breaks) in [(json!({"minLength": 3}), "äöü", "äö"), (json!({"maxLength": 2}), "äö", "äöü")]
    {
        assert!(takes(schema.clone(), fits), "{schema} {fits}");
        assert!(!takes(schema.clone(), breaks), "{schema} {breaks}");
    }
}

#[test]
fn a_list_keeps_to_its_size() {
    let schema = json!({"type": "array", "minItems": 1, "maxItems": 2, "items": {"minLength": 2}});
    let input = Input::new(InputKind::Json).with_schema(Json::from(&schema).into_static());
    for (text, fits) in
        [("[]", false), (r#"["ab"]"#, true), (r#"["ab", "c"]"#, false), (r#"["ab", 1]"#, true), ("[1, 2, 3]", false)]
    {
        assert_eq!(Reply::check(&ask(input.clone()), vec![typed(text)]).is_ok(), fits, "{text}");
    }
}
