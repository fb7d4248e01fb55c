//! The endpoint's answer, from bytes to deltas.

use crate::limits::{MAX_ANSWER_BYTES, MAX_IDLE_BYTES};
use crate::models::Delta;
use crate::models::remote::{AnswerError, AnswerReader, error_in, is_cut, judge, note};
use ag_ui_stream::sse::Decoder;
use json_tree::{JsonText, parse};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An answer, as far as it has arrived.
#[derive(Debug)]
pub(super) struct AnthropicReader {
    decoder: Decoder,
    /// The key, which must not be logged.
    key: Option<Arc<str>>,
    /// The endpoint and the model, which alone get their own thoughts back.
    origin: Arc<str>,
    blocks: BTreeMap<u64, Block>,
    /// The endpoint's ids of the calls.
    ids: Vec<Value>,
    input_tokens: u64,
    is_shown: bool,
    /// The stop reason of the endpoint.
    stop_reason: Option<String>,
    is_done: bool,
    /// The bytes since the last content, and those of thoughts.
    idle: usize,
    thoughts: usize,
}

/// A part of the answer.
#[derive(Debug)]
enum Block {
    Text,
    /// A call by its index among the calls, with its arguments so far.
    Call {
        call: usize,
        has_arguments: bool,
        whole: Value,
    },
    /// A thought in the form that goes back to the endpoint.
    Thought(Value),
    Other,
}

impl AnthropicReader {
    /// An answer of which nothing has arrived.
    pub(super) fn new(key: Option<Arc<str>>, origin: Arc<str>) -> Self {
        Self {
            decoder: Decoder::default(),
            key,
            origin,
            blocks: BTreeMap::new(),
            ids: Vec::new(),
            input_tokens: 0,
            is_shown: false,
            stop_reason: None,
            is_done: false,
            idle: 0,
            thoughts: 0,
        }
    }

    fn take(&mut self, event: &Value, deltas: &mut Vec<Delta>) -> Result<(), AnswerError> {
        if let Some(why) = error_in(event) {
            note(&why, self.key.as_deref());
            return Err(AnswerError::broken_off());
        }
        let index = event["index"].as_u64().unwrap_or_default();
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                let usage = &event["message"]["usage"];
                let of = |name: &str| usage[name].as_u64().unwrap_or_default();
                self.input_tokens =
                    of("input_tokens") + of("cache_creation_input_tokens") + of("cache_read_input_tokens");
            }
            "content_block_start" => self.start(index, &event["content_block"], deltas),
            "content_block_delta" => self.grow(index, &event["delta"], deltas),
            "content_block_stop" => self.stop(index, deltas),
            "message_delta" => {
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    self.stop_reason = Some(reason.to_owned());
                }
                if let Some(output) = event["usage"]["output_tokens"].as_u64() {
                    deltas.push(Delta::Usage { input: self.input_tokens, output });
                }
            }
            "message_stop" => self.is_done = true,
            // Pings, and events of later versions.
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, index: u64, block: &Value, deltas: &mut Vec<Delta>) {
        let new = match block["type"].as_str().unwrap_or_default() {
            "text" => {
                self.say(&block["text"], deltas);
                Block::Text
            }
            "tool_use" => {
                self.idle = 0;
                let call = self.ids.len();
                self.ids.push(block["id"].clone());
                let name = block["name"].as_str().unwrap_or_default().to_owned();
                deltas.push(Delta::CallStart { call, name });
                Block::Call { call, has_arguments: false, whole: block["input"].clone() }
            }
            "thinking" | "redacted_thinking" => Block::Thought(block.clone()),
            _ => Block::Other,
        };
        self.blocks.insert(index, new);
    }

    fn say(&mut self, text: &Value, deltas: &mut Vec<Delta>) {
        if let Some(text) = text.as_str().filter(|text| !text.is_empty()) {
            self.idle = 0;
            self.is_shown |= !text.trim().is_empty();
            deltas.push(Delta::Text(text.to_owned()));
        }
    }

    /// Adds a piece to a block. One that is empty, or of no block that is known, is no content.
    fn grow(&mut self, index: u64, delta: &Value, deltas: &mut Vec<Delta>) {
        match self.blocks.get_mut(&index) {
            Some(Block::Text) => self.say(&delta["text"], deltas),
            Some(Block::Call { call, has_arguments, .. }) => {
                if let Some(piece) = delta["partial_json"].as_str().filter(|piece| !piece.is_empty()) {
                    self.idle = 0;
                    *has_arguments = true;
                    deltas.push(Delta::CallArgs { call: *call, delta: piece.to_owned() });
                }
            }
            Some(Block::Thought(thought)) => {
                for name in ["thinking", "signature"] {
                    if let Some(more) = delta[name].as_str().filter(|more| !more.is_empty()) {
                        self.idle = 0;
                        self.thoughts += more.len();
                        let known = thought[name].as_str().unwrap_or_default();
                        thought[name] = format!("{known}{more}").into();
                    }
                }
            }
            Some(Block::Other) | None => {}
        }
    }

    /// Ends a block. A call without arguments gets `{}`, which can be read.
    fn stop(&mut self, index: u64, deltas: &mut Vec<Delta>) {
        if let Some(Block::Call { call, has_arguments, whole }) = self.blocks.get_mut(&index) {
            if !std::mem::replace(has_arguments, true) {
                let delta = if whole.is_object() { json_tree::text(whole) } else { "{}".to_owned() };
                deltas.push(Delta::CallArgs { call: *call, delta });
            }
            deltas.push(Delta::CallEnd { call: *call });
        }
    }
}

impl AnswerReader for AnthropicReader {
    fn feed(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), AnswerError> {
        self.idle += bytes.len();
        self.decoder.feed(bytes);
        while !self.is_done
            && let Some(frame) = self.decoder.next_frame()
        {
            let frame = frame.map_err(|_| AnswerError::unreadable())?;
            let data = frame.data.trim().to_owned();
            if !data.is_empty() {
                let event = parse(&data).map_err(|_| AnswerError::unreadable())?;
                self.take(&event, deltas)?;
            }
        }
        match self.idle > MAX_IDLE_BYTES || self.thoughts > MAX_ANSWER_BYTES {
            true => Err(AnswerError::lasting("The model's answer does not come to an end.")),
            false => Ok(()),
        }
    }

    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), AnswerError> {
        let is_called = !self.ids.is_empty();
        if let Some(error) = judge(self.stop_reason.as_deref(), self.is_shown, is_called) {
            return Err(error);
        }
        if !is_called {
            if is_cut(self.stop_reason.as_deref()) {
                deltas.push(Delta::Cut);
            }
            return Ok(());
        }
        let thoughts = self.blocks.values().filter_map(|block| match block {
            Block::Thought(thought) => Some(thought),
            Block::Text | Block::Call { .. } | Block::Other => None,
        });
        let origin = json!({"from": &*self.origin, "thoughts": thoughts.collect::<Vec<_>>(), "ids": self.ids});
        deltas.push(Delta::Origin(JsonText::of(&origin).expect("a value is JSON")));
        Ok(())
    }

    fn is_whole(&self) -> bool {
        self.is_done || self.stop_reason.is_some()
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn comes_on(&self) -> bool {
        self.idle == 0
    }
}
