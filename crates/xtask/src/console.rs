//! Output for the person at the terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Prints a message to standard error, where it stays in order with the output of cargo.
pub(crate) fn say(text: &str) {
    // A closed terminal is no reason to stop the work.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints the result of a command to standard output. Errors are ignored, since its reader may close it: `cargo xtask --help | head`.
pub(crate) fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{}", text.trim_end_matches('\n'));
}

/// True if output may have colours: a terminal shows it and `NO_COLOR` is not set.
pub(crate) fn colours() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Dims a text, if output may have colours.
pub(crate) fn dim(text: &str) -> String {
    if colours() { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
}

/// Makes a text bold, if output may have colours.
pub(crate) fn bold(text: &str) -> String {
    if colours() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

/// `0:05`, `12:34`, `61:00`.
pub(crate) fn clock(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// The progress of the work. In a terminal, its last line shows the work under way. Elsewhere, that is printed at every beginning and once a minute.
pub(crate) struct Screen {
    start: Instant,
    shown: Instant,
    terminal: bool,
}

impl Screen {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), shown: Instant::now(), terminal: std::io::stderr().is_terminal() }
    }

    /// Prints that something begins, if this is no terminal.
    pub(crate) fn begin(&self, name: &str) {
        if !self.terminal {
            say(&row("begins", self.start.elapsed(), name));
        }
    }

    /// Shows the work under way in the last line.
    pub(crate) fn show(&mut self, under_way: &str) {
        if self.shown.elapsed() < Duration::from_millis(if self.terminal { 100 } else { 60_000 }) {
            return;
        }
        self.shown = Instant::now();
        let line = row("", self.start.elapsed(), under_way);
        if self.terminal {
            // Without wrapping, so that a narrow terminal cuts the line.
            let _ = write!(std::io::stderr(), "{CLEAR}\x1b[?7l{line}\x1b[?7h");
        } else {
            say(&line);
        }
    }

    /// Prints a line above the last one.
    pub(crate) fn say(&self, line: &str) {
        self.clear();
        say(line);
    }

    fn clear(&self) {
        if self.terminal {
            let _ = write!(std::io::stderr(), "{CLEAR}");
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.clear();
    }
}

pub(crate) fn row(word: &str, elapsed: Duration, what: &str) -> String {
    format!("{word:<8} {:>6}  {what}", clock(elapsed))
}

/// Moves to the beginning of the line, and clears the line.
const CLEAR: &str = "\r\x1b[K";
