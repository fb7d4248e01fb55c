//! Recorded runs and streams of other vendors' backends: each must be read to its end, and nothing that it said may be missing or out of place.

use crate::run::Run;
use crate::{Verdict, messages};
use ag_ui_stream::reader::EndOutcome;

/// The streams that break a rule of the protocol, and how.
const REFUSED: &[(&str, &str)] = &[(
    "agent-framework-calls",
    "agent-framework-ag-ui 1.7.0 starts a call that is open; the official client refuses that too",
)];

pub(crate) fn check(name: &str, run: Result<Run, String>) -> Verdict {
    let run = match run {
        Ok(run) => run,
        Err(message) => return Verdict::Failed(message),
    };
    let refused = REFUSED.iter().find(|(refused, _)| *refused == name);
    match (refused, run.end.outcome) {
        (Some((_, reason)), EndOutcome::Rejected) => Verdict::Noted(format!("refused: {reason}")),
        (Some(_), _) => Verdict::Failed("it is not refused any more".to_owned()),
        (None, EndOutcome::Rejected | EndOutcome::Truncated) => {
            Verdict::Failed(format!("{:?}: {:?}", run.end.outcome, run.end.error))
        }
        (None, _) => messages::check(&run).map_or_else(Verdict::Failed, |()| Verdict::Passed),
    }
}
