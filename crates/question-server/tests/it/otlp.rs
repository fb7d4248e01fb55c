//! Spans that a collector of traces receives.

use crate::http::says;
use crate::socket::{binary, exchange, listening};
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::Value;
use std::collections::HashMap;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

async fn take(State(sender): State<UnboundedSender<Value>>, Json(body): Json<Value>) {
    sender.send(body).expect("the test listens");
}

#[tokio::test]
async fn a_request_its_commits_its_model_and_its_tools_are_one_trace() {
    let (sender, mut sent) = unbounded_channel();
    let collector = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = collector.local_addr().expect("it is bound");
    let router = Router::new().route("/v1/traces", post(take)).with_state(sender);
    tokio::spawn(async move { axum::serve(collector, router).await });
    let mut command = binary(&["--port", "0", "--pace", "0", "--log", "off", "--model", "coding-desk"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}"));
    let (_server, server) = listening(command).await;
    let body = says("t", "u", "Have sub-agents look at it").to_string();
    let length = body.len();
    let request = format!(
        "POST /agent HTTP/1.0\r\nHost: {server}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         traceparent: 00-{TRACE}-00f067aa0ba902b7-01\r\n\r\n{body}"
    );
    let answered = exchange(server, &request).await;
    assert!(answered.contains("RUN_FINISHED"), "{answered}");
    let mut spans: HashMap<String, Value> = HashMap::new();
    while !["request", "commit", "model", "tool"].iter().all(|name| spans.contains_key(*name)) {
        let batch = sent.recv().await.expect("the collector runs");
        let resource = &batch["resourceSpans"][0];
        assert_eq!(resource["resource"]["attributes"][0]["value"]["stringValue"], "question-server");
        let all = resource["scopeSpans"][0]["spans"].as_array().cloned().unwrap_or_default();
        spans.extend(all.into_iter().map(|span| (span["name"].as_str().unwrap_or_default().to_owned(), span)));
    }
    let time = |span: &Value, member: &str| span[member].as_str().and_then(|time| time.parse::<u128>().ok());
    for (name, span) in &spans {
        assert_eq!(span["traceId"], TRACE, "{name}");
        assert!(time(span, "startTimeUnixNano") <= time(span, "endTimeUnixNano"), "{span}");
    }
    assert_eq!((&spans["request"]["parentSpanId"], &spans["model"]["kind"]), (&Value::from(""), &Value::from(1)));
    assert_eq!(spans["model"]["parentSpanId"], spans["request"]["spanId"]);
}
