//! The chat page, apart from the program that mounts it.

pub mod agent;
pub mod attention;
pub mod bar;
pub mod chat_page;
pub mod composer;
mod conversations;
mod copying;
pub mod draft;
mod effect;
mod field;
pub mod markdown;
mod nodes;
pub mod notice;
pub mod settings;
pub mod shell;

mod tool_name;
pub mod transcript;
pub mod words;

pub use chat_page::ChatPage;

/// The example of AUTHOR.md is compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../AUTHOR.md")]
pub struct Readme;
