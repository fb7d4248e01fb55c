//! Access to the server: tokens, the owners of conversations, rate limits, and the checks of `Host` and `Origin`.

pub mod access;
pub(crate) mod caller;
pub mod guard;
pub(crate) mod headers;
pub mod owner;
pub(crate) mod peer;
pub(crate) mod policy;
pub mod rate;
pub(crate) mod secret;
