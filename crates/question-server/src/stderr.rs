//! The log on stderr, written by a thread of its own, so that a blocked stderr blocks only the log.

use crate::metrics::Counters;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

/// The most lines that wait to be written.
const LINES_AHEAD: usize = 4_096;

/// The time that the exit waits for the last lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Accepts lines for stderr. Lines that do not fit into the queue are dropped, counted and reported.
#[derive(Clone, Debug)]
pub(crate) struct Stderr {
    lines: SyncSender<Queued>,
    dropped: Arc<AtomicUsize>,
    counters: Counters,
}

#[derive(Debug)]
enum Queued {
    Line(Vec<u8>),
    /// A mark that is signalled once all lines before it have been written.
    Mark(SyncSender<()>),
}

impl Stderr {
    /// Starts the thread. Dropped lines are counted.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(crate) fn start(counters: Counters) -> io::Result<Self> {
        let (lines, todo) = mpsc::sync_channel(LINES_AHEAD);
        let dropped = Arc::new(AtomicUsize::new(0));
        let missing = Arc::clone(&dropped);
        thread::Builder::new().name("log".to_owned()).spawn(move || write_off(&todo, &missing))?;
        Ok(Self { lines, dropped, counters })
    }

    /// Waits until all lines have been written, or the timeout.
    pub(crate) fn flush_all(&self) {
        let (mark, written) = mpsc::sync_channel(1);
        if self.lines.try_send(Queued::Mark(mark)).is_ok() {
            // A timeout changes nothing.
            let _ = written.recv_timeout(FLUSH_TIMEOUT);
        }
    }
}

impl Write for Stderr {
    /// Accepts one line, as the subscriber writes them.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.lines.try_send(Queued::Line(line.to_vec())).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            self.counters.log_lines_dropped.inc();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_off(todo: &Receiver<Queued>, dropped: &AtomicUsize) {
    let mut stderr = io::stderr();
    for piece in todo {
        // A failed write has no place to be reported.
        let _ = match piece {
            Queued::Line(line) => stderr.write_all(&line),
            Queued::Mark(written) => {
                let _ = written.try_send(());
                Ok(())
            }
        };
        let missing = dropped.swap(0, Ordering::Relaxed);
        if missing > 0 {
            let _ = writeln!(stderr, "dropped {missing} log lines: stderr was blocked");
        }
    }
}
