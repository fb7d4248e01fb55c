//! The tool `ask_user_question` for any client of the Model Context Protocol.
//!
//! [`McpServer`] speaks the protocol in both of its generations. It asks the user in the first way that the client can show: a form
//! of the client's own (an elicitation), the card as an MCP App, or a [page](OwnPage). The host of this crate serves that page.
//!
//! ```
//! use question_mcp::McpServer;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let server = McpServer::builder().view("<!doctype html>…").build();
//! // On stdin and stdout, until the client closes them:
//! # if false {
//! question_mcp::serve_stdio(server).await.expect("the client speaks the protocol");
//! # }
//! # });
//! ```
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
pub use server::{McpBuilder, McpServer};
pub use stdio::{serve_lines, serve_stdio};

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
