#![doc = include_str!("../README.md")]

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
mod page_tool;
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
pub use page_tool::PageTool;
pub use send_as::{Reading, SendAs};
pub use status::{Connection, Status};
pub use transport::{RunPart, RunRequest, RunResponse, Transport, text_beside_page};
pub use trouble::Trouble;
pub use undone::Undone;
