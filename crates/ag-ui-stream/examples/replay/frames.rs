use super::options::Options;
use ag_ui_stream::sse::Decoder;
use serde::Serialize;
use std::io::{self, Read, Write};

pub(crate) fn replay(input: &mut dyn Read, options: &Options, out: &mut impl Write) -> io::Result<bool> {
    let mut decoder = Decoder::new();
    let mut buffer = Vec::new();
    while let Some(chunk) = super::next_chunk(input, options, &mut buffer)? {
        decoder.feed(chunk);
        while let Some(frame) = decoder.next_ref() {
            match frame {
                Ok(frame) => {
                    let line = Line { event: frame.event, data: &frame.data, id: frame.id };
                    super::print(out, "frame", &line)?;
                }
                Err(error) => {
                    eprintln!("replay: {error}");
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

#[derive(Serialize)]
struct Line<'a> {
    event: &'a str,
    data: &'a str,
    id: &'a str,
}
