//! The agent side of asking a user: a state machine for a conversation that can wait. It chooses the tools to offer, and checks each call
//! of the asking tool before it runs.
//!
//! The crate does no I/O, reads no clock and makes no id. An adapter feeds [`Event`]s to a [`Conversation`] and carries out the [`Effect`]s
//! that it returns; one of them is [`Effect::ExecuteTool`], which begins with [`intercept()`].
#![warn(clippy::unwrap_used)]

#[cfg(feature = "ag-ui")]
pub mod ag_ui;
pub mod background;
pub mod branch;
pub mod call;
mod context;
pub mod conversation;
pub mod effect;
pub mod event;
mod intercept;
pub mod message;
pub mod registry;
pub mod rejected;
pub mod state;
pub mod stored;
pub mod time;
pub mod transition;

pub use conversation::Conversation;
pub use effect::Effect;
pub use event::Event;
pub use intercept::intercept;
pub use rejected::Rejected;
pub use state::ConvState;
pub use time::Timestamp;
pub use transition::transition;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
