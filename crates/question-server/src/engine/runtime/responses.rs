//! The events and streams for the clients of a conversation.

use crate::engine::session::{ActiveRun, ActiveSession, SessionState, TextFor};
use crate::http::sse::{RunReader, RunStream, RunTail, event_frame};
use crate::live::LogEntry;
use crate::live::histories::{Preamble, SharedHistory};
use crate::live::room::Share;
use ag_ui_stream::Event;
use ag_ui_stream::outcome::RunOutcome;
use question_agent::ag_ui::{Edition, Outgoing, RunInput, wire};
use std::sync::Arc;

/// The code of a run that is cut off by the end of its server.
pub(super) const SERVER_STOPPED: &str = "server_stopped";

/// The end of a run.
#[derive(Clone, Debug)]
pub(super) enum RunResult {
    Finished(RunOutcome),
    Failed { code: &'static str, message: String },
}

/// The end of a run without an error.
pub(super) fn end_of(state: &SessionState, run: &ActiveRun) -> RunResult {
    RunResult::Finished(wire::outcome(state.view(), run.pending))
}

/// The log entry of a run's end.
pub(super) fn end_entry(session: &ActiveSession, run: &ActiveRun, end: RunResult) -> LogEntry {
    LogEntry::event(&match end {
        RunResult::Finished(outcome) => wire::run_finished(Edition::Current, &session.id, &run.id, outcome),
        RunResult::Failed { code, message } => wire::run_error(code, &message),
    })
}

/// The same for a run that its server lost.
pub(crate) fn dead_end() -> Event {
    wire::run_error(SERVER_STOPPED, "The run broke off.")
}

/// The log entries of events and state changes.
pub(super) fn entries(outgoing: Vec<Outgoing>) -> impl Iterator<Item = LogEntry> {
    outgoing.into_iter().map(|outgoing| match outgoing {
        Outgoing::Event(event) => LogEntry::event(&event),
        Outgoing::State(change) => LogEntry::state(&change),
    })
}

/// The stream for an input that was taken before and whose run has ended.
pub(super) fn catch_up(session: &Arc<ActiveSession>, state: &SessionState, input: &RunInput, room: Share) -> RunStream {
    let outcome = wire::outcome(state.view(), input.pending());
    let finished = wire::run_finished(input.edition(), &session.id, &input.run_id, outcome);
    RunStream { prefix: so_far(session, state, input, room).text(event_frame(&finished)), following: None }
}

/// The same while its run is under way, here or elsewhere: the rest of that run, under the new run's id.
pub(super) fn attach(session: &Arc<ActiveSession>, state: &SessionState, input: &RunInput, room: Share) -> RunStream {
    let tail = session.hub.tail(session.settled(state).position);
    let follower = state.run.as_ref().map(ActiveRun::follow);
    let following = RunTail { tail, _follower: follower, session: Arc::clone(session), client: RunReader::of(input) };
    RunStream { prefix: so_far(session, state, input, room), following: Some(following) }
}

/// The start of the client's run, with the history that all readers share.
fn so_far(session: &Arc<ActiveSession>, state: &SessionState, input: &RunInput, room: Share) -> Preamble {
    let started = event_frame(&wire::run_started(&session.id, &input.run_id, Vec::new()));
    let make = || SharedHistory::new(event_frame(&wire::snapshot(state.view())), room, session);
    let history = session.text(TextFor::Snapshot, state, session.settled(state).position, make);
    Preamble::default().text(started).history(history)
}

pub(super) fn failed(code: &'static str, message: &str) -> RunResult {
    RunResult::Failed { code, message: message.to_owned() }
}
