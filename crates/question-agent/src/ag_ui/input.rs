//! The input of a client, read leniently: clients of other vendors add fields, and only the user's own messages matter in their history.

use super::bounds::{MAX_CLIENT_TOOLS, MAX_CLIENT_TOOLS_BYTES, MAX_CONTEXT_BYTES, MAX_ID_BYTES};
use super::refused::Refused;
use crate::call::asking_tool;
use crate::message::MessageFile;
use crate::registry::{ContextItem, PermissionMode, ToolContext, ToolSpec};
use ag_ui_stream::Message;
use ag_ui_stream::input::ResumeStatus;
use ask_user_question::attachment::{FileFlaw, FileLimits};
use ask_user_question::outcome::AskMetadata;
use json_tree::{Json, Plain, plain};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The body of `POST /agent`: the part of a `RunAgentInput` that is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunInput {
    /// The conversation.
    #[serde(alias = "thread_id")]
    pub thread_id: String,
    /// The run.
    #[serde(alias = "run_id")]
    pub run_id: String,
    /// A member that clients have sent since AG-UI 1.0.
    protocol_version: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "list")]
    pub(crate) messages: Vec<InputMessage>,
    #[serde(default, deserialize_with = "list")]
    pub(crate) resume: Vec<Resume>,
    #[serde(default, alias = "forwarded_props", deserialize_with = "plain")]
    forwarded_props: Value,
    #[serde(default, deserialize_with = "plain")]
    tools: Value,
    #[serde(default, deserialize_with = "plain")]
    context: Value,
}

/// A list, empty if it is `null`: some clients write that for an absent member.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}

#[derive(Debug, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(crate) enum InputMessage {
    User(InputUser),
    Assistant(InputAssistant),
    Tool(InputTool),
    /// Any other message: the server has its own history of it.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(crate) struct InputUser {
    pub(crate) id: String,
    #[serde(deserialize_with = "plain")]
    content: Value,
    #[serde(default)]
    pub(crate) metadata: Marks,
}

/// A message of the agent, which the server has in its own history. It separates new messages from known ones.
#[derive(Debug, Deserialize)]
pub(crate) struct InputAssistant {
    #[serde(default, deserialize_with = "plain")]
    id: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputTool {
    pub(crate) id: String,
    #[serde(alias = "tool_call_id")]
    pub(crate) tool_call_id: String,
    #[serde(deserialize_with = "plain")]
    content: Value,
    /// The error of the client's tool, if it failed.
    error: Option<Plain>,
    #[serde(default)]
    pub(crate) metadata: Marks,
}

/// The answer to an interrupt, which has the id of its call.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resume {
    pub(crate) interrupt_id: String,
    pub(crate) status: ResumeStatus,
    pub(crate) payload: Option<Plain>,
    #[serde(default)]
    pub(crate) metadata: Marks,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Marks(Option<Plain>);

impl RunInput {
    /// Reads a body.
    ///
    /// # Errors
    /// If it is no input, or has an id that can't be stored.
    pub fn parse(body: &[u8]) -> Result<Self, Refused> {
        let input: Self = serde_json::from_slice(body)
            .map_err(|error| Refused::BadRequest(format!("The body is no RunAgentInput: {error}.")))?;
        check_id(&input.thread_id)?;
        check_id(&input.run_id)?;
        input.messages.iter().try_for_each(InputMessage::check)?;
        input
            .resume
            .iter()
            .try_for_each(|resume| check_id(&resume.interrupt_id).and_then(|()| resume.metadata.check()))?;
        Ok(input)
    }

    /// The new settings of the agent: `"forwardedProps": {"toolContext": {"planMode": true}}` and similar. Only the server makes
    /// sub-agents. The operator decides if a client may have the agent ask no user.
    ///
    /// # Errors
    /// If it cannot be read, or asks for a bypass that is not allowed.
    pub fn context(&self, allow_bypass: bool) -> Result<Option<ToolContext>, Refused> {
        let Some(context) = self.forwarded_props.get("toolContext") else {
            return Ok(None);
        };
        let context = ToolContext::deserialize(context)
            .map_err(|error| Refused::BadRequest(format!("The toolContext cannot be read: {error}.")))?;
        if context.permission_mode == PermissionMode::BypassPermissions && !allow_bypass {
            return Err(Refused::BypassNotAllowed);
        }
        Ok(Some(ToolContext {
            is_sub_agent: false,
            client_tools: Vec::new(),
            context: Vec::new(),
            callbacks: Vec::new(),
            ..context
        }))
    }

