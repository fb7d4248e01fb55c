//! Every rule about a legal question and a legal answer, shared by card, stream parser, agent and server.
#![warn(clippy::unwrap_used)]

#[cfg(feature = "examples")]
pub mod examples;
pub mod guidance;
pub mod limits;
pub mod matching;
pub mod outcome;
pub mod repair;
pub mod reply;
pub mod snapshot;
pub mod text;
pub mod tool;
pub mod validate;
pub mod wire;

pub use limits::Limits;
pub use outcome::Outcome;
pub use reply::Reply;
pub use snapshot::{AskSnapshot, Phase, Sending};
pub use wire::{AskUserQuestion, Question, QuestionOption};
