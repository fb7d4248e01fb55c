//! The part of an arriving ask that a card showed, beside the part that it shows later.

use ask_user_question::snapshot::{OptionSnapshot, QuestionSnapshot, TextSnapshot};

/// Returns true if nothing is taken back that was shown: what was open may have grown, and what was closed is the same.
pub(crate) fn is_kept(shown: &[QuestionSnapshot], later: &[QuestionSnapshot]) -> bool {
    all_kept(shown, later, false, question)
}

fn all_kept<T>(shown: &[T], later: &[T], closed: bool, is_kept: fn(&T, &T) -> bool) -> bool {
    let is_long_enough = shown.len() == later.len() || shown.len() < later.len() && !closed;
    is_long_enough && shown.iter().zip(later).all(|(shown, later)| is_kept(shown, later))
}

fn question(shown: &QuestionSnapshot, later: &QuestionSnapshot) -> bool {
    stays(shown.closed, later.closed)
        && text(&shown.question, &later.question)
        && optional(&shown.header, &later.header, shown.closed)
        && (shown.multi_select.is_none() || shown.multi_select == later.multi_select)
        && all_kept(&shown.options, &later.options, shown.closed, option)
}

fn option(shown: &OptionSnapshot, later: &OptionSnapshot) -> bool {
    stays(shown.closed, later.closed)
        && text(&shown.label, &later.label)
        && optional(&shown.description, &later.description, shown.closed)
        && optional(&shown.preview, &later.preview, shown.closed)
}

fn optional(shown: &Option<TextSnapshot>, later: &Option<TextSnapshot>, closed: bool) -> bool {
    match (shown, later) {
        (Some(shown), Some(later)) => text(shown, later),
        (None, Some(_)) => !closed,
        (shown, None) => shown.is_none(),
    }
}

fn text(shown: &TextSnapshot, later: &TextSnapshot) -> bool {
    if shown.closed { shown == later } else { later.text.starts_with(&shown.text) }
}

fn stays(shown: bool, later: bool) -> bool {
    later || !shown
}
