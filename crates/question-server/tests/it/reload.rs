//! A page that is loaded again: what the conversation is, and what happens from there on, with nothing missing in between.

use crate::house::{app, parts, server, server_with};
use crate::http::{get, loaded, post, request, says, start, told};
use crate::script::{ASK, Line, Script};
use crate::visitor::Visitor;
use crate::watcher::{Frame, Watcher};
use ag_ui_stream::Conversation;
use ag_ui_stream::reader::EndOutcome;
use ask_user_question::{Outcome, Phase};
use axum::Router;
use axum::body::to_bytes;
use axum::http::Method;
use question_server::Config;
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// A page as it is after it was loaded.
struct Loaded {
    conversation: Conversation,
    last_event_id: String,
    is_running: bool,
}

impl Loaded {
    async fn from(server: &Router) -> Self {
        let described = get(server, "/conversations/t").await.json();
        Self {
            conversation: loaded(&described["messages"]),
            last_event_id: text(&described["lastEventId"]),
            is_running: described["runId"].is_string(),
        }
    }

    /// Reads on to the end of the run that went on when the page was loaded.
    async fn read_on(&mut self, server: &Router) {
        if self.is_running {
            let mut watcher = Watcher::open(server, "t", Some(&self.last_event_id)).await;
            let frames = watcher.until(is_end).await;
            let is_anew = frames.iter().any(|frame| kind(frame) == "reset");
            assert!(!is_anew, "the events are kept: {frames:?}");
            self.take(&frames);
        }
    }

    /// Each connection after a load or a reset is a stream of its own, and legal from its first event on.
    fn take(&mut self, frames: &[Frame]) {
        for frame in frames.iter().filter(|frame| frame.event.is_none()) {
            self.conversation.feed_json(&frame.data.to_string());
        }
        assert_eq!(told(&mut self.conversation).1.outcome, EndOutcome::Completed, "{frames:?}");
    }

    fn messages(&self) -> Value {
        json!(self.conversation.thread().messages())
    }

    fn phases(&self) -> Vec<Phase> {
        self.conversation.asks().asks().map(|ask| ask.phase).collect()
    }
}

fn is_end(frame: &Frame) -> bool {
    frame.data["type"] == "RUN_FINISHED"
}

fn text(value: &Value) -> String {
    value.as_str().expect("it is text").to_owned()
}

fn watched() -> Script {
    Script::new([
        vec![Line::Waits, Line::Says("Let me look."), Line::Waits, Line::Calls(0, "unknown_tool", "{}"), Line::Waits],
        vec![Line::Waits, Line::Says("One question."), Line::Calls(0, "ask_user_question", ASK), Line::Waits],
    ])
}

const WAITS: usize = 5;

#[tokio::test]
async fn loaded_at_any_point_of_a_run_a_page_comes_to_the_same_end() {
    let script = watched();
    let server = server_with(script.clone());
    let run = start(&server, "/agent", says("t", "u", "go"));
    let mut idle = None;
    // One page that reads on at once, and one that is slow to connect.
    let mut prompt = Vec::new();
    let mut slow = Vec::new();
    for _ in 0..WAITS {
        script.waits().await;
        if idle.is_none() {
            // As long as somebody has not read them, events are kept.
            idle = Some(Watcher::open(&server, "t", None).await);
        }
        slow.push(Loaded::from(&server).await);
        let (server, mut page) = (server.clone(), Loaded::from(&server).await);
        assert!(page.is_running);
        let mut watcher = Watcher::open(&server, "t", Some(&page.last_event_id)).await;
        prompt.push(tokio::spawn(async move {
            page.take(&watcher.until(is_end).await);
            page
        }));
        script.go_on();
    }
    run.await.expect("it ends").events();
    let after = Loaded::from(&server).await;
    assert!(!after.is_running);
    let mut pages = vec![after];
    for page in prompt {
        pages.push(page.await.expect("it reads to the end"));
    }
    for mut page in slow {
        page.read_on(&server).await;
        pages.push(page);
    }
    let stored = get(&server, "/conversations/t").await.json()["messages"].clone();
    for page in pages {
        assert_eq!(without_errors(&page.messages()), without_errors(&stored));
        assert_eq!(page.phases(), [Phase::Answerable]);
    }
}

/// Events do not say that a result is an error.
fn without_errors(messages: &Value) -> Value {
    let mut messages = messages.clone();
    for message in messages.as_array_mut().into_iter().flatten() {
        message.as_object_mut().expect("it is one").remove("error");
    }
    messages
}

