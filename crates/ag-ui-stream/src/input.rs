//! The body of the `POST` that starts a run.

use crate::message::{Message, Metadata, borrowed, text_of, unique};
use crate::notice::Notice;
use crate::protocol::shapes::INPUT;
use crate::wire::{Enforced, enforce, parse};
use json_tree::{Json, JsonText};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

/// The version that this crate speaks.
pub const PROTOCOL_VERSION: &str = "1.0";

/// The body of the `POST` that starts a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunAgentInput {
    /// The conversation.
    pub thread_id: String,
    /// The new run.
    pub run_id: String,
    /// The whole history.
    pub messages: Vec<Message>,
    /// [`PROTOCOL_VERSION`].
    pub protocol_version: Option<String>,
    /// The run that this one continues.
    pub parent_run_id: Option<String>,
    /// Shared state; anything except null, absent means `{}`.
    pub state: Option<Json<'static>>,
    /// The tools that the agent may call on this client.
    pub tools: Option<Vec<Tool>>,
    /// Facts for the agent.
    pub context: Option<Vec<Context>>,
    /// Anything except null.
    pub forwarded_props: Option<Json<'static>>,
    /// Answers to interrupts.
    pub resume: Option<Vec<ResumeEntry>>,
}

impl RunAgentInput {
    /// An input with these ids and messages, everything else absent.
    #[must_use]
    pub fn new(thread_id: impl Into<String>, run_id: impl Into<String>, messages: Vec<Message>) -> Self {
        Self { thread_id: thread_id.into(), run_id: run_id.into(), messages, ..Self::default() }
    }

    /// Reads a body as a stream's events are read: retired forms are translated, and members that 1.0 does not describe are stripped with a warning.
    ///
    /// # Errors
    /// If it is no JSON, or a described member is missing or of the wrong kind; the error names the path.
    pub fn parse(text: &str) -> Result<(Self, Vec<Notice>), Notice> {
        let read = parse(text).and_then(|(json, _)| enforce(json, INPUT));
        let (json, warnings) = read.map_err(|error| *error)?;
        Ok((Self::of(&json), warnings))
    }

    fn of(json: &Json<'_>) -> Self {
        let value = |name: &str| json.get(name).map(unique);
        Self {
            thread_id: said(json, "threadId"),
            run_id: said(json, "runId"),
            messages: items(json, "messages", Message::of).unwrap_or_default(),
            protocol_version: json.get("protocolVersion").and_then(text_of),
            parent_run_id: json.get("parentRunId").and_then(text_of),
            state: value("state"),
            tools: items(json, "tools", Tool::of),
            context: items(json, "context", Context::of),
            forwarded_props: value("forwardedProps"),
            resume: items(json, "resume", ResumeEntry::of),
        }
    }
}

/// As JSON, with its messages in their order.
impl From<&RunAgentInput> for Json<'static> {
    fn from(input: &RunAgentInput) -> Self {
        fn list<'a, T>(items: &'a Option<Vec<T>>) -> Option<Json<'static>>
        where
            Json<'static>: From<&'a T>,
        {
            items.as_ref().map(|items| Json::List(items.iter().map(Json::from).collect()))
        }
        let said = |text: &Option<String>| text.as_deref().map(Json::from);
        let mut members = [
            ("threadId", Some(input.thread_id.as_str().into())),
            ("runId", Some(input.run_id.as_str().into())),
            ("messages", Some(Json::List(input.messages.iter().map(Json::from).collect()))),
            ("protocolVersion", said(&input.protocol_version)),
            ("parentRunId", said(&input.parent_run_id)),
            ("state", input.state.clone()),
            ("tools", list(&input.tools)),
            ("context", list(&input.context)),
            ("forwardedProps", input.forwarded_props.clone()),
            ("resume", list(&input.resume)),
        ];
        Json::object_of(&mut members)
    }
}

impl Serialize for RunAgentInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RunAgentInput {
    /// As [`parse`](Self::parse), without the warnings.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (json, _): Enforced<'_> = enforce(Json::deserialize(deserializer)?, INPUT).map_err(D::Error::custom)?;
        Ok(Self::of(&json))
    }
}

/// A tool that the agent may call on this client.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its purpose, for the model.
    pub description: String,
    /// JSON Schema of its arguments, opaque to the protocol; with its members in their order, which a model reads.
    pub parameters: Option<JsonText>,
    /// Open by key.
    pub metadata: Option<Metadata>,
}

impl Tool {
    /// Without parameters.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), ..Self::default() }
    }

    fn of(json: &Json<'_>) -> Self {
        Self {
            name: said(json, "name"),
            description: said(json, "description"),
            parameters: json.get("parameters").map(JsonText::from),
            metadata: json.get("metadata").map(unique),
        }
    }
}

impl From<&Tool> for Json<'static> {
    fn from(tool: &Tool) -> Self {
        let mut members = [
            ("name", Some(tool.name.as_str().into())),
            ("description", Some(tool.description.as_str().into())),
            ("parameters", tool.parameters.as_ref().and_then(|it| Some(Json::parse(it.as_str()).ok()?.into_static()))),
            ("metadata", tool.metadata.clone()),
        ];
        Self::object_of(&mut members)
    }
}

/// One fact for the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The name of the fact.
    pub description: String,
    /// Its value.
    pub value: String,
}

impl Context {
    fn of(json: &Json<'_>) -> Self {
        Self { description: said(json, "description"), value: said(json, "value") }
    }
}

impl From<&Context> for Json<'static> {
    fn from(context: &Context) -> Self {
        Self::object([("description", context.description.as_str().into()), ("value", context.value.as_str().into())])
    }
}

/// The answer to one interrupt.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumeEntry {
    /// The interrupt.
    pub interrupt_id: String,
    /// True if it was answered; a denial goes into the payload.
    pub is_resolved: bool,
    /// The answer; anything except null.
    pub payload: Option<Json<'static>>,
    /// Open by key.
    pub metadata: Option<Metadata>,
}

impl ResumeEntry {
    /// An interrupt that gets no answer.
    #[must_use]
    pub fn cancelled(interrupt_id: impl Into<String>) -> Self {
        Self { interrupt_id: interrupt_id.into(), is_resolved: false, payload: None, metadata: None }
    }

    pub(crate) fn of(json: &Json<'_>) -> Self {
        Self {
            interrupt_id: said(json, "interruptId"),
            is_resolved: json.get("status").and_then(Json::as_str) == Some("resolved"),
            payload: json.get("payload").map(unique),
            metadata: json.get("metadata").map(unique),
        }
    }
}

impl From<&ResumeEntry> for Json<'static> {
    fn from(entry: &ResumeEntry) -> Self {
        let mut members = [
            ("interruptId", Some(entry.interrupt_id.as_str().into())),
            ("status", Some(borrowed(if entry.is_resolved { "resolved" } else { "cancelled" }))),
            ("payload", entry.payload.clone()),
            ("metadata", entry.metadata.clone()),
        ];
        Self::object_of(&mut members)
    }
}

impl Serialize for ResumeEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json::from(self).serialize(serializer)
    }
}

fn said(json: &Json<'_>, name: &str) -> String {
    json.get(name).and_then(text_of).unwrap_or_default()
}

fn items<T>(json: &Json<'_>, name: &str, read: fn(&Json<'_>) -> T) -> Option<Vec<T>> {
    let items = json.get(name)?.as_list()?;
    Some(items.iter().map(read).collect())
}
