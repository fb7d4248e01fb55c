//! The ends of runs.

use crate::message::{Metadata, borrowed, text_of};
use json_tree::{Json, WireValue, wire_object};

/// The outcome of a run that did not fail. Absent on the wire means success.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunOutcome {
    /// It succeeded, perhaps with calls for the client to answer.
    Success {
        /// Frontend calls left unanswered, in order; empty means: derive them from the stream.
        pending_tool_call_ids: Vec<String>,
    },
    /// It waits for answers to interrupts.
    Interrupt {
        /// The interrupts; at least one.
        interrupts: Vec<Interrupt>,
    },
    /// It was stopped: neither success nor failure.
    Cancelled,
}

impl RunOutcome {
    pub(crate) fn of(json: &Json<'_>) -> Self {
        let items = |name: &str| json.items(name).iter();
        match json.string("type") {
            Some("interrupt") => {
                Self::Interrupt { interrupts: items("interrupts").map(|it| Interrupt::read(Some(it))).collect() }
            }
            Some("cancelled") => Self::Cancelled,
            _ => Self::Success { pending_tool_call_ids: items("pendingToolCallIds").filter_map(text_of).collect() },
        }
    }
}

impl From<&RunOutcome> for Json<'static> {
    fn from(outcome: &RunOutcome) -> Self {
        let of = |kind: &'static str| vec![("type", borrowed(kind))];
        Json::object(match outcome {
            RunOutcome::Success { pending_tool_call_ids } => {
                let mut members = of("success");
                if !pending_tool_call_ids.is_empty() {
                    members.push(("pendingToolCallIds", pending_tool_call_ids.clone().into()));
                }
                members
            }
            RunOutcome::Interrupt { interrupts } => {
                let mut members = of("interrupt");
                members.push(("interrupts", Json::List(interrupts.iter().map(Json::from).collect())));
                members
            }
            RunOutcome::Cancelled => of("cancelled"),
        })
    }
}

wire_object! {
    /// One thing that a run waits for.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Interrupt {
        /// Unique among the run's interrupts; `resume` names it.
        pub id: String = "id",
        /// `tool_call`, `input_required`, `confirmation` or `<namespace>:<name>`.
        pub reason: String = "reason",
        /// The text for the user.
        pub message: Option<String> = "message",
        /// The call that it is about.
        pub tool_call_id: Option<String> = "toolCallId",
        /// JSON Schema of the answer's payload, its members in the order of the agent.
        pub response_schema: Option<Json<'static>> = "responseSchema",
        /// ISO 8601 by convention; afterwards it may only be cancelled.
        pub expires_at: Option<String> = "expiresAt",
        /// The subagent that waits.
        pub subagent_run_id: Option<String> = "subagentRunId",
        /// Open by key.
        pub metadata: Option<Metadata> = "metadata",
    }
}

impl Interrupt {
    /// An interrupt with only its required members.
    #[must_use]
    pub fn new(id: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { id: id.into(), reason: reason.into(), ..Self::default() }
    }
}
