//! Streams of server-sent events.

use crate::config::limits::HEARTBEAT;
use crate::engine::drain::Drain;
use crate::engine::session::{ActiveSession, Cursor, Follower};
use crate::live::histories::Preamble;
use crate::live::{EntryKind, LogEntry, Tail, Told};
use crate::metrics::Counted;
use ag_ui_stream::Event;
use ag_ui_stream::sse::{OutFrame, write_comment, write_frame};
use axum::body::{Body, Bytes};
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use question_agent::ag_ui::{Edition, RunInput, wire};
use std::io;
use std::sync::Arc;
use tokio::time::timeout;

/// The media type.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// The type of a frame with the state of the conversation.
pub(crate) const STATE_CHANGE: &str = "state_change";

/// The type of a frame before events that do not continue from the client's `Last-Event-ID`.
pub(crate) const RESET: &str = "reset";

/// The response to a `POST /agent`: one run, from its start to its end.
#[derive(Debug)]
pub(crate) struct RunStream {
    pub(crate) prefix: Preamble,
    /// The rest of a run, unless it has ended: the client's own, or another that does the work that the client asks for.
    pub(crate) following: Option<RunTail>,
}

#[derive(Debug)]
pub(crate) struct RunTail {
    pub(crate) tail: Tail,
    /// Keeps the run from counting as abandoned, if it is of this server.
    pub(crate) _follower: Option<Follower>,
    /// Kept in memory, so that commits of other servers arrive.
    pub(crate) session: Arc<ActiveSession>,
    pub(crate) client: RunReader,
}

/// The reader of a run. The end of the run gets the id of the reader's own run, in its edition of the protocol.
#[derive(Debug)]
pub(crate) struct RunReader {
    thread_id: String,
    run_id: String,
    edition: Edition,
}

impl RunReader {
    /// The sender of this input.
    pub(crate) fn of(input: &RunInput) -> Self {
        Self { thread_id: input.thread_id.clone(), run_id: input.run_id.clone(), edition: input.edition() }
    }
}

impl IntoResponse for RunStream {
    fn into_response(self) -> Response {
        let frames = stream::unfold(self, |mut run| async move {
            let frame = run.next_frame().await?;
            Some((frame, run))
        });
        event_stream(Body::from_stream(frames))
    }
}

impl RunStream {
    /// The next frame. If the client was too slow, or another server took over, an error aborts the connection: a plain end would look complete.
    async fn next_frame(&mut self) -> Option<io::Result<Bytes>> {
        if let Some(part) = self.prefix.next() {
            return Some(Ok(part));
        }
        let following = self.following.as_mut()?;
        let Ok(found) = timeout(HEARTBEAT, following.next_event()).await else {
            return Some(Ok(heartbeat().into()));
        };
        let Some(told) = found else {
            let is_deleted = following.session.is_deleted();
            self.following = None;
            if is_deleted {
                let end = wire::run_error("not_found", "The conversation was deleted.");
                return Some(Ok(event_frame(&end).into()));
            }
            tracing::debug!("run stream cut off");
            return Some(Err(io::ErrorKind::ConnectionAborted.into()));
        };
        let data = following.data(&told.entry);
        if told.entry.is_end() {
            self.following = None;
        }
        Some(Ok(frame(None, None, &data).into()))
    }
}

impl RunTail {
    /// The next AG-UI event; `None` if the client was too slow for it.
    async fn next_event(&mut self) -> Option<Arc<Told>> {
        loop {
            let told = self.tail.next().await?;
            if told.entry.kind == EntryKind::AgUi {
                return Some(told);
            }
        }
    }

    fn data(&self, entry: &LogEntry) -> Arc<str> {
        let Some(outcome) = entry.outcome() else {
            return Arc::clone(&entry.data);
        };
        let client = &self.client;
        let event = wire::run_finished(client.edition, &client.thread_id, &client.run_id, outcome.clone());
        serde_json::to_string(&event).expect("an event has only strings for keys").into()
    }
}

/// The response to `/events`, which has no end of its own.
#[derive(Debug)]
pub(crate) struct ConversationStream {
    /// The first frames.
    pub(crate) prefix: Preamble,
    pub(crate) tail: Tail,
    pub(crate) drain: Drain,
    /// Keeps the conversation and its log in memory.
    pub(crate) _session: Arc<ActiveSession>,
    pub(crate) _counted: Counted,
}

impl IntoResponse for ConversationStream {
    fn into_response(self) -> Response {
        let frames = stream::unfold(self, |mut conversation| async move {
            let frame = conversation.next_frame().await?;
            Some((frame, conversation))
        });
        event_stream(Body::from_stream(frames))
    }
}

impl ConversationStream {
    async fn next_frame(&mut self) -> Option<io::Result<Bytes>> {
        if let Some(part) = self.prefix.next() {
            return Some(Ok(part));
        }
        let found = tokio::select! {
            () = self.drain.closed() => return None,
            found = timeout(HEARTBEAT, self.tail.next()) => found,
        };
        match found {
            Ok(found) => found.map(|told| Ok(frame_of(&told).into())),
            Err(_) => Some(Ok(heartbeat().into())),
        }
    }
}

/// An entry as a frame, with the position behind it.
pub(crate) fn frame_of(Told { entry, behind }: &Told) -> String {
    let id = Cursor::behind(*behind).event_id();
    let event = (entry.kind == EntryKind::StateChange).then_some(STATE_CHANGE);
    frame(event, Some(&id), &entry.data)
}

/// One event as a frame.
pub(crate) fn event_frame(event: &Event) -> String {
    frame(None, None, &serde_json::to_string(event).expect("an event has only strings for keys"))
}

/// One frame. A client reconnects with its last id.
pub(crate) fn frame(event: Option<&str>, id: Option<&str>, data: &str) -> String {
    let mut out = String::new();
    write_frame(&mut out, OutFrame { event, id, data }).expect("types and event ids hold no line end");
    out
}

fn heartbeat() -> String {
    let mut out = String::new();
    write_comment(&mut out, "alive");
    out
}

fn event_stream(body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, EVENT_STREAM),
        // A proxy that compresses holds small events back, unless it may not transform them.
        (header::CACHE_CONTROL, "no-store, no-transform"),
        // Asks proxies not to buffer the response.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, body).into_response()
}
