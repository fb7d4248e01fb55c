//! Asks as the forms of elicitations, and replies as what a client fills in. One suite runs natively and as wasm32.

#[allow(dead_code, reason = "the generators serve two suites, and this one needs a few")]
#[path = "../../../ask-user-question/tests/it/generate.rs"]
mod generate;

use crate::generate::{config, picks_for, repaired_ask};
use ask_user_question::attachment::Attachment;
use ask_user_question::examples::all;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Question, QuestionOption, Reply};
use json_tree::Json;
use proptest::prelude::*;
use question_form::Form;
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
        (ask, selections) in prop_oneof![repaired_ask(), an_example()].prop_flat_map(|ask| (Just(ask.clone()), picks_for(ask)))
    ) {
        if let Some(reply) = Reply::of(&ask, selections) {
            check(&ask, &reply);
        }
    }
}

fn an_example() -> impl Strategy<Value = AskUserQuestion> {
    prop::sample::select(
        all().into_iter().filter_map(|example| question_compat::from_json(&example.ask)).collect::<Vec<_>>(),
    )
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
    for nothing in [json!([]), json!([null]), json!([" "])] {
        assert_eq!(read(json!({"question_1": nothing})), read(json!({})));
    }
    let skipped =
        Form::of(&ask).read(&ask, &json(&json!({"question_1": null, "other": 1}))).expect("nothing is required");
    assert!(skipped.answers()[0].given.is_skipped());
}

#[test]
fn a_choice_is_known_however_a_client_writes_it() {
    let of = |labels: [&str; 2]| AskUserQuestion::new([Question::new("Which?", labels)]);
    for (labels, sent, picked) in [
        (["S", "M"], json!(" S\n"), Some(0)),
        (["1", "2"], json!(2), Some(1)),
        (["S", " S "], json!(" S "), Some(1)),
        (["true", "null"], json!("maybe null"), None),
        (["true", "null"], json!([null]), None),
    ] {
        let ask = of(labels);
        let reply = Form::of(&ask).read(&ask, &json(&json!({"question_1": sent}))).expect("it fits");
        let options = reply.answers()[0].given.options();
        assert_eq!(options.first().map(|option| option.index), picked, "{labels:?} {sent}");
    }
}