#[tokio::test]
async fn events_that_are_not_kept_any_more_are_made_up_for_by_the_history() {
    let script = watched();
    let server = server_with(script.clone());
    let run = start(&server, "/agent", says("t", "u", "go"));
    for _ in 0..3 {
        script.waits().await;
        script.go_on();
    }
    script.waits().await;
    let mut inside = Watcher::open(&server, "t", Some("0123abcd-5")).await;
    let told = inside.until(|frame| frame.data["type"] == "MESSAGES_SNAPSHOT").await;
    let kinds: Vec<_> = told.iter().map(kind).collect();
    let anew = ["state_change", "reset", "RUN_STARTED", "MESSAGES_SNAPSHOT"];
    assert_eq!(kinds, anew);
    let ids: Vec<bool> = told.iter().map(|frame| frame.id.is_empty()).collect();
    assert_eq!(ids, [true, true, true, false], "the old id until all is told");
    script.go_on();
    script.waits().await;
    script.go_on();
    run.await.expect("it ends").events();
    let rest = inside.until(is_end).await;
    let mut page = Loaded::from(&server).await;
    page.conversation = Conversation::default();
    page.take(&told.into_iter().chain(rest).collect::<Vec<_>>());

    // The same where nothing goes on.
    let mut outside = Watcher::open(&server, "t", Some("0123abcd-5")).await;
    let told = outside.until(is_end).await;
    let kinds: Vec<_> = told.iter().map(kind).collect();
    assert_eq!(kinds, [&anew[..], &["RUN_FINISHED"]].concat());
    let last = told.last().expect("there are some");
    let ask = page.conversation.asks().asks().next().expect("it asks");
    assert_eq!(last.data["outcome"]["pendingToolCallIds"][0], ask.tool_call_id);
    let mut fresh = Loaded::from(&server).await;
    fresh.conversation = Conversation::default();
    fresh.take(&told);
    assert_eq!(fresh.messages(), Loaded::from(&server).await.messages());
    assert_eq!(without_errors(&page.messages()), without_errors(&fresh.messages()));
}

fn kind(frame: &Frame) -> &str {
    match &frame.event {
        Some(event) => event,
        None => frame.data["type"].as_str().unwrap_or_default(),
    }
}

