//! Passing requests on to an agent of another framework, from this server's own origin: so neither CORS nor an allow list is needed.

use crate::body::JsonBody;
use crate::endpoint::{Endpoint, key_header};
use crate::error::ApiError;
use crate::page::{self, Page};
use crate::sse::EVENT_STREAM;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Redirect};
use futures_util::StreamExt as _;
use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Where requests come that are passed on.
pub(crate) const PATH: &str = "/agent/other";

/// An AG-UI agent that answers elsewhere. No header of a client reaches it, so no cookie and no token does.
#[derive(Clone)]
pub struct OtherAgent {
    endpoint: Arc<Endpoint>,
    places: Arc<Semaphore>,
}

impl OtherAgent {
    /// The agent that answers at this URL, such as `http://127.0.0.1:8000/`, and gets this key, with a limit of runs at a time.
    ///
    /// # Errors
    /// A sentence where the URL is none, or would get the key over the network in the clear.
    pub fn new(url: &str, key: Option<&str>, runs: NonZeroUsize) -> Result<Self, String> {
        Self::with_plain_hosts(url, key, runs, &[])
    }

    /// The same, where these hosts get the key over plain HTTP, too.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn with_plain_hosts(
        url: &str,
        key: Option<&str>,
        runs: NonZeroUsize,
        plain: &[String],
    ) -> Result<Self, String> {
        let headers = key.map(|key| key_header(key, None)).transpose()?;
        let places = Semaphore::new(runs.get().min(Semaphore::MAX_PERMITS));
        Ok(Self {
            endpoint: Arc::new(Endpoint::new(url, headers.into_iter().collect(), plain)?),
            places: Arc::new(places),
        })
    }
}

impl fmt::Debug for OtherAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OtherAgent")
    }
}

/// Passes a run on. The agent's response streams back; a client that leaves ends the agent's work, with its connection.
pub(crate) async fn run(
    Extension(agent): Extension<OtherAgent>,
    JsonBody(body): JsonBody,
) -> Result<Response<Body>, ApiError> {
    let place = agent.places.try_acquire_owned().map_err(|_| ApiError::AgentBusy)?;
    let answer = agent.endpoint.post(body).await.map_err(|error| {
        let cause = error.source().map(ToString::to_string);
        tracing::warn!(%error, cause, "the agent of --agent is not there");
        ApiError::AgentUnreachable
    })?;
    let (parts, body) = answer.into_parts();
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(passed_on);
    let is_refusal = parts.status.is_client_error() || parts.status.is_server_error();
    let Some(kind) = kind.filter(|_| is_refusal || parts.status == StatusCode::OK) else {
        tracing::warn!(status = parts.status.as_u16(), "the agent of --agent answers with neither events nor JSON");
        return Err(match is_refusal {
            true => ApiError::AgentRefused(parts.status),
            false => ApiError::AgentUnreachable,
        });
    };
    let held = body.into_data_stream().inspect(move |_| {
        let _ = &place;
    });
    let mut response = Response::new(Body::from_stream(held));
    *response.status_mut() = parts.status;
    // Its cookies, its redirects and what it lets other pages do are not this server's.
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// The media type that is passed on: a browser must take an agent's answer for nothing else.
fn passed_on(kind: &HeaderValue) -> Option<&'static str> {
    let essence = kind.to_str().ok()?.split(';').next()?.trim().to_ascii_lowercase();
    match essence.as_str() {
        EVENT_STREAM => Some(EVENT_STREAM),
        "application/json" | "application/problem+json" => Some("application/json"),
        _ => None,
    }
}

/// Gives the page's document, which its address leads to that agent unless it names one.
pub(crate) async fn document(
    page: State<Arc<Page>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<axum::response::Response, ApiError> {
    let query = uri.query().unwrap_or_default();
    if query.split('&').any(|part| part.split('=').next() == Some("agent")) {
        return page::serve(page, uri, headers).await;
    }
    let rest = if query.is_empty() { String::new() } else { format!("&{query}") };
    Ok(Redirect::to(&format!("/?agent={}{rest}", &PATH[1..])).into_response())
}
