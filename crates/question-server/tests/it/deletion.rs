//! Conversations that are deleted, by their owner or at their time.

use crate::clock::HandClock;
use crate::house::{app, front_desk, over_each_store, parts, server, server_with};
use crate::http::{Answer, call, get, post, request, says};
use crate::script::{Line, Script};
use crate::watcher::{Frame, Watcher};
use axum::Router;
use axum::http::Method;
use futures_util::StreamExt as _;
use question_agent::{Event, Timestamp};
use question_server::Config;
use question_server::limits::SWEEP;
use question_server::store::suite::{self, play};
use question_server::store::{FileHead, FileRoom, NewFile, Store};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::yield_now;
use tower::ServiceExt as _;

const PATH: &str = "/conversations/t";

async fn delete(server: &Router) -> u16 {
    call(server, request(Method::DELETE, PATH, None)).await.status.as_u16()
}

#[tokio::test]
async fn a_deleted_conversation_is_gone_and_its_watchers_learn_of_it() {
    let server = server();
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    let old = get(&server, PATH).await.json()["lastEventId"].clone();
    let watching = request(Method::GET, "/conversations/t/events", None);
    let watching = server.clone().oneshot(watching).await.expect("it answers");
    assert_eq!(delete(&server).await, 204);
    let told = watching.into_body().into_data_stream().count().await;
    assert!(told <= 1, "the stream ends");
    assert_eq!(get(&server, PATH).await.refusal(), (404, "not_found".to_owned()));
    assert_eq!(delete(&server).await, 404);

    // Another one under its name has nothing of it.
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    let described = get(&server, PATH).await.json();
    assert_eq!(described["messages"].as_array().map(Vec::len), Some(2));
    assert_ne!(described["lastEventId"], old);
}

#[tokio::test]
async fn a_run_ends_before_its_conversation_is_deleted_and_says_so_to_who_reads_it_later() {
    for is_read in [true, false] {
        let script = Script::new([vec![Line::Waits, Line::Hangs]]);
        let server = server_with(script.clone());
        let run = request(Method::POST, "/agent", Some(says("t", "u", "go")));
        let run = server.clone().oneshot(run).await.expect("it answers");
        let (now, later) = if is_read { (Some(tokio::spawn(Answer::of(run))), None) } else { (None, Some(run)) };
        script.waits().await;
        script.go_on();
        assert_eq!(delete(&server).await, 204);
        let told = match (now, later) {
            (Some(now), _) => now.await.expect("it ends"),
            (None, run) => Answer::of(run.expect("it is one of them")).await,
        };
        // Its client stopped it, if that reads.
        let code = told.events().1.error.map(|error| error.code().to_owned());
        assert_eq!(code.as_deref(), Some("not_found").filter(|_| !is_read));
        assert_eq!(get(&server, PATH).await.status, 404);
    }
}

#[tokio::test]
async fn what_has_ended_is_kept_for_so_long_and_what_waits_for_ever() {
    const DAY: Duration = Duration::from_secs(24 * 3600);
    let clock = HandClock::new();
    let config = Config { keep: Some(30 * DAY), ..Config::default() };
    let server = app(&config, parts(front_desk()).clock(Arc::new(clock.clone())));
    for thread in ["t", "waits", "answered"] {
        post(&server, "/agent", says(thread, "u", "hi")).await.events();
    }
    let end = async |thread: &str| {
        let cancelled = post(&server, &format!("/conversations/{thread}/cancel"), json!({})).await;
        assert_eq!(cancelled.status, 200);
    };
    end("t").await;
    let mut watcher = Watcher::open(&server, "answered", None).await;
    clock.advance(29 * DAY);
    end("answered").await;
    watcher.until(|frame: &Frame| frame.data["type"] == "idle").await;
    clock.advance(DAY);
    while get(&server, PATH).await.status != 404 {
        yield_now().await;
    }
    clock.advance(SWEEP);
    for thread in ["waits", "answered"] {
        assert_eq!(get(&server, &format!("/conversations/{thread}")).await.status, 200, "{thread}");
    }
}

over_each_store!(what_is_old: goes_in_small_parts);

/// Each may have as many bytes as its files, and others wait behind a deletion.
async fn goes_in_small_parts(store: Arc<dyn Store>) {
    let room = FileRoom { of_each: 0, of_conversation: 1, of_owner: 20, of_all: 20 };
    for number in 0..20 {
        let ended = vec![suite::says("u"), Event::UserCancel { proceed: false }];
        play(&*store, &format!("ended {number}"), None, ended).await;
        let head = FileHead { name: "a".to_owned(), media_type: "text/plain".to_owned(), size: 1 };
        let (conversation, hash) = (format!("lost {number}"), "a".to_owned());
        let file = NewFile { conversation, hash, owner: None, head, bytes: vec![0], at: Timestamp(1) };
        assert!(store.put_file(file, room).await.expect("it is written"));
    }
    let now = Timestamp(100);
    for all in [16, 4, 0] {
        assert_eq!(store.delete_lost_files(now).await.expect("it is written"), all);
        assert_eq!(store.delete_ended(now).await.expect("it is written").len(), all);
    }
}
