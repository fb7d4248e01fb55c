#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used)]

mod elicitation;
pub mod form_page;
mod http_transport;
mod own_page;
mod server;
mod stdio;
mod tools;

pub use http_transport::{HttpBounds, HttpService};
pub use own_page::{EndedAsk, OpenedAsk, OwnPage, PageError};
pub use server::{DEFAULT_WAIT, McpBuilder, McpServer};
pub use stdio::{serve_lines, serve_stdio};
