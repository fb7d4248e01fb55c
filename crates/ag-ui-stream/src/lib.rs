#![doc = include_str!("../README.md")]
//!
//! # Theory of operation
//!
//! An ask is a call of the tool, or an interrupt that asks. Its phase is never moved: events change facts about it, and the phase follows from
//! these. Four things are facts:
//!
//! - its *arguments*: partial until they end, then readable if an ask can be read from them. An interrupt has them at once,
//! - its *run*: open from the start of the call to the end of that run. It is over for interrupts and for calls of a history,
//! - its *end*, if it has one: the outcome in a result of the call, in an answer to its interrupt or in a message after it. Else it is a result in
//!   other words after which the agent spoke on, a result that refuses the call, or the deadline,
//! - the agent *asks again*: by an interrupt about the call, by naming it as pending, or by a failure of the run that took its answer. Then it has
//!   no end any more, and the results so far do not count.
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
//! An outcome is final, except one that a user message without a word about an ask gave: a later result of the agent wins over it. After a
//! deadline, an answer that was on its way still counts.
//!
//! The end is found in steps, one for each result and each message after the call. Live messages and those of a history take the same steps.
//!
//! # Rules and workarounds
//!
//! The rules are those of the specification of AG-UI 1.0 (<https://docs.ag-ui.com/spec/1.0>). Comments name its pages, such as `basic/processing`. What
//! some agents send otherwise names its sender and the public issue, so that it can go when that is closed and its versions are out of use.
#![warn(clippy::unwrap_used)]

/// Whether what 1.0 describes otherwise is read. It is a constant, so that all code is checked either way, and what it excludes is in no program.
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
