//! Recorded runs: each must be read to its end.

use crate::Verdict;
use crate::streams::Run;
use ag_ui_stream::reader::EndOutcome;
use serde_json::Value;

pub(crate) fn check(events: &Value) -> Verdict {
    let events: Vec<Value> = events.as_array().cloned().unwrap_or_default();
    let run = match Run::of(&events) {
        Ok(run) => run,
        Err(message) => return Verdict::Failed(message),
    };
    match run.end.outcome {
        EndOutcome::Completed | EndOutcome::Interrupt | EndOutcome::Cancelled => Verdict::Passed,
        outcome => Verdict::Failed(format!("{outcome:?}: {:?}", run.end.error)),
    }
}
