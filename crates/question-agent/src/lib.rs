#![doc = include_str!("../README.md")]
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
