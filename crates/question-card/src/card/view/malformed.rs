//! The card of an ask whose arguments ended and cannot be used.

use super::actions::{alert, cancel_button, wait};
use super::elements::submit_button;
use super::question::message_field;
use crate::anatomy::part;
use crate::card::machine::{Card, Settled};
use crate::labels::Word;
use crate::writer::prelude::*;
use ask_user_question::AskSnapshot;

/// The readable part, and two ways out: a message, and Cancel. Afterwards, a note of the one that was taken.
pub(super) fn malformed(w: &mut Writer, card: &Card, ask: &AskSnapshot) {
    w.element("p", part::ERROR, 0, card.labels().text(Word::Malformed));
    for (index, asked) in ask.questions.iter().enumerate().filter(|(_, asked)| !asked.question.text.is_empty()) {
        if w.open("p", part::QUESTION_TEXT, index) {
            w.set("dir", "auto");
        }
        w.marked(&asked.question.text);
        w.close();
    }
    if let Some(settled) = card.submission().settled() {
        return note(w, card, settled);
    }
    if card.options().offers.messages {
        message_field(w, card);
    }
    w.open("div", part::ACTIONS, 0);
    w.open("div", part::MAIN, 0);
    alert(w, card);
    if card.options().offers.messages {
        submit_button(w, card, card.labels().text(Word::SendAsMessage));
    }
    w.close();
    cancel_button(w, card);
    wait(w, card);
    w.close();
}

/// A note that looks like a receipt, and takes the focus like one. The phase stays "malformed", so this alone shows that the ask is over.
fn note(w: &mut Writer, card: &Card, settled: Settled) {
    let (state, text) = match settled {
        Settled::Messaged => ("answered", card.labels().text(Word::RepliedInChat)),
        Settled::Cancelled => ("declined", card.labels().text(Word::Cancelled)),
    };
    if w.open("div", part::RECEIPT, 0) {
        w.set("role", "group");
        w.set("aria-labelledby", &card.ids().receipt());
        w.set("tabindex", "-1");
    }
    w.word("data-state", Some(state));
    w.line(part::RECEIPT_STATE, &|| card.ids().receipt(), text);
    w.close();
}
