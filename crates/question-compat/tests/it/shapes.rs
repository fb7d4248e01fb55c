//! Arguments of models in the shapes of other tools, and texts that are almost JSON. Streaming and reading have the same result.

use crate::feeding::shown;
use crate::generate::{ask_like_json, config, packed, text};
use crate::kept::is_kept;
use crate::odd::{odd_arguments, spoilt_arguments};
use ask_user_question::{AskSnapshot, AskUserQuestion, Limits, Phase, Question};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use question_compat::{Checked, check_text, from_arguments, repair};
use serde_json::{Map, Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const PLAIN: &str = r#"{"questions": [{"question": "Which size?", "header": "Size", "options": [{"label": "S"}, {"label": "M", "description": "fits most"}]}]}"#;

/// The verdict of the runtime's profile, which holds for arguments that arrive in pieces of any size as well.
#[track_caller]
fn checked(arguments: &str) -> Checked {
    let checked = check_text(&Limits::RUNTIME, arguments);
    assert_eq!(from_arguments(arguments), checked.ask, "{arguments}");
    for size in [1, 2, 7, arguments.len().max(1)] {
        assert_eq!(arrives(arguments, size), checked.ask, "{arguments} in pieces of {size}");
    }
    checked
}

/// The ask that arguments become in pieces of `size` characters, if it takes nothing back of what they showed.
fn arrives(arguments: &str, size: usize) -> Option<AskUserQuestion> {
    let shown = shown(arguments, size).questions;
    let whole = |ask: &AskUserQuestion| AskSnapshot::complete("call", ask.clone(), Phase::Ready).questions;
    from_arguments(arguments).filter(|ask| is_kept(&shown, &whole(ask)))
}

#[track_caller]
fn shows(arguments: &str, expected: &str, repair: &str) {
    let checked = checked(arguments);
    assert!(checked.is_valid(), "{arguments}: {:?}", checked.violations);
    let ask: AskUserQuestion = serde_json::from_str(expected).unwrap();
    assert_eq!(checked.ask, Some(ask), "{arguments}");
    let codes: Vec<&str> = checked.repairs.iter().map(|repair| repair.code.as_str()).collect();
    assert!(codes.contains(&repair), "{arguments}: {codes:?}");
}

#[track_caller]
fn question(arguments: &str) -> Question {
    checked(arguments).ask.unwrap_or_else(|| panic!("{arguments} shows something")).questions.remove(0)
}

fn labels(question: &Question) -> Vec<&str> {
    question.options.iter().map(|option| option.label.as_str()).collect()
}

#[track_caller]
fn refused(arguments: &str, code: &str, says: &str) {
    let checked = checked(arguments);
    let found = checked.violations.iter().find(|violation| violation.code == code);
    let message = &found.unwrap_or_else(|| panic!("{arguments}: {:?}", checked.violations)).message;
    assert!(message.contains(says), "{message}");
}

#[test]
fn names_of_other_tools_are_read() {
    let body = r#""header": "Size", "options": [{"label": "S"}, {"label": "M", "description": "fits most"}]"#;
    for name in ["prompt", "text", "title", "message", "query", "Question", "QUESTION"] {
        shows(&format!(r#"{{"questions": [{{"{name}": "Which size?", {body}}}]}}"#), PLAIN, "renamed_field");
    }
    for name in
        ["choices", "answers", "items", "suggestions", "follow_up", "answerOptions", "suggestedResponses", "Options"]
    {
        shows(&PLAIN.replace("options", name), PLAIN, "renamed_field");
    }
    for name in ["text", "title", "name", "value", "id", "key", "content", "option_text", "Label"] {
        shows(&PLAIN.replace("label", name), PLAIN, "renamed_field");
    }
    for name in ["desc", "detail", "details", "subtitle", "explanation", "Description", "option_description"] {
        shows(&PLAIN.replace("description", name), PLAIN, "renamed_field");
    }
    shows(&PLAIN.replace("header", "HEADER").replace("questions", "Questions"), PLAIN, "renamed_field");
    let both = PLAIN.replace(r#"{"label": "S"}"#, r#"{"value": "s", "label": "S", "text": "x"}"#);
    assert_eq!(labels(&question(&both)), ["S", "M"], "a name of its own comes first");
    let text =
        r#"{"questions": [{"question": "Q", "options": [{"value": "s", "text": "S"}, {"value": "m", "title": "M"}]}]}"#;
    assert_eq!(labels(&question(text)), ["S", "M"]);
    let null = r#"{"questions": [{"question": "Q", "multiSelect": null, "multiple": true, "options": ["A", "B"]}]}"#;
    assert!(question(null).multi_select, "what is null is missing");
    for nothing in ["null", r#"" ""#] {
        for (named, other) in
            [(r#""question": "Which size?""#, r#""prompt": "Which size?""#), (r#""label": "S""#, r#""value": "S""#)]
        {
            let (name, _) = named.split_once(':').unwrap();
            for both in [format!("{name}: {nothing}, {other}"), format!("{other}, {name}: {nothing}")] {
                shows(&PLAIN.replace(named, &both), PLAIN, "renamed_field");
            }
        }
        let bare = PLAIN.strip_prefix(r#"{"questions": [{"#).unwrap().strip_suffix("]}").unwrap();
        shows(&format!(r#"{{"questions": {nothing}, {bare}"#), PLAIN, "single_question");
    }
    let title = r#"{"title": "Shirt", "questions": [{"title": "x", "prompt": "Which?", "options": ["S", "M"], "allowMultiple": true}]}"#;
    let asked = question(title);
    assert_eq!((asked.question.as_str(), asked.multi_select), ("Which?", true));
}

#[test]
fn wrappings_are_opened() {
    for name in ["input", "arguments", "parameters", "args"] {
        shows(&format!(r#"{{"{name}": {PLAIN}}}"#), PLAIN, "unwrapped");
        shows(&json!({ name: PLAIN }).to_string(), PLAIN, "unwrapped");
        shows(&format!(r#"{{"name": "ask_user_question", "{name}": {PLAIN}}}"#), PLAIN, "unwrapped");
    }
    let packed = json!(PLAIN);
    for wrapped in [
        format!(r#"{{"questions": {packed}}}"#),
        format!(r#"{{"function": {{"name": "ask_user_question", "arguments": {packed}}}}}"#),
        format!(r#"{{"function": "ask_user_question", "arguments": {packed}}}"#),
        format!(r#"{{"action": "ask", "action_input": {PLAIN}}}"#),
        format!(r#"{{"type": "object", "properties": {PLAIN}}}"#),
        format!(r#"{{"body": {packed}}}"#),
        format!("[{PLAIN}]"),
        format!(r#"[{{"name": "ask_user_question", "arguments": {PLAIN}}}]"#),
    ] {
        shows(&wrapped, PLAIN, "unwrapped");
    }
    let question = PLAIN.strip_prefix(r#"{"questions": ["#).unwrap().strip_suffix("]}").unwrap();
    shows(&format!(r#"{{"input": {question}}}"#), PLAIN, "unwrapped");
    refused(&format!(r#"{{"input": {PLAIN}, "args": {PLAIN}}}"#), "missing_field", "missing");
    refused(r#"{"input": {"command": "ls"}}"#, "missing_field", "`questions` is missing");
}

/// An empty list is left out, as it is written where an answer is typed, however it came to be empty.
#[test]
fn an_input_of_its_own_has_no_empty_options() {
    for options in [r#""[]""#, r#"["Other"]"#, "[]"] {
        let written =
            format!(r#"{{"questions": [{{"question": "Q", "input": {{"type": "text"}}, "options": {options}}}]}}"#);
        let (repaired, _) = repair(serde_json::from_str::<Value>(&written).unwrap());
        let plain = json!({"questions": [{"question": "Q", "input": {"type": "text"}}]});
        assert_eq!(repaired.into_value(), plain, "{options}");
    }
}

#[test]
fn options_come_as_maps_lines_and_values() {
    let options = |options: &str| question(&format!(r#"{{"questions": [{{"question": "Q", "options": {options}}}]}}"#));
    let map = options(r#"{"Postgres": "d1", "SQLite": "", "None": null}"#);
    assert_eq!(labels(&map), ["Postgres", "SQLite", "None"]);
    assert_eq!(map.options[0].description.as_deref(), Some("d1"));
    assert_eq!(map.options[1].description, None);
    assert_eq!(labels(&options(r#"{"a": {"label": "A"}, "b": {"text": "B"}}"#)), ["A", "B"]);
    for lines in ["Yes\\nNo", "- Yes\\n- No\\n", "1. Yes\\n\\n2. No", "* Yes\\r\\n* No"] {
        assert_eq!(labels(&options(&format!("\"{lines}\""))), ["Yes", "No"], "{lines}");
    }
    for tags in [
        r"<suggest>Yes</suggest>\n<suggest mode='code'>No</suggest>",
        r"<follow_up>\n<suggest>\nYes\n</suggest>\n<suggest>No</suggest>\n</follow_up>",
    ] {
        assert_eq!(labels(&options(&format!("\"{tags}\""))), ["Yes", "No"], "{tags}");
    }
    let call = r#"{"question": "Q", "follow_up": "<suggest>Yes</suggest><suggest>No</suggest>"}"#;
    assert_eq!(labels(&question(call)), ["Yes", "No"]);
    assert_eq!(labels(&options(r#""- Yes\nNo""#)), ["- Yes", "No"], "a bullet belongs to all lines or to the label");
    assert_eq!(labels(&options(r#""['Yes', 'No']""#)), ["Yes", "No"]);
    assert_eq!(labels(&options("[true, false]")), ["true", "false"]);
    let numbers = options(r#"[3.9, 3.10, {"label": 2e3}, 123456789012345678901234567890]"#);
    assert_eq!(labels(&numbers), ["3.9", "3.10", "2e3", "123456789012345678901234567890"], "as they were written");
    assert_eq!(labels(&options(r#"[{"label": 1}, {"value": true}]"#)), ["1", "true"]);
    for unclear in [
        r#""Yes, No""#,
        r#""Yes | No""#,
        r#""Yes""#,
        r#"{"label": "A"}"#,
        r#"{"A": 1}"#,
        "{}",
        "5",
        r#""<b>S</b>\n<b>M</b>""#,
    ] {
        let arguments = format!(r#"{{"questions": [{{"question": "Q", "options": {unclear}}}]}}"#);
        refused(&arguments, "wrong_type", "an array");
    }
}

#[test]
fn a_question_without_options_is_an_open_one() {
    for open in [
        r#"{"questions": [{"question": "Name?", "header": "Name"}]}"#,
        r#"{"questions": [{"question": "Name?", "header": "", "options": null}]}"#,
        r#"{"question": "Name?", "type": "text"}"#,
    ] {
        assert_eq!(question(open).options, [], "{open}");
        let open_limits = Limits::RUNTIME.with_options(0..=4);
        assert_eq!(check_text(&open_limits, open).violations, [], "{open}");
    }
    for kind in ["yesno", "confirm", "boolean"] {
        let asked = question(&format!(r#"{{"questions": [{{"question": "Go on?", "type": "{kind}"}}]}}"#));
        assert_eq!(labels(&asked), ["Yes", "No"], "{kind}");
    }
    let two = checked(r#"{"questions": ["Which size?", "Which colour?"]}"#).ask.unwrap();
    assert_eq!(two.questions.len(), 2);
    let own = r#"{"questions": [{"question": "Go on?", "type": "yesno", "options": ["Ja", "Nein"]}]}"#;
    assert_eq!(labels(&question(own)), ["Ja", "Nein"]);
    assert!(
        question(r#"{"questions": [{"question": "Q", "type": "multi_select", "options": ["A", "B"]}]}"#).multi_select
    );
}

#[test]
fn the_answers_of_a_model_are_dropped_and_named() {
    let answered = PLAIN.replacen('{', r#"{"answers": {"Which size?": "M"}, "annotations": {}, "metadata": {}, "#, 1);
    shows(&answered, PLAIN, "answers_dropped");
    let paths: Vec<String> = checked(&answered).repairs.into_iter().map(|repair| repair.path).collect();
    assert_eq!(paths, ["answers", "annotations"]);
    let bare = r#"{"question": "Which size?", "answers": {"Which size?": "M"}}"#;
    assert_eq!(question(bare).options, []);
    for name in ["answer", "response", "selected", "userAnswer"] {
        shows(&PLAIN.replace(r#""header""#, &format!("\"{name}\": \"M\", \"header\"")), PLAIN, "answers_dropped");
    }
}

#[test]
fn markup_of_the_call_is_never_shown() {
    let sized = r#"{"questions": [{"question": "Which size?", "options": [{"label": "S"}, {"label": "M"}]}]}"#;
    for leaked in [
        json!({"questions": [{"question": "Which size?</question>\n<parameter name=\"options\">[{\"label\":\"S\"},{\"label\":\"M\"}]"}]}),
        json!({"question": "Which size?\n<parameter name=\"choices\">[\"S\",\"M\"]</parameter>"}),
        json!({"question": "Which size?\n</parameter>\n<parameter name=\"options\">['S', 'M']</parameter>\n</invoke>"}),
        json!({"question": "Which size?</question>", "options": ["S", "M"]}),
        json!({"question": "Which size?\n<arg_key>options</arg_key>\n<arg_value>[\"S\",\"M\"]</arg_value>"}),
        json!({"question": "Which size?\n<parameter=options>\n[\"S\",\"M\"]\n</parameter>\n</function>"}),
        json!({"question": "Which size?<｜DSML｜parameter name=\"options\" string=\"false\">[\"S\",\"M\"]</｜DSML｜parameter>"}),
        json!({"question": "Which size?\n</tool_call>", "options": ["S", "M"]}),
        json!({"question": "Which size?<|tool_call_end|>", "options": ["S", "M"]}),
        json!({"question": "Which size?", "options": ["S", "M</label>"]}),
        json!({"question": "Which size?", "options": "S\nM</parameter>"}),
        json!({"question": "Which size?\n<follow_up>\n<suggest>S</suggest>\n<suggest>M</suggest>\n</follow_up>"}),
    ] {
        shows(&leaked.to_string(), sized, "markup_removed");
    }
    let packed = json!({"question": "Which size?", "options": "[\"S\",\"M\"]</parameter>\n</invoke>"});
    shows(&packed.to_string(), sized, "almost_json");
    let header = json!({"questions": [{"question": "Which size?", "header": "Size</header>\n<parameter name=\"options\">[\"S\",{\"label\":\"M\",\"description\":\"fits most\"}]"}]});
    shows(&header.to_string(), PLAIN, "markup_removed");
    shows(&PLAIN.replace("fits most", "fits most</description>\\n</invoke>"), PLAIN, "markup_removed");
    let own = json!({"questions": [{"question": "Is <question>a < b</question> or <b> valid?", "options": ["S", "</header>"]}]});
    assert_eq!(question(&own.to_string()).question, "Is <question>a < b</question> or <b> valid?");
    assert_eq!(labels(&question(&own.to_string())), ["S", "</header>"]);
    let items =
        json!({"questions": "\n<item>\n<question>Which size?</question>\n<options><item>S</item></options>\n</item>"});
    refused(&items.to_string(), "wrong_type", "JSON");
    assert_eq!(checked(&items.to_string()).ask, None);
}

#[test]
fn arguments_that_are_too_long_are_no_ask_although_they_begin_with_one() {
    let most = (6 << 20) - PLAIN.len();
    let padded = |spaces: usize| check_text(&Limits::RUNTIME, &format!("{PLAIN}{}", " ".repeat(spaces)));
    assert!(padded(most).is_valid());
    assert_eq!(padded(most + 1).ask, None);
    let long = format!("{PLAIN}{}", " ".repeat(6 << 20));
    assert_eq!(checked(&long).ask, None);
}

#[test]
fn a_line_break_in_two_characters_is_shown_as_one() {
    let shown = |question: &str| {
        let arguments = json!({"questions": [{"question": question, "options": ["S", "M"]}]}).to_string();
        let ask = checked(&arguments).ask.unwrap();
        assert_eq!(ask.questions[0].question, question, "the answer is keyed by what was sent");
        AskSnapshot::complete("c", ask, Default::default()).questions.remove(0).question.text
    };
    assert_eq!(shown(r"Which size?\nS is small."), "Which size?\nS is small.");
    assert_eq!(shown("Sizes differ.\\n\\n- S\\n- M\\n"), "Sizes differ.\n\n- S\n- M");
    assert_eq!(shown(r"One now. And\tone later?\nSay."), "One now. And\\tone later?\nSay.");
    for path in ["Delete C:\\new\\nothing?", "Delete ..\\new?", "Delete (x86)\\nvidia?", "Split at \\n"] {
        assert_eq!(shown(path), path);
    }
}

#[test]
fn almost_json_is_read_where_it_has_one_reading() {
    let python = r#"{'questions': [{'question': 'Which size?', 'header': 'Size', 'multiSelect': False, 'options': [{'label': 'S', 'description': None}, {'label': 'M', 'description': 'fits most'}]}]}"#;
    let inner = PLAIN.strip_suffix('}').unwrap();
    for almost in [
        &format!("```json\n{PLAIN}\n```"),
        &format!("```\n{PLAIN}```"),
        &format!("```json\n{PLAIN}"),
        &format!("Here it is:\n```json\n{PLAIN}\n```\nAnything else?"),
        &format!("<tool_call>\n{PLAIN}\n</tool_call>"),
        &format!("{PLAIN}\n</parameter>\n</invoke>"),
        &format!("{PLAIN}<|im_end|>"),
        &format!("\u{FEFF}{PLAIN}"),
        &format!("{inner},}}"),
        &PLAIN.replace("}]}]}", "},],\n}, ]}"),
        &format!("{PLAIN}}}"),
        &format!("{{}}{PLAIN}"),
        &format!("{PLAIN}\n{PLAIN}"),
        python,
    ] {
        shows(almost, PLAIN, "almost_json");
    }
    let said = |text: &str| question(&PLAIN.replace("Which size?", text)).question;
    assert_eq!(said("Which\nsize\tis\r\0\u{1b}it?"), "Which\nsize\tis\r\0\u{1b}it?");
    assert_eq!(said(r"Who\'s it for? \$5"), "Who's it for? $5");
    assert_eq!(said(r"It\'s True, None of it"), "It's True, None of it");
    assert_eq!(
        question(r#"{'question': 'He said "no" \'twice\'', 'options': ['True', "It's"]}"#).question,
        "He said \"no\" 'twice'"
    );
    let packed = json!({"questions": format!("```json\n[{}]\n```", r#"{"question": "Q", "options": ["A", "B",]}"#)});
    assert_eq!(labels(&question(&packed.to_string())), ["A", "B"]);
}

#[test]
fn backslashes_with_one_reading_are_read() {
    let said = |text: &str| question(&PLAIN.replace("Which size?", text)).question;
    for (sent, meant) in [
        (r"Clear C:\users\data?", r"Clear C:\users\data?"),
        (r"Match \d+ or \w+?", r"Match \d+ or \w+?"),
        (r"C:\dir", r"C:\dir"),
        (r"Write it as \sum or as \frac{a}{b}?", r"Write it as \sum or as \frac{a}{b}?"),
        (r"A \beta or an \alpha?", r"A \beta or an \alpha?"),
        ("One\\\ntwo", "One\ntwo"),
        ("One\\\r\ntwo", "One\ntwo"),
        (r"Match \d?\n- yes\n- no", "Match \\d?\n- yes\n- no"),
        (r"Match \\d, \u0064 or \d?", r"Match \d, d or \d?"),
        (r"Really\u?", r"Really\u?"),
    ] {
        assert_eq!(said(sent), meant, "{sent}");
    }
    // Valid JSON is read as JSON.
    assert_eq!(said(r"Which of them?\n- one\n- two\u0021"), "Which of them?\n- one\n- two!");
    let label = PLAIN.replace(r#""label": "S""#, r#""label": "\d\frac""#);
    assert_eq!(labels(&question(&label)), [r"\d\frac", "M"]);
    let packed = json!({"questions": r#"[{"question": "Match \d?", "options": ["A", "B"]}]"#});
    assert_eq!(question(&packed.to_string()).question, r"Match \d?");
}

#[test]
fn half_of_a_character_becomes_the_sign_for_what_is_lost() {
    let said = |text: &str| question(&PLAIN.replace("Which size?", text)).question;
    for (sent, meant) in [
        (r"Which \ud83d?", "Which \u{fffd}?"),
        (r"Which \ude00?", "Which \u{fffd}?"),
        (r"Which \ud83d\ud83d\ude00", "Which \u{fffd}😀"),
        (r"Which \uD83D\n?", "Which \u{fffd}\n?"),
        (r"Which \ud83d", "Which \u{fffd}"),
    ] {
        assert_eq!(said(sent), meant, "{sent}");
    }
    shows(
        &PLAIN.replace(r#"fits most""#, r#"fits most \ud83d""#),
        &PLAIN.replace("fits most", "fits most \u{fffd}"),
        "almost_json",
    );
}

#[test]
fn lists_as_objects_whose_names_count_are_lists() {
    let numbered = |from: usize, items: &[&str]| {
        let members: Vec<String> =
            items.iter().enumerate().map(|(at, item)| format!("\"{}\": {item}", from + at)).collect();
        format!("{{{}}}", members.join(", "))
    };
    let options = [r#"{"label": "S"}"#, r#"{"label": "M", "description": "fits most"}"#];
    let list = format!("[{}]", options.join(", "));
    let ask = PLAIN.strip_prefix(r#"{"questions": ["#).unwrap().strip_suffix("]}").unwrap();
    for from in [0, 1] {
        let of_options = ask.replace(&list, &numbered(from, &options));
        let both = format!(r#"{{"questions": {}}}"#, numbered(from, &[&of_options]));
        for sent in [
            format!(r#"{{"questions": {}}}"#, numbered(from, &[ask])),
            format!(r#"{{"questions": [{of_options}]}}"#),
            both.clone(),
            numbered(from, &[ask]),
            json!({"questions": numbered(from, &[ask])}).to_string(),
            format!(r#"{{"questions": {{"size": {ask}}}}}"#),
            format!(r#"{{"size": {ask}}}"#),
        ] {
            shows(&sent, PLAIN, "numbered_list");
        }
        let texts = PLAIN.replace(&list, &numbered(from, &[r#""S""#, r#""M""#]));
        assert_eq!(labels(&question(&texts)), ["S", "M"]);
    }
    // Names that do not count are labels.
    let map = |options: &str| PLAIN.replace(&list, options);
    for (options, expected) in [
        (r#"{"2": "two cores", "8": "all cores"}"#, ["2", "8"]),
        (r#"{"1": "one", "3": "three"}"#, ["1", "3"]),
        (r#"{"00": "a", "01": "b"}"#, ["00", "01"]),
    ] {
        assert_eq!(labels(&question(&map(options))), expected);
    }
}

#[test]
fn what_is_said_about_a_flag_is_no_flag() {
    let with = |member: &str| PLAIN.replace(r#""header": "Size""#, &format!(r#""header": "Size", {member}"#));
    for about in [r#""multipleHint": "Pick any""#, r#""multi_select_label": "Several are fine""#] {
        let checked = checked(&with(about));
        assert!(checked.is_valid(), "{about}: {:?}", checked.violations);
        assert!(!question(&with(about)).multi_select, "{about}");
        assert!(question(&with(&format!(r#"{about}, "multi": true"#))).multi_select, "{about}");
    }
    assert!(question(&with(r#""allowMultipleAnswers": true"#)).multi_select);
    for kind in ["multi_choice", "multi-select", "MULTI_CHOICE", "multiSelect", "multiple_select", "checkboxes"] {
        assert!(question(&with(&format!(r#""type": "{kind}""#))).multi_select, "{kind}");
    }
    for kind in ["single_choice", "single-select", "radio", "choice", "-1"] {
        assert!(!question(&with(&format!(r#""type": "{kind}""#))).multi_select, "{kind}");
    }
    assert!(!question(&with(r#""multiSelect": "single_choice""#)).multi_select);
    assert!(question(&with(r#""multiSelect": "multi_choice""#)).multi_select);
}

#[test]
fn a_preview_under_its_older_name_is_one() {
    let preview = |arguments: &str| question(arguments).options[0].preview.clone();
    let old = PLAIN.replace(r#""label": "S""#, r#""label": "S", "markdown": "**S**""#);
    assert_eq!(preview(&old).as_deref(), Some("**S**"));
    let both = old.replace(r#""markdown""#, r#""preview": "new", "markdown""#);
    assert_eq!(preview(&both).as_deref(), Some("new"));
    let several = old.replace(r#""options""#, r#""multiSelect": true, "options""#);
    assert_eq!(preview(&several).as_deref(), Some("**S**"));
    assert!(checked(&several).is_valid());
}

#[test]
fn what_has_two_readings_or_half_is_refused_with_its_place() {
    for broken in [
        PLAIN.strip_suffix("]}").unwrap(),
        PLAIN.strip_suffix('}').unwrap(),
        &format!("{PLAIN}{{"),
        &format!(r#"{{"city": "Rome"}}{PLAIN}"#),
        &PLAIN.replace("Which size?", r#"Which "size"?"#),
        r#"{'question': 'It's late?', 'options': ['A', 'B']}"#,
        r#"{question: "Q", options: ["A", "B"]}"#,
        // A line break, or a folder.
        &PLAIN.replace("Which size?", r"C:\users\new"),
        r#"{"questions": [{"question": "Q", "options": ["A", "B"], 'question': "P"}]}"#,
    ] {
        assert_eq!(checked(broken).ask, None, "{broken}");
        refused(broken, "invalid_json", "");
    }
    refused(&format!(r#"{{"city": "Rome"}}{PLAIN}"#), "invalid_json", "another one begins at byte 16");
    let quotes =
        json!({"questions": r#"[{"question":"Soll „Entwurf" bleiben?","options":[{"label":"Ja"},{"label":"Nein"}]}]"#});
    refused(&quotes.to_string(), "wrong_type", "bleiben");
}

#[test]
fn the_answer_is_keyed_by_the_question_as_it_was_sent() {
    use crate::pick;
    let sent = "  Which branch?\n";
    let ask =
        checked(&json!({"questions": [{"question": sent, "options": ["main", "next"]}]}).to_string()).ask.unwrap();
    let shown = AskSnapshot::complete("c", ask.clone(), Default::default());
    assert_eq!(shown.questions[0].question.text, "Which branch?");
    let reply = ask_user_question::Reply::check(&ask, vec![pick(0, &[0])]).unwrap();
    assert_eq!(reply.to_json(), json!({"answers": {sent: "main"}}));
    for key in [sent, "Which branch?"] {
        assert_eq!(ask_user_question::Reply::parse(&ask, &json!({"answers": {key: "main"}})), Ok(reply.clone()));
    }
    let twice =
        json!({"questions": [{"question": "Q", "options": ["A", "B"]}, {"question": "Q ", "options": ["A", "B"]}]});
    refused(&twice.to_string(), "duplicate_question", "'Q '");
}

/// Arguments as models send them.
fn sent() -> impl Strategy<Value = String> {
    let text = |ask: Value| ask.to_string();
    prop_oneof![ask_like_json().prop_map(text), misnamed_ask().prop_map(text), odd_arguments(), spoilt_arguments()]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_streams_is_what_is_read(text in sent(), fault in 0..8, at: prop::sample::Index) {
        let arguments = match fault {
            0 => format!("```json\n{text}\n```"),
            1 => text.replace('}', ",}"),
            2 => text.replace("true", "True").replace("null", "None"),
            3 => text.replace("\\n", "\n"),
            4 => format!("{text}}}"),
            5 => {
                let mut characters: Vec<char> = text.chars().collect();
                characters.remove(at.index(characters.len()));
                characters.into_iter().collect()
            }
            _ => text,
        };
        let wide = Limits::RUNTIME.with_options(0..=9).with_header_max(None);
        let checked = check_text(&wide, &arguments);
        for size in [1, 5, 1000] {
            let arrived = arrives(&arguments, size);
            // A list in a string may turn out to be none after its first items were shown. The card says so, and takes nothing back.
            let is_broken = arrived.is_none() && !checked.is_valid();
            prop_assert!(arrived == checked.ask || is_broken, "{}: {:?} {:?}", size, arrived, checked);
        }
    }

    #[test]
    fn a_text_that_is_cut_off_is_never_an_ask(ask in misnamed_ask(), at: prop::sample::Index) {
        let text = ask.to_string();
        let characters: Vec<char> = text.chars().collect();
        let cut: String = characters[..at.index(characters.len())].iter().collect();
        prop_assert!(!check_text(&Limits::RUNTIME, &cut).is_valid());
    }

    #[test]
    fn an_ask_needs_one_repair(ask in prop_oneof![misnamed_ask(), ask_like_json()]) {
        let (once, repairs) = repair(ask);
        let (twice, again) = repair(once.clone());
        prop_assert_eq!((twice, again.len()), (once, 0));
        prop_assert!(repairs.iter().all(|repair| !repair.path.contains("..")));
    }
}

#[test]
fn what_lets_several_be_chosen_is_never_lost() {
    let several = PLAIN.replace(r#""header""#, r#""multiSelect": true, "header""#);
    for said in [
        r#""multiAnswer": true"#,
        r#""isMulti": 1"#,
        r#""checkboxes": true"#,
        r#""pickMany": "yes""#,
        r#""multiSelection": "multiple""#,
        r#""selection_mode": "multi""#,
        r#""selectionType": "multiple""#,
        r#""type": "multi-select""#,
        r#""select": "many""#,
        r#""singleSelect": false"#,
        r#""exclusive": false"#,
        r#""isSingle": false"#,
        r#""maxSelections": 2"#,
        r#""maxSelections": "2""#,
        r#""selectionLimit": 3"#,
        r#""selectAllThatApply": true"#,
        r#""allowSeveral": true"#,
        r#""variant": "multipleSelection""#,
        r#""type": "checklist""#,
    ] {
        shows(&PLAIN.replace(r#""header""#, &format!("{said}, \"header\"")), &several, "renamed_field");
    }
    for said in [r#""mode": "text""#, r#""select": "one""#, r#""single": true"#, r#""maxSelections": 1"#] {
        assert!(!question(&PLAIN.replace(r#""header""#, &format!("{said}, \"header\""))).multi_select, "{said}");
    }
}

#[test]
fn the_best_of_several_members_stands_for_a_field() {
    let long = |length: usize| format!("desc{}", "x".repeat(length - 4));
    let described = |name: &str| PLAIN.replace("description", name);
    shows(&described(&long(40)), PLAIN, "renamed_field");
    assert_eq!(question(&described(&long(41))).options[1].description, None);
    for (members, expected) in [
        (r#""choices": ["S", "M"], "Choices": ["X", "Y"]"#, "S M"),
        (r#""choices": "x", "items": ["S", "M"]"#, "S M"),
        (r#""choices": "[\"S\", \"M\"]""#, "S M"),
        (r#""choices": "S\nM""#, "S M"),
        (r#""options": [{"text": ["x"], "value": "S"}, {"text": {"a": "b"}, "name": 2}]"#, "S 2"),
    ] {
        let asked = format!(r#"{{"questions": [{{"question": "Which size?", {members}}}]}}"#);
        assert_eq!(labels(&question(&asked)).join(" "), expected, "{asked}");
    }
}

#[test]
fn what_is_asked_already_is_not_looked_for_further_in() {
    let inner = r#""data": {"questions": [{"question": "Which colour?", "options": ["Red", "Blue"]}]}"#;
    for outer in [
        r#""questions": [{"question": "Which size?", "options": ["S", "M"]}]"#,
        r#""Questions": [{"question": "Which size?", "options": ["S", "M"]}]"#,
        r#""question": "Which size?""#,
        r#""prompt": "Which size?", "choices": ["S", "M"]"#,
        r#""prompt": "Which size?", "answers": ["S", "M"]"#,
    ] {
        assert_eq!(question(&format!("{{{outer}, {inner}}}")).question, "Which size?", "{outer}");
    }
    assert_eq!(question(&format!(r#"{{"prompt": "Which size?", {inner}}}"#)).question, "Which colour?");
}

#[test]
fn a_long_label_is_never_the_own_field() {
    let meant = |bytes: usize| {
        let label = format!("Other:{}", " please".repeat(20)).chars().take(bytes).collect::<String>();
        let asked = json!({"questions": [{"question": "Q?", "options": ["S", "M", label]}]}).to_string();
        labels(&question(&asked)).len()
    };
    assert_eq!((meant(90), meant(97), meant(104), meant(111)), (2, 2, 3, 3));
    let full = format!("Other:{} as", " please".repeat(13));
    let asked = json!({"questions": [{"question": "Q?", "options": ["S", "M", full]}]}).to_string();
    assert_eq!((full.len(), labels(&question(&asked)).len()), (100, 2));
}

#[test]
fn a_list_that_is_a_text_says_why_it_cannot_be_read() {
    let says = |text: &str| {
        let asked = json!({"questions": [{"question": "Q?", "options": text}]});
        let violations = ask_user_question::validate::validate(&Limits::RUNTIME, &asked);
        violations.iter().find(|violation| violation.path == "questions[0].options").unwrap().message.clone()
    };
    assert!(says("[1,").contains("as text it must at least be JSON"), "{}", says("[1,"));
    assert!(!says("S and M").contains("JSON"), "{}", says("S and M"));
}

/// An ask whose members may have other names, other shapes and company.
fn misnamed_ask() -> impl Strategy<Value = Value> {
    let some = |names: &'static [&'static str]| prop::sample::select(names);
    let text =
        || prop_oneof![4 => "[A-Z][a-z]{1,6}", 1 => "[<{\\[`'\"a-b/ \n\t]{0,6}", 1 => text()].prop_map(Value::from);
    let plain = prop_oneof![6 => text(), 1 => any::<i16>().prop_map(Value::from), 1 => any::<bool>().prop_map(Value::from), 1 => Just(Value::Null)];
    let plain = plain.boxed();
    let flag = prop_oneof![
        Just(Value::from(1)),
        Just(Value::from(3)),
        Just(Value::from("yes")),
        Just(Value::from("multiple")),
        any::<bool>().prop_map(Value::from),
        text()
    ];
    let option_name =
        some(&["label", "label", "text", "value", "Label", "description", "desc", "preview", "id", "detail"]);
    let named = vec((option_name, plain.clone()), 0..4)
        .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>());
    let option = prop_oneof![3 => named.prop_map(Value::Object), 2 => plain.clone()];
    let map = btree_map("[A-Z][a-z]{0,3}|label", plain.clone(), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()));
    let lines = vec("(- )?[A-Z][a-z]{1,3}", 1..4).prop_map(|lines| Value::from(lines.join("\n")));
    let options = prop_oneof![5 => vec(option, 0..4).prop_map(Value::from), 1 => map, 1 => lines, 1 => plain.clone()];
    let question_name = some(&["question", "question", "prompt", "Question", "text", "title", "query"]);
    let options_name = some(&["options", "options", "choices", "answers", "Options", "suggestions"]);
    let flag_name = some(&[
        "multiSelect",
        "multi_select",
        "multiple",
        "allowMultiple",
        "type",
        "mode",
        "singleSelect",
        "maxSelections",
    ]);
    let header_name = some(&["header", "Header", "answer", "extra", "selected"]);
    let question = (
        (question_name, plain.clone()),
        option::weighted(0.8, (options_name, packed(options))),
        option::weighted(0.4, (flag_name, flag)),
        option::weighted(0.5, (header_name, plain)),
    )
        .prop_map(|(question, options, flag, header)| {
            let members = [Some(question), options, flag, header].into_iter().flatten();
            Value::Object(members.map(|(name, value)| (name.to_owned(), value)).collect())
        });
    let ask = (some(&["questions", "questions", "Questions"]), vec(packed(question.clone()), 1..3))
        .prop_map(|(name, questions)| Value::Object([(name.to_owned(), questions.into())].into_iter().collect()));
    let ask = packed(prop_oneof![5 => ask, 1 => question]);
    let wrapping = option::weighted(0.2, some(&["input", "arguments", "questions", "name", "answers"]));
    (wrapping, ask).prop_map(|(wrapping, ask)| match wrapping {
        Some(name) => Value::Object([(name.to_owned(), ask)].into_iter().collect()),
        None => ask,
    })
}
