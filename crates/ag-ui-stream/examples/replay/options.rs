use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Reads an agent's stream of AG-UI events and prints what it says, one JSON object a line.

Usage: replay [OPTIONS] [FILE]        (standard input without FILE, or with -)

  --chunk N   feed N bytes at a time (default: all at once), to see that the result is the same
  --json      FILE holds events as a JSON array or one after the other, not server-sent events
  --asks      print the asks too, at every change
  --now MS    the time by which asks expire, in milliseconds since 1970 (default: the clock's)
  --frames    stop after server-sent events, strictly as WHATWG has them: a last frame without
              a blank line is dropped
  --args      FILE holds the arguments of a tool call: any JSON text
  --every     with --args: print after each chunk too
  --help      print this

Lines, in order:
  {\"event\": …}      each event as delivered: verified, chunks expanded, unknown properties stripped
  {\"warning\": {\"code\", \"path\"?, \"message\"}}
                    what was tolerated; a warning stands before the event that it is about
  {\"ask\": {\"toolCallId\", \"phase\", \"questions\": [{\"question\", \"header\"?, \"multiSelect\",
           \"options\": [{\"label\", \"description\"?, \"closed\"}], \"closed\"}]}}
                    whenever it differs from the line before; phase is streaming, ready,
                    malformed, answerable, answered, declined, superseded, expired or
                    interrupted; multiSelect is false until it is known
  {\"end\": {\"outcome\", \"messages\", \"state\", \"pendingToolCallIds\", \"interrupts\",
           \"error\": null | {\"code\", \"message\", \"eventIndex\"?}}}
                    last; outcome is completed, interrupt, cancelled, error, truncated or rejected
With --frames:
  {\"frame\": {\"event\", \"data\", \"id\"}}
With --args, once at the end (and with --every after each chunk):
  {\"value\", \"complete\", \"error\": null | {\"message\", \"offset\"}}
                    value is what has arrived, null while nothing has

Exit status: 0 completed, interrupt, cancelled (--args: complete), 1 error, truncated, rejected
(--args: not JSON), 2 wrong usage or a file that cannot be read.
";

/// The parsed command line.
pub(crate) struct Options {
    pub(crate) mode: Mode,
    /// The number of bytes to feed at a time; if absent, all that are there, as soon as they are.
    pub(crate) chunk: Option<u64>,
    /// Absent means: the clock's.
    pub(crate) now: Option<u64>,
    file: Option<PathBuf>,
}

#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Events { json: bool, asks: bool },
    Frames,
    Arguments { every: bool },
}

impl Options {
    /// `None` where only help is wanted.
    pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Option<Self>, String> {
        let (mut json, mut asks, mut frames, mut args, mut every) = (false, false, false, false, false);
        let (mut chunk, mut now, mut file) = (None, None, None);
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            match argument.to_str() {
                Some("--json") => json = true,
                Some("--asks") => asks = true,
                Some("--frames") => frames = true,
                Some("--args") => args = true,
                Some("--every") => every = true,
                Some("--help" | "-h") => return Ok(None),
                Some("--chunk") => chunk = Some(number(arguments.next(), "--chunk", 1)?),
                Some("--now") => now = Some(number(arguments.next(), "--now", 0)?),
                Some("-") if file.is_none() => file = Some(None),
                Some(option) if option.starts_with("--") => {
                    return Err(format!("unknown option {option}"));
                }
                _ if file.is_none() => file = Some(Some(PathBuf::from(argument))),
                _ => return Err("more than one file".to_owned()),
            }
        }
        let mode = match (frames, args) {
            (true, true) => return Err("--frames and --args exclude each other".to_owned()),
            (true, false) | (false, true) if json || asks => {
                return Err("--frames and --args go without --json and --asks".to_owned());
            }
            (_, false) if every => return Err("--every goes with --args".to_owned()),
            (true, false) => Mode::Frames,
            (false, true) => Mode::Arguments { every },
            (false, false) => Mode::Events { json, asks },
        };
        Ok(Some(Self {
            mode,
            // Chunks show in the output of --every.
            chunk: chunk.or(every.then_some(u64::MAX)),
            now,
            file: file.flatten(),
        }))
    }

    pub(crate) fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match &self.file {
            Some(path) => {
                let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
                Box::new(File::open(path).map_err(named)?)
            }
            None => Box::new(io::stdin().lock()),
        })
    }
}

fn number(argument: Option<OsString>, option: &str, least: u64) -> Result<u64, String> {
    let number = argument.as_ref().and_then(|argument| argument.to_str()).and_then(|text| text.parse().ok());
    number.filter(|number| *number >= least).ok_or_else(|| format!("{option} needs a number from {least} on"))
}
