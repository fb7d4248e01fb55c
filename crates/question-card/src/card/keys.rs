//! Turns key presses into what they mean, by the table in [`keyboard`](crate::keyboard).

use super::follow::OptionShown;
use super::state::{CardState, Layout};
use crate::dom::Control;
use crate::draft::Kind;
use crate::keyboard::{Intent, KeyPress, Place, intent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

/// What some browsers report as `keyCode` while an input method has the key, `isComposing` or not.
const KEY_CODE_COMPOSING: u32 = 229;

/// Handles a key press anywhere in the form.
pub(crate) fn on_keydown(card: CardState, event: &KeyboardEvent) {
    if card.gives_focus_back(event) {
        return;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let control = target.and_then(|target| card.ids.parse(&target.id()));
    let key = event.key();
    let press = KeyPress {
        key: &key,
        ctrl_or_meta: event.ctrl_key() || event.meta_key(),
        alt: event.alt_key(),
        shift: event.shift_key(),
        repeat: event.repeat(),
        composing: event.is_composing() || event.key_code() == KEY_CODE_COMPOSING || card.composing.get_value(),
        prevented: event.default_prevented(),
    };
    if let Some(intent) = intent(press, place(card, control))
        && act(card, control, intent)
    {
        event.prevent_default();
    }
}

fn place(card: CardState, control: Option<Control>) -> Place {
    let is_radio = |question| card.draft.with_untracked(|draft| draft.kind(question)) == Some(Kind::Single);
    let chosen = |control| {
        card.draft.with_untracked(|draft| match control {
            Control::Option { question, option } => draft.is_chosen(question, option),
            Control::Other { question } => draft.is_other_chosen(question),
            Control::OtherText { .. }
            | Control::Note { .. }
            | Control::AddNote { .. }
            | Control::Skip { .. }
            | Control::Submit
            | Control::Cancel => false,
        })
    };
    match control {
        Some(Control::Option { .. }) if card.layout.get_untracked() == Layout::OnPick => Place::PickButton,
        Some(control @ (Control::Option { question, .. } | Control::Other { question })) => {
            match is_radio(question) && !chosen(control) {
                true => Place::UncheckedRadio,
                false => Place::Choice,
            }
        }
        Some(Control::OtherText { .. }) => Place::Text,
        Some(Control::Note { .. }) => Place::Note,
        Some(Control::AddNote { .. } | Control::Skip { .. }) => Place::QuestionButton,
        Some(Control::Submit | Control::Cancel) | None => Place::Button,
    }
}

/// Does what is meant. Says whether it was the card's to do.
fn act(card: CardState, control: Option<Control>, intent: Intent) -> bool {
    let question = control.and_then(Control::question);
    match (intent, control, question) {
        (Intent::Swallow, ..) => true,
        (Intent::Submit, ..) => {
            card.submit();
            true
        }
        (Intent::Choose, Some(Control::Option { question, option }), _) => option_at(card, question, option)
            .is_some_and(|option| {
                card.choose(option);
                true
            }),
        (Intent::Choose, Some(Control::Other { question }), _) => {
            card.choose_other(question);
            true
        }
        (Intent::Confirm, _, Some(question)) => match card.layout.get_untracked() {
            // Where one tap answers there is nothing that a note could confirm: its Enter is a line break.
            Layout::OnPick if matches!(control, Some(Control::Note { .. })) => false,
            Layout::OnPick => {
                card.submit();
                true
            }
            Layout::Explicit | Layout::Undecided => {
                match control {
                    Some(Control::OtherText { .. }) => card.confirm_text(question),
                    _ => card.confirm(question),
                }
                true
            }
        },
        (Intent::Nth(nth), _, Some(question)) => card.shortcuts && take_nth(card, question, nth),
        (Intent::LeaveText, _, Some(question)) => card.control(Control::Other { question }).is_some_and(|input| {
            // Refused only where nothing can be focused at all.
            let _ = input.focus();
            true
        }),
        _ => false,
    }
}

fn take_nth(card: CardState, question: usize, nth: usize) -> bool {
    let count = card
        .shown
        .questions
        .with_untracked(|shown| shown.get(question).map(|shown| shown.options.with_untracked(Vec::len)));
    let control = match count {
        Some(count) if nth == count + 1 => Control::OtherText { question },
        _ => Control::Option { question, option: nth - 1 },
    };
    let Some(element) = card.control(control) else {
        return false;
    };
    let _ = element.focus();
    if let (Control::Option { question, option }, Layout::Explicit) = (control, card.layout.get_untracked())
        && let Some(option) = option_at(card, question, option)
    {
        card.choose(option);
    }
    true
}

fn option_at(card: CardState, question: usize, option: usize) -> Option<OptionShown> {
    card.shown
        .questions
        .with_untracked(|shown| shown.get(question)?.options.with_untracked(|options| options.get(option).copied()))
}
