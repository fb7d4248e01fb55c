//! The visible part of an ask is never taken back.

#[path = "../../../../ask-user-question/tests/it/kept.rs"]
mod kept;

use super::{cuts, law, text_pieces};
use crate::chat::{call, event};
use ag_ui_stream::Conversation;
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::validate::check_text;
use ask_user_question::{Limits, Phase};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Map, Value, json};
use std::iter;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn an_ask_shows_nothing_that_it_takes_back() {
    let text = "[A-Za-z0-9 ?]{1,6}[a-z]";
    let options = prop::collection::vec((text, prop::option::of(text)), 2..4);
    let question = (text, text, any::<bool>(), options);
    law(100, &(prop::collection::vec(question, 1..4), cuts()), |(questions, cuts)| {
        let questions: Vec<Value> = questions
            .into_iter()
            .enumerate()
            .map(|(index, (question, header, several, options))| {
                let options: Vec<Value> = options
                    .into_iter()
                    .enumerate()
                    .map(|(index, (label, description))| match description {
                        Some(description) => json!({"label": format!("{index}{label}"), "description": description}),
                        None => json!({"label": format!("{index}{label}")}),
                    })
                    .collect();
                json!({"question": format!("{index}{question}"), "header": header, "multiSelect": several, "options": options})
            })
            .collect();
        let text = json!({"questions": questions}).to_string();
        let [before, complete] = grow(&text, &cuts)?.shown;
        prop_assert_eq!(before, complete);
        Ok(())
    });
}

/// Values that models might write into the members of an ask, legal and not.
fn odd_member() -> impl Strategy<Value = Value> {
    let text = "(Other|other|OTHER |Others|Something else|[ (]please| specify|’|: your own|[ \u{200b}\t]|A|b|[?é]|[{\"]|true){0,3}";
    prop_oneof![
        6 => text.prop_map(Value::from),
        // White space is repaired away, however much there is of it.
        1 => ("(|Other|something|A|true|false)", "[ \n]{15,120}", "(| else|b|\\(S3\\)|true|x)", " {0,120}")
            .prop_map(|(begins, gap, goes_on, end)| Value::from(begins + &gap + &goes_on + &end)),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i8>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!([])),
        1 => Just(json!("{\"label\":\"A\",\"question\":\"B?\"}")),
        1 => Just(json!({"label": "A", "question": "B?", "options": ["C"]})),
    ]
}

/// An object of an ask: members of those names, in any order.
fn odd_object(
    names: &'static [&'static str],
    list: Option<(&'static str, BoxedStrategy<Value>)>,
) -> BoxedStrategy<Value> {
    let members = prop::collection::vec((prop::sample::select(names), odd_member()), 0..5);
    let list = match list {
        Some((name, items)) => prop::collection::vec(items, 0..4).prop_map(move |items| Some((name, items))).boxed(),
        None => Just(None).boxed(),
    };
    (members, list)
        .prop_map(|(members, list)| {
            let mut object: Map<String, Value> =
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            object.extend(list.map(|(name, items)| (name.to_owned(), Value::from(items))));
            Value::Object(object)
        })
        .boxed()
}

/// Questions that repair has to do something about.
fn odd_questions() -> impl Strategy<Value = Value> {
    const QUESTION: [&str; 5] = ["question", "header", "multiSelect", "multiple", "multi_select"];
    const OPTION: [&str; 4] = ["label", "description", "preview", "x"];
    let option = prop_oneof![4 => odd_object(&OPTION, None), 1 => odd_member()].boxed();
    let question = odd_object(&QUESTION, Some(("options", option)));
    let question = prop_oneof![8 => question, 1 => odd_member()];
    prop::collection::vec(question, 0..4).prop_map(Value::from)
}

/// The end of an ask.
#[derive(Default)]
struct Grown {
    phase: Phase,
    /// Before its last event, and after it.
    shown: [Vec<QuestionSnapshot>; 2],
}