    /// The asking tool, if the client declares it as its own.
    #[must_use]
    pub fn client_tool(&self) -> Option<&'static str> {
        self.tools().find_map(|(name, _)| asking_tool(name))
    }

    /// The client's other tools, each once. Tools that no provider could take are left out.
    ///
    /// # Errors
    /// If there are more than [`MAX_CLIENT_TOOLS`], or they have more than [`MAX_CLIENT_TOOLS_BYTES`].
    pub fn client_tools(&self) -> Result<Vec<ToolSpec>, Refused> {
        let mut declared: Vec<ToolSpec> = Vec::new();
        let mut names = HashSet::new();
        let mut bytes = 0;
        for (name, tool) in self.tools() {
            if asking_tool(name).is_some() || !is_tool_name(name) || !names.insert(name) {
                continue;
            }
            let text = |key: &str| tool.get(key).and_then(Value::as_str).unwrap_or_default();
            let parameters = match tool.get("parameters") {
                Some(schema @ Value::Object(_)) => schema.into(),
                Some(_) | None => json!({"type": "object", "properties": {}}).into(),
            };
            let tool = ToolSpec { name: name.to_owned(), description: text("description").to_owned(), parameters };
            bytes += name.len() + tool.description.len() + tool.parameters.text().len();
            declared.push(tool);
            if declared.len() > MAX_CLIENT_TOOLS || bytes > MAX_CLIENT_TOOLS_BYTES {
                return Err(Refused::BadRequest(format!(
                    "A client may declare at most {MAX_CLIENT_TOOLS} tools of {MAX_CLIENT_TOOLS_BYTES} bytes in all."
                )));
            }
        }
        Ok(declared)
    }

    /// The client's description of the user's surroundings. A value that is no text is passed on as JSON.
    ///
    /// # Errors
    /// If it is longer than [`MAX_CONTEXT_BYTES`].
    pub fn client_context(&self) -> Result<Vec<ContextItem>, Refused> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let items = self.context.as_array().into_iter().flatten();
        let items: Vec<ContextItem> = items
            .filter_map(|item| {
                let value = item.get("value").filter(|value| !value.is_null())?;
                Some(ContextItem {
                    description: item.get("description").map(text).unwrap_or_default(),
                    value: text(value),
                })
            })
            .collect();
        match items.iter().map(|item| item.description.len() + item.value.len()).sum::<usize>() > MAX_CONTEXT_BYTES {
            true => Err(Refused::BadRequest(format!("A client's context may have at most {MAX_CONTEXT_BYTES} bytes."))),
            false => Ok(items),
        }
    }

    fn tools(&self) -> impl Iterator<Item = (&str, &Value)> {
        let tools = self.tools.as_array().into_iter().flatten();
        tools.filter_map(|tool| Some((tool.get("name")?.as_str()?, tool)))
    }

    /// How a run ends at an ask. `"forwardedProps": {"interrupts": true}` asks for interrupts.
    #[must_use]
    pub fn pending(&self) -> Pending {
        match self.forwarded_props.get("interrupts") {
            Some(Value::Bool(true)) => Pending::Interrupts,
            Some(_) | None => Pending::ToolCalls,
        }
    }

    /// The AG-UI that the client understands.
    #[must_use]
    pub fn edition(&self) -> Edition {
        match self.protocol_version {
            Some(IgnoredAny) => Edition::Current,
            None => Edition::BeforeOne,
        }
    }
}

/// The AG-UI that a client understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// Before 1.0: clients end a run in an error if they do not know all members of an event.
    BeforeOne,
    /// From 1.0 on: clients ignore members that they do not know.
    Current,
}

/// The way in which a client learns which asks wait when a run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pending {
    /// Success, with the unanswered calls.
    #[default]
    ToolCalls,
    /// An interrupt for each of them.
    Interrupts,
}

