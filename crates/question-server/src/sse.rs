//! Streams of server-sent events.

use crate::limits::HEARTBEAT;
use crate::live::{Follower, Known, Live, Place};
use crate::log::{Entry, Found, Kind, Reader, RunEnd};
use crate::wire;
use ag_ui_stream::Event;
use ag_ui_stream::sse::{OutFrame, write_comment, write_event, write_frame};
use axum::body::Body;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The media type.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// The type of a frame that says where a conversation stands.
pub(crate) const STATE_CHANGE: &str = "state_change";

/// The type of a frame that says that what follows does not go on from the client's `Last-Event-ID`.
pub(crate) const RESET: &str = "reset";

/// The response to a `POST /agent`: one run, from its start to its end.
#[derive(Debug)]
pub(crate) struct RunStream {
    prefix: Vec<Event>,
    following: Option<Following>,
}

#[derive(Debug)]
struct Following {
    reader: Reader,
    /// Keeps the run from being taken for abandoned.
    _follower: Follower,
    /// Conversation and run as whose end the run's end is told, where it is not this client's own.
    renamed: Option<(String, String)>,
}

impl RunStream {
    /// The client's own run.
    pub(crate) fn own(reader: Reader, follower: Follower) -> Self {
        Self {
            prefix: Vec::new(),
            following: Some(Following {
                reader,
                _follower: follower,
                renamed: None,
            }),
        }
    }

    /// The rest of another run under this client's run id.
    pub(crate) fn attached(
        prefix: Vec<Event>,
        reader: Reader,
        follower: Follower,
        thread_id: &str,
        run_id: &str,
    ) -> Self {
        Self {
            prefix,
            following: Some(Following {
                reader,
                _follower: follower,
                renamed: Some((thread_id.to_owned(), run_id.to_owned())),
            }),
        }
    }

    /// A run that is over.
    pub(crate) fn once(events: Vec<Event>) -> Self {
        Self {
            prefix: events,
            following: None,
        }
    }
}

impl IntoResponse for RunStream {
    fn into_response(self) -> Response {
        let frames = stream::unfold(self, |mut run| async move {
            let frame = run.next_frame().await?;
            Some((Ok::<_, Infallible>(frame), run))
        });
        event_stream(Body::from_stream(frames))
    }
}

impl RunStream {
    async fn next_frame(&mut self) -> Option<String> {
        let mut out = String::new();
        for event in std::mem::take(&mut self.prefix) {
            write_event(&mut out, &event, None).expect("there is no id that could hold a line end");
        }
        if !out.is_empty() {
            return Some(out);
        }
        let following = self.following.as_mut()?;
        let Ok(found) = timeout(HEARTBEAT, following.next_event()).await else {
            return Some(heartbeat());
        };
        let entry = found?;
        let data = following.data(&entry);
        if entry.end.is_some() {
            self.following = None;
        }
        write_frame(
            &mut out,
            OutFrame {
                data: &data,
                ..OutFrame::default()
            },
        )
        .expect("there is no id that could hold a line end");
        Some(out)
    }
}

impl Following {
    /// The next AG-UI event; `None` where this client was too slow, so that its stream ends unfinished and it tries again.
    async fn next_event(&mut self) -> Option<Entry> {
        loop {
            match self.reader.next().await {
                Found::Entry(entry) if entry.kind == Kind::AgUi => return Some(entry),
                Found::Entry(_) => {}
                Found::Gone => return None,
            }
        }
    }

    fn data(&self, entry: &Entry) -> Arc<str> {
        match (&self.renamed, &entry.end) {
            (Some((thread_id, run_id)), Some(RunEnd::Finished(outcome))) => {
                let event = wire::run_finished(thread_id, run_id, outcome.clone());
                serde_json::to_string(&event)
                    .expect("an event has only strings for keys")
                    .into()
            }
            _ => Arc::clone(&entry.data),
        }
    }
}

/// What a client of a conversation reads for as long as it likes.
#[derive(Debug)]
pub(crate) struct ConversationStream {
    pub(crate) live: Arc<Live>,
    pub(crate) prefix: String,
    pub(crate) reader: Reader,
    pub(crate) shutdown: CancellationToken,
}

impl IntoResponse for ConversationStream {
    fn into_response(self) -> Response {
        let frames = stream::unfold(self, |mut conversation| async move {
            let frame = conversation.next_frame().await?;
            Some((Ok::<_, Infallible>(frame), conversation))
        });
        event_stream(Body::from_stream(frames))
    }
}

impl ConversationStream {
    async fn next_frame(&mut self) -> Option<String> {
        if !self.prefix.is_empty() {
            return Some(std::mem::take(&mut self.prefix));
        }
        let found = tokio::select! {
            () = self.shutdown.cancelled() => return None,
            found = timeout(HEARTBEAT, self.reader.next()) => found,
        };
        match found {
            Ok(Found::Entry(entry)) => {
                let id = self.live.event_id(Place {
                    position: entry.position + 1,
                    known: Known::Events,
                });
                let event = (entry.kind == Kind::StateChange).then_some(STATE_CHANGE);
                Some(frame(event, Some(&id), &entry.data))
            }
            Ok(Found::Gone) => None,
            Err(_) => Some(heartbeat()),
        }
    }
}

/// One frame; where it has an id, a client comes back with that.
pub(crate) fn frame(event: Option<&str>, id: Option<&str>, data: &str) -> String {
    let mut out = String::new();
    write_frame(&mut out, OutFrame { event, id, data })
        .expect("types and event ids hold no line end");
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
