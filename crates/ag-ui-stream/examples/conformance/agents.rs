//! Streams of other vendors' backends: each is read like a recorded run.

use crate::Verdict;
use crate::recorded::check_run;
use crate::run::Run;
use ag_ui_stream::reader::EndOutcome;
use serde_json::Value;

/// The streams that break a rule of the protocol, and how.
const REFUSED: &[(&str, &str)] = &[(
    "agent-framework-calls",
    "agent-framework-ag-ui 1.7.0 starts a call that is open; the official client refuses that too",
)];

pub(crate) fn check(name: &str, request: &Value, bytes: &[u8]) -> Verdict {
    let run = match Run::of_bytes(request, bytes) {
        Ok(run) => run,
        Err(message) => return Verdict::Failed(message),
    };
    let refused = REFUSED.iter().find(|(refused, _)| *refused == name);
    match (refused, run.end.outcome) {
        (Some((_, reason)), EndOutcome::Rejected) => Verdict::Noted(format!("refused: {reason}")),
        (Some(_), _) => Verdict::Failed("it is not refused any more".to_owned()),
        (None, _) => check_run(&run),
    }
}
