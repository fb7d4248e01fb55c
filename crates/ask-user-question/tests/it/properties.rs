//! Laws over arbitrary input.

use crate::generate::{
    any_ask, any_json, any_selections, ask_like_json, config, distinct_ask, distinct_picks_for, picks_for, repaired_ask,
};
use ask_user_question::condition::ShowIf;
use ask_user_question::input::Input;
use ask_user_question::limits::ExtraMember;
use ask_user_question::reply::Selection;
use ask_user_question::text::is_blank;
use ask_user_question::{AskUserQuestion, Limits, Outcome, Question, Reply};
use proptest::prelude::*;
use question_compat::{check, check_text, from_json, repair};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

proptest! {
    #![proptest_config(config())]

    /// The origin's own property.
    #[test]
    fn answers_always_valid_json(answers in prop::collection::hash_map(any::<String>(), any::<String>(), 0..12)) {
        let result = json!({"answers": answers});
        prop_assert!(serde_json::to_string(&result).is_ok());
        // And more of its kind: the same texts as a reply, typed under "Other", come back as they were.
        let (ask, selections) = typed(&answers);
        let Ok(reply) = Reply::check(&ask, selections) else {
            prop_assert!(answers.is_empty() || answers.values().any(|text| is_blank(text)));
            return Ok(());
        };
        let written = serde_json::to_string(&reply).unwrap();
        let read: Value = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(&read["answers"], &result["answers"]);
        prop_assert_eq!(Reply::parse(&ask, &read), Ok(reply));
    }

    #[test]
    fn any_json_gets_a_verdict(input in prop_oneof![any_json(), ask_like_json()]) {
        for limits in [Limits::RUNTIME, Limits::CODING, Limits::CHAT, Limits::CODING.with(ExtraMember::Preview)] {
            let checked = check(&limits, input.clone());
            prop_assert!(checked.ask.is_some() || !checked.is_valid());
            prop_assert_eq!(from_json(input.clone()), checked.ask.clone());
            prop_assert_eq!(check_text(&limits, &input.to_string()), checked);
        }
    }

    #[test]
    fn a_valid_ask_is_shown_whole(input in ask_like_json()) {
        let checked = check(&Limits::RUNTIME, input.clone());
        if checked.is_valid() {
            let (value, _) = repair(input);
            let read: AskUserQuestion = serde_json::from_value(drop_strange_extras(value.into_value())).unwrap();
            prop_assert_eq!(checked.ask, Some(read));
        }
    }

    #[test]
    fn asks_survive_the_wire(ask in any_ask()) {
        let text = serde_json::to_string(&ask).unwrap();
        prop_assert_eq!(serde_json::from_str::<AskUserQuestion>(&text).unwrap(), ask);
    }

    #[test]
    fn parsing_undoes_encoding((ask, selections) in any_ask().prop_flat_map(|ask| (Just(ask.clone()), picks_for(ask)))) {
        let reply = Reply::check(&ask, selections).unwrap();
        prop_assert_eq!(Reply::parse(&ask, &reply.to_json()), Ok(reply.clone()));
        let text: Value = serde_json::from_str(&serde_json::to_string(&reply).unwrap()).unwrap();
        prop_assert_eq!(Reply::parse(&ask, &text), Ok(reply.clone()));
        prop_assert_eq!(Reply::check(&ask, reply.selections()), Ok(reply));
    }

    #[test]
    fn details_are_there_exactly_when_the_flat_map_would_lose_something(
        (ask, selections) in repaired_ask().prop_flat_map(|ask| (Just(ask.clone()), picks_for(ask)))
    ) {
        let reply = Reply::check(&ask, selections).unwrap();
        let lossy = ask.questions.iter().zip(reply.selections()).any(|(question, picks)| loses(question, &picks));
        prop_assert_eq!(reply.to_json().get("details").is_some(), lossy);
    }

    #[test]
    fn what_a_reply_says_is_what_it_is_read_back_to_say((ask, selections) in any_ask().prop_flat_map(|ask| (Just(ask.clone()), picks_for(ask)))) {
        let reply = Reply::check(&ask, selections).unwrap();
        let read = Reply::read_message(&ask, &reply.message());
        // A label that looks like nothing may not be found again.
        let is_visible = reply.answers().iter().all(|answer| answer.text().is_none_or(|text| !is_blank(&text)));
        let said = read.map(|read| read.message());
        prop_assert!(!is_visible || said == Some(reply.message()), "{:?}", said);
    }

    #[test]
    fn the_message_of_a_reply_reads_back_to_that_reply((ask, selections) in distinct_ask().prop_flat_map(|ask| (Just(ask.clone()), distinct_picks_for(ask)))) {
        let reply = Reply::check(&ask, selections).unwrap();
        prop_assert_eq!(Reply::read_message(&ask, &reply.message()), Some(reply));
    }

    #[test]
    fn a_reply_is_checked_against_its_ask(ask in any_ask(), selections in any_selections()) {
        prop_assert_eq!(Reply::check(&ask, selections.clone()).is_ok(), is_legal(&ask, &selections));
    }

    #[test]
    fn whatever_is_read_as_a_reply_is_one(ask in any_ask(), answers in any_json(), details in any_json()) {
        for json in [answers.clone(), json!({"answers": answers, "details": details})] {
            if let Ok(reply) = Reply::parse(&ask, &json) {
                prop_assert_eq!(Reply::parse(&ask, &reply.to_json()), Ok(reply));
            }
            let _ = Outcome::parse(&ask, &json.to_string());
        }
    }

    #[test]
    fn a_reply_in_chat_keeps_text_and_picks(ask in any_ask(), text: String, partial in any_selections()) {
        let outcome = Outcome::replied_in_chat(&ask, text, partial);
        prop_assert_eq!(Outcome::parse(&ask, &outcome.tool_content(&ask)), Some(outcome));
    }
}

