//! A Leptos card for a question that an AI agent asks with the tool `ask_user_question`.
//!
//! [`QuestionCard`] shows one ask from the first byte of its streamed arguments to its [`Receipt`]. The host keeps an
//! [`AskSnapshot`](ask_user_question::AskSnapshot) in a signal, applies patches to it, and is told once what the user answered.

pub mod anatomy;
pub mod card;
pub mod dom;
mod draft;
mod keyboard;
pub mod labels;
pub mod receipt;
pub mod stylesheet;

pub use ask_user_question::snapshot::Sending;
pub use card::{QuestionCard, SubmitMode};
pub use labels::Labels;
pub use receipt::Receipt;
pub use stylesheet::{STYLESHEET, adopt_styles};
