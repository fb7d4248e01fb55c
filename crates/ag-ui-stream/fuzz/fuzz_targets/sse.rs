//! Bytes in any chunks give the same frames.
#![no_main]

use ag_ui_stream::sse::{Decoder, Frame, SseError};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (bytes, cuts) = input;
    let whole = read(std::iter::once(bytes.as_slice()));
    assert_eq!(read(bytes.chunks(1)), whole, "byte by byte");
    assert_eq!(read(pieces(&bytes, &cuts).into_iter()), whole, "cut at {cuts:?}");
});

/// The bytes in pieces of the given lengths, then what is left.
fn pieces<'a>(mut bytes: &'a [u8], lengths: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for length in lengths {
        let (piece, rest) = bytes.split_at(usize::from(*length).min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces.push(bytes);
    pieces
}

fn read<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> (Vec<Result<Frame, SseError>>, String, Option<u64>) {
    // So short that the limit is met as well.
    let mut decoder = Decoder::with_limit(200);
    let mut frames = Vec::new();
    for chunk in chunks {
        decoder.feed(chunk);
        while let Some(frame) = decoder.next_frame() {
            frames.push(frame);
        }
    }
    frames.extend(decoder.finish());
    (frames, decoder.last_id().to_owned(), decoder.retry())
}
