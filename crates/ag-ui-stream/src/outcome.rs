//! How runs end.

use crate::LEGACY;
use crate::message::{Metadata, borrowed};
use json_tree::{Json, Members, WireValue, wire_object};

/// The outcome of a run that did not fail. Absent on the wire means success.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunOutcome {
    /// The run succeeded, perhaps with calls for the client to answer.
    Success {
        /// Frontend calls without a result, in order. If empty, they are derived from the stream.
        pending_tool_call_ids: Vec<String>,
    },
    /// The run waits for answers to interrupts.
    Interrupt {
        /// The interrupts, at least one.
        interrupts: Vec<Interrupt>,
    },
    /// The run was stopped, which is neither success nor failure.
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
    /// One request for input that a run waits for.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Interrupt {
        /// Unique among the run's interrupts; `resume` names it.
        pub id: String = "id",
        /// `tool_call`, `input_required`, `confirmation` or a custom `<namespace>:<name>`.
        pub reason: String = "reason",
        /// The text for the user.
        pub message: Option<String> = "message",
        /// The agent's id of the call that the interrupt is about.
        pub tool_call_id: Option<String> = "toolCallId",
        /// JSON Schema of the answer's payload, with members in the agent's order.
        pub response_schema: Option<Json<'static>> = "responseSchema",
        /// The deadline, by convention in ISO 8601. After it the interrupt may only be cancelled.
        pub expires_at: Option<String> = "expiresAt",
        /// The subagent that waits.
        pub subagent_run_id: Option<String> = "subagentRunId",
        /// An object with any keys.
        pub metadata: Option<Metadata> = "metadata",
    }
}

impl Interrupt {
    /// Creates an interrupt with only the required members.
    #[must_use]
    pub fn new(id: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { id: id.into(), reason: reason.into(), ..Self::default() }
    }

    /// Reads an interrupt from the legacy event `on_interrupt`, in the form that adapters use that send both; `None` for any other event.
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

    /// The value of the legacy event that the interrupt came in; the answer must quote it.
    #[cfg(feature = "asks")]
    pub(crate) fn legacy(&self) -> Option<&Json<'static>> {
        self.metadata.as_ref().filter(|_| LEGACY)?.get(LEGACY_VALUE)
    }
}

/// The legacy event that the adapters of `LangGraph` (<https://github.com/ag-ui-protocol/ag-ui/issues/2058>) and `Mastra`
/// (<https://github.com/ag-ui-protocol/ag-ui/pull/1359>) send instead of the protocol's interrupt, or in addition to it.
const ON_INTERRUPT: &str = "on_interrupt";

/// The key in an interrupt's metadata that stores the value of its legacy event.
const LEGACY_VALUE: &str = "ag-ui-stream:on_interrupt";

pub(crate) fn first<'v>(value: &'v Json<'static>, names: &[&str]) -> Option<&'v Json<'static>> {
    names.iter().find_map(|name| value.get(name))
}

/// The value itself, or the JSON in it if an adapter sent it as a string.
pub(crate) fn unpacked(value: &Json<'static>) -> Json<'static> {
    let are_objects = |items: &[Json<'_>]| items.iter().all(|item| item.as_object().is_some());
    match value.as_str().map(Json::parse) {
        Some(Ok(parsed @ (Json::Object(_) | Json::Text(_)))) => parsed.into_static(),
        Some(Ok(Json::List(items))) if !items.is_empty() && are_objects(&items) => Json::List(items).into_static(),
        _ => value.clone(),
    }
}
