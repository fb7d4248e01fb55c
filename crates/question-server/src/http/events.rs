//! `/conversations/{id}/events`: the stream of a conversation's events.

use crate::auth::headers::parameter;
use crate::caller::Caller;
use crate::engine::runtime::{Runtime, dead_end, to_the_end};
use crate::engine::session::{ActiveSession, SessionState};
use crate::error::ApiError;
use crate::http::conversations::ConversationId;
use crate::http::sse::{EventStream, RESET, Reader, STATE_CHANGE, event_frame, frame, frame_of, snapshot_frame};
use crate::live::histories::{Preamble, SharedHistory};
use crate::live::room::Share;
use crate::live::{LogEntry, Position, Told};
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, Uri};
use question_agent::ag_ui::{Edition, Pending, wire};
use question_agent::effect::StateChange;
use serde_json::json;
use std::sync::Arc;
use uuid::Uuid;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Streams the present state, then all events from the client's last event id on: those in memory, or those that are stored. If its position is
/// within a message that this server does not have, the client gets `reset` and the history.
pub(crate) async fn follow(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    uri: Uri,
    headers: HeaderMap,
) -> Result<EventStream, ApiError> {
    let last = headers
        .get(LAST_EVENT_ID)
        .and_then(|value| value.to_str().ok())
        // A browser's `EventSource` sends no header with its first request.
        .or_else(|| parameter(&uri, "lastEventId"))
        .map(str::to_owned);
    // Reading it may expire the question.
    to_the_end(async move {
        let mut room = runtime.histories.enter(caller.client());
        let session = runtime.open(&caller, &id).await?;
        let mut state = runtime.lock_with_room(&session, &mut room).await?;
        let settled = session.settled(&state);
        let last = last.map_or(Some((settled, true)), |last| Position::read(&last));
        let told = last.and_then(|(position, _)| session.hub.tail(position));
        let (prefix, tail) = match (last, told) {
            (Some((position, is_new)), Some(tail)) => {
                let run = tail.run.as_deref().filter(|_| is_new);
                (Preamble::default().text(resume_frames(&session, &state, position, is_new, run)), Some(tail))
            }
            (Some((position, is_new)), None) => {
                let prefix = match missed_frames(&runtime, &session, &state, position, is_new).await? {
                    Some(missed) => Preamble::default().history(SharedHistory::new(missed, room, &session)),
                    None => reset(&session, &state, settled, room),
                };
                (prefix, session.hub.tail(settled))
            }
            (None, _) => (reset(&session, &state, settled, room), session.hub.tail(settled)),
        };
        state.rest();
        drop(state);
        let reader = Reader::Conversation { drain: runtime.drain.clone(), _counted: runtime.metrics.watches() };
        Ok(EventStream { prefix, tail, session, reader })
    })
    .await
}

/// The frames for a client before it reads on from its position. A client that disconnects within them gets them again. One that knows the messages
/// alone `is_new`: it gets the start of the run that is under way there.
fn resume_frames(
    session: &ActiveSession,
    state: &SessionState,
    position: Position,
    is_new: bool,
    run: Option<&str>,
) -> String {
    let id = if is_new { position.messages_id() } else { position.event_id() };
    let mut frames = frame(Some(STATE_CHANGE), Some(&id), &state_text(state));
    if let Some(run) = run {
        let started = wire::run_started(&session.id, run, Vec::new());
        frames.push_str(&event_frame(Some(&position.event_id()), &started));
    }
    frames
}

/// The frames that a client missed since its position, as they are stored; `None` if its position is within a message, or entries are missing.
async fn missed_frames(
    runtime: &Runtime,
    session: &ActiveSession,
    state: &SessionState,
    position: Position,
    is_new: bool,
) -> Result<Option<String>, ApiError> {
    let Position { revision, frames, is_stored } = position;
    let (Some(present), true) = (state.revision, is_stored || frames == 0) else {
        return Ok(None);
    };
    // The entry of its own revision says which run was under way. There is none before the first.
    let mut missed = runtime.entries(session, revision.previous(), present).await?;
    let run = (!missed.is_empty()).then(|| missed.remove(0).run).flatten();
    if missed.is_empty() {
        missed = runtime.entries(session, revision, present).await?;
    }
    if missed.is_empty() || missed.iter().any(|stored| LogEntry::lacks_history(&stored.told)) {
        return Ok(None);
    }
    let mut text = resume_frames(session, state, position, is_new, run.as_deref().filter(|_| is_new));
    let (mut before, mut has_run) = (revision, run.is_some());
    for stored in missed {
        let told = Told::of_stored(before, has_run, &stored);
        let is_old = |told: &Told| told.behind.revision == revision && told.behind.frames <= frames;
        told.filter(|told| !is_old(told)).for_each(|told| text.push_str(&frame_of(&told)));
        (before, has_run) = (stored.revision, stored.run.is_some());
    }
    if has_run && !session.hub.has_run() {
        // The run broke off here.
        text.push_str(&event_frame(Some(&session.settled(state).messages_id()), &dead_end()));
    }
    Ok(Some(text))
}

/// The frames for a client that missed events: the history, within a run, as AG-UI wants all events. Only the last frame has a new id, so a client
/// that disconnects before gets all of it again.
fn reset(session: &Arc<ActiveSession>, state: &SessionState, settled: Position, room: Share) -> Preamble {
    let under_way = session.hub.tail(settled).and_then(|tail| tail.run.clone());
    let run_id = under_way.as_deref().map_or_else(|| Uuid::new_v4().to_string(), str::to_owned);
    let mut begins = frame(Some(STATE_CHANGE), None, &state_text(state));
    begins.push_str(&frame(Some(RESET), None, "{}"));
    begins.push_str(&event_frame(None, &wire::run_started(&session.id, &run_id, Vec::new())));
    let id = settled.event_id();
    let (last, ends) = match under_way {
        Some(_) => (Some(&*id), String::new()),
        None => {
            let outcome = wire::outcome(state.view(), Pending::of(&state.context));
            let finished = wire::run_finished(Edition::Current, &session.id, &run_id, outcome);
            (None, event_frame(Some(&id), &finished))
        }
    };
    Preamble::default().text(begins).text_with(&snapshot_frame(last), session.history(state, room)).text(ends)
}

fn state_text(state: &SessionState) -> String {
    json!(StateChange::from(state.conversation.state())).to_string()
}
