//! Traces for a collector of OpenTelemetry: each span of this crate, as JSON over HTTP.
//!
//! The exporter reads the variables of OpenTelemetry's specification: endpoint, headers, timeout, sampler, batches, the service's name.

use axum::http::{HeaderMap, HeaderValue, Uri, header};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use question_models::SetupError;
use question_models::http_client::keep_secret;
use rustls::crypto::ring;
use std::env;
use std::error::Error;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, Filter};
use tracing_subscriber::registry::LookupSpan;

/// The environment variable with the collector's URL, without `/v1/traces`. Nothing is exported without it.
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// The provider for the collector that the environment names, if it names one. Its `shutdown` exports the last spans.
///
/// # Errors
/// If the URL is malformed, or would get the headers in the clear.
pub fn from_env() -> Result<Option<SdkTracerProvider>, Box<dyn Error + Send + Sync>> {
    let read = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let Some(base) = read(ENDPOINT) else {
        return Ok(None);
    };
    let of_endpoint = |why: SetupError| format!("{ENDPOINT}: {why}");
    let uri: Uri = base.parse().map_err(|_| of_endpoint(SetupError::Url(base)))?;
    if read("OTEL_EXPORTER_OTLP_HEADERS").is_some() {
        // The exporter's headers may have a key, so they are sent in the clear no more than any other key.
        let key = HeaderValue::from_static("");
        keep_secret(&mut HeaderMap::from_iter([(header::AUTHORIZATION, key)]), &uri).map_err(of_endpoint)?;
    }
    // The exporter's client takes the process's provider. It fails if there is one already, which is then used.
    let _ = ring::default_provider().install_default();
    let exporter = SpanExporter::builder().with_http().with_protocol(Protocol::HttpJson).build()?;
    let resource = Resource::builder();
    let resource = match read("OTEL_SERVICE_NAME") {
        None => resource.with_service_name("question-server"),
        Some(_) => resource,
    };
    Ok(Some(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build()))
}

/// The layer that hands closed spans of this crate, at any level of the log, to a provider.
pub fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(provider: &SdkTracerProvider) -> impl Layer<S> + use<S> {
    let tracer = provider.tracer("question-server");
    let layer = tracing_opentelemetry::layer().with_tracer(tracer).with_location(false).with_threads(false);
    layer.with_tracked_inactivity(false).with_filter(Own)
}

struct Own;

impl<S> Filter<S> for Own {
    fn enabled(&self, metadata: &Metadata<'_>, _context: &Context<'_, S>) -> bool {
        metadata.is_span() && metadata.target().starts_with("question_server")
    }
}
