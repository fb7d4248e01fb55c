//! The trace that a request belongs to, from the header of its client to those of models and agents (W3C Trace Context).

use axum::http::{HeaderMap, HeaderName, HeaderValue};
#[cfg(feature = "otlp")]
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState};
use tracing::Span;
#[cfg(feature = "otlp")]
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use uuid::Uuid;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// The longest `tracestate` that is passed on, in bytes.
const MAX_STATE: usize = 512;

/// A trace that the client of a request started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    pub(crate) id: String,
    /// The client's span.
    pub(crate) parent: String,
    flags: String,
    state: Option<HeaderValue>,
}

tokio::task_local! {
    static TRACE: Option<Trace>;
}

impl Trace {
    /// The trace of a request, if its header is well formed.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = headers.get(TRACEPARENT)?.to_str().ok()?;
        let is_hex = |part: &str, digits: usize| {
            part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        };
        let is_some = |part: &str, digits| is_hex(part, digits) && part.bytes().any(|byte| byte != b'0');
        let parts: Vec<&str> = text.split('-').collect();
        let [version, id, parent, flags, ref more @ ..] = parts[..] else {
            return None;
        };
        let is_known = is_hex(version, 2) && version != "ff" && (version != "00" || more.is_empty());
        let is_legal = is_known && is_some(id, 32) && is_some(parent, 16) && is_hex(flags, 2);
        let state = headers.get(TRACESTATE).filter(|state| state.len() <= MAX_STATE);
        let [id, parent, flags] = [id, parent, flags].map(str::to_owned);
        is_legal.then(|| Self { id, parent, flags, state: state.cloned() })
    }
}

/// The client's trace that this code is part of.
pub(crate) fn current() -> Option<Trace> {
    TRACE.try_with(Clone::clone).ok().flatten()
}

/// Runs a future as part of this trace.
pub(crate) fn within<F: Future>(trace: Option<Trace>, work: F) -> impl Future<Output = F::Output> {
    TRACE.scope(trace, work)
}

/// Makes a future for another task part of the current trace.
pub(crate) fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    within(current(), work)
}

/// The headers of an outgoing request in the current trace. They name the current span, or a random one if spans are not exported.
pub(crate) fn headers() -> HeaderMap {
    let trace = current();
    let unknown = || Some((trace.as_ref()?.id.clone(), Uuid::new_v4().simple().to_string()[..16].to_owned()));
    let Some((id, span)) = exported().or_else(unknown) else {
        return HeaderMap::new();
    };
    let (flags, state) = trace.map_or(("01".to_owned(), None), |trace| (trace.flags, trace.state));
    let parent = HeaderValue::try_from(format!("00-{id}-{span}-{flags}"));
    let parent = parent.expect("hexadecimal digits are legal in a header");
    std::iter::once((TRACEPARENT, parent)).chain(state.map(|state| (TRACESTATE, state))).collect()
}

/// Makes the span of a request a part of its client's trace, for a collector.
#[cfg_attr(not(feature = "otlp"), expect(unused_variables, reason = "no collector gets it"))]
pub(crate) fn join(span: &Span, trace: Option<&Trace>) {
    #[cfg(feature = "otlp")]
    {
        span.record("otel.kind", "server");
        let context = trace.and_then(|trace| {
            let (id, parent) = (TraceId::from_hex(&trace.id).ok()?, SpanId::from_hex(&trace.parent).ok()?);
            let flags = u8::from_str_radix(&trace.flags, 16).map(TraceFlags::new).ok()?;
            let parent = SpanContext::new(id, parent, flags, true, TraceState::default());
            Some(opentelemetry::Context::new().with_remote_span_context(parent))
        });
        // Without an exporter there is nothing to join.
        let _ = context.map(|context| span.set_parent(context));
    }
}

/// The ids of the trace and the span in which this runs, if a collector gets them.
fn exported() -> Option<(String, String)> {
    #[cfg(feature = "otlp")]
    {
        let context = Span::current().context();
        let span = context.span().span_context().clone();
        span.is_valid().then(|| (span.trace_id().to_string(), span.span_id().to_string()))
    }
    #[cfg(not(feature = "otlp"))]
    None
}
