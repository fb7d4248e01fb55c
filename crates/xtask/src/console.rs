//! What the person at the terminal sees.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Says one thing that happens now; standard error keeps it in step with what cargo prints.
pub(crate) fn say(text: &str) {
    if cfg!(test) {
        // The harness keeps this for a test that fails.
        return eprintln!("{text}");
    }
    // A closed terminal is no reason to stop what is under way.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// True if colours are welcome: a terminal is watching and `NO_COLOR` is not set.
pub(crate) fn colours() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stderr().is_terminal() && !refused
}

/// Text that steps back, where colours are welcome.
pub(crate) fn dim(text: &str) -> String {
    styled("2", text)
}

/// Text that stands out, where colours are welcome.
pub(crate) fn bold(text: &str) -> String {
    styled("1", text)
}

fn styled(code: &str, text: &str) -> String {
    if colours() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// `0:05`, `12:34`; as wide for an hour.
pub(crate) fn clock(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    format!("{:>3}:{:02}", seconds / 60, seconds % 60)
}

/// The terminal's last line tells what is under way; other lines take its place. Without a terminal, it is printed once a minute and at
/// every beginning.
pub(crate) struct Screen {
    start: Instant,
    shown: Option<Instant>,
    terminal: bool,
}

impl Screen {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), shown: None, terminal: std::io::stderr().is_terminal() }
    }

    /// Says that something begins, where no line shows it.
    pub(crate) fn begin(&self, name: &str) {
        if !self.terminal {
            say(&format!("begins   {}  {name}", clock(self.start.elapsed())));
        }
    }

    /// Shows what is under way.
    pub(crate) fn show(&mut self, under_way: &str) {
        let interval = Duration::from_millis(if self.terminal { 100 } else { 60_000 });
        if self.shown.get_or_insert_with(Instant::now).elapsed() < interval {
            return;
        }
        self.shown = Some(Instant::now());
        let line = format!("         {}  {under_way}", clock(self.start.elapsed()));
        if self.terminal {
            // Cut off, not wrapped, where the terminal is narrow.
            let _ = write!(std::io::stderr(), "{CLEAR}\x1b[?7l{line}\x1b[?7h");
        } else {
            say(&line);
        }
    }

    /// Says how something ended.
    pub(crate) fn end(&self, line: &str) {
        self.clear();
        say(line);
    }

    /// Shows the output of `name`.
    pub(crate) fn quote(&self, name: &str, output: &str) {
        if !output.is_empty() {
            self.clear();
            say(&format!("── {name} ──\n{output}"));
        }
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

/// To the beginning of the line, and nothing behind.
const CLEAR: &str = "\r\x1b[K";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_counts_minutes() {
        assert_eq!(clock(Duration::from_millis(5_940)), "  0:05");
        assert_eq!(clock(Duration::from_secs(60 * 60 + 7)), " 60:07");
    }
}
