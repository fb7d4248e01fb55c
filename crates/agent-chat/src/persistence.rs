//! The ways in which a conversation outlives its page, as one value each. A page carries the code of the one that it sets, and of no other.

use crate::address;
use crate::outbox::{Outbox, Resend};
use crate::store::{BrowserStore, ConversationStore};

/// A way to find a conversation again.
#[derive(Debug)]
pub(crate) struct Persistence {
    /// Returns the id of the conversation to resume, if there is one. The argument is the host's own id.
    pub(crate) find_id: fn(&str) -> Option<String>,
    /// Publishes the id of a conversation that has started.
    pub(crate) set_id: fn(&str),
    /// Returns the id of a conversation that waits for its first message, by the agent's address.
    pub(crate) find_new: fn(&str) -> Option<String>,
    /// Keeps the id of such a conversation, beside the agent's address.
    #[cfg_attr(
        not(feature = "card"),
        expect(dead_code, reason = "a file, which a card takes, may be its first content")
    )]
    pub(crate) keep_new: fn(&str, &str),
    /// Returns true if another conversation than this one is named by now.
    pub(crate) is_replaced: fn(&str) -> bool,
    /// Opens the tab's outbox.
    pub(crate) outbox: fn(String, Resend) -> Outbox,
    /// Opens this browser's store of the conversation, for use without a server.
    pub(crate) open_store: fn(&str) -> Box<dyn ConversationStore>,
}

/// Finds the conversation by the id that the host gives.
pub(crate) static BY_ID: Persistence = Persistence {
    find_id: |id| Some(id.to_owned()),
    set_id: |_| {},
    find_new: |_| None,
    keep_new: |_, _| {},
    is_replaced: |_| false,
    outbox: Outbox::restored,
    open_store: |name| Box::new(BrowserStore::new(name)),
};

/// Finds the conversation by the id in the page's address.
pub(crate) static IN_ADDRESS: Persistence = Persistence {
    find_id: |_| address::conversation(),
    set_id: address::name_conversation,
    find_new: address::new_conversation,
    keep_new: address::keep_new,
    is_replaced: |id| address::conversation().is_some_and(|named| named != id),
    outbox: Outbox::restored,
    open_store: |name| Box::new(BrowserStore::new(name)),
};
