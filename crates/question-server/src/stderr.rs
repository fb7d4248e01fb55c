//! The log on stderr, written by a thread of its own: where nobody reads what is there, only the log waits.

use question_server::metrics::Counters;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

/// The number of lines that may wait to be written.
const LINES_AHEAD: usize = 4_096;

/// The time that the last lines are waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// Takes lines for stderr. What finds no place any more is left out, and that is said.
#[derive(Clone, Debug)]
pub(crate) struct Stderr {
    lines: SyncSender<Piece>,
    left_out: Arc<AtomicUsize>,
    counters: Counters,
}

#[derive(Debug)]
enum Piece {
    Line(Vec<u8>),
    /// Everything before it has been written.
    Mark(SyncSender<()>),
}

impl Stderr {
    /// Starts the thread. Lines that are left out are counted.
    ///
    /// # Errors
    /// Where there is none to be had.
    pub(crate) fn start(counters: Counters) -> io::Result<Self> {
        let (lines, todo) = mpsc::sync_channel(LINES_AHEAD);
        let left_out = Arc::new(AtomicUsize::new(0));
        let missing = Arc::clone(&left_out);
        thread::Builder::new().name("log".to_owned()).spawn(move || write_off(&todo, &missing))?;
        Ok(Self { lines, left_out, counters })
    }

    /// Waits until what was logged has been written, for as long as that makes sense.
    pub(crate) fn flush_all(&self) {
        let (mark, written) = mpsc::sync_channel(1);
        if self.lines.try_send(Piece::Mark(mark)).is_ok() {
            // Whether or not it came to that.
            let _ = written.recv_timeout(PATIENCE);
        }
    }
}

impl Write for Stderr {
    /// Takes a whole line, which is how they come.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.lines.try_send(Piece::Line(line.to_vec())).is_err() {
            self.left_out.fetch_add(1, Ordering::Relaxed);
            self.counters.log_lines_dropped.inc();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_off(todo: &Receiver<Piece>, left_out: &AtomicUsize) {
    let mut stderr = io::stderr();
    for piece in todo {
        // What cannot be written is lost, and nobody can be told.
        let _ = match piece {
            Piece::Line(line) => stderr.write_all(&line),
            Piece::Mark(written) => {
                let _ = written.try_send(());
                Ok(())
            }
        };
        let missing = left_out.swap(0, Ordering::Relaxed);
        if missing > 0 {
            let _ = writeln!(stderr, "dropped {missing} log lines: stderr was blocked");
        }
    }
}
