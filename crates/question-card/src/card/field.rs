//! The fields for typed text: the own answer and the note.

use super::question::error_line;
use super::state::{CardState, Layout};
use crate::anatomy::part;
use crate::dom::Control;
use crate::draft::{Draft, Field, Problem, Room, Standing};
use leptos::prelude::*;

/// A text field. Its value is the user's alone: a fresh field gets what was typed before, and then nothing is ever written back, or an
/// input method would lose what it composes.
pub(crate) fn text_field(
    card: CardState,
    question: usize,
    field: Field,
    labelled_by: String,
    stands: Memo<Standing>,
) -> impl IntoView {
    let control = control(question, field);
    let typed = card.draft.with_untracked(|draft| draft.text(question, field).to_owned());
    let problem = move || card.error(stands).filter(|problem| problem.field() == field);
    let is_limited = card.draft.with_untracked(Draft::is_limited);
    let describe = move || {
        let error = problem().map(|_| card.ids.error(question));
        let unsent = (field == Field::Other && is_unsent(card, stands)).then(|| card.ids.unsent(question));
        let counter = is_limited.then(|| card.ids.counter(control));
        let ids: Vec<String> = error.into_iter().chain(unsent).chain(counter).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    };
    let shortcut = move || match field {
        Field::Other => super::other::shortcut(card, question),
        Field::Note => None,
    };
    let is_invalid = move || problem().is_some_and(|problem| problem != Problem::Unanswered);
    // A text has its own direction; a placeholder, and the caret before the first letter, the card's.
    let is_empty = Memo::new(move |_| card.draft.with(|draft| draft.text(question, field).is_empty()));
    view! {
        <textarea
            class=part::OTHER_INPUT
            id=card.ids.control(control)
            rows="1"
            dir=move || (!is_empty.get()).then_some("auto")
            enterkeyhint="enter"
            placeholder=(field == Field::Other).then_some(card.labels.other_placeholder)
            prop:value=typed
            aria-labelledby=labelled_by
            aria-describedby=describe
            aria-invalid=move || is_invalid().then_some("true")
            aria-keyshortcuts=shortcut
            readonly=move || card.is_latched()
            on:input=move |event| card.type_text(question, field, &event_target_value(&event))
            on:compositionstart=move |_| card.composing.set_value(true)
            on:compositionend=move |_| card.composing.set_value(false)
            on:blur=move |_| card.composing.set_value(false)
        ></textarea>
    }
}

/// What is wrong with a text, at its field, where one tap answers.
pub(crate) fn field_error(card: CardState, question: usize, field: Field, stands: Memo<Standing>) -> impl IntoView {
    let error = Memo::new(move |_| {
        let error = card.error(stands);
        error.filter(|problem| problem.field() == field)
    });
    move || (card.layout.get() == Layout::OnPick).then(|| error_line(card, question, error))
}

/// How much more may be typed, below its field.
pub(crate) fn counter(card: CardState, question: usize, field: Field) -> impl IntoView {
    let line = move || {
        let control = control(question, field);
        let room = Memo::new(move |_| card.draft.with(|draft| draft.room(question, field)));
        let is_over = move || matches!(room.get(), Some(Room::Over(_)));
        let text = move || match room.get() {
            Some(Room::Left(left)) => (card.labels.chars_left)(left),
            Some(Room::Over(over)) => (card.labels.chars_over)(over),
            None => String::new(),
        };
        view! {
            <p class=part::COUNTER id=card.ids.counter(control) data-over=move || is_over().then_some("")>
                {text}
            </p>
        }
    };
    card.draft.with_untracked(Draft::is_limited).then(line)
}

/// Whether a text stands in the field that will not be sent.
pub(crate) fn is_unsent(card: CardState, stands: Memo<Standing>) -> bool {
    card.layout.get() == Layout::Explicit && stands.with(|stands| stands.other_unsent)
}

/// The control that a field is.
pub(crate) fn control(question: usize, field: Field) -> Control {
    match field {
        Field::Other => Control::OtherText { question },
        Field::Note => Control::Note { question },
    }
}
