//! A server for agents that ask their user: AG-UI over HTTP in front of `question-agent`'s state machine.
//!
//! [`Server::builder`] makes the whole server as an axum router, which a program can nest (`examples/embed.rs`) or call without a socket.
//! [`program::run`] is the binary, with settings and a socket.
#![warn(clippy::unwrap_used)]

mod agent_endpoint;
pub mod app;
mod asks;
mod auth;
mod body;
pub mod browser;
pub mod callbacks;
pub mod clock;
pub mod config;
mod conversations;
pub mod drain;
mod endpoint;
mod error;
mod events;
mod file_type;
mod files;
mod hex;
mod histories;
pub mod limits;
mod live;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(feature = "mcp")]
pub mod mcp_tools;
pub mod models;
pub mod other_agent;
pub mod page;
mod probe;
pub mod program;
mod room;
mod runtime;
mod serve;
mod session;
mod sse;
pub mod store;
mod streams;
mod telemetry;
pub mod tools;
pub mod waiting_asks;
pub mod web_push;

pub use app::{Builder, Server};
pub use auth::{access, guard, owner, rate};
pub(crate) use auth::{caller, peer};
pub use config::Config;
pub use drain::Drain;
pub use serve::serve;
pub use telemetry::metrics;
#[cfg(feature = "otlp")]
pub use telemetry::otlp;
pub(crate) use telemetry::trace;

#[cfg(doctest)]
#[doc = include_str!("../AUTHOR.md")]
struct Author;
