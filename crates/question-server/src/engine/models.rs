//! The agent's model: [`scripted`], or one of the crate `question-models`.

pub mod scripted;

pub(crate) use question_models::is_visible;
pub use question_models::{Delta, Model, ModelError, ModelRequest, Picture, Pictures};
