//! How a conversation outlives its page. A value for each way: a page carries the code of the one that it names, and no other page does.

use crate::address;
use crate::kept::{Keep, Kept};
use crate::outbox::{Outbox, Resend};

/// Where a conversation is found again.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The conversation to come back to, where one is named; the host's own id is given.
    pub(crate) known: fn(&str) -> Option<String>,
    /// Names a conversation that has started.
    pub(crate) name: fn(&str),
    /// Whether another conversation than this one has come to be named.
    pub(crate) is_left: fn(&str) -> bool,
    /// What the tab keeps of what was said and did not arrive.
    pub(crate) outbox: fn(String, Resend) -> Outbox,
    /// What the browser keeps of the conversation, where no server does.
    pub(crate) keep: fn(&str) -> Box<dyn Keep>,
}

/// Under the id that the host gave.
pub(crate) static BY_ID: Memory = Memory {
    known: |id| Some(id.to_owned()),
    name: |_| {},
    is_left: |_| false,
    outbox: Outbox::kept,
    keep: |name| Box::new(Kept::new(name)),
};

/// Under the id in the page's address.
pub(crate) static IN_ADDRESS: Memory = Memory {
    known: |_| address::conversation(),
    name: address::name_conversation,
    is_left: |id| address::conversation().is_some_and(|named| named != id),
    outbox: Outbox::kept,
    keep: |name| Box::new(Kept::new(name)),
};
