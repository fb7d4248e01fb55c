//! Laws for any answer.

use crate::generate::{any_ask, any_json, any_selections, config, picks_for, repaired_ask, text};
use ask_user_question::{Outcome, Reply};
use proptest::prelude::*;
use question_compat::{match_message, parse_foreign};
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn words_of_others_are_a_legal_outcome_or_none(ask in any_ask(), json in any_json(), words in text(), key in text()) {
        let question = &ask.questions[0].question;
        for content in [
            json.to_string(),
            json!({"answers": json}).to_string(),
            json!({"action": "accept", "content": {key: words}}).to_string(),
            format!("User has answered your questions: \"{question}\"=\"{words}\". You can now continue."),
            format!("{words} \"{question}\"=\"{words}\" {words}"),
            words,
        ] {
            if let Some(Outcome::Answered(reply)) = parse_foreign(&ask, &content) {
                prop_assert_eq!(Reply::check(&ask, reply.selections()), Ok(reply));
            }
        }
    }

    #[test]
    fn own_words_are_never_those_of_others((ask, selections) in any_ask().prop_flat_map(|ask| (Just(ask.clone()), picks_for(ask)))) {
        let outcome = Outcome::Answered(Reply::check(&ask, selections).unwrap());
        prop_assert_eq!(parse_foreign(&ask, &outcome.tool_content(&ask)), Some(outcome));
    }

    #[test]
    fn a_typed_message_is_a_reply_or_kept_as_it_is(ask in any_ask(), message in text(), partial in any_selections()) {
        match match_message(&ask, &message, partial) {
            Outcome::Answered(reply) => {
                prop_assert_eq!(Reply::check(&ask, reply.selections()), Ok(reply));
                prop_assert!(ask.questions.len() == 1 || message.contains([':', '：']));
            }
            Outcome::RepliedInChat { text, .. } => prop_assert_eq!(text, message),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn a_typed_label_is_never_taken_for_another(ask in repaired_ask(), option: prop::sample::Index) {
        let Some(question) = ask.questions.first().filter(|question| ask.questions.len() == 1 && !question.options.is_empty()) else {
            return Ok(());
        };
        let option = option.index(question.options.len());
        let message = &question.options[option].label;
        if let Outcome::Answered(reply) = match_message(&ask, message, vec![]) {
            let picks = reply.selections().remove(0);
            // A label may read as a list of other labels only where it is none by itself, which a distinct one always is.
            prop_assert!(picks.selected == [option] || picks.other.as_ref() == Some(message), "{:?}", picks);
        }
    }
}
