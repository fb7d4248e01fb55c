//! The chat page, apart from the program that mounts it.

pub mod agent;
pub mod attention;
mod cards;
pub mod chat_page;
pub mod composer;
mod effect;
pub mod markdown;
mod nodes;
mod notice;
pub mod settings;
pub mod shell;
mod tool_name;
pub mod transcript;
pub mod words;

pub use chat_page::chat_page;

/// The README's example is compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
