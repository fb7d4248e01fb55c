//! Rewrites the chunks of incompatible and of older endpoints into the form that the vendors' library reads.
//!
//! The library ignores a chunk that it does not know, so that half an answer would count as whole. Examples are errors without their usual
//! member, the `function_call` of 2023, and a message in place of a delta. It also keeps only the first piece of a name.

use crate::brackets::Brackets;
use crate::ends::{Failure, has_failed};
use crate::exchange::Exchange;
use crate::refusal::EndpointRefusal;
use futures_util::StreamExt as _;
use futures_util::stream::iter;
use rig_core::driver::{Exchange as Sending, Opening, Transport};
use rig_core::error::ProviderError;
use rig_core::wire::{Body, Encoded, Wire, WireFrame};
use serde_json::{Map, Value, json};

/// Sends requests through an exchange, fails on errors in the response, and mends the chunks of chat completions.
#[derive(Clone)]
pub(crate) struct MendingTransport {
    pub(crate) exchange: Exchange,
    pub(crate) is_chat: bool,
}

impl<W: Wire<Payload = Encoded, Frame = WireFrame>> Transport<W> for MendingTransport {
    fn send(&self, mut payload: Encoded, sending: Sending) -> Opening<WireFrame> {
        if let Body::Bytes(body) = payload.request.body_mut() {
            restore_members(body);
        }
        let Self { exchange, is_chat } = self.clone();
        let opening = Transport::<W>::send(&exchange, payload, sending);
        Opening::new(async move {
            let mut chunks = is_chat.then(Chunks::default);
            Ok(opening.await?.map_frames(move |frames| {
                frames.flat_map(move |frame| {
                    iter(match frame {
                        Ok(frame) => mended(&frame.as_str(), &exchange, chunks.as_mut()),
                        Err(error) => vec![Err(error)],
                    })
                })
            }))
        })
    }
}

/// The chunks of an event, or the error that it reports.
fn mended(data: &str, exchange: &Exchange, chunks: Option<&mut Chunks>) -> Vec<Result<WireFrame, ProviderError>> {
    // Some proxies write the field's name twice.
    let data = data.trim().trim_start_matches("data:").trim_start();
    let chunk = serde_json::from_str::<Value>(data).ok();
    if let Some(error) = chunk.as_ref().and_then(|chunk| error_in(chunk, exchange.is_whole_json())) {
        return vec![Err(exchange.fail(Failure::Refused(EndpointRefusal::told(error))).into())];
    }
    if let Some(event) = chunk.as_ref().filter(|_| chunks.is_none()) {
        if event["type"] == "message_delta" && event["delta"]["stop_reason"].is_string() {
            exchange.has_end();
        }
        // Anthropic's message ends, and the endpoint has not said why: the library would take it for cut.
        if event["type"] == "message_stop" && !exchange.is_announced() {
            let reason =
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 0}});
            return vec![Ok(WireFrame::Text(reason.to_string())), Ok(WireFrame::Text(data.to_owned()))];
        }
    }
    let chunk = match (chunk, chunks) {
        (Some(chunk), Some(chunks)) => chunks.mended(chunk, exchange),
        // Some proxies leave out the empty lines between events.
        (None, Some(chunks)) if data.contains('\n') => {
            return data.lines().flat_map(|line| mended(line, exchange, Some(chunks))).collect();
        }
        _ => data.to_owned(),
    };
    vec![Ok(WireFrame::Text(chunk))]
}

/// Members of a message, beside its reasoning, that endpoints want back: thought signatures. The library keeps such members only on calls.
const KEPT: [&str; 5] =
    ["extra_content", "provider_specific_fields", "reasoning_opaque", "thinking_blocks", "thought_signature"];

/// The member of the first call that stores those of its message.
const OF_MESSAGE: &str = "members_of_message";

/// The length from which on nothing is added to a name, in bytes.
const MAX_NAME: usize = 256;

