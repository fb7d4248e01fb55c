//! What was typed or chosen and did not reach the agent: it stays until the user puts it away.

use super::focus::focus_quietly;
use super::state::{CardState, Sent, Submission};
use super::status::Announcer;
use crate::anatomy::part;
use crate::copy::copy_button;
use crate::draft::{Draft, Field};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use leptos::ev::MouseEvent;
use leptos::html::Div;
use leptos::prelude::*;

/// The text, with ways to keep it, below the receipt.
pub(crate) fn late(
    card: CardState,
    announcer: Option<Announcer>,
    text: Memo<String>,
    receipt: NodeRef<Div>,
) -> impl IntoView {
    let any = Memo::new(move |_| text.with(|text| !text.is_empty()));
    let put_away = move || {
        // The button is about to go, and the focus with it.
        if card.has_focus()
            && let Some(receipt) = receipt.get_untracked()
        {
            focus_quietly(&receipt);
        }
        card.draft.update(Draft::forget);
    };
    let send = move |click: MouseEvent| {
        if card.steady.allows(&click) && card.hand_over(text.get_untracked()) {
            put_away();
        }
    };
    // A tap that was meant for the form must not throw away what it held.
    let dismiss = move |click: MouseEvent| {
        if card.steady.allows(&click) {
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
        if card.refused.get() { card.labels.not_now } else { "" }
    };
    let offers_message = card.calls.on_late_message.is_some();
    let content = move || {
        view! {
            <div class=part::LATE aria-live="off">
                <p class=part::HINT>{card.labels.late}</p>
                <p class=part::LATE_TEXT dir="auto">{move || text.get()}</p>
                <div class=part::ACTIONS>
                    {offers_message.then(send_button)}
                    {copy_button(card.labels, card.labels.copy, move || text.get_untracked(), announcer)}
                    <button type="button" class=format!("{} {}", part::BUTTON, part::QUIET) on:click=dismiss>{card.labels.dismiss}</button>
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
    pub(crate) fn late_text(self) -> String {
        let settled = self.submission.with(Submission::settled);
        if settled.is_some() || self.sent.with_value(|sent| *sent == Some(Sent::Cancel)) {
            // Sent as a message, or given up.
            return String::new();
        }
        self.ask.with(|ask| match self.unreadable.get_value() {
            // One text, which says by itself what it is about.
            true => self.draft.with(|draft| draft.text(0, Field::Other).to_owned()),
            false => self.left_text(ask, &self.sent_selections(ask)),
        })
    }

    /// What was chosen or typed and is not part of what was sent.
    pub(crate) fn left_text(self, ask: &AskSnapshot, sent: &[Selection]) -> String {
        let left = |question: usize| {
            let sent = sent.iter().find(|sent| sent.question == question);
            let left = self.draft.with(|draft| draft.left_over(question, sent, self.labels.list));
            let note = left.note.as_deref().map(self.labels.noted);
            let texts: Vec<String> = left.answer.into_iter().chain(note).collect();
            texts.join("\n")
        };
        let named = |(index, asked): (usize, &QuestionSnapshot)| match left(index) {
            left if left.is_empty() => None,
            left => Some([asked.question.text.as_str(), "\n", &left].concat()),
        };
        match ask.questions.len() {
            // Where no question could be read, an own answer could be typed all the same.
            0 | 1 => left(0),
            _ => {
                let all = ask.questions.iter().enumerate().filter_map(named);
                all.collect::<Vec<_>>().join("\n\n")
            }
        }
    }

    /// What the agent has of this ask.
    fn sent_selections(self, ask: &AskSnapshot) -> Vec<Selection> {
        match &ask.outcome {
            Some(Outcome::Answered(reply)) => reply.selections(),
            Some(Outcome::RepliedInChat { partial, .. }) => partial.clone(),
            // The host does not say which answer it was: the one that was given here.
            None if ask.phase == Phase::Answered => self.sent.with_value(|sent| match sent {
                Some(Sent::Reply(reply)) => reply.selections(),
                Some(Sent::Cancel) | None => Vec::new(),
            }),
            Some(Outcome::Declined | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled) | None => Vec::new(),
        }
    }
}
