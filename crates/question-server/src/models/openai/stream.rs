//! The endpoint's answer, from bytes to deltas.

use crate::models::Delta;
use ag_ui_stream::sse::Decoder;
use ask_user_question::json::parse;
use serde_json::Value;
use std::collections::BTreeSet;

/// The longest error text that is told, in characters.
const MAX_ERROR_CHARS: usize = 300;

/// An answer, as far as it has arrived.
#[derive(Debug, Default)]
pub(super) struct Reading {
    decoder: Decoder,
    /// The calls that have begun, by the ids that the endpoint gave them, where it did.
    calls: Vec<Option<String>>,
    begun: BTreeSet<usize>,
    is_whole: bool,
}

impl Reading {
    /// Whether the endpoint has said that this is all.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Takes bytes and gives what they bring, the deltas before an error too.
    ///
    /// # Errors
    /// Why the answer goes no further, in words for the user.
    pub(super) fn feed(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), String> {
        self.decoder.feed(bytes);
        while let Some(frame) = self.decoder.next_frame() {
            let unreadable = || "The model's answer cannot be read.".to_owned();
            let data = frame.map_err(|_| unreadable())?.data;
            if data.trim() == "[DONE]" {
                self.is_whole = true;
                continue;
            }
            if let Some(why) = error_in(&data) {
                return Err(format!("The model broke off: {why}"));
            }
            let chunk = parse(&data).map_err(|_| unreadable())?;
            self.take(&chunk, deltas);
        }
        Ok(())
    }

    fn take(&mut self, chunk: &Value, deltas: &mut Vec<Delta>) {
        // The chunk that tells the usage has no choice.
        let choice = &chunk["choices"][0];
        if let Some(text) = choice["delta"]["content"].as_str() {
            deltas.push(Delta::Text(text.to_owned()));
        }
        for piece in choice["delta"]["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
        {
            self.take_call(piece, deltas);
        }
        self.is_whole |= choice["finish_reason"].is_string();
    }

    fn take_call(&mut self, piece: &Value, deltas: &mut Vec<Delta>) {
        let call = self.index_of(piece);
        let function = &piece["function"];
        if let Some(name) = function["name"].as_str().filter(|name| !name.is_empty())
            && self.begun.insert(call)
        {
            let name = name.to_owned();
            deltas.push(Delta::CallStart { call, name });
        }
        if let Some(delta) = function["arguments"]
            .as_str()
            .filter(|delta| !delta.is_empty())
        {
            let delta = delta.to_owned();
            deltas.push(Delta::CallArgs { call, delta });
        }
    }

    /// Some endpoints leave the index out: then an id that is new begins a call, and everything else goes on with the last.
    fn index_of(&mut self, piece: &Value) -> usize {
        let index = piece["index"]
            .as_u64()
            .and_then(|index| usize::try_from(index).ok());
        if let Some(index) = index {
            return index;
        }
        let id = piece["id"]
            .as_str()
            .filter(|id| !id.is_empty())
            .map(str::to_owned);
        let known = id
            .as_ref()
            .and_then(|id| self.calls.iter().position(|call| call.as_ref() == Some(id)));
        if let Some(known) = known {
            return known;
        }
        if id.is_some() || self.calls.is_empty() {
            self.calls.push(id);
        }
        self.calls.len() - 1
    }
}

/// The error that a body or a chunk tells, cut to a readable length.
pub(super) fn error_in(json: &str) -> Option<String> {
    let json = parse(json).ok()?;
    let error = json.get("error").filter(|error| !error.is_null())?;
    let text = error["message"]
        .as_str()
        .or_else(|| error.as_str())
        .unwrap_or("no reason given");
    Some(text.chars().take(MAX_ERROR_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::Reading;
    use crate::models::Delta;

    fn feed(reading: &mut Reading, stream: &str) -> Result<Vec<Delta>, String> {
        let mut deltas = Vec::new();
        reading.feed(stream.as_bytes(), &mut deltas)?;
        Ok(deltas)
    }

    fn call(call: usize, name: &str) -> Delta {
        Delta::CallStart {
            call,
            name: name.to_owned(),
        }
    }

    fn args(call: usize, delta: &str) -> Delta {
        Delta::CallArgs {
            call,
            delta: delta.to_owned(),
        }
    }

    #[test]
    fn calls_without_an_index_are_told_apart_by_their_ids() {
        let stream = r#"
data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"one","arguments":"{"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"two","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}

"#;
        let mut reading = Reading::default();
        let deltas = feed(&mut reading, stream).expect("it can be read");
        assert_eq!(
            deltas,
            [
                call(0, "one"),
                args(0, "{"),
                args(0, "}"),
                call(1, "two"),
                args(1, "{}")
            ]
        );
        assert!(reading.is_whole());
    }

    #[test]
    fn a_name_that_is_repeated_begins_nothing_new() {
        let chunk = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"one\",\"arguments\":\"1\"}}]}}]}\n\n";
        let mut reading = Reading::default();
        let deltas = feed(&mut reading, &chunk.repeat(2)).expect("it can be read");
        assert_eq!(deltas, [call(0, "one"), args(0, "1"), args(0, "1")]);
        assert!(!reading.is_whole(), "nobody has said so");
    }

    #[test]
    fn what_is_no_answer_says_so() {
        for stream in [
            "data: nonsense\n\n",
            "data: {\"error\":{\"message\":\"overloaded\"}}\n\n",
        ] {
            let error = feed(&mut Reading::default(), stream).expect_err("it is none");
            assert!(
                error.contains("overloaded") || error.contains("cannot be read"),
                "{error}"
            );
        }
        for strange in [
            "null",
            "[]",
            "{}",
            "{\"choices\":[]}",
            "{\"choices\":[{\"delta\":null}]}",
            "{\"choices\":{\"a\":1}}",
        ] {
            let stream = format!("data: {strange}\n\n");
            assert_eq!(
                feed(&mut Reading::default(), &stream),
                Ok(Vec::new()),
                "{strange}"
            );
        }
    }
}
