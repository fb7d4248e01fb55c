//! A conversation as the endpoint wants it.

use super::OpenAi;
use crate::models::Request;
use json_tree::parse;
use question_agent::call::ToolCall;
use question_agent::message::Message;
use question_agent::registry::ToolSpec;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    messages: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: &'a ToolSpec,
}

pub(super) fn body(model: &OpenAi, request: &Request) -> String {
    let parts: Vec<&str> = [&*model.system_prompt].into_iter().chain(request.guidance.as_deref()).collect();
    let system = parts.join("\n\n");
    let system = json!({"role": "system", "content": system});
    let messages = std::iter::once(system).chain(request.messages.iter().map(message)).collect();
    let tools = request.tools.iter().map(|function| Tool { r#type: "function", function }).collect();
    let body = Body { model: &model.model, stream: true, temperature: model.temperature, messages, tools };
    serde_json::to_string(&body).expect("a request has only strings for keys")
}

fn message(message: &Message) -> Value {
    match message {
        Message::User(user) => json!({"role": "user", "content": user.text}),
        Message::Tool(result) => {
            json!({"role": "tool", "tool_call_id": result.tool_use_id, "content": result.content})
        }
        Message::Assistant(assistant) if assistant.tool_calls.is_empty() => {
            json!({"role": "assistant", "content": assistant.text})
        }
        Message::Assistant(assistant) => {
            let content = (!assistant.text.is_empty()).then_some(&assistant.text);
            let calls: Vec<Value> = assistant.tool_calls.iter().map(call).collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
    }
}

/// Endpoints refuse a whole history for arguments that are no JSON object, even the model's own. What was wrong with them stands in the result.
fn call(call: &ToolCall) -> Value {
    let is_object = parse(call.arguments()).is_ok_and(|arguments| arguments.is_object());
    let arguments = if is_object { call.arguments() } else { "{}" };
    json!({"id": call.id, "type": "function", "function": {"name": call.name(), "arguments": arguments}})
}
