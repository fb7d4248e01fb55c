//! Server-sent events (<https://html.spec.whatwg.org/multipage/server-sent-events.html>): a decoder that takes any chunks, and an encoder.

mod decoder;
mod encoder;

pub(crate) use decoder::Lines;
pub use decoder::{Decoder, Frame, SseError};
pub use encoder::{EncodeError, OutFrame, write_comment, write_event, write_frame};
