use super::options::Options;
use ag_ui_stream::sse::Decoder;
use json_tree::Json;
use std::io::{self, Read, Write};

pub(crate) fn replay(input: &mut dyn Read, options: &Options, out: &mut impl Write) -> io::Result<bool> {
    let mut decoder = Decoder::new();
    let mut buffer = Vec::new();
    while let Some(chunk) = super::next_chunk(input, options, &mut buffer)? {
        decoder.feed(chunk);
        while let Some(frame) = decoder.next_frame() {
            match frame {
                Ok(frame) => {
                    let (event, data, id) = (frame.event.into(), frame.data.into(), frame.id.into());
                    super::print(out, "frame", Json::object([("event", event), ("data", data), ("id", id)]))?;
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
