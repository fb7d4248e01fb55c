//! The agent's model: [`scripted`], or one of the crate `question-models`.

pub mod scripted;

pub use question_models::{Delta, Model, ModelError, ModelRequest};
