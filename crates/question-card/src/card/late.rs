//! What was typed or chosen and did not reach the agent: it stays until the user puts it away.

use super::focus::focus_quietly;
use super::state::{CardState, Sent};
use crate::anatomy::part;
use ask_user_question::{Outcome, Phase};
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// The text, with ways to keep it, below the receipt.
pub(crate) fn late(card: CardState, receipt: NodeRef<Div>) -> impl IntoView {
    let text = card
        .ask
        .with_untracked(|ask| card.late_text(ask.outcome.as_ref()));
    let text = RwSignal::new(text);
    let any = Memo::new(move |_| text.with(|text| !text.is_empty()));
    let copied = RwSignal::new(false);
    let copy = move |_| {
        let Some(clipboard) = clipboard() else { return };
        let promise = clipboard.write_text(&text.get_untracked());
        spawn_local(async move {
            // Where the browser refuses, the text can still be selected, and nothing is claimed.
            if JsFuture::from(promise).await.is_ok() {
                copied.try_set(true);
            }
        });
    };
    let put_away = move || {
        // The button is about to go, and the focus with it.
        if card.has_focus()
            && let Some(receipt) = receipt.get_untracked()
        {
            focus_quietly(&receipt);
        }
        text.set(String::new());
    };
    let send = move |_| {
        if card.hand_over(text.get_untracked()) {
            put_away();
        }
    };
    let send_button = move || {
        let why = move || card.refused.get().then(|| card.ids.wait());
        view! {
            <button type="button" class=part::BUTTON aria-describedby=why on:click=send>
                {card.labels.send_as_message}
            </button>
        }
    };
    let why = move || {
        if card.refused.get() {
            card.labels.not_now
        } else {
            ""
        }
    };
    let offers_message = card.calls.on_late_message.is_some();
    let copy_label = move || {
        if copied.get() {
            card.labels.copied
        } else {
            card.labels.copy
        }
    };
    let content = move || {
        view! {
            <div class=part::LATE>
                <p class=part::HINT>{card.labels.late}</p>
                <p class=part::LATE_TEXT dir="auto">{move || text.get()}</p>
                <div class=part::ACTIONS>
                    {offers_message.then(send_button)}
                    <button type="button" class=part::BUTTON on:click=copy>{copy_label}</button>
                    <button type="button" class=format!("{} {}", part::BUTTON, part::QUIET) on:click=move |_| put_away()>{card.labels.dismiss}</button>
                    <p class=part::WAIT id=card.ids.wait()>{why}</p>
                </div>
            </div>
        }
    };
    move || any.get().then(content)
}

/// What reached the agent, and what did not.
impl CardState {
    /// Whether the ask ended by the reply that this card gave, and not by one from elsewhere.
    pub(crate) fn own_reply_won(self, outcome: Option<&Outcome>) -> bool {
        match (self.sent.get_value(), outcome) {
            (Some(Sent::Reply(own)), Some(Outcome::Answered(won))) => own == *won,
            (Some(Sent::Reply(_)), None) => self.shown.phase.get_untracked() == Phase::Answered,
            _ => false,
        }
    }

    /// What was chosen or typed and is not part of how the ask ended, as text to copy or to send as a message.
    pub(crate) fn late_text(self, outcome: Option<&Outcome>) -> String {
        let own_reply_won = self.own_reply_won(outcome);
        let settled = self
            .submission
            .with_untracked(|submission| submission.settled().is_some());
        if settled
            || self.sent.get_value() == Some(Sent::Cancel)
            || matches!(outcome, Some(Outcome::RepliedInChat { .. }))
        {
            return String::new();
        }
        let questions = self.shown.questions.with_untracked(Vec::len);
        let left = |question| {
            self.draft
                .with_untracked(|draft| draft.left_over(question, own_reply_won))
        };
        let named = |question: usize| {
            let answer = left(question)?;
            let asked = self
                .ask
                .with_untracked(|ask| Some(ask.questions.get(question)?.question.text.clone()))?;
            Some(format!("{asked}\n{answer}"))
        };
        match questions {
            // Where no question could be read, an own answer could be typed all the same.
            0 | 1 => left(0).unwrap_or_default(),
            _ => (0..questions)
                .filter_map(named)
                .collect::<Vec<_>>()
                .join("\n\n"),
        }
    }
}

/// The clipboard; a page that was not loaded securely has none.
fn clipboard() -> Option<web_sys::Clipboard> {
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into()).ok()?;
    clipboard.is_object().then(|| clipboard.unchecked_into())
}
