//! The HTTP endpoints.

pub(crate) mod agent_endpoint;
pub(crate) mod asks;
pub(crate) mod body;
pub(crate) mod conversations;
pub(crate) mod events;
pub(crate) mod file_type;
pub(crate) mod files;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod other_agent;
pub mod page;
pub(crate) mod serve;
pub(crate) mod sse;
pub(crate) mod streams;
