//! Reads a stream through the whole library and writes down what it says.

use ag_ui_stream::asks::AskChange;
use ag_ui_stream::warning::Warning;
use ag_ui_stream::{Asks, EventReader, Thread};
use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::{QuestionSnapshot, TextSnapshot};
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;

/// When the streams are read: before every deadline in them.
pub(crate) const NOW: u64 = 1_795_176_000_000;

/// What a stream says, one thing a line.
pub(crate) fn transcript<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut reading = Reading::default();
    for chunk in chunks {
        reading.reader.feed(chunk);
        reading.take_all();
    }
    reading.finish()
}

#[derive(Default)]
struct Reading {
    reader: EventReader,
    thread: Thread,
    asks: Asks,
    /// Copies that know nothing but the patches.
    copies: HashMap<Arc<str>, AskSnapshot>,
    lines: Vec<String>,
}

impl Reading {
    fn take_all(&mut self) {
        loop {
            let event = self.reader.next_event();
            while let Some(warning) = self.reader.next_warning() {
                self.write_warning(&warning);
            }
            let Some(event) = event else {
                return;
            };
            match event {
                Ok(event) => {
                    self.lines.push(format!("event {}", serde_json::to_string(&event).unwrap()));
                    self.thread.handle_event(&event);
                    while let Some(warning) = self.thread.next_warning() {
                        self.write_warning(&warning);
                    }
                    let changes = self.asks.handle_event(NOW, &event);
                    self.write_asks(changes);
                }
                Err(error) => {
                    let index = error.event_index.map(|index| format!(" at event {index}"));
                    self.lines.push(format!("error {}{} {error}", error.code.as_str(), index.unwrap_or_default()));
                }
            }
        }
    }

    fn write_warning(&mut self, warning: &Warning) {
        let path = warning.path.as_deref().unwrap_or("-");
        self.lines.push(format!("warning {} {path} {warning}", warning.code.as_str()));
    }

    fn write_asks(&mut self, changes: Vec<AskChange>) {
        let mut ids: Vec<String> = Vec::new();
        for change in changes {
            if !ids.iter().any(|id| id == change.tool_call_id()) {
                ids.push(change.tool_call_id().to_owned());
            }
            match change {
                AskChange::Opened { tool_call_id } => {
                    self.copies.insert(tool_call_id.clone(), AskSnapshot::new(&*tool_call_id));
                }
                AskChange::Patched { tool_call_id, patch } => self.copies.get_mut(&tool_call_id).unwrap().apply(patch),
            }
        }
        for id in ids {
            let ask = self.asks.ask(&id).unwrap();
            assert_eq!(self.copies[id.as_str()], *ask, "a copy that took every patch differs");
            self.lines.push(ask_line(ask));
        }
    }

    fn finish(mut self) -> String {
        let end = self.reader.finish();
        self.take_all();
        self.thread.handle_end(&end);
        let changes = self.asks.handle_end(NOW, &end);
        self.write_asks(changes);
        self.lines.push(format!("end {:?}", end.outcome).to_lowercase());
        if let Some(error) = &end.error {
            self.lines.push(format!("because {}", json!(error)));
        }
        for message in self.thread.messages() {
            self.lines.push(format!("message {}", serde_json::to_string(message).unwrap()));
        }
        self.lines.push(format!("state {}", self.thread.state()));
        self.lines.push(format!("pending {:?}", self.thread.pending_tool_call_ids()));
        for interrupt in self.thread.open_interrupts() {
            self.lines.push(format!("interrupt {}", interrupt.id));
        }
        self.lines.push(String::new());
        self.lines.join("\n")
    }
}

/// An ask on one line; `*` stands behind what is closed.
fn ask_line(ask: &AskSnapshot) -> String {
    let questions: Vec<String> = ask.questions.iter().map(question_text).collect();
    let outcome = ask.outcome.as_ref().map(|outcome| format!(" {}", outcome.kind().as_str()));
    let expiry = ask.expires_at.map(|deadline| format!(" until {deadline}"));
    format!(
        "ask {} {}{}{} {}",
        ask.tool_call_id,
        ask.phase,
        outcome.unwrap_or_default(),
        expiry.unwrap_or_default(),
        questions.join(" ")
    )
}

fn question_text(question: &QuestionSnapshot) -> String {
    let options: Vec<String> = question
        .options
        .iter()
        .map(|option| {
            let description = option.description.as_ref().map(|text| format!(" ({})", shown(text)));
            format!("{}{}{}", shown(&option.label), description.unwrap_or_default(), mark(option.closed))
        })
        .collect();
    let header = question.header.as_ref().map(|text| format!("{}: ", shown(text)));
    let several = question.multi_select.map(|several| if several { " several" } else { " one" });
    format!(
        "<{}{}{} of [{}]{}>",
        header.unwrap_or_default(),
        shown(&question.question),
        several.unwrap_or_default(),
        options.join(" | "),
        mark(question.closed)
    )
}

fn shown(text: &TextSnapshot) -> String {
    format!("{:?}{}", text.text, mark(text.closed))
}

fn mark(closed: bool) -> &'static str {
    if closed { "*" } else { "" }
}
