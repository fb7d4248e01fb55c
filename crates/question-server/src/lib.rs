//! The server side of asking a user: AG-UI over HTTP in front of `question-agent`'s state machine.
//!
//! [`app()`] is the whole server as a value, to be driven without a socket in tests; the binary binds it to one.
#![warn(clippy::unwrap_used)]

pub mod access;
mod agent_endpoint;
pub mod app;
mod body;
pub mod clock;
pub mod config;
mod conversations;
pub mod drain;
mod error;
mod events;
pub mod guard;
mod histories;
pub mod limits;
mod live;
mod log;
pub mod metrics;
pub mod models;
mod observe;
pub mod other_agent;
pub mod owner;
pub mod page;
mod peer;
mod policy;
pub mod rate;
mod room;
mod runtime;
mod serve;
mod sse;
pub mod store;
mod streams;
mod trace;

pub use app::{Parts, app};
pub use config::Config;
pub use drain::Drain;
pub use serve::serve;
