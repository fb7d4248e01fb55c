//! An ask as a chat page receives it: bytes of an AG-UI stream, through the page's conversation.

use crate::asks::AskPatch;
use ag_ui_stream::Conversation;
use ag_ui_stream::conversation::Update;
use ask_user_question::{AskSnapshot, examples};
use serde_json::{Value, json};

/// The arguments of an example, as text.
pub fn arguments(example: &str) -> String {
    let example = examples::by_name(example).expect("an example of that name");
    example.ask.to_string()
}

/// A run with one call, in which the arguments come in these pieces.
pub fn body<'a>(id: &str, pieces: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let args = |delta: &str| json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": delta});
    let begin = [
        json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "run"}),
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "ask_user_question"}),
    ];
    let end = json!({"type": "TOOL_CALL_END", "toolCallId": id});
    let events = begin.into_iter().chain(pieces.into_iter().map(args)).chain([end]);
    let line = |event: Value| format!("data: {event}\n\n").into_bytes();
    events.flat_map(line).collect()
}

/// A text in pieces of this number of characters.
pub fn pieces(text: &str, size: usize) -> Vec<&str> {
    let starts = text.char_indices().map(|(at, _)| at).step_by(size);
    let ends = starts.clone().skip(1).chain([text.len()]);
    starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
}

/// The layers of a chat page between the network and the card.
#[derive(Default)]
pub struct Wire(Conversation);

impl Wire {
    /// The changes that these bytes make to the one ask.
    pub fn takes(&mut self, bytes: &[u8]) -> Vec<AskPatch> {
        self.0.feed(bytes);
        let mut patches = Vec::new();
        while let Some(update) = self.0.next_update(0) {
            match update {
                Update::Ask(delta) | Update::Event { ask: Some(delta), .. } => {
                    let ask = self.0.asks().at(delta.slot).expect("it has begun");
                    patches.push(AskPatch::Follow(Box::new(ask.clone())));
                }
                Update::Refused(error) => panic!("the events keep to the protocol: {error}"),
                _ => {}
            }
        }
        patches
    }

    pub fn ask(&self) -> AskSnapshot {
        self.0.asks().asks().next().cloned().expect("the call has begun")
    }
}
