//! The list of questions, if one is shown at a time.

use super::elements::{growing, step_name};
use crate::anatomy::part;
use crate::card::machine::Card;
use crate::dom::Control;
use crate::labels::{Word, concat};
use crate::writer::prelude::*;
use ask_user_question::AskSnapshot;

/// A button for each question; the one that is shown is the current step.
pub(super) fn steps(w: &mut Writer, card: &Card, ask: &AskSnapshot, shown: usize) {
    let labels = card.labels();
    if w.open("ol", part::STEPS, 0) {
        // Some browsers drop the list role of a list without markers.
        w.set("role", "list");
    }
    w.put("aria-label", &labels.progress(card.answered(ask), card.count(ask)));
    for (index, asked) in ask.questions.iter().enumerate() {
        if card.is_hidden(index) {
            continue;
        }
        let is_answered = card.draft().problem(index).is_none();
        w.open("li", "", index);
        if w.open("button", part::STEP, 0) {
            w.set("type", "button");
            w.set("id", &card.ids().control(Control::Step { question: index }));
            w.set("dir", "auto");
        }
        w.word("aria-current", (index == shown).then_some("step"));
        w.word("data-status", Some(if is_answered { "answered" } else { "unanswered" }));
        w.flag("data-invalid", card.error(index).is_some());
        match asked.header.as_ref().filter(|header| !header.text.is_empty()) {
            Some(header) => growing(w, ask, &header.text),
            None => w.element("span", "", 1, &step_name(card, index)),
        }
        if is_answered {
            // For screen readers, which do not get the visual mark.
            w.element("span", part::HIDDEN, 0, &concat(&[labels.text(Word::List), labels.text(Word::Answered)]));
        }
        w.close();
        w.close();
    }
    w.close();
}
