//! A card that is shown while the arguments of a call arrive: it has as much as is known to stay, and no more.

use crate::feeding::shown;
use crate::generate::{any_ask, config};
use ask_user_question::arriving::Arriving;
use ask_user_question::snapshot::{AskSnapshot, OptionSnapshot, Phase, QuestionSnapshot, TextSnapshot};
use ask_user_question::{AskUserQuestion, Limits};
use proptest::prelude::*;
use question_compat::{REPAIRS, check, from_arguments};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A snapshot in a line: `Which size? #Size several [S: small; M~`. A part that may still grow ends in `~`, and an open list has no end.
fn brief(shown: &AskSnapshot) -> String {
    fn text(text: &TextSnapshot) -> String {
        text.text.clone() + if text.closed { "" } else { "~" }
    }
    fn option(option: &OptionSnapshot) -> String {
        let more = [(": ", &option.description), (" = ", &option.preview)];
        let more = more.iter().filter_map(|(before, more)| Some(format!("{before}{}", text(more.as_ref()?))));
        text(&option.label) + &more.collect::<String>() + if option.closed { ";" } else { "" }
    }
    fn question(question: &QuestionSnapshot) -> String {
        let header = question.header.as_ref().map(|header| format!(" #{}", text(header))).unwrap_or_default();
        let several = question.multi_select.map_or("", |several| if several { " several" } else { " single" });
        let options: Vec<String> = question.options.iter().map(option).collect();
        format!(
            "{}{header}{several} [{}{}",
            text(&question.question),
            options.join(" "),
            if question.closed { "]" } else { "" }
        )
    }
    shown.questions.iter().map(question).collect::<Vec<_>>().join(" ")
}

/// Checks what is shown of arguments that have come so far, whatever the pieces are.
#[track_caller]
fn grows(cases: &[(&str, &str)]) {
    for (arguments, expected) in cases {
        for size in [1, 3, arguments.len()] {
            assert_eq!(brief(&shown(arguments, size)), *expected, "{arguments} in pieces of {size}");
        }
    }
}

