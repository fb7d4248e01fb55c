//! A Leptos hook over an AG-UI endpoint: what was said as signals, and `send`, `reply`, `cancel`, `stop`, `retry`.
//!
//! ```no_run
//! use agent_chat::{ChatOptions, use_agent_chat};
//! use leptos::prelude::*;
//!
//! #[component]
//! fn Chat() -> impl IntoView {
//!     let chat = use_agent_chat(ChatOptions::new("/agent"));
//!     view! {
//!         <button on:click=move |_| { chat.send("I need my car looked at"); }>"Begin"</button>
//!         <p>{move || chat.entries.with(Vec::len)} " entries"</p>
//!     }
//! }
//! ```
//!
//! An [`Entry`] is a message or a tool call. A call of the ask tool is an [`Item::Ask`] from its first byte on: its snapshot grows in
//! place, so a card (crate `question-card`) can show it while its arguments stream. A reply that comes before the run has ended is sent
//! when it has. If several asks wait, all replies are sent with the last one: no agent accepts a history with an open call.
//!
//! This is the one crate that fetches. Everything that could be decided without a network or a browser is decided in `ag-ui-stream` and
//! `ask-user-question`.

mod address;
mod browser;
mod chat;
mod config;
mod conversation;
mod core;
mod details;
mod entry;
mod feed;
mod following;
mod headers;
mod ids;
mod json;
mod kept;
mod memory;
mod options;
mod outbox;
mod policy;
mod receipt;
mod run;
mod server;
mod status;
mod steps;
mod storage;
mod tabs;
mod tools;
mod transcript;
mod transport;
mod trouble;
mod watch;

pub use ag_ui_stream::asks::reply::Delivery;
pub use ask_user_question::Limits;
pub use ask_user_question::reply::Selection;
pub use chat::{AgentChat, use_agent_chat};
pub use entry::{Ask, CallDetails, CallResult, Entry, EntryKey, Item};
pub use options::ChatOptions;
pub use status::{Connection, Given, Status};
pub use tools::PageTool;
pub use transport::text_beside_page;
pub use trouble::Trouble;

/// The README's example is compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
