//! The agent side of asking a user: a state machine for a conversation that can wait. It says which tools are offered, and checks each call of
//! the asking tool before it runs.
//!
//! Nothing here does I/O, reads a clock or makes an id. An adapter feeds [`Event`]s to a [`Conversation`] and carries out the [`Effect`]s it
//! gets back; one of them is [`Effect::ExecuteTool`], which begins with [`intercept()`].
#![warn(clippy::unwrap_used)]

#[cfg(feature = "ag-ui")]
pub mod ag_ui;
pub mod call;
pub mod conversation;
pub mod effect;
pub mod event;
pub mod intercept;
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