#[tokio::test]
async fn every_receipt_is_there_again_with_how_it_was_given() {
    let server = server();
    let mut visitor = Visitor::new(&server, "v", "t");
    visitor.says("I need my car looked at").await;
    visitor.picks("Brake service").await;
    visitor.says_beside_the_ask("rush").await;
    visitor.ends_question(Outcome::Declined).await;
    visitor.says("I need my car looked at").await;
    let answers = json!({"Which service do you need?": "Oil change"});
    let replied = post(&server, "/conversations/t/respond", json!({"answers": answers})).await;
    assert_eq!(replied.status, 200);
    crate::watcher::until_state(&server, "t", "awaiting_user_response").await;
    let cancelled = post(&server, "/conversations/t/cancel", json!({})).await;
    assert_eq!(cancelled.status, 200);

    let described = get(&server, "/conversations/t").await.json();
    let told: Vec<(&Value, &Value)> = described["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|message| message["role"] == "tool")
        .map(|message| {
            let ask = &message["metadata"]["ask"];
            (&ask["outcome"], &ask["by"])
        })
        .collect();
    let given = |outcome: &str, by: &str| (json!(outcome), json!(by));
    let expected = [
        given("answered", "card"),
        given("answered", "composer"),
        given("declined", "card"),
        given("answered", "card"),
        (Value::Null, Value::Null),
    ];
    let expected: Vec<(&Value, &Value)> = expected.iter().map(|(one, two)| (one, two)).collect();
    assert_eq!(told, expected);
    let page = Loaded::from(&server).await;
    assert_eq!(page.phases(), [Phase::Answered, Phase::Answered, Phase::Declined, Phase::Answered, Phase::Declined]);
}

/// The revision since which an id counts, and the count.
pub(crate) fn place(id: &str) -> (u64, u64) {
    let (revision, count) = id.rsplit_once('-').expect("an id is REVISION-COUNT");
    let revision = u64::from_str_radix(revision, 16).expect("a revision is a number");
    (revision, count.trim_end_matches(['m', 's']).parse().expect("it counts"))
}

#[tokio::test]
async fn ids_count_what_happens_so_that_clients_see_what_is_missing() {
    let server = server();
    let mut visitor = Visitor::new(&server, "v", "t");
    visitor.says("hi").await;
    let mut watcher = Watcher::open(&server, "t", None).await;
    let first = watcher.next().await;
    assert!(first.id.ends_with("-0m"), "{}", first.id);
    let described = get(&server, "/conversations/t").await.json();
    assert_eq!(described["lastEventId"], first.id);

    visitor.picks("Brake service").await;
    let seen = watcher.until(is_end).await;
    let mut before = place(&first.id);
    for frame in &seen {
        let (revision, count) = before;
        let next = place(&frame.id);
        assert!([(revision, count + 1), (revision + 1, 0)].contains(&next), "{next:?} after {before:?}");
        before = next;
    }
    let last = seen.last().expect("there are some").id.clone();
    assert!(last.ends_with("-0"), "a run ends with its last commit: {last}");

    // No client watches meanwhile, and no event happens.
    drop(watcher);
    let described = get(&server, "/conversations/t").await.json();
    assert_eq!(described["lastEventId"], format!("{last}m"));
    let mut back = Watcher::open(&server, "t", Some(&last)).await;
    let present = back.next().await;
    assert_eq!((kind(&present), &present.id), ("state_change", &last));
    visitor.picks("Rush").await;
    let next = back.next().await;
    let (revision, count) = place(&last);
    assert_eq!((kind(&next), place(&next.id)), ("RUN_STARTED", (revision, count + 1)));
}

#[tokio::test]
async fn what_was_told_is_told_again_from_any_commit_on() {
    let server = server();
    let mut visitor = Visitor::new(&server, "v", "t");
    visitor.says("hi").await;
    let mut lasts = vec![text(&get(&server, "/conversations/t").await.json()["lastEventId"])];
    let mut pages = vec![Loaded::from(&server).await];
    for _ in 0..3 {
        let option = visitor.waiting().1.questions[0].options[0].label.clone();
        visitor.picks(&option).await;
        lasts.push(text(&get(&server, "/conversations/t").await.json()["lastEventId"]));
        pages.push(Loaded::from(&server).await);
    }
    let whole = get(&server, "/conversations/t").await.json();
    let end = lasts.last().expect("there are some").trim_end_matches('m').to_owned();
    for (last, mut page) in lasts.iter().zip(pages) {
        let mut watcher = Watcher::open(&server, "t", Some(last)).await;
        assert_eq!(kind(&watcher.next().await), "state_change");
        if last.trim_end_matches('m') == end {
            continue;
        }
        let mut told = watcher.until(|frame| frame.id == end).await;
        assert_eq!(kind(&told[0]), "RUN_STARTED", "from {last}");
        page.take(&told);
        assert_eq!(without_errors(&page.messages()), without_errors(&whole["messages"]));
        // From within, too.
        while told.len() > 1 {
            let first = told.remove(0);
            let mut back = Watcher::open(&server, "t", Some(&first.id)).await;
            back.next().await;
            let next = back.next().await;
            assert_eq!((&next.id, &next.data), (&told[0].id, &told[0].data), "after {}", first.id);
        }
    }
}

#[tokio::test]
async fn what_a_slow_reader_has_not_taken_is_kept_up_to_a_length() {
    const PIECE: usize = 16 << 10;
    const PIECES: usize = 100;
    let mut config = Config::default();
    config.bounds.history = PIECES * PIECE / 8;
    let piece: &'static str = "x".repeat(PIECE).leak();
    let answers = [vec![Line::Says("Yes?")], vec![Line::Says(piece); PIECES]];
    let server = app(&config, parts(Script::new(answers)));
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    let request = request(Method::GET, "/conversations/t/events", None);
    let slow = server.clone().oneshot(request).await.expect("it answers");
    drop(start(&server, "/agent", says("t", "u2", "go")).await);
    while get(&server, "/conversations/t").await.json()["runId"].is_string() {
        tokio::task::yield_now().await;
    }

    let taken = to_bytes(slow.into_body(), usize::MAX).await;
    let taken = taken.expect("the stream ends");
    let told = String::from_utf8_lossy(&taken);
    assert!(!told.contains("RUN_FINISHED"), "it is to come back");
    assert!(taken.len() < PIECES * PIECE, "{}", taken.len());
}
