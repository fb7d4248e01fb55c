//! A server for agents that ask their user: AG-UI over HTTP in front of `question-agent`'s state machine.
//!
//! [`Server::builder`] makes the whole server as an axum router, which a program can nest (`examples/embed.rs`) or call without a socket.
//! [`program::run`] is the binary, with settings and a socket.
#![warn(clippy::unwrap_used)]

pub mod access;
mod agent_endpoint;
pub mod app;
mod asks;
mod body;
pub mod browser;
pub mod callbacks;
mod caller;
pub mod clock;
pub mod config;
mod conversations;
pub mod drain;
mod endpoint;
mod error;
mod events;
pub mod guard;
mod headers;
mod hex;
mod histories;
pub mod limits;
mod log;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(feature = "mcp")]
pub mod mcp_tools;
pub mod metrics;
pub mod models;
mod observe;
pub mod other_agent;
#[cfg(feature = "otlp")]
pub mod otlp;
pub mod owner;
pub mod page;
mod peer;
mod policy;
mod probe;
pub mod program;
pub mod rate;
mod room;
mod runtime;
mod secret;
mod serve;
mod session;
mod sse;
pub mod store;
mod streams;
pub mod tools;
mod trace;

pub use app::{Builder, Server};
pub use config::Config;
pub use drain::Drain;
pub use serve::serve;

#[cfg(doctest)]
#[doc = include_str!("../AUTHOR.md")]
struct Author;
