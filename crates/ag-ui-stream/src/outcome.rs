//! The ends of runs.

use crate::LEGACY;
use crate::message::{Metadata, borrowed};
use json_tree::{Json, Members, WireValue, wire_object};

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
            _ => Self::Success { pending_tool_call_ids: items("pendingToolCallIds").filter_map(String::of).collect() },
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

    /// The interrupt in an event of before 1.0, as the adapters that send both forms write it in the protocol's; `None` for any other event.
    pub(crate) fn of_legacy(custom: &Members<'_>, unnamed: impl FnOnce() -> String) -> Option<Self> {
        let value = custom.find("value").filter(|_| LEGACY && custom.string("name") == Some(ON_INTERRUPT))?;
        let value = value.clone().into_static();
        let id = custom.find("rawEvent").and_then(|raw| raw.string("id")).map_or_else(unnamed, str::to_owned);
        let read = unpacked(&value);
        let text = |names: &[&str]| String::of(first(&read, names)?);
        let schema = first(&read, &["responseSchema", "response_schema", "resumeSchema"]).map(unpacked);
        let mut interrupt = Self::new(id, text(&["reason"]).unwrap_or_else(|| ON_INTERRUPT.to_owned()));
        interrupt.message = String::of(&read).or_else(|| text(&["message"]));
        interrupt.tool_call_id = text(&["toolCallId", "tool_call_id"]);
        interrupt.response_schema = schema.filter(|schema| schema.as_object().is_some());
        interrupt.expires_at = text(&["expiresAt", "expires_at"]);
        let raw = Json::object([("raw", read)]);
        interrupt.metadata = Some(Json::object([("langgraph", raw), (LEGACY_VALUE, value)]));
        Some(interrupt)
    }

    /// The value of the legacy event, if it came as one: the answer quotes it.
    #[cfg(feature = "asks")]
    pub(crate) fn legacy(&self) -> Option<&Json<'static>> {
        self.metadata.as_ref().filter(|_| LEGACY)?.get(LEGACY_VALUE)
    }
}

/// The name of the legacy event, which the adapters of `LangGraph` (<https://github.com/ag-ui-protocol/ag-ui/issues/2058>) and `Mastra`
/// (<https://github.com/ag-ui-protocol/ag-ui/pull/1359>) send in the place of the protocol's interrupt, or beside it.
const ON_INTERRUPT: &str = "on_interrupt";

/// The member of an interrupt's metadata for the value of its legacy event.
const LEGACY_VALUE: &str = "ag-ui-stream:on_interrupt";

pub(crate) fn first<'v>(value: &'v Json<'static>, names: &[&str]) -> Option<&'v Json<'static>> {
    names.iter().find_map(|name| value.get(name))
}

/// The value itself, or the JSON in the text that some adapters send instead.
pub(crate) fn unpacked(value: &Json<'static>) -> Json<'static> {
    if let Some(text) = value.as_str()
        && let Ok(parsed @ (Json::Object(_) | Json::Text(_))) = Json::parse(text)
    {
        return parsed.into_static();
    }
    value.clone()
}
