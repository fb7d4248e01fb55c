//! Spans that a collector of traces receives.

use crate::house::serve;
use crate::http::says;
use crate::socket::{self, binary, exchange, listening, raw};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::timeout;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

async fn take(State(sender): State<UnboundedSender<Value>>, Json(body): Json<Value>) {
    sender.send(body).expect("the test listens");
}

#[tokio::test]
async fn a_request_its_commits_its_model_and_its_tools_are_one_trace() {
    let (sender, mut sent) = unbounded_channel();
    let address = serve(Router::new().route("/v1/traces", post(take)).with_state(sender)).await;
    let mut command = binary(&["--port", "0", "--pace", "0", "--log", "off", "--model", "coding-desk"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}")).env("OTEL_BSP_SCHEDULE_DELAY", "100");
    let (_server, server) = listening(command).await;
    let body = says("t", "u", "Have sub-agents look at it").to_string();
    let parent = format!("traceparent: 00-{TRACE}-{CALLER}-01\r\n");
    let answered = exchange(server, &raw(server, "POST", "/agent", &parent, &body)).await;
    assert!(answered.contains("RUN_FINISHED"), "{answered}");
    let mut spans: HashMap<String, Value> = HashMap::new();
    while !["request", "commit", "model", "tool"].iter().all(|name| spans.contains_key(*name)) {
        let batch = sent.recv().await.expect("the collector runs");
        let resource = &batch["resourceSpans"][0];
        let attributes = resource["resource"]["attributes"].as_array().cloned().unwrap_or_default();
        let service = attributes.iter().find(|attribute| attribute["key"] == "service.name");
        assert_eq!(service.map(|service| &service["value"]["stringValue"]), Some(&"question-server".into()));
        let all = resource["scopeSpans"][0]["spans"].as_array().cloned().unwrap_or_default();
        spans.extend(all.into_iter().map(|span| (span["name"].as_str().unwrap_or_default().to_owned(), span)));
    }
    let time = |span: &Value, member: &str| span[member].as_str().and_then(|time| time.parse::<u128>().ok());
    for (name, span) in &spans {
        assert_eq!(span["traceId"], TRACE, "{name}");
        assert!(time(span, "startTimeUnixNano") <= time(span, "endTimeUnixNano"), "{span}");
    }
    assert_eq!((&spans["request"]["parentSpanId"], &spans["model"]["kind"]), (&Value::from(CALLER), &Value::from(1)));
    assert_eq!(spans["model"]["parentSpanId"], spans["request"]["spanId"]);
}

#[tokio::test]
async fn a_collector_that_is_silent_once_gets_later_spans() {
    let (sender, mut sent) = unbounded_channel();
    let count = Arc::new(AtomicUsize::new(0));
    let collector = move |Json(body): Json<Value>| async move {
        sender.send(body).expect("the test listens");
        if count.fetch_add(1, Ordering::Relaxed) == 0 {
            std::future::pending::<()>().await;
        }
    };
    let address = serve(Router::new().route("/v1/traces", post(collector))).await;
    let mut command = binary(&["--port", "0", "--log", "off"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}")).env("OTEL_BSP_SCHEDULE_DELAY", "100");
    // Long enough for the first spans to arrive on a slow machine.
    command.env("OTEL_EXPORTER_OTLP_TIMEOUT", "2000");
    let (_server, server) = listening(command).await;
    for number in 0..3 {
        socket::get(server, "/settings.json").await;
        let spans = timeout(Duration::from_secs(30), sent.recv()).await;
        assert!(spans.is_ok_and(|spans| spans.is_some()), "{number}");
    }
}

#[tokio::test]
async fn a_request_that_is_passed_on_names_its_span() {
    let ((sender, mut sent), (called, mut calls)) = (unbounded_channel(), unbounded_channel());
    let agent = move |headers: HeaderMap| async move { called.send(headers).expect("the test listens") };
    let address =
        serve(Router::new().route("/v1/traces", post(take)).with_state(sender).route("/run", post(agent))).await;
    let mut command = binary(&["--port", "0", "--log", "off", "--agent", &format!("http://{address}/run")]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}")).env("OTEL_BSP_SCHEDULE_DELAY", "100");
    let (_server, server) = listening(command).await;
    socket::post(server, "/agent/other", &json!({})).await;
    let headers = calls.recv().await.expect("it is passed on");
    let batch: Value = sent.recv().await.expect("the collector runs");
    let span = &batch["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    let (trace, id) = (span["traceId"].as_str().unwrap_or_default(), span["spanId"].as_str().unwrap_or_default());
    assert_eq!(headers["traceparent"], format!("00-{trace}-{id}-01"));
}
