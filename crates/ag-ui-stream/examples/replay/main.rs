//! Reads an agent's stream and prints what it says, one JSON object a line. See `--help`.

mod arguments;
mod events;
mod frames;
mod lines;
pub(crate) mod options;
mod so_far;

use options::{Mode, Options};
use std::fmt::Display;
use std::io::{self, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args_os().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{}", options::HELP);
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("replay: {message}\nTry --help.");
            return ExitCode::from(2);
        }
    };
    let read = || {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let good = run(&options, &mut *options.open()?, &mut out)?;
        out.flush().map(|()| good)
    };
    match read() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // The reader of the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("replay: {error}");
            ExitCode::from(2)
        }
    }
}

/// Reads the input and prints what it says; gives whether that is good.
pub(crate) fn run(options: &Options, input: &mut dyn Read, out: &mut impl Write) -> io::Result<bool> {
    match options.mode {
        Mode::Events { json, asks } => events::replay(input, options, json, asks, out),
        Mode::Frames => frames::replay(input, options, out),
        Mode::Arguments { every } => arguments::replay(input, options, every, out),
    }
}

/// The next bytes to feed: as many as were asked for, or as many as are there.
fn next_chunk<'a>(input: &mut dyn Read, options: &Options, buffer: &'a mut Vec<u8>) -> io::Result<Option<&'a [u8]>> {
    let length = match options.chunk {
        Some(chunk) => {
            buffer.clear();
            input.take(chunk).read_to_end(buffer)?
        }
        None => {
            buffer.resize(64 * 1024, 0);
            input.read(buffer)?
        }
    };
    Ok((length > 0).then_some(&buffer[..length]))
}

/// Prints `{"name": value}` of a value that is written as JSON.
fn print(out: &mut impl Write, name: &str, value: impl Display) -> io::Result<()> {
    writeln!(out, "{{\"{name}\":{value}}}")?;
    // A line is for somebody who waits for it.
    out.flush()
}
