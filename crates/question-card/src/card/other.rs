//! The row for an answer of one's own.

use super::field::{counter, is_unsent, text_field};
use super::follow::QuestionShown;
use super::option_row::{self, digit_hint, forward, input_type, is_missing, keep_when_latched};
use super::state::{CardState, Layout};
use super::steady::Steady;
use crate::anatomy::part;
use crate::dom::Control;
use crate::draft::{Field, Kind, Standing};
use ask_user_question::Phase;
use leptos::either::EitherOf3;
use leptos::ev::MouseEvent;
use leptos::prelude::*;

/// The last row of a question. It is shown when no further option can push it down, and made before: what ends the arguments, and lets
/// the user answer, has little left to do then.
pub(crate) fn other_row(card: CardState, shown: QuestionShown, stands: Memo<Standing>) -> impl IntoView {
    let is_whole = Memo::new(move |_| shown.is_whole());
    let pick_row = move || is_whole.get().then(|| super::on_pick::other_row(card, shown.index, stands));
    move || match card.layout.get() {
        Layout::Undecided => EitherOf3::A(()),
        Layout::OnPick => EitherOf3::B(pick_row),
        Layout::Explicit => EitherOf3::C(choice_row(card, shown, is_whole, stands)),
    }
}

fn choice_row(card: CardState, shown: QuestionShown, is_whole: Memo<bool>, stands: Memo<Standing>) -> impl IntoView {
    let question = shown.index;
    let chosen = move || stands.with(|stands| stands.other);
    let is_invalid = move || shown.kind.get() == Some(Kind::Multi) && is_missing(card, stands);
    // As the rows of options do.
    let steady = Steady::new();
    steady.follow_up(!card.arrives, move || is_whole.get());
    let click = move |click: MouseEvent| match card.is_tap(&click) && steady.allows(&click) {
        true => forward(card, Control::Other { question }, &click),
        false => click.prevent_default(),
    };
    view! {
        <div
            class=format!("{} {}", part::OPTION, part::OTHER)
            hidden=move || !is_whole.get()
            data-chosen=move || chosen().then_some("")
            data-unsent=move || is_unsent(card, stands).then_some("")
            on:click=click
        >
            <input
                type=move || input_type(shown.kind.get().unwrap_or(Kind::Single))
                class=part::OPTION_INPUT
                id=card.ids.control(Control::Other { question })
                name=card.ids.name(question)
                value="other"
                prop:checked=chosen
                aria-disabled=move || card.is_latched().then_some("true")
                aria-invalid=move || is_invalid().then_some("true")
                on:click=move |click| keep_when_latched(card, &click)
                on:change=move |_| card.choose_other(question)
            />
            <label class=part::OPTION_LABEL id=card.ids.other_label(question) for=card.ids.control(Control::Other { question })>
                {card.labels.other}
            </label>
            {move || shortcut(card, question).map(digit_hint)}
            {other_field(card, question, stands)}
            {counter(card, question, Field::Other)}
            {unsent(card, question, stands)}
        </div>
    }
}

/// The digit that puts the caret into the text field of an own answer: the one after the last option's, once that is known.
pub(crate) fn shortcut(card: CardState, question: usize) -> Option<String> {
    let shown = card.shown.questions.with(|shown| shown.get(question).copied())?;
    let is_there = shown.is_whole() && card.shown.phase.get() != Phase::Malformed;
    is_there.then(|| option_row::shortcut(card, shown.options.with(Vec::len))).flatten()
}

/// The text field of the own answer.
pub(crate) fn other_field(card: CardState, question: usize, stands: Memo<Standing>) -> impl IntoView {
    let labelled_by = format!("{} {}", card.ids.other_label(question), card.ids.legend(question));
    text_field(card, question, Field::Other, labelled_by, stands)
}

fn unsent(card: CardState, question: usize, stands: Memo<Standing>) -> impl IntoView {
    let shown = Memo::new(move |_| is_unsent(card, stands));
    move || {
        let id = card.ids.unsent(question);
        shown.get().then(|| view! { <p class=part::UNSENT id=id>{card.labels.other_unsent}</p> })
    }
}
