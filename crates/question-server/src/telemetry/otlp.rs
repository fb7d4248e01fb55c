//! Traces over OTLP, as JSON over HTTP. Each span of this crate is exported once it is closed.

use crate::endpoint::HttpEndpoint;
use crate::telemetry::trace::{self, SpanIds};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use question_models::SetupError;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use thiserror::Error;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{sleep, timeout};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, Filter};
use tracing_subscriber::registry::LookupSpan;
use uuid::Uuid;

/// The environment variable with the collector's URL, without `/v1/traces`.
pub const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// The environment variable with headers for the collector, such as `authorization=Bearer%20KEY,tenant=one`.
pub const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
/// The environment variable with the name of this service.
pub const SERVICE: &str = "OTEL_SERVICE_NAME";
/// The environment variable with the time in which the collector must answer, in milliseconds.
pub const PATIENCE: &str = "OTEL_EXPORTER_OTLP_TIMEOUT";

/// The most spans in a request, and in the queue. Further ones are dropped.
const AT_ONCE: usize = 512;
const MOST: usize = 8192;

/// The default of [`PATIENCE`], as in the specification of OTLP. Spans that are not taken within it are dropped.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The time for which spans are batched.
const PACE: Duration = Duration::from_secs(1);

/// A layer that hands closed spans to an [`Exporter`].
#[derive(Debug)]
pub struct Otlp(Sender<Value>);

/// Sends spans to the collector.
pub struct Exporter {
    spans: Receiver<Value>,
    endpoint: HttpEndpoint,
    service: String,
    timeout: Duration,
}

/// The layer and the exporter for the collector that the environment names, if it names one.
///
/// # Errors
/// If the URL, the headers or the time are malformed.
pub fn from_env() -> Result<Option<(Otlp, Exporter)>, OtlpError> {
    let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let Some(base) = read(ENDPOINT) else {
        return Ok(None);
    };
    let mut headers = HeaderMap::new();
    for pair in read(HEADERS).iter().flat_map(|all| all.split(',')) {
        let (name, value) = pair.split_once('=').ok_or(OtlpError::Header)?;
        let value = percent_encoding::percent_decode_str(value.trim()).decode_utf8_lossy();
        let header = (HeaderName::try_from(name.trim()), HeaderValue::try_from(&*value));
        let (Ok(name), Ok(value)) = header else {
            return Err(OtlpError::NoHeader(name.to_owned()));
        };
        headers.insert(name, value);
    }
    let endpoint = HttpEndpoint::new(&format!("{}/v1/traces", base.trim_end_matches('/')), headers, &[])?;
    let (sender, spans) = mpsc::channel(MOST);
    let service = read(SERVICE).unwrap_or_else(|| "question-server".to_owned());
    let milliseconds = read(PATIENCE).map(|text| text.parse().map_err(|_| OtlpError::NoNumber(text)));
    let timeout = milliseconds.transpose()?.map_or(TIMEOUT, Duration::from_millis);
    Ok(Some((Otlp(sender), Exporter { spans, endpoint, service, timeout })))
}

/// The reason why the environment's collector is not used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OtlpError {
    /// Headers are malformed.
    #[error("{HEADERS}: each is NAME=VALUE")]
    Header,
    /// A header has no such name, or its value.
    #[error("{HEADERS}: {0} is no header")]
    NoHeader(String),
    /// The time is malformed.
    #[error("{PATIENCE}: {0} is no number")]
    NoNumber(String),
    /// The URL is malformed, or would get the headers in the clear.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Exporter {
    /// Exports closed spans until the layer is dropped.
    pub async fn run(mut self) {
        let mut spans = Vec::new();
        while self.spans.recv_many(&mut spans, AT_ONCE).await > 0 {
            let service = json!({"key": "service.name", "value": {"stringValue": self.service}});
            let scope = json!({"name": "question-server", "version": env!("CARGO_PKG_VERSION")});
            let scoped = json!({"scope": scope, "spans": std::mem::take(&mut spans)});
            let all = json!({"resourceSpans": [{"resource": {"attributes": [service]}, "scopeSpans": [scoped]}]});
            match timeout(self.timeout, self.endpoint.post(all.to_string())).await {
                Ok(Ok(response)) if response.status().is_success() => {}
                Ok(Ok(response)) => tracing::warn!(status = response.status().as_u16(), "exporting spans failed"),
                Ok(Err(error)) => tracing::warn!(%error, "exporting spans failed"),
                Err(_) => tracing::warn!(after = ?self.timeout, "exporting spans timed out"),
            }
            // Spans that close meanwhile are sent together.
            sleep(PACE).await;
        }
    }
}

/// A span that is open.
struct OpenSpan {
    parent: Option<String>,
    /// OTLP's kind: 2 is a server's request, 1 is internal.
    kind: u8,
    start: String,
    attributes: Attributed,
}

/// The fields of a span as OTLP's attributes.
#[derive(Default)]
struct Attributed(Vec<Value>);

impl Visit for Attributed {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push(json!({"key": field.name(), "value": {"stringValue": value}}));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Otlp {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else {
            return;
        };
        let mut fields = Attributed::default();
        attributes.record(&mut fields);
        let parent = span.parent().and_then(|parent| {
            let ids = parent.extensions().get::<SpanIds>()?.clone();
            Some((ids.trace, ids.span))
        });
        let kind = if parent.is_none() { 2 } else { 1 };
        let (trace, parent) = parent.or_else(|| trace::current().map(|trace| (trace.id, trace.parent))).unzip();
        let new = || Uuid::new_v4().simple().to_string();
        let ids = SpanIds { trace: trace.unwrap_or_else(new), span: new()[..16].to_owned() };
        let mut extensions = span.extensions_mut();
        extensions.insert(ids);
        extensions.insert(OpenSpan { parent, kind, start: now(), attributes: fields });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<OpenSpan>()
        {
            values.record(&mut open.attributes);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        let (ids, open) = {
            let mut extensions = span.extensions_mut();
            (extensions.remove::<SpanIds>(), extensions.remove::<OpenSpan>())
        };
        let (Some(ids), Some(open)) = (ids, open) else {
            return;
        };
        let closed = json!({
            "traceId": ids.trace, "spanId": ids.span, "parentSpanId": open.parent.unwrap_or_default(),
            "name": span.name(), "kind": open.kind, "attributes": open.attributes.0,
            "startTimeUnixNano": open.start, "endTimeUnixNano": now(),
        });
        // A slow collector misses some.
        let _ = self.0.try_send(closed);
    }
}

/// A filter for the spans of this crate, at any level of the log.
#[derive(Clone, Copy, Debug)]
pub struct Own;

impl<S> Filter<S> for Own {
    fn enabled(&self, metadata: &Metadata<'_>, _context: &Context<'_, S>) -> bool {
        metadata.is_span() && metadata.target().starts_with("question_server")
    }
}

fn now() -> String {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}
