//! What is shown where the arguments ended and cannot be used.

use super::actions::{alert, cancel_button, keep_answering, submit_button, wait};
use super::field::{counter, text_field};
use super::state::{CardState, Settled, Submission};
use crate::anatomy::part;
use crate::dom::Control;
use crate::draft::Field;
use crate::effect::effect;
use leptos::either::Either;
use leptos::html::Div;
use leptos::prelude::*;

/// What could be read, and the ways out: to say something all the same, and Cancel. Afterwards, which of them was taken.
pub(crate) fn malformed(card: CardState) -> impl IntoView {
    let texts = card.ask.with_untracked(|ask| {
        let text = |question: &ask_user_question::snapshot::QuestionSnapshot| question.question.text.clone();
        ask.questions.iter().map(text).filter(|text| !text.is_empty()).collect::<Vec<_>>()
    });
    let settled = Memo::new(move |_| card.submission.with(Submission::settled));
    view! {
        <p class=part::ERROR>{card.labels.malformed}</p>
        {texts.into_iter().map(|text| view! { <p class=part::QUESTION_TEXT dir="auto">{text}</p> }).collect_view()}
        {move || match settled.get() {
            Some(settled) => Either::Left(note(card, settled)),
            None => Either::Right(ways_out(card)),
        }}
    }
}

fn ways_out(card: CardState) -> impl IntoView {
    view! {
        {card.calls.on_late_message.map(|_| own_answer(card))}
        {alert(card)}
        <div class=part::ACTIONS>
            {card.calls.on_late_message.map(|_| submit_button(card, card.labels.send_as_message))}
            {cancel_button(card)}
            {keep_answering(card)}
            {wait(card)}
        </div>
    }
}

/// Looks as a receipt does, and takes the focus as one. The phase still says "malformed": nobody else will show that this is over.
fn note(card: CardState, settled: Settled) -> impl IntoView {
    let node = NodeRef::<Div>::new();
    effect(move || {
        if let Some(node) = node.get() {
            card.resolve(&node);
        }
    });
    let (state, text) = match settled {
        Settled::Messaged => ("answered", card.labels.replied_in_chat),
        Settled::Cancelled => ("declined", card.labels.cancelled),
    };
    view! {
        <div class=part::RECEIPT node_ref=node role="group" aria-labelledby=card.ids.receipt() tabindex="-1" data-state=state>
            <p class=part::RECEIPT_STATE id=card.ids.receipt()>{text}</p>
        </div>
    }
}

fn own_answer(card: CardState) -> impl IntoView {
    let label = card.ids.other_label(0);
    let stands = card.standing(0);
    let error = Memo::new(move |_| card.error(stands));
    let error_line = move |problem| {
        view! { <p class=part::ERROR id=card.ids.error(0)>{card.error_text(0, problem)}</p> }
    };
    view! {
        <div class=part::OPTIONS>
            <label class=part::OPTION_LABEL id=label.clone() for=card.ids.control(Control::OtherText { question: 0 })>
                {card.labels.malformed_answer}
            </label>
            {move || error.get().map(error_line)}
            {text_field(card, 0, Field::Other, label, stands)}
            {counter(card, 0, Field::Other)}
        </div>
    }
}
