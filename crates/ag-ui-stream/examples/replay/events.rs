use super::lines::{AskLine, EndLine, WarningLine};
use super::options::Options;
use ag_ui_stream::asks::AskChange;
use ag_ui_stream::reader::{End, EndOutcome};
use ag_ui_stream::warning::Warning;
use ag_ui_stream::{Asks, EventReader, Thread};
use json_tree::JsonText;
use std::collections::HashMap;
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
        printed: HashMap::new(),
    };
    if json {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        // As in server-sent events, bytes that are no UTF-8 spoil no more than the text that they are in.
        let text = String::from_utf8_lossy(&bytes);
        replay.take_events(text.strip_prefix('\u{feff}').unwrap_or(&text), out)?;
    } else {
        let mut buffer = Vec::new();
        while let Some(chunk) = super::next_chunk(input, options, &mut buffer)? {
            replay.reader.feed(chunk);
            replay.print_all(out)?;
        }
    }
    let end = replay.reader.finish();
    replay.print_all(out)?;
    replay.print_end(&end, out)?;
    Ok(matches!(end.outcome, EndOutcome::Completed | EndOutcome::Interrupt | EndOutcome::Cancelled))
}

struct Replay {
    reader: EventReader,
    thread: Thread,
    asks: Option<Asks>,
    now: u64,
    /// The last line of each ask.
    printed: HashMap<String, String>,
}

impl Replay {
    /// Takes a JSON array of events, or events one after the other. What is neither goes to the reader too, which says what is wrong with it.
    fn take_events(&mut self, text: &str, out: &mut impl Write) -> io::Result<()> {
        let text = text.trim_ascii();
        let (mut rest, end) = match text.strip_prefix('[') {
            Some(items) => (items.trim_ascii_start(), "]"),
            None => (text, ""),
        };
        while rest != end {
            let mut events = serde_json::Deserializer::from_str(rest).into_iter::<JsonText>();
            let Some(Ok(event)) = events.next() else {
                break;
            };
            self.reader.feed_json(event.as_str());
            self.print_all(out)?;
            rest = rest[events.byte_offset()..].trim_ascii_start();
            if end == "]" && rest != end {
                // A comma, and an item behind it; anything else is no JSON.
                match rest.strip_prefix(',').map(str::trim_ascii_start) {
                    Some(next) if next != end => rest = next,
                    _ => break,
                }
            }
        }
        if rest != end {
            self.reader.feed_json(rest);
        }
        self.print_all(out)
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
            super::print(out, "event", &event)?;
            self.thread.handle_event(&event);
            while let Some(warning) = self.thread.next_warning() {
                print_warning(&warning, out)?;
            }
            let now = self.now;
            let changes = self.asks.as_mut().map(|asks| asks.handle_event(now, &event));
            self.print_asks(&changes.unwrap_or_default(), out)?;
        }
    }

    /// Prints each ask of which a line has changed.
    fn print_asks(&mut self, changes: &[AskChange], out: &mut impl Write) -> io::Result<()> {
        let ids = changes.iter().map(AskChange::tool_call_id);
        for ask in ids.filter_map(|id| self.asks.as_ref()?.ask(id)) {
            let line = JsonText::of(&AskLine::of(ask))?;
            let printed = self.printed.entry(ask.tool_call_id.clone()).or_default();
            if printed != line.as_str() {
                line.as_str().clone_into(printed);
                super::print(out, "ask", &line)?;
            }
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
        super::print(out, "end", &line)
    }
}

fn print_warning(warning: &Warning, out: &mut impl Write) -> io::Result<()> {
    let line =
        WarningLine { code: warning.code.as_str(), path: warning.path.as_deref(), message: &warning.to_string() };
    super::print(out, "warning", &line)
}

fn clock() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
