//! Tap to reply: each option is a button, and one activation answers.

use super::field::{counter, field_error};
use super::focus::focus_quietly;
use super::follow::OptionShown;
use super::option_row::{describedby, description, digit, digit_hint, is_on_bare_row, shortcut};
use super::other::{other_field, shortcut as shortcut_of_text};
use super::state::CardState;
use crate::anatomy::part;
use crate::dom::Control;
use crate::draft::{Field, Standing};
use leptos::ev::MouseEvent;
use leptos::prelude::*;

/// The row of a complete option, which answers at once.
pub(crate) fn pick_row(card: CardState, option: OptionShown, stands: Memo<Standing>) -> impl IntoView {
    let OptionShown { question, index, .. } = option;
    let control = Control::Option { question, option: index };
    let has = move || stands.with(|stands| stands.has(index));
    let picked = move || card.is_latched() && has();
    let tried = move || has() && card.can_try_again();
    let inert = move || !card.is_open();
    let describe = describedby(card, option);
    let describe = move || match (describe(), inert()) {
        (Some(description), true) => Some(format!("{description} {}", card.ids.wait())),
        (None, true) => Some(card.ids.wait()),
        (description, false) => description,
    };
    let pick = move |click: &MouseEvent| {
        if card.is_meant(click) {
            card.pick(option);
        }
    };
    view! {
        <div
            class=part::OPTION
            data-chosen=move || (picked() || tried()).then_some("")
            on:click=move |click| {
                if is_on_bare_row(&click) && let Some(button) = card.control(control) {
                    focus_quietly(&button);
                    pick(&click);
                }
            }
        >
            <button
                type="button"
                class=part::OPTION_BUTTON
                id=card.ids.control(control)
                dir="auto"
                aria-describedby=describe
                aria-busy=move || (picked() && !card.is_held()).then_some("true")
                aria-disabled=move || inert().then_some("true")
                aria-keyshortcuts=shortcut(card, index)
                on:click=move |click| pick(&click)
            >
                {option.label.view(card.ask, "")}
            </button>
            {description(card, option)}
            {digit(card, index)}
        </div>
    }
}

/// The row for an own answer: a text field with its own Send.
pub(crate) fn other_row(card: CardState, question: usize, stands: Memo<Standing>) -> impl IntoView {
    view! {
        <div class=format!("{} {}", part::OPTION, part::OTHER)>
            <label class=part::OPTION_LABEL id=card.ids.other_label(question) for=card.ids.control(Control::OtherText { question })>
                {card.labels.other}
            </label>
            {move || shortcut_of_text(card, question).map(digit_hint)}
            {other_field(card, question, stands)}
            {super::actions::submit_button(card, card.labels.send)}
            {field_error(card, question, Field::Other, stands)}
            {counter(card, question, Field::Other)}
        </div>
    }
}
