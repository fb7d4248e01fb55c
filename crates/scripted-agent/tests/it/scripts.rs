//! Agents as files: the desks, the example, and what is wrong with others.

use ask_user_question::examples;
use boon::{Compiler, Schemas};
use scripted_agent::Script;
use serde_json::{Value, json};

const FRONT_DESK: &str = include_str!("../../scripts/front-desk.json");
const CODING_DESK: &str = include_str!("../../scripts/coding-desk.json");
const LIBRARY: &str = include_str!("../../scripts/library.json");
const SCHEMA: &str = include_str!("../../scripts/script.schema.json");

fn read(json: &str) -> Value {
    serde_json::from_str(json).expect("it is JSON")
}

#[test]
fn mistakes_are_told_with_their_place() {
    let changed = |pointer: &str, value: Value| {
        let mut script = read(LIBRARY);
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer begins with a slash");
        match script.pointer_mut(parent).expect("it is there") {
            Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
            parent => parent[key] = value,
        }
        script.to_string()
    };
    for (script, told) in [
        ("3".to_owned(), "invalid type: integer"),
        (format!("{LIBRARY} more"), "trailing characters"),
        (changed("/profile", json!("shop")), "profile: there is no profile shop"),
        (changed("/steps/weeks/asks", json!(1)), "steps.weeks.asks: unknown field `asks`"),
        (changed("/begin/0/set/what", json!([])), "begin[0].set.what: a text or a number"),
        (changed("/begin/1", json!({"has": ["x"], "go": "weeks"})), "begin: a last rule without a condition"),
        (changed("/begin/1/go", Value::Null), "begin: each rule"),
        (changed("/opening/go", json!("nowhere")), "opening.go: there is no step nowhere"),
        (changed("/steps/done/say", json!("It is {when}.")), "steps.done.say: {when} is set nowhere"),
        (changed("/steps/done/say", json!("{what")), "steps.done.say: a brace is open"),
        (changed("/steps/done/answers", json!([{"go": "over"}])), "steps.done.answers: this step has no ask to answer"),
        (
            changed("/steps/done/call", json!({"tool": "pay", "arguments": {}})),
            "steps.done.call.tool: there is no tool pay",
        ),
        (changed("/steps/weeks/answers/3", json!({"on": ["typed"]})), "steps.weeks.answers: a last rule"),
        (
            changed("/steps/weeks/answers/0/picks", json!(["One"])),
            "steps.weeks.answers[0].picks: no option is labelled One",
        ),
        (changed("/answers", json!([{"go": "nowhere"}])), "answers[0].go: there is no step nowhere"),
        (changed("/answers", json!([{"say": "{who}?"}])), "answers[0].say: {who} is set nowhere"),
        (changed("/answers", json!([{"picks": ["Ten"]}])), "answers[0].picks: no option is labelled Ten"),
        (
            changed("/steps/weeks/ask/questions/0/options/1", json!({"label": "Two"})),
            "steps.weeks.ask.questions[0].options",
        ),
        (changed("/steps/weeks/ask/questions/0/header", Value::Null), "steps.weeks.ask.questions[0].header"),
        (
            changed("/steps/weeks/ask/blocking", json!(false)),
            "steps.weeks.answers: a question that does not stop the run",
        ),
    ] {
        let error = Script::parse(&script).expect_err(told).to_string();
        assert!(error.contains(told), "{told}: {error}");
    }
}

#[test]
fn scripts_are_what_their_schema_says() {
    let mut compiler = Compiler::new();
    compiler.add_resource("script.json", read(SCHEMA)).expect("the schema is JSON");
    let mut schemas = Schemas::new();
    let schema = compiler.compile("script.json", &mut schemas).expect("it is a schema");
    for script in [FRONT_DESK, CODING_DESK, LIBRARY] {
        Script::parse(script).expect("it can be followed");
        let script = read(script);
        let judged = schemas.validate(&script, schema);
        assert!(judged.is_ok(), "{judged:?}");
    }
    for (name, value) in [("tool", json!([])), ("steps", json!({})), ("profile", json!("shop"))] {
        let mut script = read(LIBRARY);
        script[name] = value;
        assert!(schemas.validate(&script, schema).is_err(), "{name}");
    }
}

#[test]
fn the_coding_desk_asks_the_examples_of_its_profile() {
    let script = read(CODING_DESK);
    for (step, name) in [
        ("refactor", "coding-refactor"),
        ("authentication", "coding-auth"),
        ("new-service", "coding-four-questions"),
        ("export", "coding-plan"),
    ] {
        let asked = serde_json::from_value(script["steps"][step]["ask"].clone()).expect("it is an ask");
        assert_eq!(
            examples::by_name(name).and_then(|example| question_compat::from_json(&example.ask)),
            Some(asked),
            "{name}"
        );
    }
}
