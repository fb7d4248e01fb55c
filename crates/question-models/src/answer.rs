//! An answer, from the events of the vendors' library to deltas.

use crate::calls::Calls;
use crate::ends::{AnswerError, Failure, is_cut, judge, note};
use crate::exchange::Exchange;
use crate::thoughts::AnswerText;
use ask_user_question::tool::NAMES;
use futures_util::StreamExt as _;
use json_tree::Json;
use question_agent::ag_ui::{Delta, MAX_ANSWER_BYTES};
use rig_core::completion::{CompletionResponse, FinishReason};
use rig_core::error::ProviderError;
use rig_core::message::{AssistantContent, Message};
use rig_core::streaming::{CompletionStream, Item, PartKind, StreamEvent};
use serde_json::json;
use std::future::poll_fn;
use std::sync::Arc;
use tracing::dispatcher::{Dispatch, with_default};

pub(crate) struct AnswerReader {
    stream: CompletionStream,
    exchange: Exchange,
    tools: Arc<[String]>,
    text: AnswerText,
    has_text: bool,
    calls: Calls,
    /// The bytes of thoughts.
    thoughts: usize,
    key: Option<Arc<str>>,
    origin: Arc<str>,
}

impl AnswerReader {
    pub(crate) fn new(
        stream: CompletionStream,
        exchange: Exchange,
        tools: Arc<[String]>,
        key: Option<Arc<str>>,
        origin: Arc<str>,
    ) -> Self {
        Self {
            stream,
            exchange,
            text: AnswerText::new(tools.iter().filter(|tool| NAMES.contains(&tool.as_str())).cloned().collect()),
            tools,
            has_text: false,
            calls: Calls::default(),
            thoughts: 0,
            key,
            origin,
        }
    }

    /// Adds the next deltas, with those before an error. Returns true if more may follow.
    pub(crate) async fn read(&mut self, deltas: &mut Vec<Delta>) -> Result<bool, Failure> {
        // The library would log words of users and of endpoints.
        let silent = Dispatch::none();
        let next = poll_fn(|context| with_default(&silent, || self.stream.poll_next_unpin(context))).await;
        match next {
            Some(Ok(Item::Event(event))) => self.take(event, deltas)?,
            Some(Ok(Item::Unknown(_))) => {}
            Some(Err(error)) => return Err(self.failure(&error)),
            None => {
                self.finish(deltas)?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take(&mut self, event: StreamEvent, deltas: &mut Vec<Delta>) -> Result<(), AnswerError> {
        match event {
            StreamEvent::Text { text, .. } => {
                let text = self.text.feed(&text);
                if std::mem::take(&mut self.text.is_unsaid) && std::mem::take(&mut self.has_text) {
                    deltas.push(Delta::Unsaid);
                }
                self.say(text, deltas);
            }
            StreamEvent::Start { part, kind: PartKind::ToolCall, name } => {
                let name = name.as_deref().unwrap_or_default();
                self.calls.start(part.index(), name, &self.tools, deltas);
            }
            StreamEvent::Arguments { part, json } => self.calls.arguments(part.index(), &json, deltas),
            StreamEvent::End { part, content: AssistantContent::ToolCall(call) } => {
                // The library keeps the first piece of a name, and the endpoint's own item has all of it.
                let native = call.native.as_ref().and_then(|native| native.item.pointer("/function/name")?.as_str());
                let name = native.unwrap_or(call.function.name.as_str());
                self.calls.end(part.index(), name, &self.tools, deltas);
            }
            StreamEvent::Reasoning { text, .. } => {
                self.thoughts += text.len();
                if self.thoughts > MAX_ANSWER_BYTES {
                    return Err(AnswerError::endless());
                }
            }
            StreamEvent::Start { .. } | StreamEvent::End { .. } => return Ok(()),
        }
        self.exchange.has_content();
        Ok(())
    }

    fn say(&mut self, text: String, deltas: &mut Vec<Delta>) {
        self.has_text |= !text.trim().is_empty();
        if !text.is_empty() {
            deltas.push(Delta::Text(text));
        }
    }

    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), AnswerError> {
        let (rest, written) = self.text.finish();
        self.say(rest, deltas);
        // The written calls do not count if the model also made proper ones, so that no question is asked twice.
        if self.calls.is_empty() && !written.is_empty() {
            tracing::warn!(calls = written.len(), "model wrote calls into its text");
            written.into_iter().for_each(|(name, arguments)| self.calls.push(name, arguments, deltas));
        }
        let response = self.stream.partial();
        let count = |tokens: Option<u64>| tokens.unwrap_or_default();
        let (input, output) = (count(response.usage.input_tokens), count(response.usage.output_tokens));
        if input + output > 0 {
            deltas.push(Delta::Usage { input, output });
        }
        let reason = reason(&response);
        if let Some(error) = judge(reason.as_deref(), self.has_text, !self.calls.is_empty()) {
            return Err(error);
        }
        if self.calls.is_empty() && is_cut(reason.as_deref()) {
            deltas.push(Delta::Cut);
        }
        deltas.extend(self.origin(&response).map(Delta::Origin));
        Ok(())
    }

    /// The data that the endpoint wants back: its ids of calls, and the thoughts before them.
    fn origin(&self, response: &CompletionResponse) -> Option<Json<'static>> {
        let is_plain =
            |content: &AssistantContent| matches!(content, AssistantContent::Text(_) | AssistantContent::Reasoning(_));
        if response.choice.iter().all(is_plain) {
            return None;
        }
        let Some(Message::Assistant(turn)) = response.message() else {
            return None;
        };
        Some(json!({"from": &*self.origin, "turn": turn}).into())
    }

    fn failure(&self, error: &ProviderError) -> Failure {
        let has_begun = self.has_text || !self.calls.is_empty() || self.thoughts > 0;
        match self.exchange.take_failure() {
            Some(Failure::Refused(refusal)) if has_begun => {
                note(&refusal.said, self.key.as_deref());
                return AnswerError::broken_off().into();
            }
            Some(failure) => return failure,
            None => {}
        }
        let is_whole = self.exchange.is_whole_json();
        Failure::Answer(match error {
            ProviderError::Truncated | ProviderError::Response(_) if is_whole => {
                AnswerError::lasting("The model's endpoint answers with something else than a chat completion.")
            }
            ProviderError::Truncated => AnswerError::cut(),
            ProviderError::Json(_) | ProviderError::Response(_) => AnswerError::unreadable(),
            ProviderError::Request(_) | ProviderError::UnsupportedOption(_) => {
                tracing::warn!(%error, "model request cannot be written");
                AnswerError::lasting("The model cannot be asked this.")
            }
            _ => AnswerError::broken_off(),
        })
    }
}

/// The reason for the end of an answer, in the endpoint's own word if it is known.
fn reason(response: &CompletionResponse) -> Option<String> {
    let raw = ["/stop_reason", "/choices/0/finish_reason", "/candidates/0/finishReason"];
    let word = raw.iter().find_map(|path| response.raw.pointer(path)?.as_str());
    match response.finish_reason() {
        Some(FinishReason::Other(word)) => Some(word),
        Some(FinishReason::ContentFilter) => Some("content_filter".to_owned()),
        Some(FinishReason::Length) => Some("length".to_owned()),
        _ => word.map(str::to_owned),
    }
}
