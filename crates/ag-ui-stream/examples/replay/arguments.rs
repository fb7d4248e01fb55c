use crate::options::Options;
use ag_ui_stream::args::ArgsValue;
use serde_json::{Value, json};
use std::io::{self, Read, Write};

pub(crate) fn replay(
    input: &mut dyn Read,
    options: &Options,
    every: bool,
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut arguments = Arguments::default();
    let mut buffer = Vec::new();
    while let Some(chunk) = crate::next_chunk(input, options, &mut buffer)? {
        arguments.feed(chunk);
        if every {
            crate::print(out, &arguments.report())?;
        }
    }
    arguments.finish();
    crate::print(out, &arguments.report())?;
    Ok(arguments.error.is_none())
}

#[derive(Default)]
struct Arguments {
    value: ArgsValue,
    /// The beginning of a character that the chunk cut in two.
    cut: Vec<u8>,
    taken: usize,
    error: Option<(String, usize)>,
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
        if let Err(error) = self.value.feed(&text) {
            self.error = Some((error.kind.to_string(), error.offset));
        } else if broken {
            self.error = Some(("not UTF-8".to_owned(), self.taken + length));
        }
        self.taken += length;
    }

    fn finish(&mut self) {
        if self.error.is_none() && !self.cut.is_empty() {
            self.error = Some(("not UTF-8".to_owned(), self.taken));
        }
        if self.error.is_none()
            && let Err(error) = self.value.finish()
        {
            self.error = Some((error.kind.to_string(), error.offset));
        }
    }

    fn report(&self) -> Value {
        let complete = self.error.is_none() && self.value.is_complete();
        let error = self
            .error
            .as_ref()
            .map(|(message, offset)| json!({"message": message, "offset": offset}));
        json!({"value": self.value.value(), "complete": complete, "error": error})
    }
}
