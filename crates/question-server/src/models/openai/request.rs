//! The body of a request.

use crate::models::ModelRequest;
use crate::models::remote::Remote;
use json_tree::parse;
use question_agent::call::ToolCall;
use question_agent::message::{AssistantMessage, Message};
use question_agent::registry::ToolSpec;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

#[derive(Serialize)]
struct RequestBody<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    messages: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<FunctionTool<'a>>,
}

#[derive(Serialize)]
struct FunctionTool<'a> {
    r#type: &'static str,
    function: &'a ToolSpec,
}

/// The body of a request, with the messages from the index `from` on.
pub(super) fn body(remote: &Remote, asks_for_usage: bool, request: &ModelRequest, from: usize) -> String {
    let (settings, system) = (&remote.settings, remote.system(request));
    let mut history = OpenAiHistory { remote, ids: HashMap::new() };
    let mut messages = vec![json!({"role": "system", "content": system})];
    messages.extend(request.messages[from..].iter().map(|message| history.message(message)));
    let tools = request.tools.iter().map(|function| FunctionTool { r#type: "function", function }).collect();
    let (old, new) = match settings.max_tokens {
        most if takes_completion_tokens(&settings.base_url) => (None, most),
        most => (most, None),
    };
    let body = RequestBody {
        model: &settings.model,
        stream: true,
        stream_options: asks_for_usage.then(|| json!({"include_usage": true})),
        temperature: settings.temperature,
        max_tokens: old,
        max_completion_tokens: new,
        messages,
        tools,
    };
    serde_json::to_string(&body).expect("a request has only strings for keys")
}

/// OpenAI's own endpoints name the number of tokens `max_completion_tokens`.
fn takes_completion_tokens(base_url: &str) -> bool {
    [".openai.com/", ".azure.com/"].iter().any(|host| base_url.contains(host))
}

/// Messages in the endpoint's form.
struct OpenAiHistory<'a> {
    remote: &'a Remote,
    /// The endpoint's own ids of its calls, by the ids that clients know.
    ids: HashMap<&'a str, String>,
}

impl<'a> OpenAiHistory<'a> {
    fn message(&mut self, message: &'a Message) -> Value {
        match message {
            Message::User(user) => json!({"role": "user", "content": user.text}),
            Message::Tool(result) => {
                let id = self.ids.get(result.tool_use_id.as_str()).unwrap_or(&result.tool_use_id);
                json!({"role": "tool", "tool_call_id": id, "content": result.content})
            }
            Message::Assistant(assistant) => self.assistant(assistant),
        }
    }

    /// The endpoint's own members of its message go back to it, and to no other endpoint.
    fn assistant(&mut self, assistant: &'a AssistantMessage) -> Value {
        let origin = self.remote.origin_of(assistant);
        let mut message = origin["members"].as_object().cloned().unwrap_or_default();
        if !self.remote.settings.sends_reasoning || assistant.tool_calls.is_empty() {
            message.retain(|name, _| !name.starts_with("reasoning"));
        }
        message.insert("role".to_owned(), "assistant".into());
        if assistant.tool_calls.is_empty() {
            message.insert("content".to_owned(), assistant.text.as_str().into());
            return Value::Object(message);
        }
        let content = (!assistant.text.is_empty()).then_some(assistant.text.as_str());
        message.insert("content".to_owned(), content.into());
        let mut taken = Vec::new();
        let calls = assistant.tool_calls.iter().enumerate().map(|(index, call)| {
            let of_it = &origin["calls"][index];
            let theirs = of_it["id"].as_str().filter(|id| !taken.contains(&(*id).to_owned())).map(str::to_owned);
            taken.extend(theirs.clone());
            let id = theirs.unwrap_or_else(|| call.id.clone());
            self.ids.insert(&call.id, id.clone());
            self::call(call, &id, of_it["members"].as_object().cloned().unwrap_or_default())
        });
        let calls = calls.collect();
        message.insert("tool_calls".to_owned(), Value::Array(calls));
        Value::Object(message)
    }
}

/// A call. Arguments that are no JSON object become `{}`, since endpoints refuse the whole history for them; the tool's result has the error.
fn call(call: &ToolCall, id: &str, mut members: Map<String, Value>) -> Value {
    let is_object = parse(call.arguments()).is_ok_and(|arguments| arguments.is_object());
    let arguments = if is_object { call.arguments() } else { "{}" };
    members.insert("id".to_owned(), id.into());
    members.insert("type".to_owned(), "function".into());
    members.insert("function".to_owned(), json!({"name": call.name(), "arguments": arguments}));
    Value::Object(members)
}
