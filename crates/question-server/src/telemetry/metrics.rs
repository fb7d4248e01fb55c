//! Metrics in Prometheus's format.

use axum::http::{Method, StatusCode};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry, Unit};
use question_agent::ag_ui::Usage;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking};

/// The media type of `/metrics`.
pub(crate) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Buckets of durations, in seconds: from a commit in memory to a slow model.
const SECONDS: [f64; 10] = [0.001, 0.005, 0.02, 0.1, 0.5, 1.0, 5.0, 20.0, 60.0, 300.0];

/// Buckets for the answers of people, in seconds: from a tap to some days.
const ANSWER_SECONDS: [f64; 8] = [2.0, 10.0, 60.0, 300.0, 1800.0, 7200.0, 86_400.0, 604_800.0];

/// One label with its value. A label has few values.
type Label<T = &'static str> = [(&'static str, T); 1];

#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    counters: Counters,
    requests: Family<[(&'static str, String); 3], Counter>,
    request_seconds: Family<Label<String>, Histogram>,
    /// The events that state machines accepted.
    pub(crate) events: Family<Label, Counter>,
    pub(crate) commit_seconds: Family<Label, Histogram>,
    pub(crate) model_seconds: Family<Label, Histogram>,
    pub(crate) refusals: Family<Label, Counter>,
    webhooks: Family<[(&'static str, &'static str); 2], Counter>,
    tokens: Family<Label, Counter>,
    pub(crate) answer_seconds: Histogram,
    pub(crate) taken_over: Counter,
    watchers: Gauge,
    runs: Gauge,
    conversations: Gauge,
    waiting: Gauge,
    oldest: Gauge,
    pool_in_use: Gauge,
    pool_size: Gauge,
}

/// The counters of events outside of the router. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    pub(crate) accept_errors: Counter,
    pub(crate) connections_evicted: Counter,
    log_lines_dropped: Counter,
    log: Arc<OnceLock<ErrorCounter>>,
}

impl Counters {
    /// Counts the lines of this log that are dropped because stderr is blocked.
    pub(crate) fn count_dropped_lines(&self, log: &NonBlocking) {
        self.log.get_or_init(|| log.error_counter());
    }

    fn update(&self) {
        let dropped = self.log.get().map_or(0, ErrorCounter::dropped_lines);
        self.log_lines_dropped.inner().store(dropped as u64, Ordering::Relaxed);
    }
}

/// Decrements the gauge when it is dropped.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Registers a metric, and returns it.
fn kept<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

/// Registers a metric in seconds, and returns it.
fn timed<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register_with_unit(name, help, Unit::Seconds, metric.clone());
    metric
}

impl Metrics {
    pub(crate) fn new(counters: &Counters) -> Self {
        let mut all = Registry::with_prefix("question_server");
        let to = &mut all;
        let seconds: fn() -> Histogram = || Histogram::new(SECONDS);
        // `/metrics` lists them in this order.
        Self {
            requests: kept(to, "requests", "Requests that were answered"),
            request_seconds: timed(to, "request", "Time until a response began", Family::new_with_constructor(seconds)),
            events: kept(to, "events", "Events in conversations"),
            answer_seconds: timed(to, "answer", "Time until a question was answered", Histogram::new(ANSWER_SECONDS)),
            taken_over: kept(to, "leases_taken_over", "Runs resumed from another server, or from before a restart"),
            tokens: kept(to, "tokens", "Tokens of models, as reported by their endpoints"),
            refusals: kept(to, "refusals", "Requests that a limit refused"),
            webhooks: kept(to, "webhooks", "Attempts to call a program's URL"),
            counters: {
                for (name, help, counter) in [
                    ("accept_errors", "Connections that could not be accepted", &counters.accept_errors),
                    ("connections_evicted", "Connections closed for newer ones", &counters.connections_evicted),
                    ("log_lines_dropped", "Lines of the log that were dropped", &counters.log_lines_dropped),
                ] {
                    to.register(name, help, counter.clone());
                }
                counters.clone()
            },
            commit_seconds: timed(to, "commit", "Time of a commit", Family::new_with_constructor(seconds)),
            model_seconds: timed(to, "model", "Time of a model's answer", Family::new_with_constructor(seconds)),
            watchers: kept(to, "watchers", "Open streams of conversations' events"),
            runs: kept(to, "runs", "Runs under way"),
            conversations: kept(to, "conversations", "Conversations in the store"),
            waiting: kept(to, "waiting_questions", "Questions that wait for their answer"),
            oldest: kept(to, "oldest_waiting_question_seconds", "Age of the oldest waiting question"),
            pool_in_use: kept(to, "database_connections_in_use", "Connections to the database in use"),
            pool_size: kept(to, "database_connections_max", "Connections to the database at most"),
            registry: all,
        }
    }

    pub(crate) fn answered(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        self.request_seconds.get_or_create(&[("route", route.to_owned())]).observe(took.as_secs_f64());
        let labels = [("method", name_of(method)), ("route", route), ("status", status.as_str())];
        self.requests.get_or_create(&labels.map(|(label, value)| (label, value.to_owned()))).inc();
    }

    pub(crate) fn model_used(&self, usage: Usage) {
        for (of, tokens) in [("input", usage.input), ("output", usage.output)] {
            self.tokens.get_or_create(&[("of", of)]).inc_by(tokens);
        }
    }

    /// Counts an attempt to call a URL.
    pub(crate) fn called(&self, kind: &'static str, outcome: &'static str) {
        self.webhooks.get_or_create(&[("kind", kind), ("outcome", outcome)]).inc();
    }

    pub(crate) fn watches(&self) -> Counted {
        self.watchers.inc();
        Counted(self.watchers.clone())
    }

    /// Sets the numbers of the store. `oldest` is the age of the oldest waiting question, in seconds.
    pub(crate) fn stored(&self, conversations: usize, waiting: usize, oldest: u64) {
        set(&self.conversations, conversations);
        set(&self.waiting, waiting);
        set(&self.oldest, usize::try_from(oldest).unwrap_or(usize::MAX));
    }

    /// The text of `/metrics`, with the runs under way and the store's connections: those in use, and the most.
    pub(crate) fn read(&self, runs: usize, pool: Option<(usize, usize)>) -> Result<String, fmt::Error> {
        self.counters.update();
        set(&self.runs, runs);
        let (in_use, size) = pool.unwrap_or_default();
        set(&self.pool_in_use, in_use);
        set(&self.pool_size, size);
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

fn set(gauge: &Gauge, count: usize) {
    gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
}

/// The method as a label. Clients may make up methods, and labels must be few.
fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
