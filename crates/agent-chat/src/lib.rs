//! A Leptos hook for AG-UI endpoints: the conversation as signals, and `send`, `reply`, `cancel`, `stop` and `retry`.
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
//! place, so a card can show it while its arguments stream: `AskCard` (feature `card`), or any other. A reply before the end of the run is held until that
//! end. If several asks wait, all replies are sent together with the last one, since no agent accepts a history with an open call.
//!
//! This is the one crate that fetches. The rules that need no network and no browser are in `ag-ui-stream` and `ask-user-question`.

mod address;
#[cfg(feature = "card")]
mod ask_card;
mod browser;
mod cards;
mod chat;
mod chat_state;
mod config;
mod core;
mod details;
mod entry;
mod feed;
#[cfg(feature = "card")]
mod files;
mod headers;
mod ids;
mod json;
mod options;
mod outbox;
mod persistence;
mod policy;
mod run;
mod send_as;
mod server;
mod status;
mod steps;
mod storage;
mod store;
mod subscription;
mod sync;
mod tabs;
mod tools;
mod transcript;
mod transport;
mod trouble;
mod undone;

pub use ag_ui_stream::asks::reply::Delivery;
#[cfg(feature = "card")]
pub use ask_card::*;
pub use ask_user_question::attachment::{Attachment, FileLimits};
pub use ask_user_question::reply::Selection;
pub use ask_user_question::snapshot::ReplyState;
pub use ask_user_question::{AskSnapshot, Limits, Outcome, Phase};
pub use chat::{AgentChat, use_agent_chat};
pub use entry::{Ask, CallDetails, CallResult, Entry, EntryKey, Item};
pub use options::ChatOptions;
pub use send_as::{Reading, SendAs};
pub use status::{Connection, Status};
pub use tools::PageTool;
pub use transport::{RunPart, RunRequest, RunResponse, Transport, text_beside_page};
pub use trouble::Trouble;
pub use undone::Undone;

/// Compiles the README's examples as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
