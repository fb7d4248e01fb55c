use super::lines;
use super::options::Options;
use ag_ui_stream::asks::AskDelta;
use ag_ui_stream::conversation::Update;
use ag_ui_stream::reader::{End, EndOutcome};
use ag_ui_stream::{Asks, Conversation};
use ask_user_question::tool::NAMES;
use json_tree::Json;
use question_compat::READERS;
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
        conversation: Conversation::new(Asks::new(NAMES, READERS).with_forms(), Vec::new()),
        shows_asks: asks,
        now: options.now.unwrap_or_else(clock),
        printed: HashMap::new(),
        end: None,
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
            replay.conversation.feed(chunk);
            replay.print_all(out)?;
        }
    }
    replay.conversation.finish();
    replay.print_all(out)?;
    let outcome = replay.end.map(|end| end.outcome);
    Ok(matches!(outcome, Some(EndOutcome::Completed | EndOutcome::Interrupt | EndOutcome::Cancelled)))
}

struct Replay {
    conversation: Conversation,
    shows_asks: bool,
    now: u64,
    /// The last line of each ask.
    printed: HashMap<String, String>,
    end: Option<End>,
}

impl Replay {
    /// Takes a JSON array of events, or events one after the other. Any other text goes to the reader too, which reports its error.
    fn take_events(&mut self, text: &str, out: &mut impl Write) -> io::Result<()> {
        let text = text.trim_ascii();
        let (mut rest, end) = match text.strip_prefix('[') {
            Some(items) => (items.trim_ascii_start(), "]"),
            None => (text, ""),
        };
        while rest != end {
            let mut events = serde_json::Deserializer::from_str(rest).into_iter::<Json<'_>>();
            let Some(Ok(event)) = events.next() else {
                break;
            };
            self.conversation.feed_json(&event.text());
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
            self.conversation.feed_json(rest);
        }
        self.print_all(out)
    }

    fn print_all(&mut self, out: &mut impl Write) -> io::Result<()> {
        while let Some(update) = self.conversation.next_update(self.now) {
            match update {
                Update::Event { event, ask, .. } => {
                    super::print(out, "event", event)?;
                    ask.map_or(Ok(()), |delta| self.print_ask(delta, out))?;
                }
                Update::Ask(delta) => self.print_ask(delta, out)?,
                Update::Warning(warning) => super::print(out, "warning", lines::warning(&warning))?,
                Update::End(end) => self.end = Some(end),
                // The end tells a refusal.
                _ => {}
            }
        }
        // The end changes asks, which come before it.
        match &self.end {
            Some(end) => super::print(out, "end", lines::end(end, self.conversation.thread())),
            None => Ok(()),
        }
    }

    /// Prints an ask of which a line has changed.
    fn print_ask(&mut self, delta: AskDelta, out: &mut impl Write) -> io::Result<()> {
        let ask = self.conversation.asks().at(delta.slot);
        if let Some(ask) = ask.filter(|_| self.shows_asks) {
            let line = lines::ask(ask).text();
            let printed = self.printed.entry(ask.tool_call_id.clone()).or_default();
            if *printed != line {
                super::print(out, "ask", &line)?;
                *printed = line;
            }
        }
        Ok(())
    }
}

fn clock() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