/// The first index for calls that have none of their own.
const UNNUMBERED: usize = 1 << 16;

#[derive(Default)]
struct Chunks {
    has_deltas: bool,
    has_text: bool,
    calls: Vec<NamedCall>,
    /// The members to keep of the message, until one of its calls stores them.
    members: Map<String, Value>,
    /// The thoughts of a block that has no signature yet.
    thought: String,
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
    fn mended(&mut self, mut chunk: Value, exchange: &Exchange) -> String {
        if let Some(members) = chunk.as_object_mut() {
            members.remove("error");
        }
        if chunk["choices"].is_null() && chunk["usage"].is_object() {
            chunk["choices"] = json!([]);
        }
        if let Some(choice) = chunk.pointer_mut("/choices/0").and_then(Value::as_object_mut) {
            self.mend_choice(choice, exchange);
            // The library would end at a whole answer, but other chunks may come before or after it.
            chunk["object"] = "chat.completion.chunk".into();
        }
        chunk.to_string()
    }

    /// Makes a delta of the choice, whether it has one or a message.
    fn mend_choice(&mut self, choice: &mut Map<String, Value>, exchange: &Exchange) {
        if choice.get("native_finish_reason").is_some_and(|native| has_failed(native.as_str())) {
            choice.insert("finish_reason".to_owned(), choice["native_finish_reason"].clone());
        }
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        let reason = reason.filter(|reason| !["", "null"].contains(reason));
        // JSON with a message is a whole answer.
        let is_whole = exchange.is_whole_json() && choice.get("message").is_some_and(Value::is_object);
        let reason = reason.or(is_whole.then_some("stop")).map(str::to_owned);
        if let Some(reason) = &reason {
            exchange.has_end();
            // The library would close the calls, and a signature may follow.
            let is_calls = ["tool_calls", "function_call"].contains(&reason.as_str());
            choice.insert("finish_reason".to_owned(), if is_calls { "stop" } else { reason.as_str() }.into());
        } else {
            choice.remove("finish_reason");
        }
        let has_delta = choice.get("delta").is_some_and(Value::is_object);
        let mut message = match choice.remove("delta") {
            Some(Value::Object(delta)) => delta,
            _ => Map::new(),
        };
        if let Some(Value::Object(all)) = choice.remove("message").filter(|_| reason.is_some() || !has_delta) {
            // The message repeats everything: only what no delta brought counts.
            for (name, value) in all {
                let is_known = match name.as_str() {
                    "content" | "refusal" => self.has_text,
                    "tool_calls" | "function_call" => !self.calls.is_empty(),
                    _ => self.has_deltas,
                };
                let is_empty = |known: &Value| known.is_null() || *known == "" || *known == json!([]);
                if !is_known && message.get(&name).is_none_or(is_empty) {
                    message.insert(name, value);
                }
            }
        }
        if let Some(calls) = choice.remove("tool_calls") {
            message.entry("tool_calls").or_insert(calls);
        }
        self.mend_message(&mut message);
        self.has_deltas = true;
        choice.insert("delta".to_owned(), message.into());
    }

    fn mend_message(&mut self, message: &mut Map<String, Value>) {
        for part in message.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
            mend_part(part);
        }
        // The library reads only one of the two.
        if let [Some(Value::String(text)), Some(Value::String(refusal))] =
            ["content", "refusal"].map(|name| message.get(name))
        {
            let both = format!("{text}{refusal}");
            message.insert("content".to_owned(), both.into());
        }
        let is_text = |content: &Value| content.as_str().map_or(!content.is_null(), |text| !text.is_empty());
        self.has_text |= ["content", "refusal"].iter().any(|name| message.get(*name).is_some_and(is_text));
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
        for (name, value) in KEPT.iter().filter_map(|name| Some((*name, message.remove(*name)?))) {
            match value {
                Value::Null => {}
                Value::Array(blocks) if name == "thinking_blocks" => {
                    blocks.into_iter().for_each(|block| self.think(block));
                }
                value => drop(self.members.insert(name.to_owned(), value)),
            }
        }
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

