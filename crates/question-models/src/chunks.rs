//! Chunks of chat completions as other endpoints and other years write them, in the form that the vendors' library reads.
//!
//! The library takes a chunk that it does not know for one that says nothing, so that half an answer counts as whole: an error without its usual
//! member, the function call of 2023, a message in place of a delta. It also keeps the first piece of a name.

use crate::brackets::Brackets;
use crate::ends::has_failed;
use crate::exchange::Exchange;
use futures_util::StreamExt as _;
use futures_util::stream::iter;
use rig_core::driver::{Exchange as Sending, Opening, Transport};
use rig_core::wire::{Body, Encoded, Wire, WireFrame};
use serde_json::{Map, Value, json};

/// Sends by an exchange, and mends what arrives.
#[derive(Clone)]
pub(crate) struct ChatTransport(pub(crate) Exchange);

impl<W: Wire<Payload = Encoded, Frame = WireFrame>> Transport<W> for ChatTransport {
    fn send(&self, mut payload: Encoded, sending: Sending) -> Opening<WireFrame> {
        if let Body::Bytes(body) = payload.request.body_mut() {
            restore_members(body);
        }
        let (exchange, opening) = (self.0.clone(), Transport::<W>::send(&self.0, payload, sending));
        Opening::new(async move {
            let mut chunks = Chunks::default();
            Ok(opening.await?.map_frames(|frames| {
                frames.flat_map(move |frame| {
                    iter(match frame {
                        Ok(frame) => {
                            chunks.mended(&frame.as_str(), exchange.is_whole_json()).into_iter().map(Ok).collect()
                        }
                        Err(error) => vec![Err(error)],
                    })
                })
            }))
        })
    }
}

/// Members of a message, beside its reasoning, that endpoints want back: thought signatures. The library keeps members of calls alone.
const KEPT: [&str; 4] = ["extra_content", "provider_specific_fields", "reasoning_opaque", "thought_signature"];

/// The member of the first call that has those of its message.
const OF_MESSAGE: &str = "members_of_message";

/// The length from which on nothing is added to a name, in bytes.
const MAX_NAME: usize = 256;

/// The first index for calls that have none of their own.
const UNNUMBERED: usize = 1 << 16;

/// The chunks of an answer.
#[derive(Default)]
struct Chunks {
    has_deltas: bool,
    calls: Vec<NamedCall>,
    /// Those members of the message that no call has yet.
    members: Map<String, Value>,
}

/// A call whose name may come in pieces.
#[derive(Default)]
struct NamedCall {
    index: Value,
    /// Its index for the library.
    number: Value,
    id: Value,
    name: String,
    arguments: Brackets,
}

impl Chunks {
    /// The chunks of an event. `is_whole` if the answer is no stream.
    fn mended(&mut self, data: &str, is_whole: bool) -> Vec<WireFrame> {
        let data = data.trim();
        match serde_json::from_str(data) {
            Ok(chunk) => vec![WireFrame::Text(self.mended_chunk(chunk, is_whole).to_string())],
            // Some proxies leave out the empty lines between events.
            Err(_) if data.contains('\n') => data.lines().flat_map(|line| self.mended(line, is_whole)).collect(),
            Err(_) => vec![WireFrame::Text(data.to_owned())],
        }
    }

