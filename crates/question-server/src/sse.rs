//! Streams of server-sent events.

use crate::drain::Drain;
use crate::histories::Preamble;
use crate::limits::HEARTBEAT;
use crate::live::{ActiveSession, Cursor, Follower};
use crate::log::{Entry, Found, Kind, Reader};
use crate::metrics::Counted;
use crate::store::StreamPosition;
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

/// The type of a frame that says where a conversation stands.
pub(crate) const STATE_CHANGE: &str = "state_change";

/// The type of a frame that says that what follows does not go on from the client's `Last-Event-ID`.
pub(crate) const RESET: &str = "reset";

/// The response to a `POST /agent`: one run, from its start to its end.
#[derive(Debug)]
pub(crate) struct RunStream {
    prefix: Preamble,
    following: Option<Following>,
}

#[derive(Debug)]
struct Following {
    reader: Reader,
    /// Keeps the run from being taken for abandoned, where it goes on here.
    _follower: Option<Follower>,
    /// Has it hear what is told elsewhere.
    _live: Arc<ActiveSession>,
    client: Client,
}

/// Who reads a run: its end is told as that of the client's own run, in words that the client understands.
#[derive(Debug)]
pub(crate) struct Client {
    thread_id: String,
    run_id: String,
    edition: Edition,
}

impl Client {
    /// Who sent this input.
    pub(crate) fn of(input: &RunInput) -> Self {
        Self { thread_id: input.thread_id.clone(), run_id: input.run_id.clone(), edition: input.edition() }
    }
}

impl RunStream {
    /// A run from where the reader stands: the client's own, or the rest of another that did what this client asks for.
    pub(crate) fn following(
        live: Arc<ActiveSession>,
        reader: Reader,
        follower: Option<Follower>,
        client: Client,
    ) -> Self {
        let following = Following { reader, _follower: follower, _live: live, client };
        Self { prefix: Preamble::default(), following: Some(following) }
    }

    /// The same behind these frames.
    pub(crate) fn behind(self, prefix: Preamble) -> Self {
        Self { prefix, ..self }
    }

    /// A run that is over.
    pub(crate) fn once(prefix: Preamble) -> Self {
        Self { prefix, following: None }
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
    /// The next frame. Where this client was too slow, or another server goes on, an error breaks the connection off: an end would look whole.
    async fn next_frame(&mut self) -> Option<io::Result<Bytes>> {
        if let Some(part) = self.prefix.next() {
            return Some(part);
        }
        let following = self.following.as_mut()?;
        let Ok(found) = timeout(HEARTBEAT, following.next_event()).await else {
            return Some(Ok(heartbeat().into()));
        };
        let Some(entry) = found else {
            self.following = None;
            tracing::debug!("run stream cut off");
            return Some(Err(io::ErrorKind::ConnectionAborted.into()));
        };
        let data = following.data(&entry);
        if entry.is_end() {
            self.following = None;
        }
        Some(Ok(frame(None, None, &data).into()))
    }
}

impl Following {
    /// The next AG-UI event; `None` if it is not kept any more.
    async fn next_event(&mut self) -> Option<Entry> {
        loop {
            match self.reader.next().await {
                Found::Entry(entry, _) | Found::Farewell(entry) if entry.kind == Kind::AgUi => return Some(entry),
                Found::Entry(..) | Found::Farewell(_) => {}
                Found::Gone => return None,
            }
        }
    }

    fn data(&self, entry: &Entry) -> Arc<str> {
        let Some(outcome) = entry.outcome() else {
            return Arc::clone(&entry.data);
        };
        let client = &self.client;
        let event = wire::run_finished(client.edition, &client.thread_id, &client.run_id, outcome.clone());
        serde_json::to_string(&event).expect("an event has only strings for keys").into()
    }
}

/// What a client of a conversation reads for as long as it likes.
#[derive(Debug)]
pub(crate) struct ConversationStream {
    /// What it is told first.
    pub(crate) prefix: Preamble,
    pub(crate) reader: Reader,
    pub(crate) drain: Drain,
    /// Keeps what it reads in memory: for all who watch there is one log.
    pub(crate) _live: Arc<ActiveSession>,
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
            return Some(part);
        }
        let found = tokio::select! {
            () = self.drain.closed() => return None,
            found = timeout(HEARTBEAT, self.reader.next()) => found,
        };
        match found {
            Ok(Found::Entry(entry, told)) => Some(Ok(frame_of(&entry, told))),
            // A client that comes back with an id that no conversation has told gets the history.
            Ok(Found::Farewell(entry)) => Some(Ok(frame_of(&entry, StreamPosition::default()))),
            Ok(Found::Gone) => None,
            Err(_) => Some(Ok(heartbeat().into())),
        }
    }
}

fn frame_of(entry: &Entry, told: StreamPosition) -> Bytes {
    let id = Cursor::behind(told).event_id();
    let event = (entry.kind == Kind::StateChange).then_some(STATE_CHANGE);
    frame(event, Some(&id), &entry.data).into()
}

/// One event as a frame.
pub(crate) fn event_frame(event: &Event) -> String {
    frame(None, None, &serde_json::to_string(event).expect("an event has only strings for keys"))
}

/// One frame; where it has an id, a client comes back with that.
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
        (header::CACHE_CONTROL, "no-store"),
        // Asks proxies that would collect the response not to.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, body).into_response()
}
