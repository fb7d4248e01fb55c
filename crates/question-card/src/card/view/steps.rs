//! The list of questions, where one is shown at a time.

use super::{growing, open_button};
use crate::anatomy::part;
use crate::card::machine::Card;
use crate::dom::Control;
use crate::labels::concat;
use crate::writer::Writer;
use ask_user_question::AskSnapshot;

/// A button for each question; the one that is shown is the current step.
pub(super) fn steps(w: &mut Writer, card: &Card, ask: &AskSnapshot, shown: usize) {
    let labels = card.labels;
    if w.open("ol", part::STEPS, 0) {
        // Without its marks a list is none to some browsers.
        w.set("role", "list");
    }
    w.put("aria-label", &(labels.progress)(card.answered(ask), ask.questions.len()));
    for (index, asked) in ask.questions.iter().enumerate() {
        let is_answered = card.draft.problem(index).is_none();
        w.open("li", "", index);
        if w.open("button", part::STEP, 0) {
            w.set("type", "button");
            w.set("id", &card.ids.control(Control::Step { question: index }));
            w.set("dir", "auto");
        }
        w.word("aria-current", (index == shown).then_some("step"));
        w.word("data-status", Some(if is_answered { "answered" } else { "unanswered" }));
        w.flag("data-invalid", card.error(index).is_some());
        match asked.header.as_ref().filter(|header| !header.text.is_empty()) {
            Some(header) => growing(w, ask, &header.text),
            None => {
                w.open("span", "", 1);
                w.say(&(labels.step)(index + 1));
                w.close();
            }
        }
        if is_answered {
            // For those who do not see its mark.
            w.open("span", part::HIDDEN, 0);
            w.say(&concat(&[labels.list, labels.answered]));
            w.close();
        }
        w.close();
        w.close();
    }
    w.close();
}

/// The ways to the question before and to the one after; at the end of them they stay, and do nothing.
pub(super) fn turns(w: &mut Writer, card: &Card, count: usize, shown: usize) {
    for (class, control, text, is_inert) in [
        ("qc-button qc-back", Control::Back, card.labels.back, shown == 0),
        ("qc-button qc-onward", Control::Onward, card.labels.onward, shown + 1 == count),
    ] {
        open_button(w, card, class, control, text);
        w.truth("aria-disabled", is_inert);
        w.close();
    }
}
