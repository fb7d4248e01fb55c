use crate::lines::{AskLine, EndLine, WarningLine};
use crate::options::Options;
use ag_ui_stream::asks::AskChange;
use ag_ui_stream::reader::{End, EndOutcome};
use ag_ui_stream::warning::Warning;
use ag_ui_stream::{Asks, EventReader, Thread};
use ask_user_question::json::JsonText;
use std::io::{self, Read, Write};
use std::time::SystemTime;

pub(crate) fn replay(
    input: &mut dyn Read,
    options: &Options,
    json: bool,
    asks: bool,
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut replay = Replay {
        reader: EventReader::new(),
        thread: Thread::default(),
        asks: asks.then(Asks::new),
        now: options.now.unwrap_or_else(clock),
    };
    if json {
        let mut text = String::new();
        input.read_to_string(&mut text)?;
        replay.feed_events(&text);
        replay.print_all(out)?;
    } else {
        let mut buffer = Vec::new();
        while let Some(chunk) = crate::next_chunk(input, options, &mut buffer)? {
            replay.reader.feed(chunk);
            replay.print_all(out)?;
        }
    }
    let end = replay.reader.finish();
    replay.print_all(out)?;
    replay.print_end(&end, out)?;
    Ok(matches!(
        end.outcome,
        EndOutcome::Completed | EndOutcome::Interrupt | EndOutcome::Cancelled
    ))
}

struct Replay {
    reader: EventReader,
    thread: Thread,
    asks: Option<Asks>,
    now: u64,
}

impl Replay {
    /// Feeds a JSON array of events, or events one after the other.
    fn feed_events(&mut self, text: &str) {
        if let Ok(events) = serde_json::from_str::<Vec<JsonText>>(text) {
            events
                .into_iter()
                .for_each(|event| self.reader.feed_json(event.as_str()));
            return;
        }
        let mut events = serde_json::Deserializer::from_str(text).into_iter::<JsonText>();
        loop {
            let offset = events.byte_offset();
            match events.next() {
                Some(Ok(event)) => self.reader.feed_json(event.as_str()),
                // The reader says what is wrong with it.
                Some(Err(_)) => return self.reader.feed_json(&text[offset..]),
                None => return,
            }
        }
    }

    fn print_all(&mut self, out: &mut impl Write) -> io::Result<()> {
        loop {
            let event = self.reader.next_event();
            while let Some(warning) = self.reader.next_warning() {
                print_warning(&warning, out)?;
            }
            let Some(Ok(event)) = event else {
                // An error is told by the end.
                return Ok(());
            };
            crate::print(out, "event", &event)?;
            self.thread.handle_event(&event);
            while let Some(warning) = self.thread.next_warning() {
                print_warning(&warning, out)?;
            }
            let now = self.now;
            let changes = self
                .asks
                .as_mut()
                .map(|asks| asks.handle_event(now, &event));
            self.print_asks(&changes.unwrap_or_default(), out)?;
        }
    }

    fn print_asks(&self, changes: &[AskChange], out: &mut impl Write) -> io::Result<()> {
        let mut ids: Vec<&str> = Vec::new();
        for change in changes {
            if !ids.contains(&change.tool_call_id()) {
                ids.push(change.tool_call_id());
            }
        }
        for ask in ids.into_iter().filter_map(|id| self.asks.as_ref()?.ask(id)) {
            crate::print(out, "ask", &AskLine::of(ask))?;
        }
        Ok(())
    }

    fn print_end(&mut self, end: &End, out: &mut impl Write) -> io::Result<()> {
        self.thread.handle_end(end);
        let now = self.now;
        let changes = self.asks.as_mut().map(|asks| asks.handle_end(now, end));
        self.print_asks(&changes.unwrap_or_default(), out)?;
        let line = EndLine {
            outcome: end.outcome,
            messages: self.thread.messages(),
            state: self.thread.state(),
            pending_tool_call_ids: self.thread.pending_tool_call_ids(),
            interrupts: self.thread.open_interrupts(),
            error: end.error.as_ref(),
        };
        crate::print(out, "end", &line)
    }
}

fn print_warning(warning: &Warning, out: &mut impl Write) -> io::Result<()> {
    let line = WarningLine {
        code: warning.code.as_str(),
        path: warning.path.as_deref(),
        message: &warning.message,
    };
    crate::print(out, "warning", &line)
}

fn clock() -> u64 {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
