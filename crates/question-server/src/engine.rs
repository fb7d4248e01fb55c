//! The engine of conversations: runs, tools, callbacks and web push.

pub mod callbacks;
pub mod clock;
pub mod drain;
pub(crate) mod endpoint;
#[cfg(feature = "mcp")]
pub mod mcp_tools;
pub mod models;
pub(crate) mod runtime;
pub(crate) mod session;
pub mod tools;
pub mod waiting_asks;
pub mod web_push;
