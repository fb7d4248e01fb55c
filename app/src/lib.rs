//! The chat page, apart from the program that mounts it.

pub mod chat_page;
pub mod composer;
pub mod growing_text;
pub mod transcript;

pub use chat_page::ChatPage;