    fn mended_chunk(&mut self, mut chunk: Value, is_whole: bool) -> Value {
        if let Some(error) = error_of(&chunk, is_whole) {
            return json!({ "error": error });
        }
        if let Some(members) = chunk.as_object_mut() {
            members.remove("error");
        }
        if chunk["choices"].is_null() && chunk["usage"].is_object() {
            chunk["choices"] = json!([]);
        }
        let is_chunk = chunk["object"] == "chat.completion.chunk";
        let Some(choice) = chunk.pointer_mut("/choices/0").and_then(Value::as_object_mut) else {
            return chunk;
        };
        if choice.get("native_finish_reason").is_some_and(|native| has_failed(native.as_str())) {
            choice.insert("finish_reason".to_owned(), choice["native_finish_reason"].clone());
        }
        self.has_deltas |= choice.get("delta").is_some_and(Value::is_object);
        let is_last = choice.get("finish_reason").is_some_and(Value::is_string);
        let message = match choice.get("delta") {
            // A whole answer is one chunk to the library, unless others were before it or follow.
            None if is_whole || (!self.has_deltas && is_last && !is_chunk) => "message",
            None => {
                let message = choice.remove("message").filter(|_| !self.has_deltas);
                choice.insert("delta".to_owned(), message.unwrap_or_else(|| json!({})));
                "delta"
            }
            Some(_) => "delta",
        };
        let calls = choice.remove("tool_calls");
        if let Some(message) = choice.get_mut(message).and_then(Value::as_object_mut) {
            if let Some(calls) = calls {
                message.entry("tool_calls").or_insert(calls);
            }
            self.mend_message(message);
        }
        if message == "delta" {
            chunk["object"] = "chat.completion.chunk".into();
        }
        chunk
    }

    fn mend_message(&mut self, message: &mut Map<String, Value>) {
        for part in message.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
            mend_part(part);
        }
        // The library takes one of both.
        if let [Some(Value::String(text)), Some(Value::String(refusal))] =
            ["content", "refusal"].map(|name| message.get(name))
        {
            let both = format!("{text}{refusal}");
            message.insert("content".to_owned(), both.into());
        }
        let function = message.remove("function_call").filter(Value::is_object);
        let calls = message.entry("tool_calls").or_insert(Value::Null);
        match calls {
            Value::Object(_) => *calls = json!([calls.take()]),
            Value::Array(calls) if !calls.is_empty() => {}
            _ => *calls = function.map_or_else(|| json!([]), |function| json!([{"index": 0, "function": function}])),
        }
        let mut calls = calls.take();
        for call in calls.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            self.mend_call(call);
        }
        let kept = KEPT.iter().filter_map(|name| Some(((*name).to_owned(), message.remove(*name)?)));
        self.members.extend(kept.filter(|(_, value)| !value.is_null()));
        if let (Some(known), Some(calls)) = (self.calls.first(), calls.as_array_mut())
            && !self.members.is_empty()
        {
            if calls.is_empty() {
                calls.push(json!({ "index": known.number }));
            }
            if let Some(first) = calls[0].as_object_mut() {
                first.insert(OF_MESSAGE.to_owned(), std::mem::take(&mut self.members).into());
            }
        }
        message.insert("tool_calls".to_owned(), calls);
    }

    /// Gives a piece of a call the name so far.
    fn mend_call(&mut self, piece: &mut Map<String, Value>) {
        if piece.contains_key("name") && !piece.contains_key("function") {
            let members = ["name", "arguments"].map(|name| (name.to_owned(), piece.remove(name).unwrap_or_default()));
            piece.insert("function".to_owned(), members.into_iter().collect());
        }
        let Some(function) = piece.get_mut("function").and_then(Value::as_object_mut) else {
            return;
        };
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let arguments = match function.get("arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(arguments @ Value::Object(_)) => arguments.to_string(),
            _ => String::new(),
        };
        // Every other kind of call would be one that nobody can answer.
        piece.insert("type".to_owned(), "function".into());
        let text_index = piece.get("index").and_then(Value::as_str).and_then(|index| index.parse::<u64>().ok());
        if let Some(index) = text_index {
            piece.insert("index".to_owned(), index.into());
        }
        let (index, id) = (stated(piece, "index"), stated(piece, "id"));
        let last = |is_it: &dyn Fn(&NamedCall) -> bool| self.calls.iter().rposition(is_it);
        let known = match (&index, &id) {
            (Some(index), Some(id)) => last(&|known| known.index == *index && known.id == *id),
            (None, Some(id)) => last(&|known| known.id == *id),
            (_, None) => None,
        };
        let known = known.or_else(|| match (&index, &id) {
            (Some(index), _) => last(&|known| known.index == *index),
            (None, Some(_)) => None,
            (None, None) => self.calls.len().checked_sub(1),
        });
        // Arguments begin with a bracket, so that a piece with any other text goes on with those before it, whatever its id.
        let goes_on = !arguments.is_empty() && !arguments.trim_start().starts_with('{');
        let known = known.filter(|known| {
            let known = &self.calls[*known];
            let is_over = known.arguments.are_closed;
            let is_other = id.as_ref().is_some_and(|id| !known.id.is_null() && known.id != *id);
            let is_named_anew = !name.is_empty() && !known.name.is_empty() && name != known.name;
            let is_alone = index.is_none() && id.is_none() && !(name.is_empty() && arguments.is_empty());
            (!is_other || (goes_on && !is_over)) && !(is_over && (is_named_anew || is_alone))
        });
        let call = known.unwrap_or_else(|| {
            // Some give all calls one index, or none.
            let own = index.clone().filter(|index| self.calls.iter().all(|known| known.index != *index));
            let number = own.unwrap_or_else(|| (UNNUMBERED + self.calls.len()).into());
            self.calls.push(NamedCall { index: index.unwrap_or_default(), number, ..NamedCall::default() });
            self.calls.len() - 1
        });
        let known = &mut self.calls[call];
        match id {
            Some(id) if known.id.is_null() => known.id = id,
            Some(id) if known.id != id => drop(piece.remove("id")),
            _ => {}
        }
        if arguments.trim() != "{}" {
            known.arguments.feed(arguments.as_bytes());
        }
        if name.starts_with(&known.name) {
            known.name = name;
        } else if known.name.len() < MAX_NAME {
            known.name.push_str(&name);
        }
        piece["function"]["name"] = known.name.clone().into();
        piece.insert("index".to_owned(), known.number.clone());
    }
}

