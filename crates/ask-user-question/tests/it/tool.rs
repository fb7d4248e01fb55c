//! The texts for a model: the same as those of the profiles' origins.

use ask_user_question::Limits;
use ask_user_question::guidance::{self, Mode};
use ask_user_question::limits::ExtraMember;
use ask_user_question::tool::{NAMES, tool_definition};
use question_compat::check_text;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn schemas_equal_their_origins_apart_from_added_descriptions() {
    // The schemas of the agent runtime and the coding agent word for word, and the customer chat's zod schema as JSON Schema: `min` and `max`
    // of arrays, fields required unless optional or with a default.
    for (limits, origin) in [
        (Limits::RUNTIME, include_str!("origins/runtime.json")),
        (Limits::CODING, include_str!("origins/coding.json")),
        (Limits::CHAT, include_str!("origins/chat.json")),
    ] {
        let origin = serde_json::from_str(origin).unwrap();
        assert!(NAMES.contains(&limits.tool_name()));
        let mut schema = schema(&limits);
        remove_added_descriptions(&mut schema, &origin);
        assert_eq!(schema, origin);
    }
}

#[test]
fn every_description_ends_with_an_example_that_its_profile_allows() {
    for limits in [Limits::RUNTIME, Limits::CODING, Limits::CHAT] {
        let description = tool_definition(&limits).description;
        let example = description.lines().last().unwrap();
        let example = example.strip_prefix("Example: ").unwrap();
        let checked = check_text(&limits, example);
        assert!(checked.is_valid(), "{:?}", checked.violations);
        assert!(checked.repairs.is_empty(), "{:?}", checked.repairs);
    }
}

#[test]
fn guidance_names_the_tool_and_covers_every_rule() {
    for limits in [Limits::RUNTIME, Limits::CODING, Limits::CHAT] {
        for mode in [Mode::Any, Mode::Work, Mode::Plan] {
            // Only a coding agent has a plan mode that it may be told of before it is in it.
            let planning = mode == Mode::Plan || mode == Mode::Any && limits == Limits::CODING;
            let text = guidance::text(&limits, mode);
            assert_eq!(text.lines().count(), 6 + usize::from(planning), "{text}");
            for part in [limits.tool_name(), "(Recommended)", "\"Other\"", "plain text", "only tool call"] {
                assert!(text.contains(part), "{part} in {text}");
            }
            assert_eq!(text.contains("ExitPlanMode"), planning, "{text}");
        }
        assert_eq!(tool_definition(&limits).guidance, guidance::text(&limits, Mode::Any));
    }
    assert!(
        guidance::text(&Limits::CODING, Mode::Plan)
            .contains("MUST NOT use AskUserQuestion to ask for approval of the plan")
    );
}

#[test]
fn limits_change_schema_and_description() {
    let limits = Limits::RUNTIME
        .with_tool_name("ask")
        .with_questions(1..=2)
        .with_options(3..=5)
        .with_header_required(true)
        .with_header_max(Some(20))
        .with(ExtraMember::Preview);
    let schema = schema(&limits);
    let questions = &schema["properties"]["questions"];
    assert_eq!((&questions["minItems"], &questions["maxItems"]), (&json!(1), &json!(2)));
    assert_eq!(questions["items"]["required"], json!(["question", "header", "options"]));
    assert_eq!(questions["items"]["properties"]["header"]["maxLength"], 20);
    let options = &questions["items"]["properties"]["options"];
    assert_eq!(options["maxItems"], 5);
    assert_eq!(options["items"]["properties"]["preview"]["type"], "string");
    let tool = tool_definition(&limits);
    assert_eq!(tool.name, "ask");
    assert!(tool.description.contains("Provide 1-2 questions with 3-5 options each."));
    assert!(tool.guidance.contains("Use ask when"));
}

#[test]
#[should_panic(expected = "an ask needs at least one question")]
fn limits_that_no_ask_can_keep_are_refused() {
    let _ = Limits::CHAT.with_questions(0..=4);
}

fn schema(limits: &Limits) -> Value {
    tool_definition(limits).parameters.into_value()
}

/// Removes `description`s of schema nodes where the origin has none. A property of that name is an object and stays.
fn remove_added_descriptions(schema: &mut Value, origin: &Value) {
    let Value::Object(fields) = schema else {
        return;
    };
    if fields.get("description").is_some_and(Value::is_string) && origin.get("description").is_none() {
        fields.remove("description");
    }
    for (key, field) in fields {
        remove_added_descriptions(field, &origin[key]);
    }
}