/// An ask whose questions are the keys, and selections that type the values.
fn typed(answers: &HashMap<String, String>) -> (AskUserQuestion, Vec<Selection>) {
    let question = |text: &String| Question::new(text, [""; 0]);
    let selection = |(index, text): (usize, &String)| Selection::typed(index, text.clone());
    let ask = AskUserQuestion::new(answers.keys().map(question));
    (ask, answers.values().enumerate().map(selection).collect())
}

/// Without previews in the profile a preview of any type is an unknown field.
fn drop_strange_extras(mut ask: Value) -> Value {
    for question in ask["questions"].as_array_mut().unwrap() {
        if question.get("input").is_some_and(|input| serde_json::from_value::<Input>(input.clone()).is_err()) {
            question.as_object_mut().unwrap().remove("input");
        }
        if question.get("showIf").is_some_and(|when| serde_json::from_value::<ShowIf>(when.clone()).is_err()) {
            question.as_object_mut().unwrap().remove("showIf");
        }
        let Some(options) = question.get_mut("options") else { continue };
        for option in options.as_array_mut().unwrap() {
            for name in ["preview", "value"] {
                if option.get(name).is_some_and(|extra| !extra.is_string()) {
                    option.as_object_mut().unwrap().remove(name);
                }
            }
        }
    }
    ask
}

/// Returns true if the flat text does not say all of this, found by trying every other choice of options.
fn loses(question: &Question, picks: &Selection) -> bool {
    let has_value = picks.selected.iter().any(|&o| question.options[o].value.is_some());
    let said_only_in_details = picks.skipped || picks.other.is_some() || picks.note.is_some() || has_value;
    let joined = |selected: &[usize]| {
        selected.iter().map(|&o| question.options[o].label.as_str()).collect::<Vec<_>>().join(", ")
    };
    let has_comma = question.multi_select && picks.selected.iter().any(|&o| question.options[o].label.contains(','));
    let text = joined(&picks.selected);
    said_only_in_details
        || has_comma
        || choices(question).any(|other| other != picks.selected && joined(&other) == text)
}

fn choices(question: &Question) -> impl Iterator<Item = Vec<usize>> {
    let options = question.options.len();
    let most = if question.multi_select { options } else { 1 };
    (1..1u32 << options)
        .map(move |bits| (0..options).filter(|o| bits & (1 << o) != 0).collect::<Vec<usize>>())
        .filter(move |choice| choice.len() <= most)
}

/// The rules of replies, said once more and differently.
fn is_legal(ask: &AskUserQuestion, selections: &[Selection]) -> bool {
    let named: BTreeSet<usize> = selections.iter().map(|picks| picks.question).collect();
    let each_once = selections.len() == ask.questions.len() && named == (0..ask.questions.len()).collect();
    !selections.is_empty()
        && each_once
        && selections.iter().all(|picks| {
            let question = &ask.questions[picks.question];
            let distinct: BTreeSet<&usize> = picks.selected.iter().collect();
            let given = picks.selected.len() + usize::from(picks.other.is_some());
            distinct.len() == picks.selected.len()
                && picks.selected.iter().all(|&o| o < question.options.len())
                && !picks.other.as_deref().is_some_and(is_blank)
                && (picks.skipped != (given > 0))
                && (question.multi_select || given <= 1)
        })
}
