//! Reads a stream through the whole library and writes down what it says.

use crate::chat::{NOW, unread};
use ag_ui_stream::Conversation;
use ag_ui_stream::asks::AskDelta;
use ag_ui_stream::conversation::Update;
use ag_ui_stream::reader::End;
use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::{QuestionSnapshot, TextSnapshot};
use serde_json::json;

/// The content of a stream, one event or warning a line.
pub(crate) fn transcript<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut reading =
        Reading { conversation: unread(), copies: Vec::new(), changed: Vec::new(), lines: Vec::new(), end: None };
    for chunk in chunks {
        reading.conversation.feed(chunk);
        reading.take_all();
    }
    reading.finish()
}

struct Reading {
    conversation: Conversation,
    /// Copies that follow the deltas, by the asks' positions.
    copies: Vec<AskSnapshot>,
    /// The asks that the last event changed.
    changed: Vec<usize>,
    lines: Vec<String>,
    end: Option<End>,
}

impl Reading {
    fn take_all(&mut self) {
        while let Some(update) = self.conversation.next_update(NOW) {
            let mut grown = None;
            let line = match update {
                Update::Ask(delta) => {
                    self.take_delta(delta);
                    continue;
                }
                Update::Event { event, ask, .. } => {
                    grown = ask;
                    format!("event {}", serde_json::to_string(&event).unwrap())
                }
                Update::Warning(warning) => {
                    let path = warning.path.as_deref().unwrap_or("-");
                    format!("warning {} {path} {warning}", warning.code.as_str())
                }
                Update::Refused(error) => {
                    let index = error.event_index.map(|index| format!(" at event {index}"));
                    format!("error {}{} {error}", error.code.as_str(), index.unwrap_or_default())
                }
                Update::End(end) => {
                    self.end = Some(end);
                    continue;
                }
                other => panic!("{other:?} came from nowhere"),
            };
            self.write_asks();
            self.lines.push(line);
            grown.into_iter().for_each(|delta| self.take_delta(delta));
        }
        for slot in &self.changed {
            let ask = self.conversation.asks().at(*slot);
            assert_eq!(self.copies.get(*slot), ask, "a copy that followed every change differs");
        }
        self.write_asks();
    }

    fn write_asks(&mut self) {
        self.lines.extend(self.changed.drain(..).map(|id| ask_line(&self.copies[id])));
    }

    fn take_delta(&mut self, delta: AskDelta) {
        let ask = self.conversation.asks().at(delta.slot).expect("it has begun");
        if delta.slot == self.copies.len() {
            self.copies.push(AskSnapshot::default());
        }
        let copy = &mut self.copies[delta.slot];
        if delta.begins {
            *copy = AskSnapshot::new(&*ask.tool_call_id);
        }
        copy.follow(ask);
        if !self.changed.contains(&delta.slot) {
            self.changed.push(delta.slot);
        }
    }

    fn finish(mut self) -> String {
        self.conversation.finish();
        self.take_all();
        let end = self.end.expect("what is finished ends");
        self.lines.push(format!("end {:?}", end.outcome).to_lowercase());
        if let Some(error) = &end.error {
            let mut because = json!({"code": error.code(), "message": error.to_string()});
            if let Some(index) = error.event_index() {
                because["eventIndex"] = json!(index);
            }
            self.lines.push(format!("because {because}"));
        }
        let thread = self.conversation.thread();
        for message in thread.messages() {
            self.lines.push(format!("message {}", serde_json::to_string(message).unwrap()));
        }
        self.lines.push(format!("state {}", thread.state()));
        self.lines.push(format!("pending {:?}", thread.pending_tool_call_ids()));
        for interrupt in thread.open_interrupts() {
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
