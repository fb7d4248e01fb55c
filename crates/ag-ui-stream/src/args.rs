//! Tool-call arguments as they arrive: JSON that is still being written.
//!
//! [`ArgsParser`] takes the text in any pieces and tells what each piece adds; a piece costs its own length, whatever came before.
//! [`ArgsValue`] keeps the value that this adds up to. Both take exactly what `serde_json` takes of the whole text.

mod number;
mod parser;
mod value;

pub use parser::{ArgsError, ArgsErrorKind, ArgsEvent, ArgsLimits, ArgsParser};
pub use value::ArgsValue;
