use crate::options::Options;
use ag_ui_stream::sse::Decoder;
use serde_json::json;
use std::io::{self, Read, Write};

pub(crate) fn replay(
    input: &mut dyn Read,
    options: &Options,
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut decoder = Decoder::new();
    let mut buffer = Vec::new();
    while let Some(chunk) = crate::next_chunk(input, options, &mut buffer)? {
        decoder.feed(chunk);
        while let Some(frame) = decoder.next_ref() {
            match frame {
                Ok(frame) => crate::print(
                    out,
                    &json!({"frame": {"event": frame.event, "data": frame.data, "id": frame.id}}),
                )?,
                Err(error) => {
                    eprintln!("replay: {error}");
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}