/// Reads arguments as they arrive and holds the ask to never taking anything back.
fn grow(text: &str, cuts: &[usize]) -> Result<Grown, TestCaseError> {
    let mut conversation = Conversation::default();
    let [start, args, end] = call("c", "");
    let args = text_pieces(text, cuts).into_iter().map(|piece| {
        let mut args = args.clone();
        args["delta"] = piece.into();
        args
    });
    let mut grown = Grown::default();
    for json in iter::once(start).chain(args).chain([end]) {
        conversation.handle_event(0, event(json));
        let ask = conversation.asks().ask("c").unwrap();
        let [_, before] = grown.shown;
        let after = ask.questions.clone();
        prop_assert!(kept::is_kept(&before, &after), "{before:?} became {after:?} of {text}");
        grown = Grown { phase: ask.phase, shown: [before, after] };
    }
    Ok(grown)
}

#[test]
fn repair_takes_nothing_back_and_spoils_no_ask() {
    let packings = prop::sample::select(vec![
        "plain",
        "bare",
        "packed",
        "packed questions",
        "packed options",
        "beside stray members",
        "one question alone",
        "a plain text",
    ]);
    law(
        600,
        &(odd_questions(), packings, stray_members(), any::<usize>(), cuts()),
        |(questions, packing, stray, place, cuts)| {
            let arguments = match packing {
                "beside stray members" => {
                    return shows_what_is_valid(&beside(&stray, place, &questions), &cuts);
                }
                "one question alone" => questions.get(0).cloned().unwrap_or_default(),
                "bare" => questions,
                "a plain text" => json!({"questions": questions[0]["question"]}),
                "packed" => json!({"questions": questions}).to_string().into(),
                "packed questions" => json!({"questions": questions.to_string()}),
                "packed options" => {
                    let mut questions = questions;
                    for question in questions.as_array_mut().into_iter().flatten() {
                        if let Some(options) = question.get_mut("options") {
                            *options = options.to_string().into();
                        }
                    }
                    json!({"questions": questions})
                }
                _ => json!({"questions": questions}),
            };
            shows_what_is_valid(&arguments.to_string(), &cuts)
        },
    );
}

fn shows_what_is_valid(text: &str, cuts: &[usize]) -> Result<(), TestCaseError> {
    let is_readable = check_text(&Limits::RUNTIME, text).ask.is_some();
    let expected = if is_readable { Phase::Ready } else { Phase::Malformed };
    prop_assert_eq!(grow(text, cuts)?.phase, expected, "{}", text);
    Ok(())
}

/// Members that belong into a question, each at most once.
fn stray_members() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let names =
        prop::sample::subsequence(vec!["question", "header", "options", "multiSelect", "multiple", "note"], 0..5);
    let value = prop_oneof![
        2 => odd_member(),
        1 => Just(json!(["A", "B"])),
        1 => Just(json!([{"label": "A"}, {"label": "B"}])),
    ];
    (names.prop_shuffle(), prop::collection::vec(value, 5))
        .prop_map(|(names, values)| names.into_iter().zip(values).collect())
}

/// The questions as a member among others, in that order, which an object of `serde_json` would not keep.
fn beside(stray: &[(&str, Value)], place: usize, questions: &Value) -> String {
    let member = |(name, value): &(&str, Value)| format!("{}:{value}", json!(name));
    let mut members: Vec<String> = stray.iter().map(member).collect();
    let place = place % (members.len() + 2);
    // Sometimes there are none, and the others are the question.
    if place <= members.len() {
        members.insert(place, member(&("questions", questions.clone())));
    }
    format!("{{{}}}", members.join(","))
}

#[test]
fn an_ask_that_is_spoilt_takes_nothing_back() {
    let spoilt = (
        odd_questions(),
        any::<usize>(),
        "[\\[\\]{}\",:\\\\ ]{0,2}|\"questions\":|\"label\":\"x\",|\"options\":\\[|\"question\":\"Q\",",
        0..4_usize,
        cuts(),
    );
    law(600, &spoilt, |(questions, place, inserted, removed, cuts)| {
        let text = json!({"questions": questions}).to_string();
        let place = text.floor_char_boundary(place % (text.len() + 1));
        let after = text.ceil_char_boundary((place + removed).min(text.len()));
        grow(&format!("{}{inserted}{}", &text[..place], &text[after..]), &cuts).map(|_| ())
    });
}