/// An ask in a line: `Order? size #Size several [S, M]; …`.
fn brief(ask: &AskUserQuestion) -> String {
    let question = |question: &Question| {
        let header = question.header.as_ref().map(|header| format!(" #{header}")).unwrap_or_default();
        let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
        let several = if question.multi_select { " several" } else { "" };
        format!("{}{header}{several} [{}]", question.question, labels.join(", "))
    };
    ask.questions.iter().map(question).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_schema_is_asked_for_as_its_members_are() {
    let members = |properties: Value| json!({"type": "object", "properties": properties});
    let requires = |name: &str, properties: Value| json!({"properties": properties, "required": [name]});
    let sizes = json!({"enum": ["S", "M"]});
    let text = json!({"type": "string"});
    let flag = json!({"type": "boolean"});
    let odd = json!({"type": "object"});
    let count = json!({"type": "integer", "title": "Count"});
    let many = json!({"type": "integer", "title": "Count", "description": "How many?"});
    let one = |schema: Value| members(json!({"a": schema}));
    let choices = || Some("Say [S, M]");
    for (message, schema, expected) in [
        (
            "Order?",
            members(json!({"count": many, "size": sizes})),
            Some("Order?\nHow many? #Count []; size #size [S, M]"),
        ),
        (" ", members(json!({"count": count, "size": sizes})), Some("Count #Count []; size #size [S, M]")),
        ("Say", one(many.clone()), Some("Say []")),
        ("", one(many), Some("How many? []")),
        ("", one(json!({"type": "number", "title": " "})), Some("a []")),
        // Schemas that can't be asked for.
        ("Say", requires("a", json!({"a": text, "b": odd})), Some("Say []")),
        ("Say", requires("b", json!({"a": text, "b": odd})), None),
        ("Say", one(odd.clone()), None),
        ("Say", json!({"properties": {"b": odd}, "anyOf": [{"required": ["b"]}, {"required": ["a"]}]}), None),
        (
            "Say",
            json!({"properties": {"a": text, "b": odd}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            Some("Say []"),
        ),
        ("Say", json!({"properties": {}}), None),
        // An approval is asked alone, unless something beside it must be there.
        ("Go?", members(json!({"note": text, "approved": flag})), Some("Go? [Yes, No]")),
        ("Go?", requires("approve", json!({"note": text, "approve": flag})), Some("Go? [Yes, No]")),
        (
            "Go?",
            requires("note", json!({"approved": flag, "note": text})),
            Some("Go?\napproved #approved [Yes, No]; note #note []"),
        ),
        ("Go?", members(json!({"approved": text, "note": text})), Some("Go?\napproved #approved []; note #note []")),
        ("Go?", members(json!({"note": text, "sure": flag})), Some("Go?\nnote #note []; sure #sure [Yes, No]")),
        // Values that are no objects.
        ("Go?", flag.clone(), Some("Go? [Yes, No]")),
        (" ", json!({"type": "string", "title": "T", "description": "D"}), Some("D []")),
        (" ", json!({"type": "string", "title": "T", "description": " "}), Some("T []")),
        ("Say", odd.clone(), None),
        // The kinds of members.
        ("Say", one(json!({"enum": ["S", 1, null, true, false]})), Some("Say [S, 1, Yes, No]")),
        ("Say", one(json!({"type": ["string", "null"], "enum": ["S", null, "M"]})), choices()),
        ("Say", one(json!({"enum": [null, "s", "m"], "enumNames": ["None", "S", "M"]})), choices()),
        ("Say", one(json!({"enum": [null]})), None),
        ("Say", one(json!({"enum": ["s", "m"], "enumNames": ["S", "M"]})), choices()),
        ("Say", one(json!({"enum": ["S", "M"], "enumNames": ["Small"]})), choices()),
        ("Say", one(json!({"oneOf": [{"const": "S"}, {"const": "M"}]})), choices()),
        ("Say", one(json!({"oneOf": [{"const": 1, "title": "S"}, {"const": 2, "title": "M"}]})), choices()),
        ("Say", one(json!({"oneOf": [{"const": "S", "title": " "}, {"const": "M"}]})), choices()),
        ("Say", one(json!({"anyOf": [{"const": "S"}, {"const": "M"}, {"type": "null"}]})), choices()),
        ("Say", one(json!({"oneOf": [{"const": null, "title": "None"}, {"const": "S"}, {"const": "M"}]})), choices()),
        ("Say", one(json!({"oneOf": [{"const": "S"}, {"title": "M"}]})), None),
        ("Say", one(json!({"enum": []})), None),
        ("Say", one(json!({"type": "array", "items": sizes})), Some("Say several [S, M]")),
        (
            "Say",
            one(json!({"type": "array", "items": {"anyOf": [{"const": "S"}, {"const": "M"}]}})),
            Some("Say several [S, M]"),
        ),
        ("Say", one(json!({"type": "array", "items": text})), None),
        ("Say", one(json!({"type": "array", "items": flag})), None),
        // Enumerations of Pydantic.
        ("Say", json!({"properties": {"a": {"$ref": "#/$defs/Size"}}, "$defs": {"Size": sizes}}), choices()),
        ("Say", json!({"$ref": "#/definitions/Size", "definitions": {"Size": sizes}}), choices()),
        (
            "Say",
            json!({"properties": {"a": {"anyOf": [{"$ref": "#/$defs/Size"}, {"type": "null"}]}}, "$defs": {"Size": sizes}}),
            choices(),
        ),
        (
            "Say",
            json!({"properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/Size"}}}, "$defs": {"Size": sizes}}),
            Some("Say several [S, M]"),
        ),
        (
            "Say",
            json!({"properties": {"a": {"$ref": "#/$defs/Loop"}}, "$defs": {"Loop": {"$ref": "#/$defs/Loop"}}}),
            None,
        ),
        ("Say", one(json!({"$ref": "https://example.com/size.json"})), None),
        ("Say", one(json!({"type": ["null", "string"]})), Some("Say []")),
        ("Say", one(json!({"type": ["number", "string"]})), None),
        ("Say", one(json!({"anyOf": [{"type": "null"}, sizes]})), choices()),
        ("Say", one(json!({"allOf": [sizes]})), choices()),
        ("Say", one(json!({"anyOf": [text, sizes]})), None),
        ("Say", one(json!({"oneOf": [{"type": ["string"]}, {"type": "null"}]})), Some("Say []")),
    ] {
        let asked = Form::from_schema(message, &json(&schema)).map(|(ask, _)| brief(&ask));
        assert_eq!(asked.as_deref(), expected, "{message} {schema}");
    }
    let blank = |schema: Value| Form::from_schema(" ", &json(&schema)).map(|(ask, _)| brief(&ask));
    assert_eq!(blank(flag), Some(brief(&Form::approval(" ", "approved").0)));
    assert_eq!(brief(&Form::approval("Go?", "approved").0), "Go? [Yes, No]");
}

