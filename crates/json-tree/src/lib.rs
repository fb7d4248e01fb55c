#![doc = include_str!("../README.md")]
//!
//! Why not `serde_json`? It can't read a text that is still arriving, nor surrogate halves. Two of its features, which any dependency may turn on,
//! also change what it reads. With `raw_value`, an object whose first key is `$serde_json::private::RawValue` is read as JSON inside a string, with
//! a fresh depth limit, so a few kilobytes of nested strings overflow the stack. [`Json`] treats no key specially, so the depth limit holds for the
//! whole text. With `arbitrary_precision`, `serde` receives numbers as such objects; in such a program, use [`Json::parse`], which does not go
//! through `serde`. Numbers are written in the digits in which they were read.
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

/// Used by the macros.
#[doc(hidden)]
pub use ::serde as __serde;
