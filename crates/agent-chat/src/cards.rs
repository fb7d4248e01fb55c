//! The cards of a conversation's asks: their picks and their focus handles.

use crate::entry::Ask;
use ask_user_question::reply::Selection;
use leptos::prelude::*;

/// The picks on cards, by the ids of their calls.
pub(crate) type Picks = Vec<(String, Vec<Selection>)>;

/// The cards that are shown. They belong to the owner of the conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cards {
    picks: RwSignal<Picks>,
    #[cfg(feature = "card")]
    pub(crate) handles: RwSignal<Vec<(String, question_card::FocusHandle)>>,
}

impl Cards {
    pub(crate) fn new() -> Self {
        Self {
            picks: RwSignal::default(),
            #[cfg(feature = "card")]
            handles: RwSignal::default(),
        }
    }

    pub(crate) fn set_picks(self, tool_call_id: &str, picked: Vec<Selection>) {
        // The signal is gone if the conversation has ended.
        self.picks.try_update(|picks| {
            picks.retain(|(id, _)| id != tool_call_id);
            if !picked.is_empty() {
                picks.push((tool_call_id.to_owned(), picked));
            }
        });
    }

    pub(crate) fn picks(self, waiting: &[Ask]) -> Picks {
        let waits = |id: &str| waiting.iter().any(|ask| ask.tool_call_id == id);
        self.picks.with(|picks| picks.iter().filter(|(id, _)| waits(id)).cloned().collect())
    }

    /// Sends the declines that the user could still undo, because the user goes on.
    pub(crate) fn leave(self) {
        #[cfg(feature = "card")]
        for (_, handle) in self.handles.get_untracked() {
            handle.leave();
        }
    }

    /// Returns true if the user has declined this ask and can still undo it.
    #[cfg_attr(not(feature = "card"), expect(unused_variables, reason = "There are no cards."))]
    pub(crate) fn is_declining(self, tool_call_id: &str) -> bool {
        #[cfg(feature = "card")]
        return self
            .handles
            .with_untracked(|handles| handles.iter().any(|(id, handle)| id == tool_call_id && handle.is_declining()));
        #[cfg(not(feature = "card"))]
        false
    }
}
