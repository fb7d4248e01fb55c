//! AG-UI without I/O: turns requests into events or refusals, and steps into AG-UI events.
//!
//! - In: [`RunInput::parse`] and [`read`] for `POST /agent`; [`RespondBody::read`], [`CancelBody::is_done`] and
//!   [`AskBody::read`] for REST.
//! - On: [`Conversation::handle`](crate::Conversation::handle) returns effects, from which [`Step::of`] makes messages to store, updates and
//!   work. [`Turn`] makes a message and events from a model's answer.
//! - Out: [`Step::outgoing`] and the functions of [`wire`].
//!
//! Ids are arguments as well, so that this module stays deterministic.

mod bounds;
mod input;
mod intake;
mod refused;
mod rest;
mod step;
mod turn;
mod view;
pub mod wire;

pub use bounds::{
    Bounds, CALL_WEIGHT, MAX_ANSWER_BYTES, MAX_CLIENT_TOOLS, MAX_CLIENT_TOOLS_BYTES, MAX_CONTEXT_BYTES, MAX_ID_BYTES,
};
pub use input::{Edition, Pending, RunInput, check_id};
pub use intake::{check_reply, is_longer, length_of, read};
pub use refused::{Full, Refused};
pub use rest::{AskBody, CancelBody, RespondBody, ask_status};
pub use step::{Outgoing, Step, Work, brought_message};
pub use turn::{AnswerTooLong, Delta, Turn, Usage};
pub use view::View;
