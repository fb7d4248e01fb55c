//! Recorded runs: each must be read to its end, and nothing that it said may be missing or out of place.

use crate::run::Run;
use crate::{Verdict, messages};
use ag_ui_stream::reader::EndOutcome;
use serde_json::Value;

pub(crate) fn check(input: &Value, events: &Value) -> Verdict {
    let events: Vec<Value> = events.as_array().cloned().unwrap_or_default();
    match Run::of_events(input, &events) {
        Ok(run) => check_run(&run),
        Err(message) => Verdict::Failed(message),
    }
}

pub(crate) fn check_run(run: &Run) -> Verdict {
    match run.end.outcome {
        EndOutcome::Completed | EndOutcome::Interrupt | EndOutcome::Cancelled | EndOutcome::Error => {
            match messages::check(run) {
                Ok(()) => Verdict::Passed,
                Err(message) => Verdict::Failed(message),
            }
        }
        outcome => Verdict::Failed(format!("{outcome:?}: {:?}", run.end.error)),
    }
}
