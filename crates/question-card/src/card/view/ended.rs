//! The card of an ask that is over: its receipt, what can be done with it, and what did not reach the agent.

use super::elements::{QUIET_BUTTON, button, open_button};
use crate::anatomy::part;
use crate::card::machine::Card;
use crate::dom::Control;
use crate::labels::Word;
use crate::receipt::receipt;
use crate::writer::prelude::*;
use ask_user_question::text::joined;
use ask_user_question::{AskSnapshot, Phase};

/// The content of an ended card.
pub(super) fn ended(w: &mut Writer, card: &Card, ask: &AskSnapshot) {
    let phase = if card.is_over() { card.phase() } else { Phase::Declined };
    receipt(w, ask, phase, card.ids(), card.labels());
    let can_change = card.can_change(ask);
    if card.is_live() || card.options().offers.receipt_actions || can_change {
        if w.open("div", part::RECEIPT_ACTIONS, 0) {
            w.set("aria-live", "off");
        }
        // Only an ask that ended while the user was there can be copied; a history would have a button and a listener for each receipt.
        if card.is_live() && card.phase() == Phase::Answered {
            let text = card.labels().plural(Word::CopyAnswers, ask.questions.len(), &[]);
            copy_button(w, card, Control::CopyReceipt, &text);
        }
        if can_change {
            open_button(w, card, "qc-button qc-change", Control::Change, card.labels().text(Word::Change));
            named_by_receipt(w, card, Control::Change);
            w.close();
        }
        if card.is_declining() {
            button(w, card, part::BUTTON, Control::Undo, card.labels().text(Word::Undo), false);
        }
        if card.asks_again() {
            message_button(w, card, Control::AskAgain, card.labels().text(Word::AskAgain));
            if card.late().is_empty() {
                refusal(w, card);
            }
        }
        // The host fills this element.
        w.close();
    }
    if !card.late().is_empty() {
        late(w, card);
    }
}

/// Choices and text that did not reach the agent, until the user dismisses them.
fn late(w: &mut Writer, card: &Card) {
    let labels = card.labels();
    if w.open("div", part::LATE, 0) {
        w.set("aria-live", "off");
    }
    w.element("p", part::HINT, 0, labels.text(Word::Late));
    if w.open("p", part::LATE_TEXT, 0) {
        w.set("dir", "auto");
    }
    w.text(card.late());
    w.close();
    w.open("div", part::ACTIONS, 0);
    if card.options().offers.messages {
        message_button(w, card, Control::SendLate, labels.text(Word::SendAsMessage));
    }
    copy_button(w, card, Control::CopyLate, labels.text(Word::Copy));
    button(w, card, QUIET_BUTTON, Control::Dismiss, labels.text(Word::Dismiss), false);
    refusal(w, card);
    w.close();
    w.close();
}

/// A button that sends a message, which the host may refuse.
fn message_button(w: &mut Writer, card: &Card, control: Control, text: &str) {
    open_button(w, card, part::BUTTON, control, text);
    w.stamped("aria-describedby", card.refusal().is_some().into(), &|| card.ids().wait());
    w.close();
}

/// The reason why the host did not accept a message.
fn refusal(w: &mut Writer, card: &Card) {
    if let Some(reason) = card.refusal() {
        w.line(part::WAIT, &|| card.ids().wait(), reason);
    }
}

/// Adds the question to the button's name, because a history has several such buttons.
fn named_by_receipt(w: &mut Writer, card: &Card, control: Control) {
    w.stamped("aria-labelledby", 1, &|| joined(&[card.ids().control(control), card.ids().receipt_question(0)], " "));
}

/// A button that copies a text, and shows the result.
fn copy_button(w: &mut Writer, card: &Card, control: Control, text: &str) {
    let copied = card.copied().filter(|(copied, _)| *copied == control).map(|(_, is_done)| is_done);
    let text = if copied == Some(true) { card.labels().text(Word::Copied) } else { text };
    open_button(w, card, part::BUTTON, control, text);
    if control == Control::CopyReceipt {
        named_by_receipt(w, card, control);
    }
    w.close();
    if copied == Some(false) {
        if w.open("p", part::WAIT, 1) {
            w.set("role", "alert");
        }
        w.text(card.labels().text(Word::CopyFailed));
        w.close();
    }
}
