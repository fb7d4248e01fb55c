//! The visible part of an ask is never taken back.

#[path = "../../../../ask-user-question/tests/it/kept.rs"]
mod kept;
#[path = "../../../../question-compat/tests/it/odd.rs"]
mod odd;

use super::{cuts, law, text_pieces};
use crate::chat::{call, event};
use ask_user_question::{Limits, Phase};
use odd::{odd_arguments, spoilt_arguments};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use question_compat::check_text;
use std::iter;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Reads arguments as they arrive and holds the ask to never taking anything back. Returns the phase in which it ends.
fn grow(text: &str, cuts: &[usize]) -> Result<Phase, TestCaseError> {
    let mut conversation = crate::chat::unread();
    let [start, args, end] = call("c", "");
    let args = text_pieces(text, cuts).into_iter().map(|piece| {
        let mut args = args.clone();
        args["delta"] = piece.into();
        args
    });
    let mut before = Vec::new();
    for json in iter::once(start).chain(args).chain([end]) {
        conversation.handle_event(0, event(json));
        let after = conversation.asks().ask("c").unwrap().questions.clone();
        prop_assert!(kept::is_kept(&before, &after), "{before:?} became {after:?} of {text}");
        before = after;
    }
    Ok(conversation.asks().ask("c").unwrap().phase)
}

#[test]
fn repair_takes_nothing_back_and_spoils_no_ask() {
    law(600, &(odd_arguments(), cuts()), |(text, cuts)| {
        let is_readable = check_text(&Limits::RUNTIME, &text).ask.is_some();
        let expected = if is_readable { Phase::Ready } else { Phase::Malformed };
        prop_assert_eq!(grow(&text, &cuts)?, expected, "{}", text);
        Ok(())
    });
}

#[test]
fn an_ask_that_is_spoilt_takes_nothing_back() {
    law(600, &(spoilt_arguments(), cuts()), |(text, cuts)| grow(&text, &cuts).map(|_| ()));
}
