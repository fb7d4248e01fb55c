//! What the page says beside the composer until something changes.

use crate::effect::effect;
use crate::words::{Words, words};
use agent_chat::AgentChat;
use leptos::prelude::*;

/// A word to the person, of what they have just tried or begun.
#[derive(Clone, Copy)]
pub(crate) struct Notice(RwSignal<Option<Said>>);

type Said = fn(&Words) -> &'static str;

impl Notice {
    /// Gives it to all views of the current owner. It goes with the next turn of the conversation.
    pub(crate) fn provide(chat: AgentChat) {
        let said = RwSignal::new(None);
        effect(move || {
            chat.status.track();
            chat.waiting.track();
            said.set(None);
        });
        provide_context(Self(said));
    }

    pub(crate) fn say(self, what: Said) {
        self.0.set(Some(what));
    }

    pub(crate) fn end(self) {
        if self.0.with_untracked(Option::is_some) {
            self.0.set(None);
        }
    }
}

/// Always there, so that its text is announced when it comes.
pub(crate) fn notice_line() -> impl IntoView {
    let words = words();
    let Notice(said) = expect_context();
    let text = move || said.get().map_or("", |said| said(words.get()));
    view! {
        <p class="connection notice" role="status">
            {text}
        </p>
    }
}
