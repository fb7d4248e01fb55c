//! What the person at the terminal sees.

use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::thread::JoinHandle;
use std::time::Duration;

/// Says one thing that happens now; standard error keeps it in step with what cargo prints.
pub(crate) fn say(text: &str) {
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
    if colours() { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
}

/// Text that stands out, where colours are welcome.
pub(crate) fn bold(text: &str) -> String {
    if colours() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

/// `5.2 s` or `3 min 07 s`.
pub(crate) fn duration(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    if seconds < 60 {
        format!("{:.1} s", elapsed.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

/// Shows each line of a child's output behind its name, until the output ends; `seen` gets each line first.
pub(crate) fn show_lines(
    name: &'static str,
    output: impl Read + Send + 'static,
    mut seen: impl FnMut(&str) + Send + 'static,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let prefix = dim(&format!("{name} │"));
        let mut lines = BufReader::new(output);
        let mut line = Vec::new();
        // Bytes, not `lines()`: output that is no UTF-8 must not silence the rest.
        while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end();
            seen(text);
            say(&format!("{prefix} {text}"));
            line.clear();
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well_on_both_sides_of_a_minute() {
        assert_eq!(duration(Duration::from_millis(5_240)), "5.2 s");
        assert_eq!(duration(Duration::from_secs(187)), "3 min 07 s");
    }
}
