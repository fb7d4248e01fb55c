//! The AG-UI 1.0 reader and writer: bytes in, verified events, run state, growing tool-call arguments and asks out.
//!
//! The crate does no I/O, reads no clock and makes no ids: bytes, `now` and ids are arguments, so the same code runs natively and as
//! WebAssembly. From the network to the card:
//!
//! 1. [`EventReader`] turns bytes into [`Event`]s that obey every rule of the protocol.
//! 2. [`Thread`] applies them to messages and state, and returns each change.
//! 3. [`Asks`] watches for calls of the ask tool and emits patches to growing [`AskSnapshot`](ask_user_question::AskSnapshot)s.
//!
//! [`Conversation`] is all three in one object for a page; each of them also serves alone. It writes the
//! `RunAgentInput` that carries the answer back ([`asks::reply`]).
//!
//! A server writes with [`sse::write_event`]. [`Asks`] and [`Conversation`] are the feature `asks`, which is on by default; without it the
//! crate has no questions.
#![warn(clippy::unwrap_used)]

#[cfg(feature = "asks")]
pub mod asks;
#[cfg(feature = "asks")]
pub mod conversation;
mod end;
pub mod event;
pub mod history;
mod index;
pub mod input;
pub mod message;
pub mod notice;
pub mod outcome;
mod patch;
mod protocol;
mod queue;
pub mod reader;
pub mod sse;
pub mod thread;
mod wire;

#[cfg(feature = "asks")]
pub use asks::Asks;
#[cfg(feature = "asks")]
pub use conversation::Conversation;
pub use event::Event;
pub use history::History;
pub use message::Message;
pub use reader::EventReader;
pub use thread::Thread;

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
