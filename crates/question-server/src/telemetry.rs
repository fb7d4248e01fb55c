//! Telemetry for operators: metrics, the access log and traces.

pub mod metrics;
pub(crate) mod observe;
#[cfg(feature = "otlp")]
pub mod otlp;
pub(crate) mod trace;
