//! The security headers of responses: the Content-Security-Policy, CORS and cross-origin isolation.

use crate::auth::guard::Origin;
use crate::http::sse::EVENT_STREAM;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use std::fmt::Write as _;
use std::time::Duration;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

/// The Content-Security-Policy: only own scripts, styles and connections, WebAssembly, nothing inline, and connections to allowed agents. The page
/// may have one policy of Trusted Types, of this name, by which it names its worker.
pub(crate) fn policy(allow_agents: &[Origin], trusted_types: Option<&str>) -> HeaderValue {
    let mut connect = "'self'".to_owned();
    for origin in allow_agents {
        write!(connect, " {origin}").expect("a string takes everything");
    }
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src {connect}; \
         img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types {}",
        trusted_types.unwrap_or("'none'")
    );
    HeaderValue::try_from(policy).expect("an origin's characters are legal in a header")
}

/// Lets pages of these origins read responses, without cookies. They send a token of their own if they need one.
pub(crate) fn cross_origin(allowed: &[Origin]) -> CorsLayer {
    let origins = allowed
        .iter()
        .map(|origin| HeaderValue::try_from(origin.to_string()).expect("an origin's characters are legal in a header"));
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([header::RETRY_AFTER, HeaderName::from_static("mcp-session-id")])
        .max_age(PREFLIGHT_AGE)
}

/// The time that a browser may cache a preflight response.
const PREFLIGHT_AGE: Duration = Duration::from_secs(600);

/// Sets the headers of every response, errors included. An event stream is never rendered, and its headers stay in memory, so it gets few.
pub(crate) async fn harden(State(policy): State<HeaderValue>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, SAME_ORIGIN);
    let kind = headers.get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind == EVENT_STREAM) {
        return response;
    }
    // The page of a single question has a policy of its own.
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    headers.entry(header::REFERRER_POLICY).or_insert(NO_REFERRER);
    headers.insert(CROSS_ORIGIN_OPENER_POLICY, SAME_ORIGIN);
    // A response may be private, unless it says otherwise as the page's files do.
    headers.entry(header::CACHE_CONTROL).or_insert(NO_STORE);
    response
}

const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");
