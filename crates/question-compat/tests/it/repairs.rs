//! Repair: what models really send becomes the plain shape, and each change is said.

use question_compat::repair;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[track_caller]
fn repairs(input: Value, output: Value, expected: &[(&str, &str)]) {
    let (value, repairs) = repair(input);
    assert_eq!(value, output);
    let codes: Vec<(&str, &str)> = repairs.iter().map(|repair| (repair.path.as_str(), repair.code.as_str())).collect();
    assert_eq!(codes, expected);
    assert!(repairs.iter().all(|repair| repair.to_string().ends_with('.')));
    assert_eq!(repair(value.clone()), (value, vec![]), "a repaired ask needs no repair");
}

fn plain() -> Value {
    json!({"questions": [{"question": "Q", "options": [{"label": "A"}, {"label": "B"}]}]})
}

#[test]
fn a_plain_ask_stays_as_it_is() {
    repairs(plain(), plain(), &[]);
    let odd = json!({"questions": [{"question": "Q", "options": [{"label": "A", "weight": null}], "extra": " x "}], "more": "[1]"});
    repairs(odd.clone(), odd, &[]);
}

#[test]
fn json_strings_are_opened_where_they_stand_for_structure() {
    repairs(json!(plain().to_string()), plain(), &[("", "json_string")]);
    repairs(json!(json!(plain().to_string()).to_string()), plain(), &[("", "json_string")]);
    let questions = plain()["questions"].to_string();
    repairs(json!({"questions": format!(" {questions}\n")}), plain(), &[("questions", "json_string")]);
    // Packed text obeys the rule of all arguments: no key comes twice.
    let twice = json!({"questions": "[{\"question\":\"Q\",\"question\":\"P\",\"options\":[]}]"});
    repairs(twice.clone(), twice, &[]);
    let options = plain()["questions"][0]["options"].to_string();
    repairs(
        json!({"questions": [{"question": "Q", "options": options}]}),
        plain(),
        &[("questions[0].options", "json_string")],
    );
    repairs(json!({"questions": [plain()["questions"][0].to_string()]}), plain(), &[("questions[0]", "json_string")]);
    let option = json!({"questions": [{"question": "Q", "options": ["{\"label\":\"A\"}", {"label": "B"}]}]});
    repairs(option, plain(), &[("questions[0].options[0]", "json_string")]);
}

#[test]
fn texts_that_look_like_json_stay_texts() {
    let labels = |labels: [&str; 3]| json!({"questions": [{"question": "{\"a\":1}", "options": labels.map(|label| json!({"label": label}))}]});
    let same = labels(["[x]", "[1]", "\"quoted\""]);
    repairs(same.clone(), same, &[]);
    let plain_options = json!({"questions": [{"question": "Q", "options": ["[1]", "{1}"]}]});
    let objects = json!({"questions": [{"question": "Q", "options": [{"label": "[1]"}, {"label": "{1}"}]}]});
    repairs(
        plain_options,
        objects,
        &[("questions[0].options[0]", "plain_option"), ("questions[0].options[1]", "plain_option")],
    );
    let broken = json!({"questions": "[{\"question\":"});
    repairs(broken.clone(), broken, &[]);
}

#[test]
fn lists_and_objects_that_were_left_out_are_added() {
    let question = plain()["questions"][0].clone();
    repairs(question.clone(), plain(), &[("", "single_question")]);
    repairs(json!([question.clone()]), plain(), &[("", "bare_questions")]);
    repairs(json!({"questions": question.clone()}), plain(), &[("questions", "single_question")]);
    repairs(
        json!({"questions": question.to_string()}),
        plain(),
        &[("questions", "json_string"), ("questions", "single_question")],
    );
}

#[test]
fn plain_texts_and_numbers_become_options() {
    let input = json!({"questions": [{"question": "Q", "options": [" A", 2, {"label": "C"}]}]});
    let output = json!({"questions": [{"question": "Q", "options": [{"label": "A"}, {"label": "2"}, {"label": "C"}]}]});
    repairs(
        input,
        output,
        &[
            ("questions[0].options[0]", "plain_option"),
            ("questions[0].options[0].label", "trimmed"),
            ("questions[0].options[1]", "plain_option"),
        ],
    );
}

