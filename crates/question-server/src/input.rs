//! What a client sends, read leniently: clients of other makes add fields, and of the history only a user's own words matter.

use crate::error::ApiError;
use crate::limits::{MAX_CLIENT_TOOLS, MAX_CLIENT_TOOLS_BYTES, MAX_ID_BYTES};
use ask_user_question::json::{JsonText, Plain, plain};
use ask_user_question::outcome::AskMetadata;
use question_agent::call::asking_tool;
use question_agent::registry::{ToolContext, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

/// The body of `POST /agent`: what the server reads of a `RunAgentInput`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunInput {
    pub(crate) thread_id: String,
    pub(crate) run_id: String,
    #[serde(default)]
    pub(crate) messages: Vec<InputMessage>,
    #[serde(default)]
    pub(crate) resume: Vec<Resume>,
    #[serde(default, deserialize_with = "plain")]
    forwarded_props: Value,
    #[serde(default, deserialize_with = "plain")]
    tools: Value,
}

/// One message of the client's history.
#[derive(Debug, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(crate) enum InputMessage {
    User(InputUser),
    Tool(InputTool),
    /// Anything else: the server has its own history of it.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(crate) struct InputUser {
    pub(crate) id: String,
    #[serde(deserialize_with = "plain")]
    content: Value,
    metadata: Option<Plain>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputTool {
    pub(crate) id: String,
    pub(crate) tool_call_id: String,
    #[serde(deserialize_with = "plain")]
    content: Value,
    /// Why the client's tool failed, where it did.
    error: Option<Plain>,
    metadata: Option<Plain>,
}

/// The answer to an interrupt, which is named like the call it is about.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resume {
    pub(crate) interrupt_id: String,
    pub(crate) status: ResumeStatus,
    pub(crate) payload: Option<Plain>,
    metadata: Option<Plain>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResumeStatus {
    Resolved,
    Cancelled,
}

impl RunInput {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, ApiError> {
        let input: Self = serde_json::from_slice(body).map_err(|error| {
            ApiError::BadRequest(format!("The body is no RunAgentInput: {error}."))
        })?;
        let ids = input.messages.iter().filter_map(InputMessage::id);
        for id in ids.chain([input.thread_id.as_str(), input.run_id.as_str()]) {
            check_id(id)?;
        }
        Ok(input)
    }

    /// Who the agent is to be from now on: `"forwardedProps": {"toolContext": {"planMode": true}}` and the like. Only the server makes sub-agents.
    pub(crate) fn context(&self) -> Result<Option<ToolContext>, ApiError> {
        let Some(context) = self.forwarded_props.get("toolContext") else {
            return Ok(None);
        };
        let context = ToolContext::deserialize(context).map_err(|error| {
            ApiError::BadRequest(format!("The toolContext cannot be read: {error}."))
        })?;
        Ok(Some(ToolContext {
            is_sub_agent: false,
            client_tools: Vec::new(),
            ..context
        }))
    }

    /// The asking tool, where the client declares it as one of its own.
    pub(crate) fn client_tool(&self) -> Option<&'static str> {
        self.tools().find_map(|(name, _)| asking_tool(name))
    }

    /// The client's other tools, each once. What no provider could take is left out.
    pub(crate) fn client_tools(&self) -> Result<Vec<ToolSpec>, ApiError> {
        let mut declared: Vec<ToolSpec> = Vec::new();
        let mut bytes = 0;
        for (name, tool) in self.tools() {
            let is_known = declared.iter().any(|known| known.name == name);
            if is_known || asking_tool(name).is_some() || !is_tool_name(name) {
                continue;
            }
            let text = |key: &str| tool.get(key).and_then(Value::as_str).unwrap_or_default();
            let parameters = match tool.get("parameters") {
                Some(schema @ Value::Object(_)) => JsonText::of(schema),
                Some(_) | None => JsonText::of(&json!({"type": "object", "properties": {}})),
            };
            let tool = ToolSpec {
                name: name.to_owned(),
                description: text("description").to_owned(),
                parameters: parameters.expect("a value is JSON"),
            };
            bytes += name.len() + tool.description.len() + tool.parameters.as_str().len();
            declared.push(tool);
        }
        if declared.len() > MAX_CLIENT_TOOLS || bytes > MAX_CLIENT_TOOLS_BYTES {
            return Err(ApiError::BadRequest(format!(
                "A client may declare at most {MAX_CLIENT_TOOLS} tools of {MAX_CLIENT_TOOLS_BYTES} bytes in all."
            )));
        }
        Ok(declared)
    }

    fn tools(&self) -> impl Iterator<Item = (&str, &Value)> {
        let tools = self.tools.as_array().into_iter().flatten();
        tools.filter_map(|tool| Some((tool.get("name")?.as_str()?, tool)))
    }

    /// How a run that meets an ask is to end: `"forwardedProps": {"interrupts": true}` asks for interrupts.
    pub(crate) fn pending(&self) -> Pending {
        match self.forwarded_props.get("interrupts") {
            Some(Value::Bool(true)) => Pending::Interrupts,
            Some(_) | None => Pending::ToolCalls,
        }
    }
}

/// How a client learns which asks wait when a run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pending {
    /// Success, with the calls that are left unanswered.
    #[default]
    ToolCalls,
    /// An interrupt for each of them.
    Interrupts,
}

/// Whether providers take it for a tool's name.
fn is_tool_name(name: &str) -> bool {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=64).contains(&name.len()) && name.chars().all(is_legal)
}

/// Refuses ids that are empty, too long or unprintable.
pub(crate) fn check_id(id: &str) -> Result<(), ApiError> {
    if id.is_empty() || id.len() > MAX_ID_BYTES || id.chars().any(char::is_control) {
        return Err(ApiError::BadRequest(format!(
            "An id must have 1 to {MAX_ID_BYTES} printable bytes."
        )));
    }
    Ok(())
}

impl InputMessage {
    fn id(&self) -> Option<&str> {
        match self {
            Self::User(user) => Some(&user.id),
            Self::Tool(tool) => Some(&tool.id),
            Self::Other => None,
        }
    }
}

impl InputUser {
    pub(crate) fn text(&self) -> String {
        text(&self.content)
    }

    pub(crate) fn ask(&self) -> Option<AskMetadata> {
        ask(self.metadata.as_ref())
    }
}

impl InputTool {
    pub(crate) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    pub(crate) fn text(&self) -> String {
        text(&self.content)
    }

    pub(crate) fn ask(&self) -> Option<AskMetadata> {
        ask(self.metadata.as_ref())
    }
}

impl Resume {
    pub(crate) fn ask(&self) -> Option<AskMetadata> {
        ask(self.metadata.as_ref())
    }
}

/// Plain text, or the text parts of a list of parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| part.get("text")?.as_str())
                .collect();
            texts.join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

fn ask(metadata: Option<&Plain>) -> Option<AskMetadata> {
    AskMetadata::of(&metadata?.0)
}
