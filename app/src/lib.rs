//! The chat page, apart from the program that mounts it.

pub mod chat_page;
pub mod composer;
pub mod growing_text;
pub mod transcript;
mod words;

pub use chat_page::ChatPage;
