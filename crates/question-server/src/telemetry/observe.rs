//! The outermost middleware: request ids, rate limits, metrics and the access log.

use crate::auth::peer::{Peer, Proxies, remote_of};
use crate::auth::rate::RateLimits;
use crate::error::{ApiError, Limit};
use crate::telemetry::metrics::Metrics;
use crate::telemetry::trace::{Trace, at_once, within};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;
use tracing::Instrument as _;
use tracing::field::Empty;
use uuid::Uuid;

/// The header with the id of a request: a proxy's is kept, and every response has it.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is accepted, in bytes.
const MAX_REQUEST_ID: usize = 64;

/// The paths of probes, which are logged at level debug.
const PROBED: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// The state of this middleware.
#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) proxies: Arc<Proxies>,
    pub(crate) requests: RateLimits<Peer>,
    pub(crate) metrics: Arc<Metrics>,
}

/// Assigns an id to a request, counts it for its sender, and logs its outcome.
pub(crate) async fn observe(State(observer): State<Arc<Observer>>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = name_of(request.headers());
    let named = observer.proxies.peer(request.headers(), remote_of(&request));
    let peer = named.as_ref().copied().unwrap_or_default();
    // The pattern of the route, since a path may have an id that opens a conversation.
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("page", MatchedPath::as_str);
    let method = request.method().clone();
    let trace = Trace::of(request.headers());
    let trace_id = trace.as_ref().map(|trace| trace.id.as_str());
    let name = id.to_str().unwrap_or_default();
    let span = || tracing::error_span!("request", id = %name, token = Empty, trace = trace_id);
    let span = at_once(trace.clone(), span);
    let counted = named.and_then(|peer| {
        let taken = peer.map_or(Ok(()), |peer| observer.requests.take(&peer));
        taken.map_err(|wait| ApiError::TooManyRequests { limit: "max-requests", wait })
    });
    let mut response = match counted {
        Ok(()) => {
            if let Some(peer) = peer {
                request.extensions_mut().insert(peer);
            }
            let answered =
                AssertUnwindSafe(within(trace, next.run(request))).catch_unwind().instrument(span.clone()).await;
            answered.unwrap_or_else(|_| {
                span.in_scope(|| tracing::error!("request handler panicked"));
                ApiError::Internal.into_response()
            })
        }
        Err(refused) => refused.into_response(),
    };
    let (status, took) = (response.status(), started.elapsed());
    observer.metrics.answered(&method, route, status, took);
    let limit = response.extensions().get::<Limit>().map(|limit| limit.0);
    if let Some(limit) = limit {
        observer.metrics.refused(limit);
    }
    let ms = took.as_millis();
    let code = status.as_u16();
    let is_probe = PROBED.iter().any(|probed| route.ends_with(probed));
    span.in_scope(|| match status {
        _ if limit.is_some() || [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&status) => {
            let peer = peer.map(|peer| tracing::field::display(peer.address()));
            tracing::warn!(%method, route, status = code, ms, peer, limit, "request refused");
        }
        _ if is_probe => tracing::debug!(%method, route, status = code, ms, "request answered"),
        _ => tracing::info!(%method, route, status = code, ms, "request answered"),
    });
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// The id of a request: its proxy's if that is well formed, or a new one.
fn name_of(headers: &HeaderMap) -> HeaderValue {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let given = headers.get(REQUEST_ID).filter(|id| {
        let id = id.as_bytes();
        (1..=MAX_REQUEST_ID).contains(&id.len()) && id.iter().all(is_plain)
    });
    given.cloned().unwrap_or_else(|| {
        let id = Uuid::new_v4().simple().to_string();
        HeaderValue::try_from(id).expect("hexadecimal digits are legal in a header")
    })
}
