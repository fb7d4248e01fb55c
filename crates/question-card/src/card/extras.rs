//! What can be done about a question beside answering it: to skip it, to add a note.

use super::field::{counter, field_error, text_field};
use super::follow::QuestionShown;
use super::state::{CardState, Layout};
use crate::anatomy::part;
use crate::dom::Control;
use crate::draft::{Field, Standing};
use leptos::either::Either;
use leptos::ev::MouseEvent;
use leptos::html::Div;
use leptos::prelude::*;

/// The line below a question. Like the row for an own answer it is there from the start, and shown when no further option can push it down.
pub(crate) fn extras(card: CardState, shown: QuestionShown, stands: Memo<Standing>) -> impl IntoView {
    let question = shown.index;
    let is_there = move || shown.is_whole() && card.layout.get() != Layout::Undecided;
    let line = move || {
        view! {
            <div class=part::EXTRAS hidden=move || !is_there()>
                {card.offers.skip.then(|| skip(card, question, stands))}
                {card.offers.notes.then(|| note(card, question, stands))}
            </div>
        }
    };
    (card.offers.skip || card.offers.notes).then(line)
}

/// Where one tap answers, this one does too; else it is pressed and can be released again.
fn skip(card: CardState, question: usize, stands: Memo<Standing>) -> impl IntoView {
    let id = card.ids.control(Control::Skip { question });
    let answers = move || card.layout.get() == Layout::OnPick;
    let skipped = Memo::new(move |_| stands.with(|stands| stands.skipped));
    let pressed = move || (!answers()).then(|| if skipped.get() { "true" } else { "false" });
    let inert = move || card.is_latched() || (answers() && !card.is_open());
    let describe = move || match inert() {
        true => Some(card.ids.wait()),
        false => (skipped.get() && !answers()).then(|| card.ids.skipping(question)),
    };
    let line = move || {
        view! { <p class=part::SKIPPING id=card.ids.skipping(question)>{card.labels.skipping}</p> }
    };
    view! {
        <button
            type="button"
            class=format!("{} {} {}", part::BUTTON, part::QUIET, part::SKIP)
            id=id.clone()
            aria-labelledby=format!("{id} {}", card.ids.legend(question))
            aria-pressed=pressed
            aria-disabled=move || inert().then_some("true")
            aria-describedby=describe
            on:click=move |click: MouseEvent| card.skip(question, &click)
        >
            {card.labels.skip}
        </button>
        {move || (skipped.get() && !answers()).then(line)}
    }
}

/// The button, and in its place the field once there is a note to write.
fn note(card: CardState, question: usize, stands: Memo<Standing>) -> impl IntoView {
    let asked = RwSignal::new(false);
    // A field that is there stays there, even empty: the caret may be in it.
    let is_open =
        Memo::new(move |was: Option<&bool>| was == Some(&true) || asked.get() || stands.with(|stands| stands.noted));
    let id = card.ids.control(Control::AddNote { question });
    let button = move || {
        view! {
            <button
                type="button"
                class=format!("{} {}", part::BUTTON, part::QUIET)
                id=id.clone()
                aria-labelledby=format!("{id} {}", card.ids.legend(question))
                aria-disabled=move || card.is_latched().then_some("true")
                aria-describedby=move || card.is_latched().then(|| card.ids.wait())
                on:click=move |_| asked.set(!card.is_latched())
            >
                {card.labels.add_note}
            </button>
        }
    };
    move || match is_open.get() {
        true => Either::Left(note_field(card, question, asked.get_untracked(), stands)),
        false => Either::Right(button()),
    }
}

/// The field. Where its button was pressed a moment ago, the focus goes from there to it.
fn note_field(card: CardState, question: usize, asked: bool, stands: Memo<Standing>) -> impl IntoView {
    let label = card.ids.note_label(question);
    let control = Control::Note { question };
    let node = NodeRef::<Div>::new();
    node.on_load(move |_| {
        if asked {
            card.focus(control);
        }
    });
    view! {
        <div node_ref=node>
            <label class=part::NOTE id=label.clone() for=card.ids.control(control)>
                {card.labels.note}
            </label>
            {text_field(card, question, Field::Note, format!("{label} {}", card.ids.legend(question)), stands)}
            {field_error(card, question, Field::Note, stands)}
            {counter(card, question, Field::Note)}
        </div>
    }
}
