//! An agent of another framework, passed on from the server's own origin.

use crate::folder::Folder;
use crate::house::{app, front_desk, parts, serve, server};
use crate::http::{Answer, by, call, get, post, request, with_headers};
use crate::socket::{self, start, until_logged};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use axum::routing;
use futures_util::{StreamExt as _, stream};
use question_server::other_agent::OtherAgent;
use question_server::page::Page;
use question_server::{Builder, Config};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tower::ServiceExt as _;

/// The requests that an agent has received.
type Come = mpsc::UnboundedReceiver<(HeaderMap, Value)>;

/// An agent elsewhere: it says the first half of what it has to say, and the second when it is told to.
async fn elsewhere() -> (String, Come, Arc<Notify>) {
    let (sender, come) = mpsc::unbounded_channel();
    let told = Arc::new(Notify::new());
    let go_on = Arc::clone(&told);
    let answer = async move |headers: HeaderMap, body: Bytes| {
        let body = serde_json::from_slice(&body).expect("what is passed on is JSON");
        sender.send((headers, body)).expect("the test waits for it");
        let second = stream::once(async move {
            go_on.notified().await;
            "second"
        });
        let said = stream::iter(["first "]).chain(second).map(Ok::<_, Infallible>);
        Response::builder()
            .header(header::CONTENT_TYPE, "text/event-stream")
            .header(header::SET_COOKIE, "its=own")
            .header(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")
            .body(Body::from_stream(said))
            .expect("the answer is well formed")
    };
    let address = serve(Router::new().route("/run", routing::post(answer))).await;
    (format!("http://{address}"), come, told)
}

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

const ONE: NonZeroUsize = NonZeroUsize::MIN;

fn with_agent(url: &str) -> Builder {
    parts(front_desk()).other_agent(OtherAgent::new(url, HeaderMap::new(), ONE).expect("it is a URL"))
}

fn passing_on(url: &str) -> Router {
    app(&Config::default(), with_agent(url))
}

#[tokio::test]
async fn a_run_is_passed_on_and_streams_back_without_anybodys_cookies() {
    let (origin, mut come, told) = elsewhere().await;
    let server = passing_on(&format!("{origin}/run"));
    let input = json!({"threadId": "t", "runId": "r", "messages": [], "unknown": {"kept": true}});
    let run = by("secret", request(Method::POST, "/agent/other", Some(input.clone())));
    let run = with_headers(run, &[("cookie", "question_owner=secret"), ("traceparent", TRACE)]);
    let response = server.clone().oneshot(run).await.expect("the router answers everything");
    let (headers, body) = come.recv().await.expect("it has come");
    assert_eq!(body, input);
    let trace = headers["traceparent"].to_str().expect("it is text");
    assert!(trace[..36] == TRACE[..36] && trace != TRACE, "the trace goes on under an id of its own: {trace}");
    assert!(!format!("{headers:?}").contains("secret"), "{headers:?}");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
    assert!(!format!("{:?}", response.headers()).contains("its=own"), "{:?}", response.headers());
    assert!(!response.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN), "{:?}", response.headers());

    let mut pieces = response.into_body().into_data_stream();
    let first = pieces.next().await.expect("it streams").expect("it does not break off");
    assert_eq!(first, "first ", "the second half has not been said yet");
    let refused = post(&server, "/agent/other", json!({})).await;
    assert_eq!(refused.refusal(), (503, "agent_busy".to_owned()), "one run is as many as it may have");
    assert_eq!(refused.header("retry-after"), "1");
    told.notify_one();
    let second = pieces.next().await.expect("it streams").expect("it does not break off");
    assert_eq!(second, "second");
    assert!(pieces.next().await.is_none());

    drop(pieces);
    told.notify_one();
    assert_eq!(post(&server, "/agent/other", json!({})).await.status, 200, "the place is free again");
}

#[tokio::test]
async fn an_agent_at_another_path_is_named_in_the_log_with_what_it_says() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("http://{}/runs", listener.local_addr().expect("it is bound"));
    let crashes = || async { (StatusCode::INTERNAL_SERVER_ERROR, "\nZeroDivisionError: by zero\nsecond line") };
    let agent = Router::new().route("/runs", routing::post(crashes));
    tokio::spawn(async move { axum::serve(listener, agent).await });
    let (mut child, address) = start(&["--port", "0", "--agent", &url]).await;
    let answer = socket::post(address, "/agent/other", &json!({})).await;
    assert!(answer.starts_with("HTTP/1.0 500") && answer.contains("The agent answered 500 Internal"), "{answer}");
    assert!(!answer.contains("ZeroDivision"), "{answer}");
    let log = until_logged(&mut child, "neither events nor JSON").await;
    assert!(log.contains("ZeroDivisionError: by zero") && log.contains(&url) && !log.contains("second"), "{log}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_accepts_and_is_silent_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let server = passing_on(&format!("http://{}/", silent.local_addr().expect("it is bound")));
    // There is one place, which is free again each time.
    for _ in 0..2 {
        let refused = post(&server, "/agent/other", json!({})).await.refusal();
        assert_eq!(refused, (502, "agent_unreachable".to_owned()));
    }
}

