//! The outermost middleware: request ids, rate limits, metrics and the access log.

use crate::auth::peer::{Peer, Proxies, remote_of};
use crate::auth::rate::RateLimits;
use crate::error::{ApiError, Limit};
use crate::telemetry::metrics::Metrics;
use crate::telemetry::trace::{Trace, join, within};
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer};
use tracing::Instrument as _;
use tracing::field::Empty;

/// The header with the id of a request: a proxy's is kept if it is well formed, and every response has it.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is accepted, in bytes.
const MAX_REQUEST_ID: usize = 64;

/// The paths of probes, which are logged at level debug.
const PROBED: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) proxies: Arc<Proxies>,
    pub(crate) requests: RateLimits<Peer>,
    pub(crate) metrics: Arc<Metrics>,
}

/// Adds these layers around a router.
pub(crate) fn observed(routes: Router, observer: Observer) -> Router {
    routes
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn_with_state(Arc::new(observer), observe))
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
        .layer(middleware::map_request(without_odd_id))
}

/// Counts a request for its sender, and logs its outcome.
async fn observe(State(observer): State<Arc<Observer>>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request.extensions().get::<RequestId>().cloned();
    let named = observer.proxies.peer(request.headers(), remote_of(&request));
    let peer = named.as_ref().copied().unwrap_or_default();
    // The pattern of the route, since a path may have an id that opens a conversation.
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("page", MatchedPath::as_str);
    let method = request.method().clone();
    let trace = Trace::of(request.headers());
    let trace_id = trace.as_ref().map(|trace| trace.id.as_str());
    let name = id.as_ref().and_then(|id| id.header_value().to_str().ok()).unwrap_or_default();
    let span = tracing::error_span!("request", id = %name, token = Empty, trace = trace_id, otel.kind = Empty);
    join(&span, trace.as_ref());
    let counted = named.and_then(|peer| {
        let taken = peer.map_or(Ok(()), |peer| observer.requests.take(&peer));
        taken.map_err(|wait| ApiError::TooManyRequests { limit: "max-requests", wait })
    });
    let response = match counted {
        Ok(()) => {
            if let Some(peer) = peer {
                request.extensions_mut().insert(peer);
            }
            within(trace, next.run(request)).instrument(span.clone()).await
        }
        Err(refused) => refused.into_response(),
    };
    let (status, took) = (response.status(), started.elapsed());
    observer.metrics.answered(&method, route, status, took);
    let limit = response.extensions().get::<Limit>().map(|limit| limit.0);
    if let Some(limit) = limit {
        observer.metrics.refusals.get_or_create(&[("limit", limit)]).inc();
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
    response
}

fn panicked(_panic: Box<dyn Any + Send>) -> Response {
    tracing::error!("request handler panicked");
    ApiError::Internal.into_response()
}

/// Removes a request id that is too long or has characters that do not belong in a log.
async fn without_odd_id(mut request: Request) -> Request {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let is_odd = |id: &HeaderValue| !(1..=MAX_REQUEST_ID).contains(&id.len()) || !id.as_bytes().iter().all(is_plain);
    if request.headers().get(REQUEST_ID).is_some_and(is_odd) {
        request.headers_mut().remove(REQUEST_ID);
    }
    request
}
