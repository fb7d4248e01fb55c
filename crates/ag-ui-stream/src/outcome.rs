//! How runs and subagents end.

use crate::message::Metadata;
use crate::wire::{Shape, Wire, object, union};
use serde_json::Value;

union! {
    /// How a run ended. Absent on the wire means success.
    RunOutcome by "type" {
        /// It succeeded, perhaps with calls for the client to answer.
        Success(SuccessOutcome) = "success",
        /// It waits for answers to interrupts.
        Interrupt(InterruptOutcome) = "interrupt",
        /// It was stopped: neither success nor failure.
        Cancelled(CancelledOutcome) = "cancelled",
    }
}

object! {
    /// A successful run.
    SuccessOutcome {
        required {}
        optional {
            /// Frontend calls left unanswered, in order; absent or empty means: derive them from the stream.
            pending_tool_call_ids: Vec<String>,
        }
    }
}

object! {
    /// A run that waits for answers to interrupts.
    InterruptOutcome {
        required {
            /// What it waits for; at least one.
            interrupts: Vec<Interrupt> where Shape::List { item: Interrupt::SHAPE, min: 1 },
        }
        optional {}
    }
}

object! {
    /// A run that was stopped.
    CancelledOutcome {
        required {}
        optional {}
    }
}

object! {
    /// One thing that a run waits for.
    Interrupt {
        required {
            /// Unique among the run's interrupts; what `resume` names.
            id: String,
            /// `tool_call`, `input_required`, `confirmation` or `<namespace>:<name>`.
            reason: String,
        }
        optional {
            /// What to show.
            message: String,
            /// The call that it is about.
            tool_call_id: String,
            /// JSON Schema of the answer's payload.
            response_schema: serde_json::Map<String, Value>,
            /// ISO 8601 by convention; afterwards it may only be cancelled.
            expires_at: String,
            /// The subagent that waits.
            subagent_run_id: String,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

union! {
    /// How a subagent ended. Absent on the wire means success.
    SubagentOutcome by "type" {
        /// It succeeded.
        Success(SubagentSuccess) = "success",
        /// It waits.
        Suspended(SubagentSuspended) = "suspended",
    }
}

object! {
    /// A subagent that succeeded.
    SubagentSuccess {
        required {}
        optional {}
    }
}

object! {
    /// A subagent that waits.
    SubagentSuspended {
        required {}
        optional {
            /// What it waits for.
            interrupt_ids: Vec<String>,
        }
    }
}

object! {
    /// What a run consumed of one model.
    TokenUsage {
        required {}
        optional {
            /// Whose model.
            provider: String,
            /// Which model.
            model: String,
            /// Tokens read.
            input_tokens: u64,
            /// Tokens written.
            output_tokens: u64,
            /// Both.
            total_tokens: u64,
            /// Written while thinking.
            reasoning_tokens: u64,
            /// Read from a cache.
            cached_input_tokens: u64,
            /// Written to a cache.
            cache_write_input_tokens: u64,
        }
    }
}