#[test]
fn aliases_of_multi_select_are_read() {
    let with = |key: &str, value: Value| json!({"questions": [{"question": "Q", key: value, "options": []}]});
    let multi = with("multiSelect", json!(true));
    repairs(with("multiple", json!(true)), multi.clone(), &[("questions[0].multiple", "renamed_field")]);
    repairs(
        with("multi_select", json!("True")),
        multi.clone(),
        &[("questions[0].multi_select", "renamed_field"), ("questions[0].multiSelect", "boolean_text")],
    );
    repairs(with("multiSelect", json!(" true ")), multi.clone(), &[("questions[0].multiSelect", "boolean_text")]);
    for (name, value) in [
        ("multiselect", json!(true)),
        ("MultiSelect", json!(true)),
        ("multi-select", json!(true)),
        ("allowMultiple", json!(true)),
        ("allow_multiple", json!(true)),
        ("isMultiSelect", json!(true)),
        ("multipleChoice", json!(true)),
        ("selectMultiple", json!(true)),
        ("multiple_answers_allowed", json!(true)),
    ] {
        repairs(with(name, value), multi.clone(), &[(format!("questions[0].{name}").as_str(), "renamed_field")]);
    }
    for value in [json!(1), json!("yes"), json!("1"), json!("On")] {
        repairs(with("multiSelect", value), multi.clone(), &[("questions[0].multiSelect", "boolean_text")]);
    }
    repairs(
        with("multiSelect", json!(0)),
        with("multiSelect", json!(false)),
        &[("questions[0].multiSelect", "boolean_text")],
    );
    repairs(with("multiSelect", json!(2)), with("multiSelect", json!(2)), &[]);
    repairs(with("multiline", json!(true)), with("multiline", json!(true)), &[]);
    // Never lost in silence: what is no flag is for the rules to refuse.
    repairs(
        with("multiple", json!("some")),
        with("multiSelect", json!("some")),
        &[("questions[0].multiple", "renamed_field")],
    );
    let both = json!({"questions": [{"question": "Q", "multiSelect": false, "multiple": true}]});
    repairs(both.clone(), both, &[]);
}

#[test]
fn an_other_of_the_models_own_is_merged() {
    let input = json!({"questions": [{"question": "Q", "options": ["A", "Other…", {"label": "something else"}, {"label": "Other branch"}]}]});
    let output = json!({"questions": [{"question": "Q", "options": [{"label": "A"}, {"label": "Other branch"}]}]});
    repairs(
        input,
        output,
        &[
            ("questions[0].options[0]", "plain_option"),
            ("questions[0].options[1]", "plain_option"),
            ("questions[0].options[1]", "other_merged"),
            ("questions[0].options[2]", "other_merged"),
        ],
    );
}

#[test]
fn white_space_and_empty_fields_go() {
    let input = json!({"questions": [{
        "question": "\u{3000}Q\n", "header": null, "multiSelect": null,
        "options": [{"label": " A ", "description": " d ", "preview": null}, {"label": "B", "description": "\u{200B}", "preview": "  indented"}],
    }]});
    let output = json!({"questions": [{"question": "\u{3000}Q\n", "options": [{"label": "A", "description": "d"}, {"label": "B", "preview": "  indented"}]}]});
    repairs(
        input,
        output,
        &[
            ("questions[0].header", "empty_removed"),
            ("questions[0].multiSelect", "empty_removed"),
            ("questions[0].options[0].label", "trimmed"),
            ("questions[0].options[0].preview", "empty_removed"),
            ("questions[0].options[0].description", "trimmed"),
            ("questions[0].options[1].description", "empty_removed"),
        ],
    );
}

#[test]
fn what_is_beyond_repair_is_left_alone() {
    for value in [
        json!(null),
        json!(true),
        json!(3),
        json!("Which one?"),
        json!({}),
        json!({"questions": 5}),
        json!({"questions": [null, "Q?"]}),
    ] {
        repairs(value.clone(), value, &[]);
    }
}

#[test]
fn a_text_is_unpacked_out_of_three_layers_at_most() {
    let asked = |questions: &str| json!({"questions": questions});
    let mut packed = plain()["questions"].to_string();
    for _ in 0..3 {
        repairs(asked(&format!(" {packed} ")), plain(), &[("questions", "json_string")]);
        packed = Value::from(packed).to_string();
    }
    for text in [packed.as_str(), "", "[1", r#"[{"question": "Q", "question": "R"}]"#] {
        repairs(asked(text), asked(text), &[]);
    }
}

#[test]
fn a_question_as_a_text_may_have_the_signs_of_markup_but_is_none() {
    for text in ["<5 users, or more?", "Close it by </b>?"] {
        let asked = json!({"questions": [{"question": text, "options": []}]});
        repairs(json!({"questions": text}), asked, &[("questions", "plain_question")]);
    }
}
