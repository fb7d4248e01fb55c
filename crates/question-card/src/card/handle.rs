//! The host's way to move the focus into a card.

use super::state::CardState;
use leptos::prelude::*;

/// Moves the focus into a card when the host says so, such as for a key that goes back and forth between composer and card. Make one, give
/// it to one card, keep a copy.
///
/// ```
/// use ask_user_question::AskSnapshot;
/// use leptos::prelude::*;
/// use question_card::{FocusHandle, QuestionCard};
///
/// #[component]
/// fn Asked(ask: RwSignal<AskSnapshot>) -> impl IntoView {
///     let handle = FocusHandle::new();
///     let (on_reply, on_cancel) = (Callback::new(|_| {}), Callback::new(|()| {}));
///     view! {
///         <button on:click=move |_| { handle.focus(); }>"Go to the question"</button>
///         <QuestionCard ask handle on_reply on_cancel />
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FocusHandle {
    card: StoredValue<Option<CardState>>,
}

impl FocusHandle {
    /// A handle of no card yet. It belongs to the current owner.
    #[must_use]
    pub fn new() -> Self {
        Self { card: StoredValue::new(None) }
    }

    /// Moves the focus to where the user would go on: the first question without an answer, or Submit; the receipt of an ask that is over.
    /// False where there is nothing to go to, because no card is there or nothing of its question.
    pub fn focus(&self) -> bool {
        self.card().is_some_and(CardState::focus_next)
    }

    /// Moves the focus to what is chosen in the question of this index, counted from 0; where nothing is, to its first option, or to its
    /// text field where it has none. False where nothing of the question can be chosen.
    pub fn focus_question(&self, index: usize) -> bool {
        self.card().is_some_and(|card| card.enter_question(index))
    }

    /// Leads to this card until the current owner is cleaned up.
    pub(super) fn lead_to(self, card: CardState) {
        self.card.set_value(Some(card));
        on_cleanup(move || {
            self.card.try_set_value(None);
        });
    }

    fn card(&self) -> Option<CardState> {
        self.card.try_get_value().flatten()
    }
}

impl Default for FocusHandle {
    fn default() -> Self {
        Self::new()
    }
}
