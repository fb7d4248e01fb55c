//! The body of the `POST` that starts a run.

use crate::message::{Message, Metadata};
use crate::notice::Notice;
use crate::protocol::shapes::INPUT;
use crate::wire::{Enforced, enforce, parse};
use json_tree::{Json, WireValue, codes, wire_object};
use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// The version that this crate speaks.
pub const PROTOCOL_VERSION: &str = "1.0";

wire_object! {
    /// The body of the `POST` that starts a run.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct RunAgentInput {
        /// The conversation.
        pub thread_id: String = "threadId",
        /// The new run.
        pub run_id: String = "runId",
        /// The whole history.
        pub messages: Vec<Message> = "messages",
        /// [`PROTOCOL_VERSION`].
        pub protocol_version: Option<String> = "protocolVersion",
        /// The run of another agent that spawned this one. One that goes on after an answer or an interrupt has none.
        pub parent_run_id: Option<String> = "parentRunId",
        /// Shared state; anything except null, absent means `{}`.
        pub state: Option<Json<'static>> = "state",
        /// The tools that the agent may call on this client.
        pub tools: Option<Vec<Tool>> = "tools",
        /// Facts for the agent.
        pub context: Option<Vec<Context>> = "context",
        /// Anything except null.
        pub forwarded_props: Option<Json<'static>> = "forwardedProps",
        /// Answers to interrupts.
        pub resume: Option<Vec<ResumeEntry>> = "resume",
    }
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
        /// Its name.
        pub name: String = "name",
        /// Its purpose, for the model.
        pub description: String = "description",
        /// JSON Schema of its arguments, opaque to the protocol; with its members in their order, which a model reads.
        pub parameters: Option<Json<'static>> = "parameters",
        /// Open by key.
        pub metadata: Option<Metadata> = "metadata",
    }
}

impl Tool {
    /// Without parameters.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), ..Self::default() }
    }
}

wire_object! {
    /// One fact for the agent.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Context {
        /// The name of the fact.
        pub description: String = "description",
        /// Its value.
        pub value: String = "value",
    }
}

wire_object! {
    /// The answer to one interrupt.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ResumeEntry {
        /// The interrupt.
        pub interrupt_id: String = "interruptId",
        /// The way in which it was answered; a denial goes into the payload.
        pub status: ResumeStatus = "status",
        /// The answer; anything except null.
        pub payload: Option<Json<'static>> = "payload",
        /// Open by key.
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
        /// It was answered.
        Resolved "resolved",
        /// It was not, and will not be.
        #[default]
        Cancelled "cancelled",
    }
}
