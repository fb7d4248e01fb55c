//! What is shown where the arguments ended and cannot be used.

use super::actions::{cancel_button, submit_button, wait};
use super::state::CardState;
use crate::anatomy::part;
use crate::dom::Control;
use leptos::prelude::*;

/// What could be read, a way to say something all the same, and Cancel.
pub(crate) fn malformed(card: CardState) -> impl IntoView {
    let texts = card.ask.with_untracked(|ask| {
        let text = |question: &ask_user_question::snapshot::QuestionSnapshot| {
            question.question.text.clone()
        };
        ask.questions
            .iter()
            .map(text)
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
    });
    view! {
        <p class=part::ERROR>{card.labels.malformed}</p>
        {texts.into_iter().map(|text| view! { <p class=part::QUESTION_TEXT dir="auto">{text}</p> }).collect_view()}
        {card.calls.on_late_message.map(|_| own_answer(card))}
        <div class=part::ACTIONS>
            {card.calls.on_late_message.map(|_| submit_button(card, card.labels.send_as_message))}
            {cancel_button(card)}
            {wait(card)}
        </div>
    }
}

fn own_answer(card: CardState) -> impl IntoView {
    let id = card.ids.control(Control::OtherText { question: 0 });
    let typed = card
        .draft
        .with_untracked(|draft| draft.other_text(0).to_owned());
    view! {
        <label class=part::OPTION_LABEL for=id.clone()>{card.labels.malformed_answer}</label>
        <textarea
            class=part::OTHER_INPUT
            id=id
            rows="1"
            dir="auto"
            prop:value=typed
            readonly=move || card.is_latched()
            on:input=move |event| card.type_other(0, &event_target_value(&event))
        ></textarea>
    }
}
