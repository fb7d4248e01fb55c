//! The host's way to move the focus into a card.

use super::shell::Shell;
use leptos::prelude::*;
use std::rc::{Rc, Weak};

/// Moves the focus into a card at the host's request, such as for a key that switches between composer and card. Make one, give it to one
/// card, keep a copy.
///
/// ```
/// use ask_user_question::{AskSnapshot, Reply};
/// use leptos::prelude::*;
/// use question_card::{CardOptions, FocusHandle, QuestionCard};
///
/// #[component]
/// fn Asked(ask: RwSignal<AskSnapshot>) -> impl IntoView {
///     let handle = FocusHandle::new();
///     let (on_reply, on_cancel) = (|_: Reply| {}, |()| {});
///     view! {
///         <button on:click=move |_| { handle.focus(); }>"Go to the question"</button>
///         <QuestionCard ask on_reply on_cancel options=CardOptions::new().handle(handle) />
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FocusHandle {
    card: StoredValue<Weak<Shell>, LocalStorage>,
}

impl FocusHandle {
    /// A handle that belongs to the current owner, and to no card yet.
    #[must_use]
    pub fn new() -> Self {
        Self { card: StoredValue::new_local(Weak::new()) }
    }

    /// Moves the focus to where the user would go on: the first question without an answer, or Submit; the receipt of an ask that is over.
    /// Returns false if there is no card, or no such control in it.
    pub fn focus(&self) -> bool {
        self.card().is_some_and(|card| card.focus_next())
    }

    /// Gives a decline that the user could still undo to the host at once. Call it before the user's next message is sent.
    pub fn leave(&self) {
        if let Some(card) = self.card() {
            card.leave();
        }
    }

    /// Returns true if the user declined, and can still undo that.
    pub fn is_declining(&self) -> bool {
        self.card().is_some_and(|card| card.is_declining())
    }

    /// Connects the handle to this card, without keeping the card alive.
    pub(super) fn lead_to(self, card: &Rc<Shell>) {
        self.card.set_value(Rc::downgrade(card));
    }

    fn card(&self) -> Option<Rc<Shell>> {
        self.card.try_get_value()?.upgrade()
    }
}

impl Default for FocusHandle {
    fn default() -> Self {
        Self::new()
    }
}