#[test]
fn a_question_grows_as_it_arrives() {
    grows(&[
        (r#"{"questions": [{"question": ""#, ""),
        (r#"{"questions": [{"question": " "#, ""),
        (r#"{"questions": [{"question": " Which "#, "Which~ ["),
        (r#"{"questions": [{"question": "Which size"#, "Which size~ ["),
        (r#"{"questions": [{"question": "Which size? ""#, "Which size? ["),
        (r#"{"questions": [{"question": "Q", "header": " "#, "Q ["),
        (r#"{"questions": [{"question": "Q", "header": " ""#, "Q ["),
        (r#"{"questions": [{"question": "Q", "header": " Si"#, "Q #Si~ ["),
        (r#"{"questions": [{"header": "Si"#, "~ #Si~ ["),
        (r#"{"questions": [{"header": " ", "question": "Q"#, "Q~ ["),
        (r#"{"questions": [{"question": "Q", "question": "R", "options": ["A"]}"#, "Q single [A;]"),
        (
            r#"{"questions": [{"question": "Q", "options": [{"label": "A", "description": "b", "description": "c"}]}"#,
            "Q single [A: b;]",
        ),
        (
            r#"{"questions": [{"question": "Q", "stray": {"question": "R", "options": ["A"]}, "options": ["B"]}"#,
            "Q single [B;]",
        ),
        (r#"{"questions": [{"question": "Q", "options": ["A"]}, {"question": "R"#, "Q single [A;] R~ ["),
        (r#"{"questions": [{"question": " ", "options": []}, {"question": "R"#, "R~ ["),
        (r#"{"stray": [{"question": "P"}], "questions": [{"question": "Q"#, "Q~ ["),
        (r#"{"questions": [[{"question": "P"}], {"question": "Q"#, "Q~ ["),
        (r#"{"questions": 1, "more": "x"#, ""),
        ("{\"questions\": [{\"question\": \"\u{200B}", ""),
        (r#"{"questions": [{"question": "Q", "options": null, "options": ["A"]}"#, "Q single [A;]"),
    ]);
}

#[test]
fn an_option_is_shown_once_it_is_known_to_stay() {
    let cases = [
        (r#"["#, "Q ["),
        (r#"[{"label": ""#, "Q ["),
        (r#"[{"label": "Sm"#, "Q [Sm~"),
        (r#"[{"label": "S", "description": " "#, "Q [S"),
        (r#"[{"label": "S", "description": " "}"#, "Q [S;"),
        (r#"[{"label": "S", "description": " small "#, "Q [S: small~"),
        (r#"[{"label": "S", "preview": "  <b"#, "Q [S =   <b~"),
        (r#"[{"label": "S", "preview": "  <b> "}"#, "Q [S =   <b> ;"),
        (r#"[{"description": "small", "label": "Sm"#, "Q [Sm~: small"),
        (r#"[{"description": "small", "label": " "}, {"label": "M"}"#, "Q [M;"),
        (r#"["S", " M "#, "Q [S; M~"),
        (r#"["S", " M ""#, "Q [S; M;"),
        (r#"[" ", "M""#, "Q [M;"),
        (r#"["S", 1, "M"#, "Q [S;"),
        (r#"["S", {"label": 2.5}, "M"#, "Q [S;"),
        // It may mean the field for a text of one's own, which is no option.
        (r#"["Oth"#, "Q ["),
        (r#"["Other""#, "Q ["),
        (r#"["Other", "M"#, "Q [M~"),
        (r#"["Oth""#, "Q [Oth;"),
        (r#"["Other ways"#, "Q [Other ways~"),
    ];
    for (options, expected) in cases {
        grows(&[(&format!(r#"{{"questions": [{{"question": "Q", "options": {options}"#), expected)]);
    }
}

#[test]
fn several_choices_are_known_when_they_are_named_or_the_question_ends() {
    let cases = [
        (r#""multiSelect": true"#, "Q several [", "Q several [A;]"),
        (r#""multiSelect": false"#, "Q single [", "Q single [A;]"),
        (r#""multiSelect": null"#, "Q [", "Q single [A;]"),
        // A word for the flag, or a flag with another name, comes with the whole ask.
        (r#""multiSelect": "yes""#, "Q [", "Q ["),
        (r#""multiSelect": 1"#, "Q [", "Q ["),
        (r#""multiple": true"#, "Q [", "Q [A;"),
    ];
    for (said, before, after) in cases {
        let open = format!(r#"{{"questions": [{{"question": "Q", {said}, "#);
        grows(&[(&open, before), (&format!(r#"{open}"options": ["A"]}}"#), after)]);
    }
}

#[test]
fn nothing_more_is_shown_of_a_shape_that_may_turn_out_otherwise() {
    grows(&[
        // The list alone, or beside a question.
        (r#"[{"question": "Q", "options": ["Red"#, "Q [Red~"),
        (r#"{"question": "P", "options": ["A"], "questions": [{"question": "Q"#, "Q~ ["),
        (r#"{"questions": [{"question": "Q", "options": ["A"]}], "question": "P"}"#, "Q single [A;]"),
        // A question without its list.
        (r#"{"question": "Q", "options": ["A"]}"#, ""),
        (r#"{"questions": {"question": "Q", "options": ["A"]}}"#, ""),
        // Questions or options in a string.
        (r#""{\"questions\": [{\"question\": \"Q"#, ""),
        (r#"{"questions": "[{\"question\": \"Q\"}]", "more": ["#, ""),
        (r#"{"questions": [{"question": "Q", "options": "[\"A\"]", "header": "H"#, "Q ["),
        (r#"{"questions": [{"question": "Q", "options": ["{\"label\": \"A\"}", "B"]}, {"question": "R"#, "Q ["),
        (r#"{"questions": ["{\"question\": \"Q\"}", {"question": "R"#, ""),
        // A map of options, and a list within a question.
        (r#"{"questions": [{"question": "Q", "options": {"A": "a"}, "header": "H"#, "Q ["),
        (r#"{"questions": [{"question": "Q", "questions": [], "header": "H"#, "Q ["),
        (r#"{"Questions": [], "questions": [{"question": "Q"#, ""),
        // Other names for what is missing in the end.
        (r#"{"questions": [{"query": "Q", "options": ["A"]}, {"question": "R"#, "~ [A;"),
        (r#"{"questions": [{"question": "Q", "choices": ["A"]}, {"question": "R"#, "Q ["),
        (r#"{"questions": [{"question": "Q", "options": null, "choices": ["A"]}, {"question": "R"#, "Q ["),
        (r#"{"questions": [{"question": "Q", "query": "P", "options": ["A"]}, {"question": "R"#, "Q single [A;] R~ ["),
        (r#"{"questions": [{"question": "Q", "options": [{"label": "A", "name": "B"}, {"label": "Red"#, "Q [A; Red~"),
        (r#"{"questions": [{"question": "Q", "options": [{"name": "A"}, {"label": "Red"#, "Q ["),
        (r#"{"questions": [{"question": "Q", "options": [{"label": "A", "desc": "a"}, {"label": "Red"#, "Q [A"),
        (r#"{"questions": [{"question": "Q", "HEADER": "H", "options": ["A"]}, {"question": "R"#, "Q [A;"),
        // Markup of the call.
        (r#"{"questions": [{"question": "Q\n<arg_k"#, "Q~ ["),
        (r#"{"questions": [{"question": "Q\n<arg_key>", "header": "H"#, "Q~ ["),
        (r#"{"questions": [{"question": "Q </question> R", "header": "H"#, "Q~ ["),
        (r#"{"questions": [{"question": "Q", "header": "H <b"#, "Q #H <b~ ["),
    ]);
}

#[test]
fn a_question_streams_on_behind_signs_that_might_be_markup_or_breaks() {
    grows(&[
        (r#"{"questions": [{"question": "1 < 2", "header": "H"#, "1 < 2 #H~ ["),
        (r#"{"questions": [{"question": "Vec<T> or"#, "Vec<T> or~ ["),
        (r#"{"questions": [{"question": "Vec<param"#, "Vec~ ["),
        (r#"{"questions": [{"question": "Vec<param", "header": "H"#, "Vec<param #H~ ["),
        (r#"{"questions": [{"question": "A <question> or </question> tag"#, "A <question> or </question> tag~ ["),
        (r#"{"questions": [{"question": "C:\\temp or"#, "C:\\temp or~ ["),
        (r#"{"questions": [{"question": "C:\\new or"#, "C:~ ["),
        (r#"{"questions": [{"question": "C:\\new or", "header": "H"#, "C:\\new or #H~ ["),
        (r#"{"questions": [{"question": "Sure?\\nA"#, "Sure?\nA~ ["),
        (r#"{"questions": [{"question": "a\\nSure?\\nA", "header": "H"#, "a\nSure?\nA #H~ ["),
        (r#"{"questions": [{"question": "Sure?\\"#, "Sure?~ ["),
    ]);
}

#[test]
fn no_more_is_shown_than_could_be_laid_out() {
    let start = r#"{"questions": [{"question": ""#;
    let room = ask_user_question::validate::MAX_ASK_BYTES;
    let length = |bytes: usize| {
        let arguments = format!("{start}{}", "x".repeat(bytes));
        shown(&arguments, 1000).questions[0].question.text.len()
    };
    assert_eq!(length(room - 1), room - 1);
    assert_eq!(length(room), room);
    assert!(length(room + 1) <= room);
    let halves = format!(r#"{start}{}", "header": "{}"#, "x".repeat(room / 2), "y".repeat(room / 2 + 1));
    assert!(shown(&halves, halves.len()).questions[0].header.is_none());
}

/// Checks that an ask is shown whole when its last character has come.
fn check_whole(ask: AskUserQuestion, size: usize) -> Result<(), TestCaseError> {
    let arguments = serde_json::to_string(&ask).unwrap();
    let complete = AskSnapshot::complete("call", ask, Phase::Ready);
    prop_assert_eq!(shown(&arguments, size).questions, complete.questions);
    Ok(())
}

#[test]
fn arguments_in_the_tools_own_form_are_read_once() {
    let arguments = r#"{"questions": [{"question": "Q?", "multiSelect": true, "options": [{"label": "A"}]}]}"#;
    let odd = [
        arguments.replace(r#"{"label": "A"}"#, r#""A""#),
        arguments.replace("Q?", "Q? "),
        arguments.replace("true", "1"),
        arguments.replace("multiSelect", "multiple"),
        arguments.replace(r#"{"label""#, r#"{"id": 1, "label""#),
    ];
    let mut parts: Vec<_> = odd.iter().map(|odd| (odd.as_str(), false)).collect();
    parts.push((arguments, true));
    for (arguments, is_read_once) in parts {
        let (mut arriving, mut shown) = (Arriving::new(&REPAIRS), AskSnapshot::new("call"));
        arriving.feed(arguments, &mut shown);
        let unreadable = "x".repeat(arguments.len());
        assert_eq!(arriving.finish(&unreadable, &mut shown), is_read_once, "{arguments}");
    }
}

#[test]
fn what_was_not_fed_is_read_in_the_end() {
    let arguments = r#"{"questions": [{"question": "Q?", "options": [{"label": "A"}]}]}"#;
    let mut shown = AskSnapshot::new("call");
    assert!(Arriving::new(&REPAIRS).finish(arguments, &mut shown));
    assert_eq!(shown, AskSnapshot::complete("call", from_arguments(arguments).unwrap(), Phase::Streaming));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_copy_that_follows_in_any_steps_is_the_snapshot(ask in any_ask(), size in 1..9_usize, every in 1..9_usize) {
        let arguments: Vec<char> = serde_json::to_string(&ask).unwrap().chars().collect();
        let (mut arriving, mut shown, mut copy) = (Arriving::new(&REPAIRS), AskSnapshot::new("call"), AskSnapshot::new("call"));
        for (nth, piece) in arguments.chunks(size).enumerate() {
            arriving.feed(&piece.iter().collect::<String>(), &mut shown);
            if nth % every == 0 {
                copy.follow(&shown);
                prop_assert_eq!(&copy, &shown);
            }
        }
        arriving.finish(&arguments.iter().collect::<String>(), &mut shown);
        shown.set_phase(Phase::Ready);
        copy.follow(&shown);
        prop_assert_eq!(copy, shown);
    }

    #[test]
    fn what_needs_no_repair_is_shown_whole_before_it_ends(ask in any_ask(), size in 1..9_usize) {
        let repaired = check(&Limits::RUNTIME, serde_json::to_value(&ask).unwrap()).ask;
        repaired.map_or(Ok(()), |ask| check_whole(ask, size))?;
    }
}

#[test]
fn without_repairs_the_tools_own_form_alone_is_read() {
    const OWN: &str = r#"{"questions":[{"question":"A?","options":[{"label":"x"},{"label":"Other"}]}],"why":"So."}"#;
    for (arguments, is_readable) in [
        (OWN, true),
        (r#"{"questions":[{"prompt":"A?","choices":["x"]}]}"#, false),
        (r#"{"questions":[{"question":"A?"},]}"#, false),
        (r#"{"questions":[],"questions":[{"question":"A?"}]}"#, false),
    ] {
        let (mut arriving, mut shown) = (Arriving::default(), AskSnapshot::new("call"));
        arriving.feed(arguments, &mut shown);
        assert_eq!(arriving.finish(arguments, &mut shown), is_readable, "{arguments}");
        if is_readable {
            let whole: AskUserQuestion = serde_json::from_str(arguments).unwrap();
            assert_eq!(shown, AskSnapshot::complete("call", whole, Phase::Streaming));
        }
    }
}
