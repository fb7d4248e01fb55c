//! Replies to an ask.
//!
//! [`Reply::check`] builds a reply from selections, [`Reply::parse`] from its wire form. There is no other constructor, so every reply is valid.

mod answer;
mod check;
mod encode;
mod files;
pub mod flat;
mod message;
mod parse;

pub(crate) use encode::details;
pub(crate) use parse::lenient_details;

pub use answer::{Answer, Given, Reply, Selected, Selection};
pub use message::{MOST_PARTS, SKIPPED_TEXT, picked};
