//! Examples as streams of a model, through the conversation of a chat page.

use ag_ui_stream::conversation::Update;
use ag_ui_stream::{Asks, Conversation};
use ask_user_question::AskSnapshot;
use ask_user_question::tool::NAMES;
use question_compat::READERS;
use serde_json::json;

/// One call of the tool in one run.
pub(crate) struct ExampleStream {
    id: String,
    conversation: Conversation,
}

impl ExampleStream {
    /// Begins the run and the call.
    pub(crate) fn open(id: &str) -> Self {
        let mut stream = Self {
            id: id.to_owned(),
            conversation: Conversation::new(Asks::new(NAMES, READERS).with_forms(), Vec::new()),
        };
        stream.event(&json!({"type": "RUN_STARTED", "threadId": "gallery", "runId": "run"}));
        stream.event(&json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "ask_user_question"}));
        stream
    }

    /// Appends to the arguments.
    pub(crate) fn feed(&mut self, delta: &str) {
        self.event(&json!({"type": "TOOL_CALL_ARGS", "toolCallId": self.id, "delta": delta}));
    }

    /// Ends the arguments.
    pub(crate) fn end_call(&mut self) {
        self.event(&json!({"type": "TOOL_CALL_END", "toolCallId": self.id}));
    }

    /// Ends the run.
    pub(crate) fn end_run(&mut self) {
        self.event(&json!({"type": "RUN_FINISHED", "threadId": "gallery", "runId": "run"}));
    }

    /// Appends two thirds of the arguments.
    pub(crate) fn with_part_of(mut self, arguments: &str) -> Self {
        let end = arguments.len() * 2 / 3;
        let end = (0..=end).rev().find(|end| arguments.is_char_boundary(*end));
        self.feed(&arguments[..end.unwrap_or(0)]);
        self
    }

    /// The ask if its arguments end here.
    pub(crate) fn ended(mut self) -> AskSnapshot {
        self.end_call();
        self.end_run();
        self.snapshot().clone()
    }

    /// The ask if the connection breaks here.
    pub(crate) fn broken_off(mut self) -> AskSnapshot {
        self.conversation.finish();
        self.take_updates();
        self.snapshot().clone()
    }

    /// The ask as it is now.
    pub(crate) fn snapshot(&self) -> &AskSnapshot {
        self.conversation.asks().ask(&self.id).expect("the call was started")
    }

    fn event(&mut self, event: &serde_json::Value) {
        self.bytes(format!("data: {event}\n\n").as_bytes());
    }

    /// Takes bytes of the response's body.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.conversation.feed(bytes);
        self.take_updates();
    }

    fn take_updates(&mut self) {
        while let Some(update) = self.conversation.next_update(NOW) {
            if let Update::Refused(error) = update {
                panic!("the gallery's own events keep to the protocol: {error}");
            }
        }
    }
}

/// The arguments of an example as in its file, with the members in the order in which a model writes them: a parsed object forgets that
/// order.
pub(crate) fn arguments(file: &'static str) -> &'static str {
    let after = file.split_once("\"ask\":").map_or("", |(_, after)| after);
    let ask = after.trim_end().strip_suffix('}').unwrap_or(after);
    ask.trim()
}

/// Arguments of about this many bytes, in ASCII: four questions of four options, each with its share of the text.
pub(crate) fn arguments_of(size: usize) -> String {
    let texts = 4 + 4 * 4;
    let long = size / texts - 10;
    // Allocated at once, because reallocations would be counted as the card's memory.
    let mut json = String::with_capacity(size + size / 20);
    for question in 0..4 {
        json.push_str(if question == 0 { r#"{"questions":["# } else { "," });
        json.push_str(r#"{"question":""#);
        push_words(&mut json, &format!("Question {question}:"), long);
        json.push_str(&format!(r#"","header":"Part {question}","multiSelect":false,"options":["#));
        for nth in 0..4 {
            let separator = if nth == 0 { "" } else { "," };
            json.push_str(&format!(r#"{separator}{{"label":"Option {nth}","description":""#));
            push_words(&mut json, &format!("What {question}.{nth} means:"), long - 40);
            json.push_str(r#""}"#);
        }
        json.push_str("]}");
    }
    json.push_str("]}");
    json
}

/// Appends a text of nearly this number of bytes.
fn push_words(to: &mut String, first: &str, length: usize) {
    let begin = to.len();
    to.push_str(first);
    while to.len() - begin + 1 < length {
        to.push_str(" word");
    }
}

/// The current time. No ask here has a deadline, so any value will do.
const NOW: u64 = 0;

#[cfg(test)]
mod tests {
    use super::*;
    use ask_user_question::{Phase, examples};
    use serde_json::Value;

    #[test]
    fn the_arguments_in_a_file_are_those_of_the_example() {
        for ((_, file), example) in examples::FILES.iter().zip(examples::all()) {
            let arguments: Value = serde_json::from_str(arguments(file)).expect("an ask ends its file");
            assert_eq!(arguments, example.ask, "{}", example.name);
        }
    }

    #[test]
    fn arguments_of_any_size_are_an_ask_that_can_be_answered() {
        for size in [10_000, 100_000, 1_000_000] {
            let arguments = arguments_of(size);
            let difference = arguments.len().abs_diff(size);
            assert!(difference * 20 < size, "{size}: {}", arguments.len());
            let mut stream = ExampleStream::open("call");
            stream.feed(&arguments);
            let snapshot = stream.ended();
            assert_eq!(snapshot.phase, Phase::Answerable, "{size}");
            assert_eq!(snapshot.questions.len(), 4, "{size}");
        }
    }
}
