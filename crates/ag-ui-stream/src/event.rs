//! The 31 events of AG-UI 1.0, in wire form.

mod patch;

use crate::input::RunAgentInput;
use crate::message::{Content, Message, Metadata};
use crate::outcome::{RunOutcome, SubagentOutcome, TokenUsage};
use crate::protocol::Rule;
use crate::wire::{Members, Shape, choice, object, union};
use serde_json::{Map, Value};

pub(crate) use patch::Copied;
pub(crate) use patch::check as check_operation;
pub use patch::{JsonPatch, PatchError, PatchErrorKind};

/// Declares the events: a struct each with the members that all events share, and the union [`Event`].
macro_rules! events {
    ($(
        $(#[$meta:meta])*
        $variant:ident = $wire:literal {
            required { $( $(#[$required_meta:meta])* $required:ident: $required_type:ty $(where $required_shape:expr)?, )* }
            optional { $( $(#[$optional_meta:meta])* $optional:ident: $optional_type:ty $(| $null:tt)?, )* }
        }
    )*) => {
        $( object! {
            $(#[$meta])*
            $variant {
                required { $( $(#[$required_meta])* $required: $required_type $(where $required_shape)?, )* }
                optional {
                    $( $(#[$optional_meta])* $optional: $optional_type $(| $null)?, )*
                    /// Milliseconds by convention; never order by it.
                    timestamp: i64,
                    /// What the adapter made the event of; anything but null.
                    raw_event: Value | null,
                    /// Open by key.
                    metadata: Metadata,
                }
            }
        }

        impl From<$variant> for Event {
            fn from(event: $variant) -> Self {
                Self::$variant(event)
            }
        } )*

        union! {
            /// One event of a run, told apart by its `type`.
            Event by "type" { $( $(#[$meta])* $variant($variant) = $wire, )* }
        }

        impl Event {
            /// Its `type`, as the wire spells it.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $( Self::$variant(_) => $wire, )* }
            }

            /// When it was made. Milliseconds by convention; never order by it.
            #[must_use]
            pub fn timestamp(&self) -> Option<i64> {
                match self { $( Self::$variant(event) => event.timestamp, )* }
            }

            /// What the adapter made it of.
            #[must_use]
            pub fn raw_event(&self) -> Option<&Value> {
                match self { $( Self::$variant(event) => event.raw_event.as_ref(), )* }
            }

            /// Its metadata, open by key.
            #[must_use]
            pub fn metadata(&self) -> Option<&Metadata> {
                match self { $( Self::$variant(event) => event.metadata.as_ref(), )* }
            }
        }
    };
}

events! {
    /// A run begins.
    RunStarted = "RUN_STARTED" {
        required {
            /// The conversation.
            thread_id: String,
            /// The run.
            run_id: String,
        }
        optional {
            /// What the producer speaks.
            protocol_version: String,
            /// The run that this one continues.
            parent_run_id: String,
            /// What the run was started with.
            input: Box<RunAgentInput>,
        }
    }
    /// A run ended without failing.
    RunFinished = "RUN_FINISHED" {
        required {
            /// The conversation.
            thread_id: String,
            /// The run.
            run_id: String,
        }
        optional {
            /// What it gave.
            result: Value | null,
            /// How it ended; absent means success.
            outcome: RunOutcome | null,
            /// What it consumed.
            usage: Vec<TokenUsage>,
        }
    }
    /// A run failed.
    RunError = "RUN_ERROR" {
        required {
            /// Why.
            message: String,
        }
        optional {
            /// Why, for programs.
            code: String,
            /// What it consumed.
            usage: Vec<TokenUsage>,
        }
    }
    /// A step begins.
    StepStarted = "STEP_STARTED" {
        required {
            /// Its name.
            step_name: String,
        }
        optional {
            /// The subagent; absent means the parent agent.
            subagent_run_id: String,
        }
    }
    /// A step ended.
    StepFinished = "STEP_FINISHED" {
        required {
            /// Its name.
            step_name: String,
        }
        optional {
            /// The subagent; absent means the parent agent.
            subagent_run_id: String,
        }
    }
    /// A text message begins.
    TextMessageStart = "TEXT_MESSAGE_START" {
        required {
            /// The message.
            message_id: String,
        }
        optional {
            /// Who speaks; absent means the assistant.
            role: TextRole,
            /// Their name.
            name: String,
            /// The subagent; absent means the parent agent.
            subagent_run_id: String,
        }
    }
    /// A text message grows.
    TextMessageContent = "TEXT_MESSAGE_CONTENT" {
        required {
            /// The message.
            message_id: String,
            /// What it grows by.
            delta: String,
        }
        optional {
            /// The subagent; absent means the message's.
            subagent_run_id: String,
        }
    }
    /// A text message is complete.
    TextMessageEnd = "TEXT_MESSAGE_END" {
        required {
            /// The message.
            message_id: String,
        }
        optional {
            /// The subagent; absent means the message's.
            subagent_run_id: String,
        }
    }
    /// Start, content and end of a text message in one.
    TextMessageChunk = "TEXT_MESSAGE_CHUNK" {
        required {}
        optional {
            /// The message; absent continues the open one.
            message_id: String,
            /// Who speaks; absent means the assistant.
            role: TextRole,
            /// What it grows by.
            delta: String,
            /// The speaker's name.
            name: String,
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// A tool call begins.
    ToolCallStart = "TOOL_CALL_START" {
        required {
            /// The call.
            tool_call_id: String,
            /// The tool.
            tool_call_name: String,
        }
        optional {
            /// The message that it belongs to.
            parent_message_id: String | null,
            /// The subagent; absent means the parent agent.
            subagent_run_id: String,
        }
    }
    /// The arguments of a call grow.
    ToolCallArgs = "TOOL_CALL_ARGS" {
        required {
            /// The call.
            tool_call_id: String,
            /// What they grow by.
            delta: String,
        }
        optional {
            /// The subagent; absent means the call's.
            subagent_run_id: String,
        }
    }
    /// The arguments of a call are complete.
    ToolCallEnd = "TOOL_CALL_END" {
        required {
            /// The call.
            tool_call_id: String,
        }
        optional {
            /// The subagent; absent means the call's.
            subagent_run_id: String,
        }
    }
    /// Start, arguments and end of a call in one.
    ToolCallChunk = "TOOL_CALL_CHUNK" {
        required {}
        optional {
            /// The call; absent continues the open one.
            tool_call_id: String,
            /// The tool.
            tool_call_name: String,
            /// The message that it belongs to.
            parent_message_id: String | null,
            /// What the arguments grow by.
            delta: String,
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// A call gave its result.
    ToolCallResult = "TOOL_CALL_RESULT" {
        required {
            /// The tool message that it becomes.
            message_id: String,
            /// The call.
            tool_call_id: String,
            /// Text or parts.
            content: Content,
        }
        optional {
            /// Always `tool`.
            role: ToolRole,
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// The shared state is replaced.
    StateSnapshot = "STATE_SNAPSHOT" {
        required {
            /// Any JSON.
            snapshot: Value,
        }
        optional {
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// The shared state is amended.
    StateDelta = "STATE_DELTA" {
        required {
            /// RFC 6902.
            delta: JsonPatch,
        }
        optional {
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// The messages are reconciled.
    MessagesSnapshot = "MESSAGES_SNAPSHOT" {
        required {
            /// All of them.
            messages: Vec<Message>,
        }
        optional {}
    }
    /// An activity is set.
    ActivitySnapshot = "ACTIVITY_SNAPSHOT" {
        required {
            /// The activity's message.
            message_id: String,
            /// Which kind of activity.
            activity_type: String,
            /// Opaque to the protocol.
            content: Map<String, Value>,
        }
        optional {
            /// Whether an activity that is there is replaced; absent means yes.
            replace: bool,
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// An activity is amended.
    ActivityDelta = "ACTIVITY_DELTA" {
        required {
            /// The activity's message.
            message_id: String,
            /// Which kind of activity.
            activity_type: String,
            /// RFC 6902.
            patch: JsonPatch,
        }
        optional {
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// A span of reasoning begins.
    ReasoningStart = "REASONING_START" {
        required {
            /// The span; not a message.
            message_id: String,
        }
        optional {
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// A reasoning message begins.
    ReasoningMessageStart = "REASONING_MESSAGE_START" {
        required {
            /// The message.
            message_id: String,
            /// Always `reasoning`.
            role: ReasoningRole,
        }
        optional {
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// A reasoning message grows.
    ReasoningMessageContent = "REASONING_MESSAGE_CONTENT" {
        required {
            /// The message.
            message_id: String,
            /// What it grows by.
            delta: String,
        }
        optional {
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// A reasoning message is complete.
    ReasoningMessageEnd = "REASONING_MESSAGE_END" {
        required {
            /// The message.
            message_id: String,
        }
        optional {
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// Start, content and end of a reasoning message in one.
    ReasoningMessageChunk = "REASONING_MESSAGE_CHUNK" {
        required {}
        optional {
            /// The message; absent continues the open one.
            message_id: String,
            /// What it grows by.
            delta: String,
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// A span of reasoning ended.
    ReasoningEnd = "REASONING_END" {
        required {
            /// The span; not a message.
            message_id: String,
        }
        optional {
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// A message or call gets a value that only the provider reads.
    ReasoningEncryptedValue = "REASONING_ENCRYPTED_VALUE" {
        required {
            /// Whether it is for a message or a call.
            subtype: EncryptedSubtype where Shape::OpenChoice(EncryptedSubtype::NAMES),
            /// The message or call.
            entity_id: String,
            /// Opaque; goes back unchanged.
            encrypted_value: String,
        }
        optional {
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// A subagent begins.
    SubagentStarted = "SUBAGENT_STARTED" {
        required {
            /// The subagent's run.
            subagent_run_id: String,
            /// The subagent's name.
            name: String,
        }
        optional {
            /// What it does.
            description: String,
            /// The subagent that called it.
            parent_subagent_run_id: String,
            /// The call that called it.
            parent_tool_call_id: String,
            /// The message that called it.
            parent_message_id: String,
        }
    }
    /// A subagent ended.
    SubagentFinished = "SUBAGENT_FINISHED" {
        required {
            /// The subagent's run.
            subagent_run_id: String,
        }
        optional {
            /// What it gave.
            result: Value | null,
            /// How it ended; absent means success.
            outcome: SubagentOutcome,
        }
    }
    /// A subagent failed.
    SubagentError = "SUBAGENT_ERROR" {
        required {
            /// The subagent's run.
            subagent_run_id: String,
            /// Why.
            message: String,
        }
        optional {
            /// Why, for programs.
            code: String,
        }
    }
    /// Something of another system, passed through.
    Raw = "RAW" {
        required {
            /// Any JSON.
            event: Value,
        }
        optional {
            /// Which system.
            source: String,
            /// The subagent.
            subagent_run_id: String,
        }
    }
    /// Something of the application's own.
    Custom = "CUSTOM" {
        required {
            /// What it is.
            name: String,
            /// Any JSON.
            value: Value,
        }
        optional {
            /// The subagent.
            subagent_run_id: String,
        }
    }
}

choice! {
    /// Who speaks a text message.
    TextRole {
        /// The developer.
        Developer = "developer",
        /// The system.
        System = "system",
        /// The assistant.
        Assistant = "assistant",
        /// The user.
        User = "user",
    }
}

choice! {
    /// The role of a tool result; there is one.
    ToolRole {
        /// A tool.
        Tool = "tool",
    }
}

choice! {
    /// The role of a reasoning message; there is one.
    ReasoningRole {
        /// Reasoning.
        Reasoning = "reasoning",
    }
}

choice! {
    /// What an encrypted value is for.
    EncryptedSubtype {
        /// A tool call.
        ToolCall = "tool-call",
        /// A message.
        Message = "message",
    }
}

impl Event {
    /// Makes an event of the members that its row describes, which stand in their order behind `type`.
    pub(crate) fn build_rule(rule: &'static Rule, members: Members<'_>) -> Self {
        Self::build_kind(rule.index(), members)
    }

    /// The subagent that it is attributed to or is about; absent means the parent agent.
    #[must_use]
    pub fn subagent_run_id(&self) -> Option<&str> {
        match self {
            Self::RunStarted(_) | Self::RunFinished(_) | Self::RunError(_) | Self::MessagesSnapshot(_) => None,
            Self::StepStarted(e) => e.subagent_run_id.as_deref(),
            Self::StepFinished(e) => e.subagent_run_id.as_deref(),
            Self::TextMessageStart(e) => e.subagent_run_id.as_deref(),
            Self::TextMessageContent(e) => e.subagent_run_id.as_deref(),
            Self::TextMessageEnd(e) => e.subagent_run_id.as_deref(),
            Self::TextMessageChunk(e) => e.subagent_run_id.as_deref(),
            Self::ToolCallStart(e) => e.subagent_run_id.as_deref(),
            Self::ToolCallArgs(e) => e.subagent_run_id.as_deref(),
            Self::ToolCallEnd(e) => e.subagent_run_id.as_deref(),
            Self::ToolCallChunk(e) => e.subagent_run_id.as_deref(),
            Self::ToolCallResult(e) => e.subagent_run_id.as_deref(),
            Self::StateSnapshot(e) => e.subagent_run_id.as_deref(),
            Self::StateDelta(e) => e.subagent_run_id.as_deref(),
            Self::ActivitySnapshot(e) => e.subagent_run_id.as_deref(),
            Self::ActivityDelta(e) => e.subagent_run_id.as_deref(),
            Self::ReasoningStart(e) => e.subagent_run_id.as_deref(),
            Self::ReasoningMessageStart(e) => e.subagent_run_id.as_deref(),
            Self::ReasoningMessageContent(e) => e.subagent_run_id.as_deref(),
            Self::ReasoningMessageEnd(e) => e.subagent_run_id.as_deref(),
            Self::ReasoningMessageChunk(e) => e.subagent_run_id.as_deref(),
            Self::ReasoningEnd(e) => e.subagent_run_id.as_deref(),
            Self::ReasoningEncryptedValue(e) => e.subagent_run_id.as_deref(),
            Self::SubagentStarted(e) => Some(&e.subagent_run_id),
            Self::SubagentFinished(e) => Some(&e.subagent_run_id),
            Self::SubagentError(e) => Some(&e.subagent_run_id),
            Self::Raw(e) => e.subagent_run_id.as_deref(),
            Self::Custom(e) => e.subagent_run_id.as_deref(),
        }
    }
}
