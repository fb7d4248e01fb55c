//! `/conversations/{id}/events`: the stream of a conversation's events.

use crate::auth::headers::parameter;
use crate::caller::Caller;
use crate::engine::runtime::{Runtime, dead_end, to_the_end};
use crate::engine::session::{ActiveSession, Cursor, CursorScope, SessionState, TextFor};
use crate::error::ApiError;
use crate::http::conversations::ConversationId;
use crate::http::sse::{ConversationStream, RESET, STATE_CHANGE, frame, frame_of};
use crate::live::histories::{Preamble, SharedHistory};
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

/// Streams the present state, then all events from the client's last event id on. If some of them are not buffered any more, the client gets
/// `reset` and the history.
pub(crate) async fn follow(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    uri: Uri,
    headers: HeaderMap,
) -> Result<ConversationStream, ApiError> {
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
        let last = last.map(|last| Cursor::read(&last));
        let (place, prefix) = match last {
            None => (settled, Preamble::default().text(resume_frames(&session, &state, settled))),
            Some(Some(place)) if session.hub.reaches(place.position) => {
                (place, Preamble::default().text(resume_frames(&session, &state, place)))
            }
            Some(place) => {
                let missed = match place {
                    Some(place) => missed_frames(&runtime, &session, &state, place).await?,
                    None => None,
                };
                let history = match missed {
                    Some(missed) => SharedHistory::new(missed, room, &session),
                    None => {
                        let make = || SharedHistory::new(reset_frames(&session, &state, settled), room, &session);
                        session.text(TextFor::Reset, &state, settled.position, make)
                    }
                };
                (settled, Preamble::default().history(history))
            }
        };
        let tail = session.hub.tail(place.position);
        state.rest();
        drop(state);
        let drain = runtime.drain.clone();
        let counted = runtime.metrics.watches();
        Ok(ConversationStream { prefix, tail, drain, _session: session, _counted: counted })
    })
    .await
}

/// The frames for a client before it reads on from its position. A client that disconnects within them gets them again.
fn resume_frames(session: &ActiveSession, state: &SessionState, place: Cursor) -> String {
    let mut frames = frame(Some(STATE_CHANGE), Some(&place.event_id()), &state_text(state));
    let run_id = match place.known {
        CursorScope::Messages => session.hub.run_at(place.position),
        CursorScope::Events => None,
    };
    if let Some(run_id) = run_id {
        let started = wire::run_started(&session.id, &run_id, Vec::new());
        let id = Cursor::behind(place.position).event_id();
        frames.push_str(&frame(None, Some(&id), &json!(started).to_string()));
    }
    frames
}

/// The frames that a client missed since its position, as they are stored; `None` if it has a part of a message alone.
async fn missed_frames(
    runtime: &Runtime,
    session: &ActiveSession,
    state: &SessionState,
    place: Cursor,
) -> Result<Option<String>, ApiError> {
    let Position { revision, frames, is_stored } = place.position;
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
    let mut text = frame(Some(STATE_CHANGE), Some(&place.event_id()), &state_text(state));
    if let Some(run) = run.as_ref().filter(|_| place.known == CursorScope::Messages) {
        let started = json!(wire::run_started(&session.id, run, Vec::new())).to_string();
        text.push_str(&frame(None, Some(&Cursor::behind(place.position).event_id()), &started));
    }
    let (mut before, mut has_run) = (revision, run.is_some());
    for stored in missed {
        let told = Told::of_stored(before, has_run, &stored);
        let is_old = |told: &Told| told.behind.revision == revision && told.behind.frames <= frames;
        told.filter(|told| !is_old(told)).for_each(|told| text.push_str(&frame_of(&told)));
        (before, has_run) = (stored.revision, stored.run.is_some());
    }
    if has_run && !session.hub.has_run() {
        // It broke off here.
        let settled = session.settled(state).event_id();
        text.push_str(&frame(None, Some(&settled), &json!(dead_end()).to_string()));
    }
    Ok(Some(text))
}

/// The frames for a client that missed events: the history, within a run as all events are. Only the last frame has a new id, so a client that
/// disconnects before gets all of it again.
fn reset_frames(session: &ActiveSession, state: &SessionState, place: Cursor) -> String {
    let under_way = session.hub.run_at(place.position);
    let run_id = match &under_way {
        Some(run_id) => run_id.to_string(),
        None => Uuid::new_v4().to_string(),
    };
    let mut events = vec![wire::run_started(&session.id, &run_id, Vec::new()), wire::snapshot(state.view())];
    if under_way.is_none() {
        let outcome = wire::outcome(state.view(), Pending::of(&state.context));
        let edition = Edition::Current;
        events.push(wire::run_finished(edition, &session.id, &run_id, outcome));
    }
    let mut frames = frame(Some(STATE_CHANGE), None, &state_text(state));
    frames.push_str(&frame(Some(RESET), None, "{}"));
    let last = events.len() - 1;
    let id = Cursor::behind(place.position).event_id();
    for (index, event) in events.iter().enumerate() {
        let id = (index == last).then_some(id.as_str());
        let data = serde_json::to_string(event).expect("an event has only strings for keys");
        frames.push_str(&frame(None, id, &data));
    }
    frames
}

fn state_text(state: &SessionState) -> String {
    json!(StateChange::from(state.conversation.state())).to_string()
}
