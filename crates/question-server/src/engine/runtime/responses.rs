//! The events and streams for the clients of a conversation.

use crate::engine::session::{ActiveRun, ActiveSession, SessionState};
use crate::error::ApiError;
use crate::http::sse::{EventStream, Reader, event_frame, snapshot_frame};
use crate::live::LogEntry;
use crate::live::histories::Preamble;
use crate::live::room::Share;
use ag_ui_stream::Event;
use question_agent::ag_ui::{Edition, Outgoing, RunInput, wire};
use std::sync::Arc;

/// The code of a run that is cut off by the end of its server.
pub(super) const SERVER_STOPPED: &str = "server_stopped";

/// The event that ends a run.
pub(super) type RunEnd = Event;

/// The end of a run without an error.
pub(super) fn end_of(session: &ActiveSession, state: &SessionState, run: &ActiveRun) -> RunEnd {
    let outcome = wire::outcome(state.view(), run.pending);
    wire::run_finished(Edition::Current, &session.id, &run.id, outcome)
}

/// The end of a run whose server died.
pub(crate) fn dead_end() -> RunEnd {
    wire::run_error(SERVER_STOPPED, "The run broke off.")
}

/// The log entries of events and state changes.
pub(super) fn entries(outgoing: Vec<Outgoing>) -> impl Iterator<Item = LogEntry> {
    outgoing.into_iter().map(|outgoing| match outgoing {
        Outgoing::Event(event) => LogEntry::event(&event),
        Outgoing::State(change) => LogEntry::state(&change),
    })
}

/// The stream for an input that was taken before: the history, and the rest of its run under the new run's id, here or elsewhere.
pub(super) fn catch_up(
    session: &Arc<ActiveSession>,
    state: &SessionState,
    input: &RunInput,
    is_under_way: bool,
    room: Share,
) -> Result<EventStream, ApiError> {
    let started = event_frame(None, &wire::run_started(&session.id, &input.run_id, Vec::new()));
    let history = session.history(state, room);
    let prefix = Preamble::default().text(started).text_with(&snapshot_frame(None), history);
    let reader = Reader::of_run(input, state.run.as_ref());
    let session = Arc::clone(session);
    if is_under_way {
        let tail = session.hub.tail(session.settled(state)).ok_or(ApiError::Overtaken)?;
        return Ok(EventStream { prefix, tail: Some(tail), session, reader });
    }
    let outcome = wire::outcome(state.view(), input.pending());
    let finished = wire::run_finished(input.edition(), &session.id, &input.run_id, outcome);
    Ok(EventStream { prefix: prefix.text(event_frame(None, &finished)), tail: None, session, reader })
}