#[test]
fn an_answer_is_the_value_that_the_schema_has() {
    let pick = |selected: &[usize]| Selection::picked(0, selected);
    let typed = |other: &str| Selection::typed(0, other);
    let skip = || Selection::skipped(0);
    let member = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    let required = |schema: Value| json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
    let sizes = json!({"enum": ["S", 2]});
    let several = json!({"type": "array", "items": sizes});
    let [number, integer] = ["number", "integer"].map(|name| json!({"type": name}));
    // No reply can have it.
    let no_number = || Err(String::new());
    let no_option = || Err("\"Say\" takes one of its options".to_owned());
    for (schema, selection, expected) in [
        (member(sizes.clone()), pick(&[1]), Ok(r#"{"a":2}"#)),
        (member(sizes.clone()), typed("2"), no_option()),
        (member(sizes.clone()), skip(), Ok("{}")),
        (required(sizes.clone()), skip(), Err("\"Say\" must be answered".to_owned())),
        (member(several), pick(&[0, 1]), Ok(r#"{"a":["S",2]}"#)),
        (member(json!({"type": "string"})), typed(" x "), Ok(r#"{"a":"x"}"#)),
        (member(json!({"type": "boolean"})), pick(&[1]), Ok(r#"{"a":false}"#)),
        (member(number.clone()), typed(" 3.10 "), Ok(r#"{"a":3.10}"#)),
        (member(number), typed("many"), no_number()),
        (member(integer.clone()), typed("12"), Ok(r#"{"a":12}"#)),
        (member(integer.clone()), typed("18446744073709551615"), Ok(r#"{"a":18446744073709551615}"#)),
        (member(integer.clone()), typed("-12.0"), Ok(r#"{"a":-12}"#)),
        (member(integer.clone()), typed("1.5"), no_number()),
        (member(integer), typed("\"1\""), no_number()),
        // Answers that are no objects.
        (sizes, pick(&[0]), Ok(r#""S""#)),
        (json!({"type": "boolean"}), pick(&[0]), Ok("true")),
        (json!({"enum": [1, 2.5]}), pick(&[1]), Ok("2.5")),
        (json!({"type": "string"}), typed("anything"), Ok(r#""anything""#)),
        (json!({"type": "integer"}), typed("12.0"), Ok("12")),
        (json!({"type": "integer"}), typed("1.5"), no_number()),
        (json!({"type": "number"}), typed("1.5"), Ok("1.5")),
        (json!({"oneOf": [{"const": "a"}, {"const": "b"}]}), pick(&[0]), Ok(r#""a""#)),
    ] {
        let (ask, form) = Form::from_schema("Say", &json(&schema)).expect("it can be asked for");
        let Some(reply) = Reply::of(&ask, vec![selection]) else {
            assert_eq!(expected, no_number(), "{schema}");
            continue;
        };
        let payload = form.payload(&reply);
        assert_eq!(payload.as_ref().map(Json::text).map_err(Clone::clone), expected.map(str::to_owned), "{schema}");
        if let Ok(payload) = payload {
            let read = form.read(&ask, &payload).expect("it is a value of the schema");
            assert_eq!(form.payload(&read), Ok(payload), "{schema}");
        }
    }
    let (ask, form) = Form::approval("Go?", "ok");
    let yes = Reply::of(&ask, vec![pick(&[0])]).expect("it is a reply");
    assert_eq!(form.payload(&yes).map(|payload| payload.text()), Ok(r#"{"ok":true}"#.to_owned()));
}

#[test]
fn a_file_has_no_member_and_answers_nothing_alone() {
    let file = Attachment { url: "/files/1".into(), name: "a.png".into(), media_type: "image/png".into(), size: 3 };
    let schema = json!({"type": "object", "properties": {"why": {"type": "string"}}, "required": ["why"]});
    let (ask, form) = Form::from_schema("Why?", &json(&schema)).expect("it can be asked for");
    let payload = |selection: Selection| {
        let reply = Reply::of(&ask, vec![selection.with_attachments([file.clone()])]).expect("it is an answer");
        form.payload(&reply)
    };
    assert_eq!(payload(Selection::of(0)), Err("\"Why?\" must be answered".to_owned()));
    assert_eq!(payload(Selection::typed(0, "Rust")), Ok(json(&json!({"why": "Rust"}))));
}

#[test]
fn json_is_a_text_as_the_schema_says() {
    let ask = AskUserQuestion::new([Question::new("Which?", [""; 0]).with_input(Input::new(InputKind::Json))]);
    let form = Form::of(&ask);
    assert_eq!(form.schema(&ask).into_value()["properties"]["question_1"]["type"], "string");
    for text in [r#"{"a":1}"#, "[1]", r#""a""#, "2"] {
        let reply = Reply::of(&ask, vec![Selection::typed(0, text)]).expect("it is an answer");
        let payload = form.payload(&reply).expect("nothing is required");
        assert_eq!(payload, json(&json!({"question_1": text})));
        assert_eq!(form.read(&ask, &payload), Some(reply));
    }
}

#[test]
fn the_schema_that_is_written_for_an_ask_is_read_as_the_same_options() {
    let pro = QuestionOption::new("Pro").with_description("With support");
    let plans = Question::new("Which plans?", ["Basic".into(), pro]);
    for several in [false, true] {
        let ask = AskUserQuestion::new([plans.clone().with_multi_select(several)]);
        let (read, _) = Form::from_schema("Which plans?", &Form::of(&ask).schema(&ask)).expect("it can be asked for");
        let [read, asked] = [&read, &ask].map(|ask| (ask.questions[0].multi_select, &ask.questions[0].options));
        assert_eq!(read, asked);
    }
}

#[test]
fn numbers_dates_and_addresses_are_the_same_kinds_on_both_ways() {
    let schema = json!({"type": "object", "properties": {
        "at": {"type": "string", "title": "At", "format": "date-time"},
        "day": {"type": "string", "title": "Day", "format": "date"},
        "link": {"type": "string", "title": "Link", "format": "uri"},
        "mail": {"type": "string", "title": "Mail", "format": "email"},
        "name": {"type": "string", "title": "Name", "format": "hostname"},
        "port": {"type": "integer", "title": "Port", "minimum": 1024, "maximum": 65535},
        "share": {"type": ["number", "null"], "title": "Share", "multipleOf": 0.5},
        "sure": {"type": "boolean", "title": "Sure"},
    }});
    let (ask, form) = Form::from_schema("Say", &json(&schema)).expect("it can be asked for");
    let kinds = ask.questions.iter().map(|question| question.input.as_ref().map_or("-", |input| input.kind.as_str()));
    let kinds: Vec<&str> = kinds.collect();
    // In the order of their names.
    assert_eq!(kinds, ["datetime", "date", "url", "email", "-", "integer", "number", "boolean"]);
    let values = json!({"port": 8080, "share": 1.5, "day": "2026-11-28", "at": "2026-11-28T09:30:00Z",
        "mail": "ann@example.com", "link": "https://example.com", "name": "host", "sure": false});
    let reply = form.read(&ask, &json(&values)).expect("it is a value of the schema");
    assert_eq!(form.payload(&reply), Ok(json(&values)));
    assert!(form.read(&ask, &json(&json!({"port": 80}))).is_none(), "it is under the minimum");

    let written = Form::of(&ask).schema(&ask).into_value();
    let property = |number: usize| written["properties"][format!("question_{number}")].clone();
    assert_eq!((property(6)["type"].as_str(), property(6)["minimum"].as_u64()), (Some("integer"), Some(1024)));
    assert_eq!((property(2)["type"].as_str(), property(2)["format"].as_str()), (Some("string"), Some("date")));
    let filled_in = Form::of(&ask).payload(&reply).expect("nothing is required");
    assert_eq!(Form::of(&ask).read(&ask, &filled_in), Some(reply));
}

#[test]
fn a_ranking_is_a_list_in_its_order() {
    let rank = Question::new("Which order?", ["A", "B", "C"]).with_input(Input::new(InputKind::Rank));
    let ask = AskUserQuestion::new([rank]);
    let form = Form::of(&ask);
    let reply = form.read(&ask, &json(&json!({"question_1": ["C", "A", "B"]}))).expect("all have a place");
    assert_eq!(reply.message(), "C, A, B");
    assert_eq!(form.payload(&reply), Ok(json(&json!({"question_1": ["C", "A", "B"]}))));
    assert!(form.read(&ask, &json(&json!({"question_1": ["C", "A"]}))).is_none());
    assert!(form.schema(&ask).text().contains(r#""type":"array""#));
}
