//! Elements that several views have: texts of the ask, buttons.

use crate::card::machine::{Card, Manner};
use crate::dom::Control;
use crate::labels::{Word, isolate};
use crate::writer::prelude::*;
use ask_user_question::AskSnapshot;
use ask_user_question::text::joined;

/// The classes of a button of low emphasis.
pub(crate) const QUIET_BUTTON: &str = "qc-button qc-quiet";

/// A text of the ask that may still grow, in its language.
pub(super) fn growing(w: &mut Writer, ask: &AskSnapshot, text: &str) {
    if w.open("span", "", 0) {
        w.speak(ask.lang.as_deref());
    }
    w.marked(text);
    w.close();
}

/// The name of the card: who asks.
pub(super) fn title(card: &Card, ask: &AskSnapshot) -> String {
    let asked_by = ask.ask.as_ref().and_then(|ask| ask.asked_by.as_deref());
    match asked_by {
        Some(name) => card.labels().filled(Word::TitleBy, &[("name", &isolate(name))]),
        None => card.labels().text(Word::Title).to_owned(),
    }
}

/// The name of a question without a header.
pub(super) fn step_name(card: &Card, question: usize) -> String {
    let labels = card.labels();
    labels.filled(Word::Step, &[("number", &labels.number(question + 1))])
}

/// Opens a button, and leaves it open for more attributes.
pub(super) fn open_button(w: &mut Writer, card: &Card, class: &'static str, control: Control, text: &str) {
    if w.open("button", class, control.key()) {
        w.set("type", if control == Control::Submit { "submit" } else { "button" });
        w.set("id", &card.ids().control(control));
    }
    w.text(text);
}

/// A button that is inert at times, and then refers to the reason. It is never `disabled`, which would drop the focus.
pub(crate) fn button(w: &mut Writer, card: &Card, class: &'static str, control: Control, text: &str, is_inert: bool) {
    open_button(w, card, class, control, text);
    w.truth("aria-disabled", is_inert);
    w.stamped("aria-describedby", is_inert.into(), &|| card.ids().wait());
    w.close();
}

/// The button that submits the form. It is never `disabled`, which would drop the focus; while it is inert, it refers to the reason.
pub(super) fn submit_button(w: &mut Writer, card: &Card, text: &str) {
    open_button(w, card, "qc-button qc-submit", Control::Submit, text);
    // Several cards of a page may have a button with this text.
    if card.manner() == Manner::OnPick {
        named_by_question(w, card, Control::Submit, 0);
    }
    w.truth("aria-disabled", !card.is_open());
    w.stamped("aria-describedby", (!card.is_open() || card.refusal().is_some()).into(), &|| card.ids().wait());
    w.close();
}

/// Adds the question to a button's name, because the page has several such buttons.
pub(super) fn named_by_question(w: &mut Writer, card: &Card, control: Control, question: usize) {
    w.stamped("aria-labelledby", 1, &|| joined(&[card.ids().control(control), card.ids().legend(question)], " "));
}
