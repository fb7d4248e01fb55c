//! Who may use the server, and whose a conversation is.

pub mod access;
pub(crate) mod caller;
pub mod guard;
pub(crate) mod headers;
pub mod owner;
pub(crate) mod peer;
pub(crate) mod policy;
pub mod rate;
pub(crate) mod secret;
