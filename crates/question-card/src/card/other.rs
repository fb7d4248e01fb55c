//! The row for an answer of one's own.

use super::field::{counter, is_unsent, text_field};
use super::follow::QuestionShown;
use super::option_row::{forward, keep_when_latched};
use super::state::{CardState, Layout};
use super::steady::Steady;
use crate::anatomy::part;
use crate::dom::Control;
use crate::draft::{Field, Kind, Problem};
use crate::effect::effect;
use ask_user_question::Phase;
use leptos::either::EitherOf3;
use leptos::ev::MouseEvent;
use leptos::prelude::*;

/// The last row of a question. It comes when no further option can push it down.
pub(crate) fn other_row(card: CardState, shown: QuestionShown) -> impl IntoView {
    let row = Memo::new(move |_| {
        shown
            .kind
            .get()
            .filter(|_| shown.closed.get())
            .map(|kind| (card.layout.get(), kind))
    });
    move || match row.get() {
        None | Some((Layout::Undecided, _)) => EitherOf3::A(()),
        Some((Layout::OnPick, _)) => EitherOf3::B(super::on_pick::other_row(card, shown.index)),
        Some((Layout::Explicit, kind)) => EitherOf3::C(choice_row(card, shown.index, kind)),
    }
}

fn choice_row(card: CardState, question: usize, kind: Kind) -> impl IntoView {
    let chosen = Memo::new(move |_| card.draft.with(|draft| draft.is_other_chosen(question)));
    let input_type = match kind {
        Kind::Single => "radio",
        Kind::Multi => "checkbox",
    };
    // As the rows of options do.
    let steady = Steady::new();
    effect(move || {
        if card.shown.phase.get_untracked() == Phase::Streaming {
            steady.moved();
        }
    });
    let click = move |click: MouseEvent| match steady.allows(&click) {
        true => forward(card, Control::Other { question }, &click),
        false => click.prevent_default(),
    };
    view! {
        <div
            class=format!("{} {}", part::OPTION, part::OTHER)
            data-chosen=move || chosen.get().then_some("")
            data-unsent=move || is_unsent(card, question).then_some("")
            on:click=click
        >
            <input
                type=input_type
                class=part::OPTION_INPUT
                id=card.ids.control(Control::Other { question })
                name=card.ids.name(question)
                value="other"
                prop:checked=move || chosen.get()
                aria-disabled=move || card.is_latched().then_some("true")
                aria-invalid=move || (kind == Kind::Multi && card.error(question).is_some_and(Problem::is_missing)).then_some("true")
                on:click=move |click| keep_when_latched(card, &click)
                on:change=move |_| card.choose_other(question)
            />
            <label class=part::OPTION_LABEL id=card.ids.other_label(question) for=card.ids.control(Control::Other { question })>
                {card.labels.other}
            </label>
            {other_field(card, question)}
            {counter(card, question, Field::Other)}
            {unsent(card, question)}
        </div>
    }
}

/// The text field of the own answer.
pub(crate) fn other_field(card: CardState, question: usize) -> impl IntoView {
    let labelled_by = format!(
        "{} {}",
        card.ids.other_label(question),
        card.ids.legend(question)
    );
    text_field(card, question, Field::Other, labelled_by)
}

fn unsent(card: CardState, question: usize) -> impl IntoView {
    let shown = Memo::new(move |_| is_unsent(card, question));
    move || {
        let id = card.ids.unsent(question);
        shown
            .get()
            .then(|| view! { <p class=part::UNSENT id=id>{card.labels.other_unsent}</p> })
    }
}
