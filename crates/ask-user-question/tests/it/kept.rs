//! The part of an arriving ask that a card showed, beside the ask that it became.

use ask_user_question::snapshot::{OptionSnapshot, QuestionSnapshot, TextSnapshot};
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};

/// Returns true if the ask takes nothing back that was shown: what was open may have grown, and what was closed is the same.
pub(crate) fn is_kept(shown: &AskSnapshot, ask: &AskUserQuestion) -> bool {
    let whole = AskSnapshot::complete("call", ask.clone(), Phase::Ready);
    all_kept(&shown.questions, &whole.questions, false, question)
}

fn all_kept<T>(shown: &[T], whole: &[T], closed: bool, is_kept: fn(&T, &T) -> bool) -> bool {
    let is_long_enough = shown.len() == whole.len() || shown.len() < whole.len() && !closed;
    is_long_enough && shown.iter().zip(whole).all(|(shown, whole)| is_kept(shown, whole))
}

fn question(shown: &QuestionSnapshot, whole: &QuestionSnapshot) -> bool {
    text(&shown.question, &whole.question)
        && optional(&shown.header, &whole.header, shown.closed)
        && (shown.multi_select.is_none() || shown.multi_select == whole.multi_select)
        && all_kept(&shown.options, &whole.options, shown.closed, option)
}

fn option(shown: &OptionSnapshot, whole: &OptionSnapshot) -> bool {
    text(&shown.label, &whole.label)
        && optional(&shown.description, &whole.description, shown.closed)
        && optional(&shown.preview, &whole.preview, shown.closed)
}

fn optional(shown: &Option<TextSnapshot>, whole: &Option<TextSnapshot>, closed: bool) -> bool {
    match (shown, whole) {
        (Some(shown), Some(whole)) => text(shown, whole),
        (None, Some(_)) => !closed,
        (shown, None) => shown.is_none(),
    }
}

fn text(shown: &TextSnapshot, whole: &TextSnapshot) -> bool {
    if shown.closed { shown == whole } else { whole.text.starts_with(&shown.text) }
}
