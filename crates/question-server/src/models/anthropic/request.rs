//! The body of a request.

use crate::models::ModelRequest;
use crate::models::remote::Remote;
use json_tree::parse;
use question_agent::call::ToolCall;
use question_agent::message::{AssistantMessage, Message};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The most tokens of an answer, beside those of thinking: the endpoint has no default.
const MAX_TOKENS: u32 = 8192;

/// The first message of a history that the agent began, since the API wants a user's message first.
const AGENT_FIRST: &str = "(The agent spoke first.)";

/// The body of a request, with the messages from the index `from` on.
pub(super) fn body(remote: &Remote, request: &ModelRequest, from: usize) -> String {
    let settings = &remote.settings;
    let mut history = AnthropicHistory { remote, ids: HashMap::new(), messages: Vec::new() };
    history.messages(&request.messages[from..]);
    // The API refuses thinking in a turn that began without thoughts.
    let thinking = settings.thinking.filter(|_| history.may_think());
    let most = settings.max_tokens.unwrap_or(MAX_TOKENS).saturating_add(thinking.unwrap_or_default());
    let mut body = json!({
        "model": settings.model,
        "stream": true,
        "max_tokens": most,
        "system": remote.system(request),
        "messages": history.messages,
    });
    match (thinking, settings.temperature) {
        // The API takes no temperature with thinking.
        (Some(tokens), _) => body["thinking"] = json!({"type": "enabled", "budget_tokens": tokens}),
        (None, Some(temperature)) => body["temperature"] = temperature.into(),
        (None, None) => {}
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let schema = parse(tool.parameters.as_str()).unwrap_or_default();
            json!({"name": tool.name, "description": tool.description, "input_schema": schema})
        });
        body["tools"] = tools.collect();
    }
    json_tree::text(&body)
}

/// Messages in the endpoint's form, in which roles alternate.
struct AnthropicHistory<'a> {
    remote: &'a Remote,
    /// The endpoint's own ids of its calls, by the ids that clients know.
    ids: HashMap<&'a str, String>,
    messages: Vec<Value>,
}

impl<'a> AnthropicHistory<'a> {
    fn messages(&mut self, messages: &'a [Message]) {
        if !matches!(messages.first(), Some(Message::User(_))) {
            self.push("user", text(AGENT_FIRST));
        }
        for message in messages {
            match message {
                Message::User(user) => self.push("user", text(&user.text)),
                Message::Tool(result) => {
                    let id = self.ids.get(result.tool_use_id.as_str()).cloned();
                    let id = id.unwrap_or_else(|| legal(&result.tool_use_id));
                    let result = json!({
                        "type": "tool_result",
                        "tool_use_id": id,
                        "content": result.content,
                        "is_error": result.is_error,
                    });
                    self.push("user", result);
                }
                Message::Assistant(assistant) => self.assistant(assistant),
            }
        }
    }

    fn push(&mut self, role: &str, block: Value) {
        if let Some(last) = self.messages.last_mut().filter(|last| last["role"] == role)
            && let Some(content) = last["content"].as_array_mut()
        {
            content.push(block);
            return;
        }
        self.messages.push(json!({"role": role, "content": [block]}));
    }

    /// The endpoint's own thoughts and ids go back to it, and to no other endpoint.
    fn assistant(&mut self, assistant: &'a AssistantMessage) {
        let origin = self.remote.origin_of(assistant);
        if self.remote.settings.sends_reasoning && !assistant.tool_calls.is_empty() {
            for block in origin["thoughts"].as_array().into_iter().flatten() {
                self.push("assistant", block.clone());
            }
        }
        if !assistant.text.trim().is_empty() {
            self.push("assistant", text(&assistant.text));
        }
        for (index, call) in assistant.tool_calls.iter().enumerate() {
            let theirs = origin["ids"][index].as_str().map(str::to_owned);
            let id = theirs.unwrap_or_else(|| legal(&call.id));
            self.ids.insert(&call.id, id.clone());
            self.push("assistant", self::call(call, &id));
        }
    }

    /// Returns true if the model continues after its user's message, or after results of calls with thoughts before them.
    fn may_think(&self) -> bool {
        let last = self.messages.iter().rfind(|message| message["role"] == "assistant");
        let blocks = || last.and_then(|last| last["content"].as_array()).into_iter().flatten();
        let has = |kind: &str| blocks().any(|block| block["type"] == kind);
        !has("tool_use") || has("thinking") || has("redacted_thinking")
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// A call. Arguments that are no JSON object become `{}`, since endpoints refuse the whole history for them; the tool's result has the error.
fn call(call: &ToolCall, id: &str) -> Value {
    let input = parse(call.arguments()).ok().filter(Value::is_object).unwrap_or_else(|| json!({}));
    json!({"type": "tool_use", "id": id, "name": call.name(), "input": input})
}

/// An id of letters, digits, hyphens and underscores, as the API wants it.
fn legal(id: &str) -> String {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    id.chars().map(|c| if is_legal(c) { c } else { '_' }).collect()
}
