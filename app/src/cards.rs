//! The cards of the conversation: focuses the waiting one, and remembers the picks.

use agent_chat::{AgentChat, Ask, Selection};
use leptos::prelude::*;
use question_card::FocusHandle;

/// The cards that are shown, each with its call.
#[derive(Clone, Copy)]
pub struct Cards(RwSignal<Vec<CardEntry>>);

struct CardEntry {
    tool_call_id: String,
    handle: FocusHandle,
    /// Its picks so far.
    picks: Vec<Selection>,
}

impl Cards {
    /// No cards yet.
    pub(crate) fn new() -> Self {
        Self(RwSignal::new(Vec::new()))
    }

    /// The handle for the card of a call, until the current owner is cleaned up.
    pub(crate) fn handle(self, tool_call_id: &str) -> FocusHandle {
        let (id, handle) = (tool_call_id.to_owned(), FocusHandle::new());
        let card = CardEntry { tool_call_id: id.clone(), handle, picks: Vec::new() };
        self.0.update_untracked(|cards| cards.push(card));
        on_cleanup(move || {
            self.0.try_update_untracked(|cards| cards.retain(|card| card.tool_call_id != id));
        });
        handle
    }

    /// Stores the picks so far on the card of a call.
    pub(crate) fn set_picks(self, tool_call_id: &str, picks: Vec<Selection>) {
        self.0.update(|cards| {
            if let Some(card) = cards.iter_mut().find(|card| card.tool_call_id == tool_call_id) {
                card.picks = picks;
            }
        });
    }

    /// The picks so far on the cards of questions that wait.
    pub(crate) fn picks(self, chat: AgentChat) -> Vec<(String, Vec<Selection>)> {
        let waits = |id: &str| chat.waiting.with(|waiting| waiting.iter().any(|ask| ask.tool_call_id == id));
        self.0.with(|cards| {
            let picked = cards.iter().filter(|card| !card.picks.is_empty() && waits(&card.tool_call_id));
            picked.map(|card| (card.tool_call_id.clone(), card.picks.clone())).collect()
        })
    }

    /// Moves the focus to the first question that waits for its answer and has none on its way. Returns false if there is none.
    pub(crate) fn lead_to_waiting(self, chat: AgentChat) -> bool {
        let waiting = chat.waiting.with_untracked(|waiting| {
            let is_free = |ask: &&Ask| !untrack(|| ask.is_pending());
            let free = waiting.iter().find(is_free).or(waiting.first());
            free.map(|ask| ask.tool_call_id.clone())
        });
        let handle = waiting.and_then(|id| {
            self.0.with_untracked(|cards| {
                let card = cards.iter().find(|card| card.tool_call_id == id);
                card.map(|card| card.handle)
            })
        });
        handle.is_some_and(|handle| handle.focus())
    }
}
