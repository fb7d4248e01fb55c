//! The endpoint's answer, from bytes to deltas.

mod brackets;
mod calls;
mod names;
mod text;
mod written;

use crate::limits::{MAX_ANSWER_BYTES, MAX_IDLE_BYTES};
use crate::models::Delta;
use crate::models::remote::{AnswerError, AnswerReader, error_in, is_cut, judge, note};
use ag_ui_stream::sse::Decoder;
use brackets::Brackets;
use calls::PartialCalls;
use json_tree::{JsonText, parse};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use text::{AnswerText, TextEnd};

/// The longest answer that is read in one piece, in bytes.
const MAX_WHOLE_BYTES: usize = 4 << 20;

/// An answer, as far as it has arrived.
#[derive(Debug, Default)]
pub(super) struct OpenAiReader {
    body: AnswerBody,
    text: AnswerText,
    calls: PartialCalls,
    /// The members of its message that go back to the endpoint.
    members: Map<String, Value>,
    /// The finish reason of the endpoint.
    finish_reason: Option<String>,
    /// True if no more can follow.
    is_done: bool,
    /// The bytes since the last content, and those of thoughts.
    idle: usize,
    thoughts: usize,
    context: ReaderContext,
}

/// The parts of a request that its answer is read with.
#[derive(Clone, Debug, Default)]
pub(super) struct ReaderContext {
    /// The key, which must not be logged.
    pub(super) key: Option<Arc<str>>,
    /// The names that the model may call.
    pub(super) tools: Vec<String>,
    /// The endpoint and the model, which alone get their own members back.
    pub(super) origin: Arc<str>,
}

/// The kind of body, known by its first character.
#[derive(Debug, Default)]
enum AnswerBody {
    #[default]
    NotYetKnown,
    /// The stream that was asked for.
    Stream(Box<Decoder>),
    /// JSON: some endpoints do not stream answers with tools.
    Whole(WholeBody),
}

/// JSON that arrives.
#[derive(Debug, Default)]
struct WholeBody {
    bytes: Vec<u8>,
    brackets: Brackets,
}

impl OpenAiReader {
    /// An answer of which nothing has arrived.
    pub(super) fn new(context: ReaderContext) -> Self {
        Self { context, ..Self::default() }
    }

    fn read_frames(&mut self, deltas: &mut Vec<Delta>) -> Result<(), AnswerError> {
        while let AnswerBody::Stream(decoder) = &mut self.body
            && !self.is_done
            && let Some(frame) = decoder.next_frame()
        {
            let frame = frame.map_err(|_| AnswerError::unreadable())?;
            let data = frame.data.trim();
            if data == "[DONE]" {
                self.is_done = true;
                continue;
            }
            if data.is_empty() {
                continue;
            }
            let chunk = parse(data).map_err(|_| AnswerError::unreadable())?;
            if let Some(why) = error_in(&chunk).or_else(|| (frame.event == "error").then(|| data.to_owned())) {
                note(&why, self.context.key.as_deref());
                return Err(AnswerError::broken_off());
            }
            self.take_usage(&chunk, deltas);
            // The chunk with the usage has no choice.
            let choice = &chunk["choices"][0];
            self.take(&choice["delta"], deltas);
            self.take_end(choice);
        }
        Ok(())
    }

    /// Reads an answer in one piece, once it has arrived.
    fn read_whole(&mut self, deltas: &mut Vec<Delta>) -> Result<(), AnswerError> {
        let AnswerBody::Whole(whole) = &mut self.body else {
            return Ok(());
        };
        let bytes = std::mem::take(&mut whole.bytes);
        let answer =
            str::from_utf8(&bytes).ok().and_then(|text| parse(text).ok()).ok_or_else(AnswerError::unreadable)?;
        if let Some(why) = error_in(&answer) {
            note(&why, self.context.key.as_deref());
            return Err(AnswerError::retryable("The model's endpoint refuses."));
        }
        let choice = &answer["choices"][0];
        if !choice["message"].is_object() {
            let why = "The model's endpoint answers with something else than a chat completion.";
            return Err(AnswerError::lasting(why));
        }
        self.take_usage(&answer, deltas);
        self.take(&choice["message"], deltas);
        self.take_end(choice);
        Ok(())
    }

    fn take(&mut self, said: &Value, deltas: &mut Vec<Delta>) {
        let before = deltas.len();
        self.take_content(&said["content"], deltas);
        // A refusal is the model's own word for the user.
        self.take_content(&said["refusal"], deltas);
        for (name, value) in said.as_object().into_iter().flatten() {
            self.keep(name, value);
        }
        for piece in said["tool_calls"].as_array().into_iter().flatten() {
            self.idle = 0;
            self.calls.take(piece, &self.context.tools, deltas);
        }
        // The form of 2023.
        if said["function_call"].is_object() {
            let piece = json!({"index": 0, "function": said["function_call"]});
            self.calls.take(&piece, &self.context.tools, deltas);
        }
        if deltas.len() > before {
            self.idle = 0;
        }
    }

    /// Text, or a list of parts, of which some are thoughts.
    fn take_content(&mut self, content: &Value, deltas: &mut Vec<Delta>) {
        let parts = content.as_array().into_iter().flatten();
        let texts =
            parts.filter(|part| part["type"].as_str().is_none_or(|kind| kind == "text" || kind == "output_text"));
        let texts = texts.filter_map(|part| part["text"].as_str().or_else(|| part.as_str()));
        for text in content.as_str().into_iter().chain(texts) {
            let shown = self.text.feed(text);
            if !shown.is_empty() {
                deltas.push(Delta::Text(shown));
            }
        }
    }

