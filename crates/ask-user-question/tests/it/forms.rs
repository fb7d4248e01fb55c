//! Asks as the forms of elicitations, and replies as what a client fills in.

use crate::generate::{config, picks_for, repaired_ask};
use ask_user_question::examples::all;
use ask_user_question::form::Form;
use ask_user_question::{AskUserQuestion, Question, QuestionOption, Reply};
use json_tree::Json;
use proptest::prelude::*;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn json(value: &Value) -> Json<'static> {
    value.clone().into()
}

/// Checks that a reply comes back as it was from what a client fills in for it, except for notes.
fn check(ask: &AskUserQuestion, reply: &Reply) {
    let mut selections = reply.selections();
    for selection in &mut selections {
        selection.note = None;
        selection.other = selection.other.take().map(|other| other.trim().to_owned());
    }
    let reply = Reply::of(ask, selections).expect("a note makes no answer");
    let form = Form::of(ask);
    let content = form.payload(&reply).expect("nothing is required");
    let filled_in = Json::parse(&content.text()).expect("it is JSON").into_static();
    assert_eq!(form.read(ask, &filled_in), Some(reply), "{content}");
    let schema = form.schema(ask);
    let properties = schema.get("properties").and_then(Json::as_object).expect("a form has members");
    for (name, _) in filled_in.as_object().expect("it is an object") {
        assert!(properties.find(name).is_some(), "{name} is not in {schema}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_a_client_fills_in_is_the_reply(
        (ask, selections) in repaired_ask().prop_flat_map(|ask| (Just(ask.clone()), picks_for(ask)))
    ) {
        if let Some(reply) = Reply::of(&ask, selections) {
            check(&ask, &reply);
        }
    }

    #[test]
    fn an_example_loses_nothing(
        (ask, selections) in prop::sample::select(all().into_iter().filter_map(|it| it.check().ask).collect::<Vec<_>>())
            .prop_flat_map(|ask| (Just(ask.clone()), picks_for(ask)))
    ) {
        if let Some(reply) = Reply::of(&ask, selections) {
            check(&ask, &reply);
        }
    }
}

#[test]
fn the_form_of_an_ask_is_a_flat_schema() {
    let pro = QuestionOption::new("Pro").with_description("With support");
    let ask = AskUserQuestion::new([
        Question::new("Which plan?", ["Basic".into(), pro]).with_header("Plan"),
        Question::new("Which extras?", ["A", "A"]).with_multi_select(true),
        Question::new("Anything else?", [""; 0]),
    ]);
    let other = json!({"type": "string", "title": "Other"});
    let expected = json!({"type": "object", "properties": {
        "question_1": {"type": "string", "title": "Plan", "description": "Which plan?", "oneOf": [
            {"const": "Basic", "title": "Basic"},
            {"const": "Pro", "title": "Pro", "description": "With support"},
        ]},
        "question_1_custom": other,
        "question_2": {"type": "array", "title": "Which extras?", "description": "Which extras?", "items": {"anyOf": [
            {"const": "A", "title": "A"},
            {"const": "A+", "title": "A"},
        ]}},
        "question_2_custom": other,
        "question_3": {"type": "string", "title": "Anything else?", "description": "Anything else?"},
    }});
    assert_eq!(Form::of(&ask).schema(&ask), expected);
}

#[test]
fn free_text_takes_the_place_of_a_single_choice() {
    let ask = AskUserQuestion::new([Question::new("Which size?", ["S", "M"])]);
    let read = |content: Value| Form::of(&ask).read(&ask, &json(&content)).map(|reply| reply.message());
    assert_eq!(read(json!({"question_1": "M", "question_1_custom": "XL"})).as_deref(), Some("XL"));
    assert_eq!(read(json!({"question_1": "M", "question_1_custom": " "})).as_deref(), Some("M"));
    assert_eq!(read(json!({"question_1": "XL"})).as_deref(), Some("XL"));
    let skipped =
        Form::of(&ask).read(&ask, &json(&json!({"question_1": null, "other": 1}))).expect("nothing is required");
    assert!(skipped.answers()[0].skipped);
}
