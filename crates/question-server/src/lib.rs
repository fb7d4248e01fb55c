//! A server for agents that ask their user: AG-UI over HTTP in front of `question-agent`'s state machine.
//!
//! [`Server::builder`] makes the whole server as an axum router, which a program can nest (`examples/embed.rs`) or call without a socket.
//! [`program::run`] is the binary, with settings and a socket.
//!
//! ```no_run
//! use axum::Router;
//! use question_server::{Server, models::scripted::Scripted};
//! use std::{net::SocketAddr, sync::Arc, time::Duration};
//! use tokio::net::TcpListener;
//!
//! # async fn start() -> std::io::Result<()> {
//! let agent = Server::builder().model(Arc::new(Scripted::front_desk(Duration::ZERO))).build();
//! let app = Router::new().nest("/tenants/{tenant}/agent", agent);
//! let listener = TcpListener::bind("127.0.0.1:3000").await?;
//! axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await
//! # }
//! ```
//!
//! `AUTHOR.md` has more for authors of agents and clients, and `OPERATOR.md` the settings. Both are in the package.
//!
//! # Theory of operation
//!
//! 1. An endpoint takes an input, from AG-UI or REST, and checks its size, its `Host`, its owner and its rate.
//! 2. The conversation is loaded from the store with its revision. The input becomes an event for `question_agent`.
//! 3. The transition table returns the new state and its effects. A rejected event changes nothing and has a reason.
//! 4. The store commits state, messages and what clients are told, if the revision is still the same. If another input was faster, step 2 begins
//!    again.
//! 5. Then the effects are carried out: a request to the model, a tool, a message to each watcher.
//!
//! So no client is told anything that is not stored. A server that was killed finds each unfinished run in the store and continues it. A waiting
//! question costs a row in the store and nothing else.
#![warn(clippy::unwrap_used)]

pub mod app;
mod auth;
mod browser;
pub mod config;
mod engine;
mod error;
mod hex;
mod http;
mod live;
mod probe;
pub mod program;
pub mod store;
mod telemetry;

pub use app::{Builder, Server};
pub use auth::{access, guard, owner, rate};
pub(crate) use auth::{caller, peer};
pub use config::Config;
pub use config::limits;
pub use engine::drain::Drain;
#[cfg(feature = "mcp")]
pub use engine::mcp_tools;
pub use engine::{callbacks, clock, drain, models, tools, waiting_asks, web_push};
#[cfg(feature = "mcp")]
pub use http::mcp;
pub use http::serve::serve;
pub use http::{other_agent, page};
pub use telemetry::metrics;
#[cfg(feature = "otlp")]
pub use telemetry::otlp;
pub(crate) use telemetry::trace;

#[cfg(doctest)]
#[doc = include_str!("../AUTHOR.md")]
struct Author;