    /// Keeps thoughts, which go back to their endpoint.
    fn keep(&mut self, name: &str, value: &Value) {
        match (name, value) {
            (_, Value::Null) => {}
            ("reasoning_content" | "reasoning", Value::String(text)) => {
                self.thoughts += text.len();
                self.idle = 0;
                match self.members.get_mut(name) {
                    Some(Value::String(known)) => known.push_str(text),
                    _ => {
                        self.members.insert(name.to_owned(), value.clone());
                    }
                }
            }
            ("reasoning_details", Value::Array(details)) => {
                self.thoughts += json_tree::text(value).len();
                self.idle = 0;
                match self.members.get_mut(name) {
                    Some(Value::Array(known)) => details.iter().for_each(|detail| join(known, detail)),
                    _ => {
                        self.members.insert(name.to_owned(), value.clone());
                    }
                }
            }
            // Thought signatures of answers without calls.
            ("extra_content", Value::Object(_)) => {
                self.members.insert(name.to_owned(), value.clone());
            }
            _ => {}
        }
    }

    fn take_usage(&self, chunk: &Value, deltas: &mut Vec<Delta>) {
        let tokens = |name: &str| chunk["usage"][name].as_u64().unwrap_or_default();
        let (input, output) = (tokens("prompt_tokens"), tokens("completion_tokens"));
        if input + output > 0 {
            deltas.push(Delta::Usage { input, output });
        }
    }

    fn take_end(&mut self, choice: &Value) {
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            self.finish_reason = Some(reason.to_owned());
        }
    }
}

/// Adds a piece to a list of thoughts, to the last one if it continues that.
fn join(known: &mut Vec<Value>, detail: &Value) {
    let goes_on =
        |last: &Value| last["index"] == detail["index"] && last["type"] == detail["type"] && !last["index"].is_null();
    let Some(Value::Object(last)) = known.last_mut().filter(|last| goes_on(last)) else {
        known.push(detail.clone());
        return;
    };
    for (name, value) in detail.as_object().into_iter().flatten() {
        match (last.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more))
                if ["text", "summary", "data"].contains(&name.as_str()) =>
            {
                text.push_str(more);
            }
            (_, Value::Null) => {}
            _ => {
                last.insert(name.clone(), value.clone());
            }
        }
    }
}

impl AnswerReader for OpenAiReader {
    fn feed(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), AnswerError> {
        if let AnswerBody::NotYetKnown = self.body {
            match bytes.trim_ascii_start().first() {
                None => {}
                Some(b'{' | b'[') => self.body = AnswerBody::Whole(WholeBody::default()),
                Some(b'<') => {
                    let why = "The model's endpoint answers with a web page. Its address may be wrong.";
                    return Err(AnswerError::lasting(why));
                }
                Some(_) => self.body = AnswerBody::Stream(Box::default()),
            }
        }
        self.idle += bytes.len();
        match &mut self.body {
            // Only white space can follow.
            _ if self.is_done => {}
            AnswerBody::NotYetKnown => {}
            AnswerBody::Stream(decoder) => {
                decoder.feed(bytes);
                self.read_frames(deltas)?;
            }
            AnswerBody::Whole(whole) => {
                whole.bytes.extend_from_slice(bytes);
                whole.brackets.feed(bytes);
                if whole.brackets.are_closed {
                    self.is_done = true;
                    self.read_whole(deltas)?;
                } else if whole.bytes.len() > MAX_WHOLE_BYTES {
                    return Err(AnswerError::unreadable());
                }
                return Ok(());
            }
        }
        match self.idle > MAX_IDLE_BYTES || self.thoughts > MAX_ANSWER_BYTES {
            true => Err(AnswerError::lasting("The model's answer does not come to an end.")),
            false => Ok(()),
        }
    }

    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), AnswerError> {
        self.calls.finish(&self.context.tools, deltas);
        match self.text.finish(&self.context.tools) {
            TextEnd::Text(rest) if rest.is_empty() => {}
            TextEnd::Text(rest) => deltas.push(Delta::Text(rest)),
            // A call that was also written as text runs once.
            TextEnd::Calls(_) if !self.calls.is_empty() => {}
            TextEnd::Calls(calls) => {
                tracing::warn!(calls = calls.len(), "model wrote calls into its text; taken as calls");
                for call in calls {
                    self.calls.push(call.name, call.arguments, deltas);
                }
            }
            TextEnd::Hidden => tracing::warn!("model wrote markup into its text; hidden from the user"),
        }
        if let Some(error) = judge(self.finish_reason.as_deref(), self.text.is_shown(), !self.calls.is_empty()) {
            return Err(error);
        }
        if self.calls.is_empty() && is_cut(self.finish_reason.as_deref()) {
            deltas.push(Delta::Cut);
        }
        let calls = self.calls.origins();
        let is_plain = |call: &Value| call["id"].is_null() && call["members"] == json!({});
        if !self.members.is_empty() || !calls.iter().all(is_plain) {
            let origin = json!({"from": &*self.context.origin, "members": self.members, "calls": calls});
            deltas.push(Delta::Origin(JsonText::of(&origin).expect("a value is JSON")));
        }
        Ok(())
    }
    fn is_whole(&self) -> bool {
        self.is_done || self.finish_reason.is_some()
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn comes_on(&self) -> bool {
        self.idle == 0
    }
}
