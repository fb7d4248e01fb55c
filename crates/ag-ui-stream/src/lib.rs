#![doc = include_str!("../README.md")]
//!
//! # Theory of operation
//!
//! An ask is a call of the tool, or an interrupt that asks. Its phase is computed, never set: events change four facts about an ask, and the phase
//! is a function of these facts.
//!
//! - its *arguments*: partial until the call ends, then readable if an ask can be parsed from them, else unreadable. The arguments of an interrupt
//!   are complete from the start,
//! - its *run*: open from the start of the call to the end of that run. It counts as over for interrupts and for calls from a history,
//! - its *end*, if it has one: an outcome (in a result of the call, in an answer to its interrupt or in a message after it), a result in other words
//!   after which the agent continued, a result that refuses the call, or the deadline,
//! - whether the agent *asks again*: by an interrupt about the call, by naming the call as pending, or because the run that took the answer failed.
//!   This clears the end, and earlier results no longer count.
//!
//! | arguments | run | end | phase |
//! |---|---|---|---|
//! | partial | open | none | `streaming` |
//! | partial | over | none | `interrupted` |
//! | unreadable | any | none | `malformed` |
//! | readable | open | none | `ready` |
//! | readable | over | none | `answerable` |
//! | any | any | `answered`, `replied_in_chat` | `answered` |
//! | any | any | `declined` | `declined` |
//! | any | any | `superseded`, `withdrawn` | `superseded` |
//! | any | any | `expired`, deadline | `expired` |
//! | any | any | `cancelled` | `interrupted` |
//! | any | any | other words | `settled` |
//! | any | any | refusal | `malformed` |
//!
//! An outcome is final, with one exception: an outcome inferred from a user message that names no ask is replaced by a later result of the agent.
//! After a deadline, a late answer still counts.
//!
//! Results and messages after the call are processed one by one to find the end. Live messages and those of a history are processed alike.
//!
//! # Rules and workarounds
//!
//! The rules are those of the specification of AG-UI 1.0 (<https://docs.ag-ui.com/spec/1.0>). Comments cite its pages, such as `basic/processing`. A
//! workaround names the sender and the public issue, so that it can be removed once the issue is closed and affected versions are out of use.
#![warn(clippy::unwrap_used)]

/// Whether forms that differ from 1.0 are read. A constant instead of `cfg` lets the compiler check both variants and still remove the unused code.
const LEGACY: bool = cfg!(feature = "legacy");

#[cfg(feature = "asks")]
pub mod asks;
#[cfg(feature = "asks")]
pub mod conversation;
mod end;
pub mod event;
pub mod history;
pub mod input;
pub mod message;
pub mod notice;
pub mod outcome;
mod patch;
mod protocol;
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
#[doc(no_inline)]
pub use json_tree;
pub use message::Message;
pub use reader::EventReader;
pub use thread::Thread;