    /// Keeps a thinking block of Anthropic, which gateways pass on in pieces. The pieces before the signed one have no signature, and the signed
    /// one may repeat them.
    fn think(&mut self, mut block: Value) {
        if block["type"] == "thinking" {
            let is_signed = block["signature"].as_str().is_some_and(|signature| !signature.is_empty());
            let more = block["thinking"].as_str().unwrap_or_default();
            let text = match std::mem::take(&mut self.thought) {
                before if is_signed && more.starts_with(&before) => more.to_owned(),
                before => before + more,
            };
            if !is_signed {
                self.thought = text;
                return;
            }
            block["thinking"] = text.into();
        }
        if let Some(blocks) = self.members.entry("thinking_blocks").or_insert_with(|| json!([])).as_array_mut() {
            blocks.push(block);
        }
    }

    /// Gives a piece of a call the name so far.
    fn mend_call(&mut self, piece: &mut Map<String, Value>) {
        if piece.contains_key("name") && !piece.contains_key("function") {
            let members = ["name", "arguments", "input", "parameters"];
            let members = members.iter().filter_map(|name| Some(((*name).to_owned(), piece.remove(*name)?)));
            let function: Map<String, Value> = members.collect();
            piece.insert("function".to_owned(), function.into());
        }
        let beside = piece.remove("arguments");
        let Some(function) = piece.get_mut("function").and_then(Value::as_object_mut) else {
            return;
        };
        if let Some(arguments) = beside {
            function.entry("arguments").or_insert(arguments);
        }
        if function.get("arguments").is_none_or(Value::is_null)
            && let Some(arguments) = ["input", "parameters"].iter().find_map(|name| function.remove(*name))
        {
            function.insert("arguments".to_owned(), arguments);
        }
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let arguments = match function.get("arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(arguments @ Value::Object(_)) => arguments.to_string(),
            _ => String::new(),
        };
        // A call of any other type could not be answered.
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
            // Some endpoints give all calls the same index, or none.
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

/// Moves the stored members from the calls of a request back to their messages.
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

/// The value of a member, unless it is null or an empty text.
fn stated(piece: &Map<String, Value>, name: &str) -> Option<Value> {
    piece.get(name).filter(|value| !value.is_null() && *value != "").cloned()
}

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

/// The chunk, if it reports an error in one of the known places. Some endpoints wrap it in a list. If the answer `is_whole`, a `detail` may be
/// another service's and does not count.
fn error_in(chunk: &Value, is_whole: bool) -> Option<&Value> {
    let chunk = if chunk.is_array() { &chunk[0] } else { chunk };
    let says = |value: &Value| match value {
        Value::Object(members) => members.values().any(|member| !member.is_null() && *member != ""),
        Value::String(text) => !text.is_empty(),
        _ => false,
    };
    let has = |name: &str| !chunk[name].is_null();
    let is_kind = |name: &&str| ["error", "failure"].iter().any(|kind| chunk[*name] == *kind);
    let told = ["/error", "/choices/0/error", "/errors/0", "/x_groq/error"];
    let is_told = told.iter().any(|place| chunk.pointer(place).is_some_and(says))
        || chunk["base_resp"]["status_code"].as_i64().is_some_and(|code| code != 0)
        || chunk["choices"].is_null()
            && (["type", "object", "status", "event"].iter().any(is_kind)
                || (chunk["error"] == true || chunk["success"] == false)
                || (!is_whole && has("detail"))
                || ["error_msg", "Message"].iter().any(|name| has(name))
                || (has("code") && ["message", "msg"].iter().any(|name| has(name)))
                || chunk.as_object().is_some_and(|members| members.keys().any(|name| name.ends_with("Exception"))));
    is_told.then_some(chunk)
}
