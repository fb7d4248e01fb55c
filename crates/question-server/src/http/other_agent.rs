//! A reverse proxy to an agent of another framework, so that the page needs neither CORS nor an allow list.

use crate::auth::secret::hide_in_debug;
use crate::engine::endpoint::HttpEndpoint;
use crate::error::ApiError;
use crate::http::body::JsonBody;
use crate::http::page::{self, Page};
use crate::http::sse::EVENT_STREAM;
use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect};
use futures_util::StreamExt as _;
use futures_util::stream::{Stream, unfold};
use question_models::SetupError;
use std::error::Error;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The time in which the agent must begin to answer, and the longest pause within its answer.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
const SILENCE_TIMEOUT: Duration = Duration::from_secs(600);

/// The path of the requests that are forwarded.
pub(crate) const PATH: &str = "/agent/other";

/// Another AG-UI agent. No header of a client is forwarded, so no cookie and no token is.
#[derive(Clone)]
pub struct OtherAgent {
    endpoint: Arc<HttpEndpoint>,
    places: Arc<Semaphore>,
}

impl OtherAgent {
    /// The agent at this URL, such as `http://127.0.0.1:8000/`, with the headers that it gets, and the most runs at a time.
    ///
    /// # Errors
    /// If the URL is malformed, or would get headers over the network in the clear.
    pub fn new(url: &str, headers: HeaderMap, runs: NonZeroUsize) -> Result<Self, SetupError> {
        let places = Semaphore::new(runs.get().min(Semaphore::MAX_PERMITS));
        Ok(Self { endpoint: Arc::new(HttpEndpoint::new(url, headers)?), places: Arc::new(places) })
    }
}

hide_in_debug!(OtherAgent);

/// Forwards a run and streams the response back. A client that disconnects closes the agent's connection as well.
pub(crate) async fn run(
    Extension(agent): Extension<OtherAgent>,
    JsonBody(body): JsonBody,
) -> Result<Response<Body>, ApiError> {
    let place = agent.places.try_acquire_owned().map_err(|_| ApiError::AgentBusy)?;
    let answer = timeout(HEAD_TIMEOUT, agent.endpoint.post(body)).await.map_err(|_| {
        tracing::warn!(seconds = HEAD_TIMEOUT.as_secs(), "the agent of --agent does not answer");
        ApiError::AgentUnreachable
    })?;
    let answer = answer.map_err(|error| {
        let cause = error.source().map(ToString::to_string);
        tracing::warn!(%error, cause, "the agent of --agent is unreachable");
        ApiError::AgentUnreachable
    })?;
    let (parts, body) = Response::from(answer).into_parts();
    let body = Body::new(body);
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(passed_on);
    let is_refusal = parts.status.is_client_error() || parts.status.is_server_error();
    let Some(kind) = kind.filter(|_| is_refusal || parts.status == StatusCode::OK) else {
        let (status, url) = (parts.status.as_u16(), agent.endpoint.public_url());
        let begins = timeout(HEAD_TIMEOUT, first_line(body)).await.unwrap_or_default();
        tracing::warn!(status, url, begins, "the agent of --agent answered with neither events nor JSON");
        return Err(match is_refusal {
            true => ApiError::AgentRefused(parts.status),
            false => ApiError::AgentUnreachable,
        });
    };
    let mut response = Response::new(Body::from_stream(relayed(body, place)));
    *response.status_mut() = parts.status;
    // The agent's cookies, redirects and CORS headers are not passed on.
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let cache = if kind == EVENT_STREAM { "no-store, no-transform" } else { "no-store" };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    Ok(response)
}

/// The body of the agent's response, for as long as the agent sends some of it now and then. It has a place among the runs until its end.
fn relayed(body: Body, place: OwnedSemaphorePermit) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    unfold((body.into_data_stream(), place), async |(mut pieces, place)| {
        let next = timeout(SILENCE_TIMEOUT, pieces.next()).await;
        let piece = next.unwrap_or_else(|silent| {
            tracing::warn!(
                seconds = SILENCE_TIMEOUT.as_secs(),
                "the agent of --agent has stopped in the middle of a run"
            );
            Some(Err(axum::Error::new(silent)))
        })?;
        Some((piece, (pieces, place)))
    })
}

/// The first line of a body, or its beginning, as far as it comes in one piece.
async fn first_line(body: Body) -> String {
    let start = body.into_data_stream().next().await.and_then(Result::ok).unwrap_or_default();
    let start = String::from_utf8_lossy(&start[..start.len().min(LOGGED_BYTES)]);
    start.trim_start().lines().next().unwrap_or_default().to_owned()
}

/// The most bytes of a refusal in the log.
const LOGGED_BYTES: usize = 200;

/// The media type that is passed on. A browser must not render an agent's response.
fn passed_on(kind: &HeaderValue) -> Option<&'static str> {
    let essence = kind.to_str().ok()?.split(';').next()?.trim().to_ascii_lowercase();
    match essence.as_str() {
        EVENT_STREAM => Some(EVENT_STREAM),
        "application/json" | "application/problem+json" => Some("application/json"),
        _ => None,
    }
}

/// Serves the page's document. An address without an agent is redirected to one with this agent.
pub(crate) async fn document(page: State<Page>, request: Request) -> Result<axum::response::Response, ApiError> {
    let query = request.uri().query().unwrap_or_default();
    if query.split('&').any(|part| part.split('=').next() == Some("agent")) {
        return page::serve(page, request).await;
    }
    let rest = if query.is_empty() { String::new() } else { format!("&{query}") };
    Ok(Redirect::to(&format!("/?agent={}{rest}", &PATH[1..])).into_response())
}
