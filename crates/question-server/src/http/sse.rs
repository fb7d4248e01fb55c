//! Streams of server-sent events.

use crate::config::limits::HEARTBEAT;
use crate::engine::drain::Drain;
use crate::engine::session::{ActiveRun, ActiveSession, Follower};
use crate::live::histories::Preamble;
use crate::live::{Tail, Told};
use crate::metrics::Counted;
use ag_ui_stream::Event;
use ag_ui_stream::json_tree::Json;
use ag_ui_stream::sse::{OutFrame, write_comment, write_frame};
use axum::body::{Body, Bytes};
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use futures_util::{future, stream};
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

/// The response to a `POST /agent` or to `/events`: what a conversation's clients are told.
#[derive(Debug)]
pub(crate) struct EventStream {
    /// The first frames.
    pub(crate) prefix: Preamble,
    /// The entries after the prefix; `None` if the stream ends with the prefix.
    pub(crate) tail: Option<Tail>,
    /// Kept in memory, so that commits of other servers arrive.
    pub(crate) session: Arc<ActiveSession>,
    pub(crate) reader: Reader,
}

/// The reader of a stream.
#[derive(Debug)]
pub(crate) enum Reader {
    /// The client reads one run, from its start to its end: its own, or another that does the work that it asks for.
    Run {
        /// The client's own run.
        run_id: String,
        edition: Edition,
        /// Keeps the run from counting as abandoned, if it is of this server.
        _follower: Option<Follower>,
    },
    /// The client reads until it leaves or the server drains.
    Conversation { drain: Drain, _counted: Counted },
}

impl Reader {
    /// The reader of the stream that answers this input.
    pub(crate) fn of_run(input: &RunInput, run: Option<&ActiveRun>) -> Self {
        Self::Run { run_id: input.run_id.clone(), edition: input.edition(), _follower: run.map(ActiveRun::follow) }
    }
}

impl IntoResponse for EventStream {
    fn into_response(self) -> Response {
        let frames = stream::unfold(self, |mut stream| async move {
            let frame = stream.next_frame().await?;
            Some((frame, stream))
        });
        let headers = [
            (header::CONTENT_TYPE, EVENT_STREAM),
            // A proxy that compresses holds small events back, unless it may not transform them.
            (header::CACHE_CONTROL, "no-store, no-transform"),
            // Asks proxies not to buffer the response.
            (HeaderName::from_static("x-accel-buffering"), "no"),
        ];
        (headers, Body::from_stream(frames)).into_response()
    }
}

impl EventStream {
    async fn next_frame(&mut self) -> Option<io::Result<Bytes>> {
        if let Some(part) = self.prefix.next() {
            return Some(Ok(part));
        }
        loop {
            let told = tokio::select! {
                () = self.reader.stopped() => return None,
                told = timeout(HEARTBEAT, self.tail.as_mut()?.next()) => told,
            };
            let Ok(told) = told else {
                let mut alive = String::new();
                write_comment(&mut alive, "alive");
                return Some(Ok(alive.into()));
            };
            let Some(told) = told else {
                self.tail = None;
                return self.cut_off();
            };
            match &self.reader {
                Reader::Conversation { .. } => return Some(Ok(frame_of(&told).into())),
                Reader::Run { .. } if told.entry.is_state() => {}
                Reader::Run { run_id, edition, .. } => {
                    if told.entry.is_end() {
                        self.tail = None;
                    }
                    let Some(outcome) = told.entry.outcome() else {
                        return Some(Ok(frame(None, None, &told.entry.data).into()));
                    };
                    // The end has the id of the client's own run, in its edition of the protocol.
                    let end = wire::run_finished(*edition, &self.session.id, run_id, outcome.clone());
                    return Some(Ok(event_frame(None, &end).into()));
                }
            }
        }
    }

    /// The end of a client that was too slow, or whose conversation another server took over or somebody deleted. An error aborts the connection of
    /// a run: a plain end would look complete.
    fn cut_off(&self) -> Option<io::Result<Bytes>> {
        match &self.reader {
            Reader::Conversation { .. } => None,
            Reader::Run { .. } if self.session.is_deleted() => {
                let end = wire::run_error("not_found", "The conversation was deleted.");
                Some(Ok(event_frame(None, &end).into()))
            }
            Reader::Run { .. } => {
                tracing::debug!("run stream cut off");
                Some(Err(io::ErrorKind::ConnectionAborted.into()))
            }
        }
    }
}

impl Reader {
    async fn stopped(&self) {
        match self {
            // This stream ends with its run.
            Self::Run { .. } => future::pending().await,
            Self::Conversation { drain, .. } => drain.closed().await,
        }
    }
}

/// An entry as a frame, with the position behind it.
pub(crate) fn frame_of(Told { entry, behind }: &Told) -> String {
    let event = entry.is_state().then_some(STATE_CHANGE);
    frame(event, Some(&behind.event_id()), &entry.data)
}

/// One event as a frame.
pub(crate) fn event_frame(id: Option<&str>, event: &Event) -> String {
    frame(None, id, &serde_json::to_string(event).expect("an event has only strings for keys"))
}

/// The frame of a snapshot whose messages are still to be filled in.
pub(crate) fn snapshot_frame(id: Option<&str>) -> String {
    event_frame(id, &Event::messages_snapshot(Vec::<Json<'_>>::new()))
}

/// One frame. A client reconnects with its last id.
pub(crate) fn frame(event: Option<&str>, id: Option<&str>, data: &str) -> String {
    let mut out = String::new();
    write_frame(&mut out, OutFrame { event, id, data }).expect("types and event ids hold no line end");
    out
}
