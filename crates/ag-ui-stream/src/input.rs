//! What a client sends: the body of the `POST` that starts a run.

use crate::message::{Message, Metadata};
use crate::reader::{StreamError, decode_alone};
use crate::warning::Warning;
use crate::wire::{choice, object};
use json_tree::JsonText;
use serde_json::Value;

/// The version that this crate speaks.
pub const PROTOCOL_VERSION: &str = "1.0";

impl RunAgentInput {
    /// Reads a body as a stream's events are read: retired forms are translated, and what 1.0 does not describe is stripped with a warning. (Its
    /// `Deserialize` takes nothing but what 1.0 describes.)
    ///
    /// # Errors
    /// Where it is no JSON, or a described field is missing or holds what it must not; the error names the path.
    pub fn parse(text: &str) -> Result<(Self, Vec<Warning>), StreamError> {
        decode_alone(text).map_err(|error| *error)
    }
}

object! {
    /// The body of the `POST` that starts a run.
    RunAgentInput {
        required {
            /// The conversation.
            thread_id: String,
            /// The run that is to start; always a new one.
            run_id: String,
            /// The whole history.
            messages: Vec<Message>,
        }
        optional {
            /// [`PROTOCOL_VERSION`].
            protocol_version: String,
            /// The run that this one continues.
            parent_run_id: String,
            /// Shared state; anything but null, absent means `{}`.
            state: Value,
            /// What the agent may call on this client.
            tools: Vec<Tool>,
            /// What the agent should know.
            context: Vec<Context>,
            /// Anything but null.
            forwarded_props: Value | null,
            /// Answers to interrupts.
            resume: Vec<ResumeEntry>,
        }
    }
}

object! {
    /// A tool that the agent may call on this client.
    Tool {
        required {
            /// Its name.
            name: String,
            /// What it is for.
            description: String,
        }
        optional {
            /// JSON Schema of its arguments, opaque to the protocol; with its members in their order, which a model reads.
            parameters: JsonText | null,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

object! {
    /// One thing that the agent should know.
    Context {
        required {
            /// What it is.
            description: String,
            /// Its value.
            value: String,
        }
        optional {}
    }
}

object! {
    /// The answer to one interrupt.
    ResumeEntry {
        required {
            /// The interrupt.
            interrupt_id: String,
            /// Whether it was answered.
            status: ResumeStatus,
        }
        optional {
            /// The answer; anything but null.
            payload: Value | null,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

choice! {
    /// Whether an interrupt was answered.
    ResumeStatus {
        /// It was; a denial goes into the payload.
        Resolved = "resolved",
        /// It was not.
        Cancelled = "cancelled",
    }
}
