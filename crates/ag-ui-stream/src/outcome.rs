//! The ends of runs.

use crate::message::{Metadata, borrowed, text_of, unique};
use json_tree::Json;
use serde::ser::{Serialize, Serializer};

/// The outcome of a run that did not fail. Absent on the wire means success.
#[derive(Clone, Debug, PartialEq)]
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
    /// Reads JSON that the walk has passed.
    pub(crate) fn of(json: &Json<'_>) -> Self {
        let items = |name: &str| json.get(name).and_then(Json::as_list).unwrap_or_default().iter();
        match json.get("type").and_then(Json::as_str) {
            Some("interrupt") => Self::Interrupt { interrupts: items("interrupts").map(Interrupt::of).collect() },
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

/// One thing that a run waits for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interrupt {
    /// Unique among the run's interrupts; `resume` names it.
    pub id: String,
    /// `tool_call`, `input_required`, `confirmation` or `<namespace>:<name>`.
    pub reason: String,
    /// The text for the user.
    pub message: Option<String>,
    /// The call that it is about.
    pub tool_call_id: Option<String>,
    /// JSON Schema of the answer's payload, its members in the order of the agent.
    pub response_schema: Option<Json<'static>>,
    /// ISO 8601 by convention; afterwards it may only be cancelled.
    pub expires_at: Option<String>,
    /// The subagent that waits.
    pub subagent_run_id: Option<String>,
    /// Open by key.
    pub metadata: Option<Metadata>,
}

impl Interrupt {
    /// An interrupt with only its required members.
    #[must_use]
    pub fn new(id: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { id: id.into(), reason: reason.into(), ..Self::default() }
    }

    pub(crate) fn of(json: &Json<'_>) -> Self {
        let said = |name: &str| json.get(name).and_then(text_of);
        Self {
            id: said("id").unwrap_or_default(),
            reason: said("reason").unwrap_or_default(),
            message: said("message"),
            tool_call_id: said("toolCallId"),
            response_schema: json.get("responseSchema").map(|schema| schema.clone().into_static()),
            expires_at: said("expiresAt"),
            subagent_run_id: said("subagentRunId"),
            metadata: json.get("metadata").map(unique),
        }
    }
}

impl From<&Interrupt> for Json<'static> {
    fn from(interrupt: &Interrupt) -> Self {
        let said = |text: &Option<String>| text.as_deref().map(Json::from);
        let mut members = [
            ("id", Some(interrupt.id.as_str().into())),
            ("reason", Some(interrupt.reason.as_str().into())),
            ("message", said(&interrupt.message)),
            ("toolCallId", said(&interrupt.tool_call_id)),
            ("responseSchema", interrupt.response_schema.clone()),
            ("expiresAt", said(&interrupt.expires_at)),
            ("subagentRunId", said(&interrupt.subagent_run_id)),
            ("metadata", interrupt.metadata.clone()),
        ];
        Json::object_of(&mut members)
    }
}

impl Serialize for Interrupt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json::from(self).serialize(serializer)
    }
}