/// Puts members of messages back to where they were.
fn restore_members(body: &mut Vec<u8>) {
    if !body.windows(OF_MESSAGE.len()).any(|window| window == OF_MESSAGE.as_bytes()) {
        return;
    }
    let Ok(mut request) = serde_json::from_slice::<Value>(body) else {
        return;
    };
    for message in request["messages"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten();
        let kept = calls.filter_map(|call| call.as_object_mut()?.remove(OF_MESSAGE));
        let kept: Vec<(String, Value)> = kept.filter_map(|kept| Some(kept.as_object()?.clone())).flatten().collect();
        message.extend(kept);
    }
    *body = request.to_string().into_bytes();
}

/// A member that says something.
fn stated(piece: &Map<String, Value>, name: &str) -> Option<Value> {
    piece.get(name).filter(|value| !value.is_null() && *value != "").cloned()
}

/// A part of a content in the form of chat completions.
fn mend_part(part: &mut Value) {
    if part.is_string() {
        *part = json!({"type": "text", "text": part.take()});
    }
    if part["text"]["value"].is_string() {
        part["text"] = part["text"]["value"].take();
    }
    if ["output_text", "text_delta"].iter().any(|kind| part["type"] == *kind) {
        part["type"] = "text".into();
    }
}

/// The error in a chunk, at whichever place it is told.
fn error_of(chunk: &Value, is_whole: bool) -> Option<Value> {
    let chunk = if chunk.is_array() { &chunk[0] } else { chunk };
    let says = |value: &Value| match value {
        Value::Object(members) => members.values().any(|member| !member.is_null() && *member != ""),
        Value::String(text) => !text.is_empty(),
        _ => false,
    };
    let told = [&chunk["error"], &chunk["choices"][0]["error"], &chunk["errors"][0]].into_iter().find(|it| says(it));
    let is_kind = |name: &&str| chunk[*name] == "error" || chunk[*name] == true;
    let is_told = ["type", "object", "status", "event", "error"].iter().any(is_kind)
        || !chunk["detail"].is_null()
        || (!chunk["message"].is_null() && !chunk["code"].is_null());
    told.or_else(|| (is_told && !is_whole && chunk["choices"].is_null()).then_some(chunk)).cloned()
}
