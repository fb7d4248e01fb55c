//! The page's note beside the composer, until something changes.

use crate::effect::effect;
use crate::words::Say;
use agent_chat::AgentChat;
use leptos::prelude::*;

/// A short note for the person about what they have just tried or started.
#[derive(Clone, Copy)]
pub(crate) struct Notice(RwSignal<Option<Say>>);

impl Notice {
    /// A notice that disappears with the next turn of the conversation.
    pub(crate) fn of(chat: AgentChat) -> Self {
        let said = RwSignal::new(None);
        effect(move || {
            chat.status.track();
            chat.waiting.track();
            said.set(None);
        });
        Self(said)
    }

    pub(crate) fn say(self, what: Say) {
        self.0.set(Some(what));
    }

    pub(crate) fn end(self) {
        if self.0.with_untracked(Option::is_some) {
            self.0.set(None);
        }
    }

    pub(crate) fn word(self) -> Option<Say> {
        self.0.get()
    }
}
