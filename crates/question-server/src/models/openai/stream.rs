//! The endpoint's answer, from bytes to deltas.

mod calls;

use super::secrets::left_out;
use crate::models::Delta;
use ag_ui_stream::sse::Decoder;
use calls::Calls;
use json_tree::parse;
use serde_json::Value;
use std::sync::Arc;

/// The longest error text that is logged, in characters.
const MAX_ERROR_CHARS: usize = 300;

/// The longest answer that is read in one piece, in bytes.
const MAX_WHOLE_BYTES: usize = 4 << 20;

/// An answer, as far as it has arrived.
#[derive(Debug, Default)]
pub(super) struct Reading {
    body: Body,
    calls: Calls,
    is_whole: bool,
    /// What must not be logged.
    key: Option<Arc<str>>,
}

/// What the endpoint sends, which its first character tells.
#[derive(Debug, Default)]
enum Body {
    #[default]
    NotYetKnown,
    /// What it was asked for.
    Stream(Box<Decoder>),
    /// JSON: some do not stream where there are tools.
    Whole(Vec<u8>),
}

impl Reading {
    /// An answer of which nothing has arrived, from an endpoint that has this key.
    pub(super) fn new(key: Option<Arc<str>>) -> Self {
        Self { key, ..Self::default() }
    }

    /// Whether the endpoint has said that this is all.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Takes bytes and gives what they bring, the deltas before an error too.
    ///
    /// # Errors
    /// Why the answer goes no further, in words for the user.
    pub(super) fn feed(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), String> {
        if let Body::NotYetKnown = self.body {
            match bytes.trim_ascii_start().first() {
                None => return Ok(()),
                Some(b'{' | b'[') => self.body = Body::Whole(Vec::new()),
                Some(b'<') => {
                    return Err("The model's endpoint answers with a web page. Its address may be wrong.".to_owned());
                }
                Some(_) => self.body = Body::Stream(Box::default()),
            }
        }
        match &mut self.body {
            Body::NotYetKnown => Ok(()),
            Body::Stream(decoder) => {
                decoder.feed(bytes);
                self.read_frames(deltas)
            }
            // Only white space can follow.
            Body::Whole(_) if self.is_whole => Ok(()),
            Body::Whole(body) => {
                body.extend_from_slice(bytes);
                self.read_whole(deltas)
            }
        }
    }

    fn read_frames(&mut self, deltas: &mut Vec<Delta>) -> Result<(), String> {
        while let Body::Stream(decoder) = &mut self.body
            && let Some(frame) = decoder.next_frame()
        {
            let data = frame.map_err(|_| unreadable())?.data;
            if data.trim() == "[DONE]" {
                self.is_whole = true;
                continue;
            }
            if let Some(why) = error_in(&data) {
                self.note(&why);
                return Err("The model broke off.".to_owned());
            }
            let chunk = parse(&data).map_err(|_| unreadable())?;
            // The chunk that tells the usage has no choice.
            let choice = &chunk["choices"][0];
            self.take(&choice["delta"], deltas);
            self.is_whole |= choice["finish_reason"].is_string();
        }
        Ok(())
    }

    /// Reads an answer that comes in one piece, once it is there.
    fn read_whole(&mut self, deltas: &mut Vec<Delta>) -> Result<(), String> {
        let Body::Whole(body) = &self.body else {
            return Ok(());
        };
        if body.len() > MAX_WHOLE_BYTES {
            return Err(unreadable());
        }
        let may_be_all = matches!(body.trim_ascii_end().last(), Some(b'}' | b']'));
        let Some(text) = str::from_utf8(body).ok().filter(|_| may_be_all) else {
            return Ok(());
        };
        let Ok(answer) = parse(text) else {
            return Ok(());
        };
        if let Some(why) = error_in(text) {
            self.note(&why);
            return Err("The model's endpoint refuses.".to_owned());
        }
        let message = answer["choices"][0]["message"].clone();
        if !message.is_object() {
            return Err("The model's endpoint answers with something else than a chat completion.".to_owned());
        }
        self.take(&message, deltas);
        self.is_whole = true;
        Ok(())
    }

    /// What an endpoint says of its failure is for the log alone.
    fn note(&self, why: &str) {
        let why = left_out(why, self.key.as_deref());
        tracing::debug!(?why, "the model's endpoint breaks off and says");
    }

    fn take(&mut self, said: &Value, deltas: &mut Vec<Delta>) {
        if let Some(text) = said["content"].as_str() {
            deltas.push(Delta::Text(text.to_owned()));
        }
        for piece in said["tool_calls"].as_array().into_iter().flatten() {
            self.calls.take(piece, deltas);
        }
    }
}

fn unreadable() -> String {
    "The model's answer cannot be read.".to_owned()
}

/// The error that a body or a chunk tells, cut to a readable length.
pub(super) fn error_in(json: &str) -> Option<String> {
    let json = parse(json).ok()?;
    let error = json.get("error").filter(|error| !error.is_null())?;
    let text = error["message"].as_str().or_else(|| error.as_str()).unwrap_or("no reason given");
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
        Delta::CallStart { call, name: name.to_owned() }
    }

    fn args(call: usize, delta: &str) -> Delta {
        Delta::CallArgs { call, delta: delta.to_owned() }
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
        assert_eq!(deltas, [call(0, "one"), args(0, "{"), args(0, "}"), call(1, "two"), args(1, "{}")]);
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
    fn an_answer_in_one_piece_is_read_once() {
        let mut reading = Reading::default();
        let (begins, ends) = (r#" {"choices":[{"message":{"content":"{Hi}"#, r#"!"}}]}"#);
        assert_eq!(feed(&mut reading, begins), Ok(Vec::new()));
        assert_eq!(feed(&mut reading, ends), Ok(vec![Delta::Text("{Hi}!".to_owned())]));
        assert!(reading.is_whole());
        assert_eq!(feed(&mut reading, "\n"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_answer_says_so() {
        for stream in ["data: nonsense\n\n", "data: {\"error\":{\"message\":\"overloaded\"}}\n\n"] {
            let error = feed(&mut Reading::default(), stream).expect_err("it is none");
            assert!(error == "The model broke off." || error.contains("cannot be read"), "{error}");
        }
        for strange in
            ["null", "[]", "{}", "{\"choices\":[]}", "{\"choices\":[{\"delta\":null}]}", "{\"choices\":{\"a\":1}}"]
        {
            let stream = format!("data: {strange}\n\n");
            assert_eq!(feed(&mut Reading::default(), &stream), Ok(Vec::new()), "{strange}");
        }
    }
}