#[tokio::test]
async fn an_agent_that_is_silent_within_its_answer_is_cut_off_and_makes_room() {
    let (url, mut come, _go_on) = elsewhere().await;
    let server = passing_on(&format!("{url}/run"));
    let run = || server.clone().oneshot(request(Method::POST, "/agent/other", Some(json!({}))));
    let mut said = run().await.expect("it answers").into_body().into_data_stream();
    assert_eq!(said.next().await.expect("it begins").expect("it begins"), "first ");
    come.recv().await.expect("it is asked");
    assert_eq!(Answer::of(run().await.expect("it answers")).await.refusal().1, "agent_busy", "it has one place");
    // From here on, time passes as soon as nothing else happens.
    tokio::time::pause();
    assert!(said.next().await.expect("it does not look whole").is_err());
    tokio::time::resume();
    drop(said);
    assert_eq!(run().await.expect("it answers").status(), 200);
}

#[tokio::test]
async fn what_goes_wrong_is_said() {
    let (origin, _come, _) = elsewhere().await;
    let lost = passing_on(&format!("{origin}/nowhere"));
    let answer = post(&lost, "/agent/other", json!({})).await;
    assert_eq!(answer.status, 404, "what the agent refuses is refused");

    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let gone = format!("http://{}/", listener.local_addr().expect("it is bound"));
    drop(listener);
    let refusal = post(&passing_on(&gone), "/agent/other", json!({})).await.refusal();
    assert_eq!(refusal, (502, "agent_unreachable".to_owned()));

    let refusal = post(&server(), "/agent/other", json!({})).await.refusal();
    assert_eq!(refusal, (404, "not_found".to_owned()), "no agent is named");
    let text = request(Method::POST, "/agent/other", Some(json!({})));
    let text = with_headers(text, &[("content-type", "text/plain")]);
    let refusal = call(&passing_on(&gone), text).await.refusal();
    assert_eq!(refusal, (415, "unsupported_media_type".to_owned()), "any page could send it");
    for url in ["ftp://agent.example", "not a URL"] {
        assert!(OtherAgent::new(url, HeaderMap::new(), ONE).is_err(), "{url}");
    }
}

#[tokio::test]
async fn the_page_begins_with_that_agent_and_may_leave_it() {
    let folder = Folder::made();
    std::fs::write(folder.path().join("index.html"), "<!doctype html>").expect("the target folder can be written");
    let page = Page::read(folder.path()).expect("the page is there");
    let server = app(&Config::default(), with_agent("http://127.0.0.1:9/").page(page));
    let led = |answer: &Answer| answer.headers.get(header::LOCATION).map(|at| at.to_str().unwrap().to_owned());
    for (path, expected) in [
        ("/", Some("/?agent=agent/other")),
        ("/?lang=de&theme=dark", Some("/?agent=agent/other&lang=de&theme=dark")),
        ("/?agent=agent/other", None),
        ("/?lang=de&agent=", None),
        ("/index.html", None),
    ] {
        let answer = get(&server, path).await;
        assert_eq!(led(&answer).as_deref(), expected, "{path}");
        assert_eq!(answer.status, if expected.is_some() { 303 } else { 200 }, "{path}");
    }
}

#[tokio::test]
async fn only_events_and_json_are_passed_on_and_the_agent_gets_its_own_key() {
    let answer = async |headers: HeaderMap, body: Bytes| {
        assert_eq!(headers[header::AUTHORIZATION], "Bearer the-agents-own", "{headers:?}");
        let wanted: Value = serde_json::from_slice(&body).expect("what is passed on is JSON");
        let status = u16::try_from(wanted["status"].as_u64().expect("it is a number")).expect("it is small");
        let kind = wanted["kind"].as_str().expect("it is text").to_owned();
        Response::builder()
            .status(status)
            .header(header::CONTENT_TYPE, kind)
            .body(Body::from("said"))
            .expect("it is one")
    };
    let url = format!("http://{}/", serve(Router::new().route("/", routing::post(answer))).await);
    let key = HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static("Bearer the-agents-own"))]);
    let agent = OtherAgent::new(&url, key.clone(), ONE).expect("it is a URL");
    assert!(!format!("{agent:?}").contains("own"));
    let server = app(&Config::default(), parts(front_desk()).other_agent(agent));
    for (status, kind, expected, said) in [
        (200, "text/event-stream; charset=utf-8", 200, Some("said")),
        (422, "application/json", 422, Some("said")),
        (500, "application/problem+json", 500, Some("said")),
        (200, "text/html; charset=utf-7", 502, None),
        (204, "text/event-stream", 502, None),
        (304, "text/event-stream", 502, None),
        (999, "text/event-stream", 502, None),
        (404, "text/html", 404, None),
    ] {
        let answer = post(&server, "/agent/other", json!({"status": status, "kind": kind})).await;
        assert_eq!(answer.status.as_u16(), expected, "{status} {kind}");
        assert_eq!(answer.body == "said", said.is_some(), "{status} {kind}");
    }
    for (host, is_private) in [
        ("agent.example", false),
        ("8.8.8.8", false),
        ("134744072", false),
        ("[2001:db8::1]", false),
        ("agent", true),
        ("agent.ai.svc.cluster.local", true),
        ("host.docker.internal", true),
        ("127.0.0.2", true),
        ("192.168.1.5", true),
        ("[fd00::5]", true),
    ] {
        let agent = OtherAgent::new(&format!("http://{host}:8000/"), key.clone(), ONE);
        assert_eq!(agent.is_ok(), is_private, "{host}: the key goes in the clear");
    }
}
