//! What the clients of a conversation are told.

use crate::histories::{History, Parts};
use crate::live::{Live, Run, Talk, TextFor};
use crate::log::Entry;
use crate::sse::{RunReader, RunStream, event_frame};
use ag_ui_stream::outcome::RunOutcome;
use question_agent::ag_ui::{Edition, Outgoing, RunInput, wire};
use std::sync::Arc;

/// The end of a run.
#[derive(Clone, Debug)]
pub(super) enum RunEnd {
    Finished(RunOutcome),
    Failed { code: &'static str, message: String },
}

/// The end of a run that does not fail, if there is nothing left to do in it.
pub(super) fn end_of(talk: &Talk, run: &Run) -> RunEnd {
    RunEnd::Finished(wire::outcome(talk.view(), run.pending))
}

/// What tells the clients that a run has ended.
pub(super) fn end_entry(live: &Live, run: &Run, end: RunEnd) -> Entry {
    Entry::event(&match end {
        RunEnd::Finished(outcome) => wire::run_finished(Edition::Current, &live.id, &run.id, outcome),
        RunEnd::Failed { code, message } => wire::run_error(code, &message),
    })
}

/// What tells the clients what happened.
pub(super) fn entries(outgoing: Vec<Outgoing>) -> impl Iterator<Item = Entry> {
    outgoing.into_iter().map(|outgoing| match outgoing {
        Outgoing::Event(event) => Entry::event(&event),
        Outgoing::State(change) => Entry::state(&change),
    })
}

/// What has become of an input that was taken before and whose run has ended.
pub(super) fn catch_up(live: &Arc<Live>, talk: &Talk, input: &RunInput, make: impl Make) -> RunStream {
    let outcome = wire::outcome(talk.view(), input.pending());
    let finished = wire::run_finished(input.edition(), &live.id, &input.run_id, outcome);
    RunStream::once(so_far(live, talk, input, make).text(event_frame(&finished)))
}

/// The same while its run goes on, here or elsewhere: the rest of that run, under the new run's id.
pub(super) fn attach(live: &Arc<Live>, talk: &Talk, input: &RunInput, make: impl Make) -> RunStream {
    let reader = live.log.reader(live.settled(talk).told.frames);
    let follower = talk.run.as_ref().map(Run::follow);
    RunStream::following(Arc::clone(live), reader, follower, RunReader::of(input))
        .behind(so_far(live, talk, input, make))
}

/// The client's run begins, with the history, which is there once for all who read it.
fn so_far(live: &Arc<Live>, talk: &Talk, input: &RunInput, make: impl Make) -> Parts {
    let started = event_frame(&wire::run_started(&live.id, &input.run_id, Vec::new()));
    let place = live.settled(talk);
    let history = live.text(TextFor::Snapshot, talk, place.told, || make(event_frame(&wire::snapshot(talk.view()))));
    Parts::default().text(started).history(history)
}

/// Makes a history of its text.
pub(super) trait Make: FnOnce(String) -> Arc<History> {}

impl<F: FnOnce(String) -> Arc<History>> Make for F {}

pub(super) fn failed(code: &'static str, message: &str) -> RunEnd {
    RunEnd::Failed { code, message: message.to_owned() }
}
