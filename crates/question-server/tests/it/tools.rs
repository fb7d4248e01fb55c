//! Tools of the agent's own, which the server runs.

use crate::clock::HandClock;
use crate::house::server_with;
use crate::http::{get, messages, post, says, start};
use crate::replicas::{Mortal, server, until_idle};
use crate::script::{Line, Script, take};
use ag_ui_stream::reader::EndOutcome;
use async_trait::async_trait;
use question_agent::registry::{ToolContext, ToolSpec};
use question_server::limits::{LEASE, SWEEP};
use question_server::store::{SqliteStore, Store};
use question_server::tools::{Call, Tool, ToolOutput};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The behaviour of a call of the tool.
#[derive(Clone, Copy, Debug)]
enum Does {
    Tells,
    Fails,
    Panics,
    Hangs,
    Goes(usize),
}

/// A tool that looks something up elsewhere.
#[derive(Debug)]
struct Look {
    spec: ToolSpec,
    does: Does,
    limit: Duration,
    /// The key and the token of each call.
    calls: Mutex<Vec<(String, CancellationToken)>>,
    arrived: Semaphore,
}

impl Look {
    fn new(does: Does) -> Arc<Self> {
        Self::within(does, Duration::from_secs(3600))
    }

    fn within(does: Does, limit: Duration) -> Arc<Self> {
        let spec = ToolSpec::new("look", "Looks something up.", &json!({"type": "object"}));
        Arc::new(Self { spec, does, limit, calls: Mutex::default(), arrived: Semaphore::new(0) })
    }

    fn keys(&self) -> Vec<String> {
        self.calls.lock().expect("no test panics with it").iter().map(|call| call.0.clone()).collect()
    }
}

#[derive(Deserialize)]
struct Input {
    what: String,
}

#[async_trait]
impl Tool for Look {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_offered(&self, context: &ToolContext) -> bool {
        !context.plan_mode
    }

    fn time_limit(&self) -> Duration {
        self.limit
    }

    async fn run(&self, call: Call<'_>) -> ToolOutput {
        let Input { what } = call.input()?;
        let seen = (call.idempotency_key().to_owned(), call.cancel().clone());
        self.calls.lock().expect("no test panics with it").push(seen);
        self.arrived.add_permits(1);
        match self.does {
            Does::Tells => Ok(format!("{what} is there.")),
            Does::Fails => Err(format!("{what} is closed.")),
            Does::Panics => panic!("a tool with a bug"),
            Does::Goes(length) => Ok("x".repeat(length)),
            Does::Hangs => std::future::pending().await,
        }
    }
}

const LOOK: Line = Line::Calls(0, "look", r#"{"what": "The shop"}"#);

/// The result for the model of a call of a tool with this behaviour.
async fn told(tool: Arc<Look>, call: Line) -> String {
    let script = Script::new([vec![call], vec![Line::Says("I see.")]]).with_tool(tool);
    let server = server_with(script);
    let (_, end) = post(&server, "/agent", says("t", "u", "go")).await.events();
    assert_eq!(end.outcome, EndOutcome::Completed);
    let said = messages(&server, "t").await;
    assert_eq!(said[3]["content"], "I see.");
    said[2]["content"].as_str().expect("it is text").to_owned()
}

#[tokio::test]
async fn a_tool_tells_the_model_what_it_found() {
    assert_eq!(told(Look::new(Does::Tells), LOOK).await, "The shop is there.");
    assert_eq!(told(Look::new(Does::Fails), LOOK).await, "The shop is closed.");
    let unread = told(Look::new(Does::Tells), Line::Calls(0, "look", r#"{"where": 1}"#)).await;
    assert!(unread.starts_with("Invalid input: "), "{unread}");
}

#[tokio::test]
async fn a_tool_that_breaks_hangs_or_says_too_much_fails_alone() {
    assert_eq!(told(Look::new(Does::Panics), LOOK).await, "The tool failed.");
    let slow = Look::within(Does::Hangs, Duration::ZERO);
    assert_eq!(told(Arc::clone(&slow), LOOK).await, "The tool took longer than 0 seconds.");
    let has_learnt = |tool: &Look| tool.calls.lock().expect("no test panics with it")[0].1.is_cancelled();
    assert!(has_learnt(&slow), "what it started elsewhere is to end, too");
    let long = told(Look::new(Does::Goes((1 << 20) + 1)), LOOK).await;
    assert_eq!(long, "The tool's result is longer than 1048576 bytes.");
    assert_eq!(told(Look::new(Does::Goes(1 << 20)), LOOK).await.len(), 1 << 20);
}

#[tokio::test]
async fn a_tool_is_offered_in_its_context_alone() {
    let tool = Look::new(Does::Tells);
    let script = Script::new([vec![LOOK], vec![Line::Says("Then not.")]]).with_tool(Arc::clone(&tool) as Arc<dyn Tool>);
    let server = server_with(script.clone());
    let mut go = says("t", "u", "go");
    go["forwardedProps"] = json!({"toolContext": {"planMode": true}});
    post(&server, "/agent", go).await.events();
    let asked = script.asked();
    assert!(asked[0].tools.iter().all(|tool| tool.name != "look"), "{:?}", asked[0].tools);
    assert_eq!(messages(&server, "t").await[2]["content"], "There is no tool named look.");
    assert!(tool.keys().is_empty());
}

#[tokio::test]
async fn stop_ends_a_tool_at_once() {
    let tool = Look::new(Does::Hangs);
    let server = server_with(Script::new([vec![LOOK]]).with_tool(Arc::clone(&tool) as Arc<dyn Tool>));
    let run = start(&server, "/agent", says("t", "u", "go"));
    take(&tool.arrived).await;
    let stopped = post(&server, "/conversations/t/cancel", json!({})).await;
    assert_eq!(stopped.json()["state"]["type"], "idle");
    let (_, end) = run.await.expect("it ends").events();
    assert_eq!(end.outcome, EndOutcome::Cancelled);
    assert!(tool.calls.lock().expect("no test panics with it")[0].1.is_cancelled());
    assert_eq!(messages(&server, "t").await[2]["content"], "not run: the user stopped the run");
}

#[tokio::test]
async fn a_call_that_a_killed_server_left_runs_again_under_the_same_key() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let clock = HandClock::new();
    let (hangs, tells) = (Look::new(Does::Hangs), Look::new(Does::Tells));
    let first = Script::new([vec![LOOK]]).with_tool(Arc::clone(&hangs) as Arc<dyn Tool>);
    let first = Mortal::new(&store, &clock, &first).await;
    first.starts("/agent", says("t", "u", "go"));
    take(&hangs.arrived).await;
    first.dies();
    let second = Script::new([vec![Line::Says("I see.")]]).with_tool(Arc::clone(&tells) as Arc<dyn Tool>);
    let second = server(&store, &clock, &second);
    clock.advance(LEASE + SWEEP);
    until_idle(std::slice::from_ref(&second), "t").await;
    assert_eq!(hangs.keys(), tells.keys());
    assert_eq!(tells.keys().len(), 1);
    let said = get(&second, "/conversations/t").await.json()["messages"].clone();
    let results: Vec<&Value> = said.as_array().into_iter().flatten().filter(|one| one["role"] == "tool").collect();
    assert_eq!(results.len(), 1, "{said}");
}
