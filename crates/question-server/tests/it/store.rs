//! A store that fails, at times.

use crate::house::{front_desk, parts};
use crate::http::{get, post, says};
use ag_ui_stream::reader::EndOutcome;
use axum::Router;
use futures_util::future::BoxFuture;
use question_agent::Timestamp;
use question_server::store::{Change, Deadlines, MemoryStore, Store, StoreError, Stored};
use question_server::{Config, Parts, app};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Fails the commit of that number, counted from 0.
#[derive(Debug)]
struct FailsOnce {
    store: MemoryStore,
    commits: AtomicUsize,
    failing: usize,
}

impl Store for FailsOnce {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        self.store.load(id)
    }

    fn commit<'a>(
        &'a self,
        id: &'a str,
        change: Change<'a>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        if self.commits.fetch_add(1, Ordering::Relaxed) == self.failing {
            return Box::pin(async { Err(StoreError("the disk is full".to_owned())) });
        }
        self.store.commit(id, change)
    }

    fn count(&self) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.store.count()
    }

    fn deadlines(&self, now: Timestamp) -> BoxFuture<'_, Result<Deadlines, StoreError>> {
        self.store.deadlines(now)
    }
}

fn server_failing_at(failing: usize) -> Router {
    let store = FailsOnce {
        store: MemoryStore::default(),
        commits: AtomicUsize::new(0),
        failing,
    };
    app(
        &Config::default(),
        Parts {
            store: Arc::new(store),
            ..parts(front_desk())
        },
    )
}

#[tokio::test]
async fn what_is_not_stored_is_not_taken() {
    let server = server_failing_at(0);
    let refused = post(&server, "/agent", says("t", "u", "hi")).await;
    assert_eq!(refused.refusal(), (500, "store_failed".to_owned()));
    let gone = get(&server, "/conversations/t").await.refusal();
    assert_eq!(gone, (404, "not_found".to_owned()));
    let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
    assert_eq!(end.outcome, EndOutcome::Completed);
}

#[tokio::test]
async fn a_run_that_cannot_be_stored_fails_and_goes_on_when_tried_again() {
    // Commit 0 is the message, 1 the model's answer, 2 the question.
    for failing in [1, 2] {
        let server = server_failing_at(failing);
        let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
        assert_eq!(end.outcome, EndOutcome::Error);
        assert_eq!(
            end.error.map(|error| error.code).as_deref(),
            Some("store_failed")
        );
        let (events, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
        assert_eq!(end.outcome, EndOutcome::Completed);
        assert_eq!(
            events[1].name(),
            "MESSAGES_SNAPSHOT",
            "the client may hold half an answer"
        );
        let described = get(&server, "/conversations/t").await.json();
        assert_eq!(described["state"]["type"], "awaiting_user_response");
        assert_eq!(described["messages"].as_array().map(Vec::len), Some(2));
    }
}
