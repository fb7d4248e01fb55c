//! The chat page, apart from the program that mounts it.

pub mod agent;
pub mod attention;
pub mod chat_page;
mod composer;
mod conversations;
mod copying;
mod draft;
mod effect;
mod field;
pub mod markdown;
mod nodes;
mod notice;
pub mod settings;
pub mod shell;
mod spoken;
mod tool_name;
mod transcript;
pub mod words;

pub use chat_page::ChatPage;

/// The example of AUTHOR.md is compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../AUTHOR.md")]
pub struct Readme;
