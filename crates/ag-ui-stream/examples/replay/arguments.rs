use super::options::Options;
use super::so_far::SoFar;
use json_tree::{Json, PartialParser};
use std::io::{self, Read, Write};

pub(crate) fn replay(input: &mut dyn Read, options: &Options, every: bool, out: &mut impl Write) -> io::Result<bool> {
    let mut arguments = Arguments::default();
    let mut buffer = Vec::new();
    while let Some(chunk) = super::next_chunk(input, options, &mut buffer)? {
        arguments.feed(chunk);
        if every {
            arguments.print(out)?;
        }
    }
    arguments.finish();
    arguments.print(out)?;
    Ok(arguments.error.is_none())
}

#[derive(Default)]
struct Arguments {
    parser: PartialParser,
    value: SoFar,
    /// The beginning of a character that the chunk cut in two.
    cut: Vec<u8>,
    taken: usize,
    error: Option<Json<'static>>,
}

impl Arguments {
    fn feed(&mut self, chunk: &[u8]) {
        if self.error.is_some() {
            return;
        }
        self.cut.extend_from_slice(chunk);
        let (length, broken) = match std::str::from_utf8(&self.cut) {
            Ok(text) => (text.len(), false),
            Err(error) => (error.valid_up_to(), error.error_len().is_some()),
        };
        let rest = self.cut.split_off(length);
        let bytes = std::mem::replace(&mut self.cut, rest);
        let text = String::from_utf8_lossy(&bytes);
        if let Err(error) = self.parser.feed(&text, |token| self.value.take(&token)) {
            self.error = Some(fault(&error.kind.to_string(), error.offset));
        } else if broken {
            self.error = Some(fault("not UTF-8", self.taken + length));
        }
        self.taken += length;
    }

    fn finish(&mut self) {
        if self.error.is_none() && !self.cut.is_empty() {
            self.error = Some(fault("not UTF-8", self.taken));
        }
        if self.error.is_none()
            && let Err(error) = self.parser.finish(|token| self.value.take(&token))
        {
            self.error = Some(fault(&error.kind.to_string(), error.offset));
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let is_whole = self.error.is_none() && self.value.is_complete();
        let report = Json::object([
            ("value", self.value.json().unwrap_or_default().into_unique()),
            ("complete", is_whole.into()),
            ("error", self.error.clone().unwrap_or_default()),
        ]);
        writeln!(out, "{report}")?;
        out.flush()
    }
}

fn fault(message: &str, offset: usize) -> Json<'static> {
    Json::object([("message", message.into()), ("offset", offset.into())])
}