impl Pending {
    /// The choice of the client that sent the last message, for runs that no client started.
    #[must_use]
    pub fn of(context: &ToolContext) -> Self {
        match context.interrupts {
            true => Self::Interrupts,
            false => Self::ToolCalls,
        }
    }
}

/// Returns true if providers accept it as a tool's name.
fn is_tool_name(name: &str) -> bool {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=64).contains(&name.len()) && name.chars().all(is_legal)
}

/// Refuses ids that are empty, too long or unprintable, and `.` and `..`, which no URL can name: clients resolve them, even percent-encoded.
///
/// # Errors
/// If it is one of these.
pub fn check_id(id: &str) -> Result<(), Refused> {
    if id.is_empty() || id.len() > MAX_ID_BYTES || id.chars().any(char::is_control) {
        return Err(Refused::BadRequest(format!("An id must have 1 to {MAX_ID_BYTES} printable bytes.")));
    }
    match id {
        "." | ".." => Err(Refused::BadRequest("An id must not be a path segment of dots.".to_owned())),
        _ => Ok(()),
    }
}

impl InputMessage {
    /// Its id, which for an assistant's message may be anything.
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            Self::User(user) => Some(&user.id),
            Self::Assistant(assistant) => assistant.id.as_str(),
            Self::Tool(tool) => Some(&tool.id),
            Self::Other => None,
        }
    }

    fn check(&self) -> Result<(), Refused> {
        match self {
            Self::User(user) => check_id(&user.id).and_then(|()| user.metadata.check()),
            Self::Tool(tool) => {
                check_id(&tool.id).and_then(|()| check_id(&tool.tool_call_id)).and_then(|()| tool.metadata.check())
            }
            Self::Assistant(_) | Self::Other => Ok(()),
        }
    }
}

impl InputUser {
    pub(crate) fn text(&self) -> String {
        text(&self.content)
    }

    /// Returns true if its content cannot be read here, such as an image alone.
    pub(crate) fn is_unreadable(&self) -> bool {
        let is_text = |part: &Value| part.get("type").is_none_or(|kind| kind == "text");
        let parts = self.content.as_array();
        parts.is_some_and(|parts| !parts.iter().all(is_text)) && self.text().trim().is_empty()
    }

    /// The files among the parts of its content. The caller has to check that the host has them.
    pub(crate) fn files(&self, limits: &FileLimits) -> Result<Vec<MessageFile>, Refused> {
        let mut files = Vec::new();
        for (question, file) in Message::files_in(&Json::from(&self.content)) {
            if files.len() >= limits.count {
                return Err(Refused::BadRequest(limits.explain(FileFlaw::TooMany)));
            }
            if file.is_data() || file.url.is_empty() {
                let why =
                    "Send the bytes of a file to /conversations/{id}/files first, and name the address that it gets.";
                return Err(Refused::BadRequest(why.to_owned()));
            }
            files.push(MessageFile { file, question });
        }
        Ok(files)
    }
}

impl InputTool {
    pub(crate) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    pub(crate) fn text(&self) -> String {
        text(&self.content)
    }
}

impl Marks {
    /// The ask that it answers. `via` is dropped: the reply came by AG-UI, whatever its client says.
    pub(crate) fn ask(&self) -> Option<AskMetadata> {
        let ask = AskMetadata::of(&Json::from(&self.0.as_ref()?.0))?;
        Some(AskMetadata { via: None, ..ask })
    }

    /// The id of a reply, even if it has no other member.
    pub(crate) fn reply_id(&self) -> Option<String> {
        self.0.as_ref()?.0.get(AskMetadata::KEY)?.get("replyId")?.as_str().map(str::to_owned)
    }

    /// As [`check_id`], for the ids that are stored with a reply.
    fn check(&self) -> Result<(), Refused> {
        let ids = self.ask().map(|ask| [Some(ask.tool_call_id), Some(ask.reply_id), ask.replaces]);
        let mut ids = ids.into_iter().flatten().flatten().chain(self.reply_id());
        ids.try_for_each(|id| check_id(&id))
    }
}

/// Plain text, or the text parts of a list of parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}
