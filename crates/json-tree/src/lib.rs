#![doc = include_str!("../README.md")]
//!
//! Why not `serde_json` itself? It can't read a text that is still arriving, nor halves of characters. Its feature `raw_value` is on in
//! most dependency trees. With it, an object whose first key is `$serde_json::private::RawValue` counts as JSON inside a string, which is
//! read with a fresh limit on depth. A few kilobytes of such strings inside each other overflow the stack. A [`Json`] knows no such key, so
//! the limit holds for the whole text. Its feature `arbitrary_precision` tells `serde` numbers as such objects, too: in a program that has it
//! on, read by [`Json::parse`], which knows no `serde`. Numbers are written in the digits in which they were read.
#![warn(clippy::unwrap_used)]

mod error;
mod escape;
mod ids;
mod json;
pub mod members;
mod number;
mod parse;
mod partial;
pub mod pieces;
mod serde;
#[cfg(feature = "serde_json")]
mod value;
mod wire;
mod write;

pub use error::{Error, ErrorKind};
pub use ids::Ids;
pub use json::{Json, NotUnique, parse_unique};
pub use members::Members;
pub use number::{Number, natural};
pub use parse::Halves;
pub use partial::{Bounds, PartialParser, Token};
#[cfg(feature = "serde_json")]
pub use value::{Plain, parse, plain};
pub use wire::WireValue;
pub use write::{write_members, write_text};

/// For the macros.
#[doc(hidden)]
pub use ::serde as __serde;
