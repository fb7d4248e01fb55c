//! The cards of the conversation, to lead to the one that waits.

use agent_chat::{AgentChat, Ask};
use leptos::prelude::*;
use question_card::FocusHandle;

/// The handles of the cards that are shown, each with its call.
#[derive(Clone, Copy)]
pub(crate) struct Cards(StoredValue<Vec<(String, FocusHandle)>>);

impl Cards {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self(StoredValue::new(Vec::new()))
    }

    /// The handle for the card of a call, until the current owner is cleaned up.
    pub(crate) fn handle(self, tool_call_id: &str) -> FocusHandle {
        let (id, handle) = (tool_call_id.to_owned(), FocusHandle::new());
        self.0.update_value(|cards| cards.push((id.clone(), handle)));
        on_cleanup(move || {
            self.0.try_update_value(|cards| cards.retain(|(known, _)| *known != id));
        });
        handle
    }

    /// Moves the focus to the first question that waits for its answer and has none on its way. False where there is none.
    pub(crate) fn lead_to_waiting(self, chat: AgentChat) -> bool {
        let waiting = chat.waiting.with_untracked(|waiting| {
            let is_free = |ask: &&Ask| !untrack(|| ask.is_given());
            let free = waiting.iter().find(is_free).or(waiting.first());
            free.map(|ask| ask.tool_call_id.clone())
        });
        let handle = waiting.and_then(|id| {
            self.0.with_value(|cards| {
                let card = cards.iter().find(|(known, _)| *known == id);
                card.map(|(_, handle)| *handle)
            })
        });
        handle.is_some_and(|handle| handle.focus())
    }
}
