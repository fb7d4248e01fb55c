//! The body of the `POST` that starts a run.

use crate::message::{Message, Metadata};
use crate::notice::Notice;
use crate::protocol::shapes::INPUT;
use crate::wire::{Enforced, enforce, parse};
use json_tree::{Json, WireValue, codes, wire_object};
use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// The AG-UI version that this crate speaks.
pub const PROTOCOL_VERSION: &str = "1.0";

wire_object! {
    /// The body of the `POST` that starts a run (`basic/run-input`).
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct RunAgentInput {
        /// The id of the conversation.
        pub thread_id: String = "threadId",
        /// The id of the new run.
        pub run_id: String = "runId",
        /// The whole history, in order.
        pub messages: Vec<Message> = "messages",
        /// [`PROTOCOL_VERSION`] in inputs that this crate writes.
        pub protocol_version: Option<String> = "protocolVersion",
        /// The run of another agent that spawned this run. Absent if the run merely continues after an answer or an interrupt.
        pub parent_run_id: Option<String> = "parentRunId",
        /// The shared state; any value except null. Absent means `{}`.
        pub state: Option<Json<'static>> = "state",
        /// The tools that the agent may call on this client.
        pub tools: Option<Vec<Tool>> = "tools",
        /// Facts for the agent, beside the messages.
        pub context: Option<Vec<Context>> = "context",
        /// Any value except null, for the agent's own use.
        pub forwarded_props: Option<Json<'static>> = "forwardedProps",
        /// The answers to all open interrupts.
        pub resume: Option<Vec<ResumeEntry>> = "resume",
    }
}

impl RunAgentInput {
    /// Creates an input with only the required members.
    #[must_use]
    pub fn new(thread_id: impl Into<String>, run_id: impl Into<String>, messages: Vec<Message>) -> Self {
        Self { thread_id: thread_id.into(), run_id: run_id.into(), messages, ..Self::default() }
    }

    /// Reads a body by the same rules as events: retired forms are translated, and members that 1.0 does not describe are stripped with a warning.
    ///
    /// # Errors
    /// If it is no JSON, or a described member is missing or of the wrong kind; the error names the path.
    pub fn parse(text: &str) -> Result<(Self, Vec<Notice>), Notice> {
        let read = parse(text).and_then(|(json, _)| enforce(json, INPUT));
        let (json, warnings) = read.map_err(|error| *error)?;
        Ok((Self::read(Some(&json)), warnings))
    }
}

impl<'de> Deserialize<'de> for RunAgentInput {
    /// As [`parse`](Self::parse), without the warnings.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (json, _): Enforced<'_> = enforce(Json::deserialize(deserializer)?, INPUT).map_err(D::Error::custom)?;
        Ok(Self::read(Some(&json)))
    }
}

wire_object! {
    /// A tool that the agent may call on this client.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Tool {
        /// The name by which the agent calls it.
        pub name: String = "name",
        /// What the tool does, for the model.
        pub description: String = "description",
        /// JSON Schema of the arguments. The protocol does not validate it. The order of its members is kept, since a model reads it.
        pub parameters: Option<Json<'static>> = "parameters",
        /// An object with any keys.
        pub metadata: Option<Metadata> = "metadata",
    }
}

impl Tool {
    /// Creates a tool without parameters.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), ..Self::default() }
    }
}

wire_object! {
    /// One fact for the agent.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Context {
        /// What the value describes.
        pub description: String = "description",
        /// The fact itself, as text.
        pub value: String = "value",
    }
}

wire_object! {
    /// The answer to one interrupt.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ResumeEntry {
        /// The id of the interrupt.
        pub interrupt_id: String = "interruptId",
        /// Whether the interrupt was answered. A denial is an answer, and goes into the payload.
        pub status: ResumeStatus = "status",
        /// The answer; any value except null.
        pub payload: Option<Json<'static>> = "payload",
        /// An object with any keys.
        pub metadata: Option<Metadata> = "metadata",
    }
}

#[cfg(feature = "asks")]
impl ResumeEntry {
    pub(crate) fn resolved(interrupt_id: &str, payload: Option<Json<'static>>) -> Self {
        Self { interrupt_id: interrupt_id.to_owned(), status: ResumeStatus::Resolved, payload, metadata: None }
    }
}

codes! {
    /// The status of a [`ResumeEntry`].
    #[derive(Default)]
    #[non_exhaustive]
    ResumeStatus {
        /// The interrupt was answered.
        Resolved "resolved",
        /// The interrupt was given up without an answer.
        #[default]
        Cancelled "cancelled",
    }
}
