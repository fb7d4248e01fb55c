//! The stories of the coding desk, as a person at a card and as a program over REST would live them.

use crate::house::server_with;
use crate::http::{get, messages, post, says};
use crate::visitor::Visitor;
use ask_user_question::Outcome;
use axum::Router;
use question_server::models::scripted::Scripted;
use serde_json::{Value, json};
use std::time::Duration;

fn desk() -> Router {
    server_with(Scripted::coding_desk(Duration::ZERO))
}

fn visitor(server: &Router) -> Visitor {
    Visitor::new(server, "dev", "code")
}

fn planner(server: &Router) -> Visitor {
    visitor(server).with_forwarded("toolContext", json!({"planMode": true}))
}

/// Names and arguments of all calls, in their order.
fn calls(messages: &[Value]) -> Vec<(String, String)> {
    let calls = messages.iter().filter_map(|message| message["toolCalls"].as_array());
    calls
        .flatten()
        .map(|call| {
            let text = |field: &str| call["function"][field].as_str().unwrap_or_default().to_owned();
            (text("name"), text("arguments"))
        })
        .collect()
}

#[tokio::test]
async fn plan_mode_asks_first_and_lasts_until_a_run_says_otherwise() {
    let server = desk();
    planner(&server).says("Add an export").await;
    let answers =
        json!({"Who may see the export?": "Administrators only", "How many rows should one export hold?": "10,000"});
    let taken = post(&server, "/conversations/code/respond", json!({"answers": answers})).await;
    assert_eq!(taken.status, 200);
    let made = calls(&until_idle(&server).await);
    let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["AskUserQuestion", "ExitPlanMode"], "approval is no question");
    assert!(made[1].1.contains("10,000"), "{}", made[1].1);
}

#[tokio::test]
async fn declined_it_says_its_assumption_and_goes_on() {
    let mut dev = visitor(&desk());
    dev.says("Add authentication").await;
    let said = dev.ends_question(Outcome::Declined).await;
    assert!(said.contains("I assume JWT"), "{said}");
    assert!(dev.is_asked_nothing());
}

#[tokio::test]
async fn what_is_skipped_is_said_to_be() {
    let server = desk();
    visitor(&server).says("Set up a new service").await;
    let answers = json!({"Which database should the service use?": "SQLite"});
    let respond = |reply| post(&server, "/conversations/code/respond", reply);
    let refused = respond(json!({"answers": answers})).await;
    assert_eq!(refused.refusal(), (400, "invalid_reply".to_owned()));
    let codes: Vec<Value> = refused.json()["violations"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|violation| violation["code"].clone())
        .collect();
    assert_eq!(codes, ["unanswered"; 3]);
    let skipped = [1, 2, 3].map(|index| json!({"index": index, "status": "skipped"}));
    let taken = respond(json!({"answers": answers, "details": skipped})).await;
    assert_eq!(taken.status, 200);
}

#[tokio::test]
async fn whether_permissions_may_be_bypassed_is_the_operators_to_say() {
    let server = desk();
    let mut input = says("code", "u", "Add authentication");
    input["forwardedProps"] = json!({"toolContext": {"permissionMode": "bypassPermissions"}});
    let refused = post(&server, "/agent", input).await;
    assert_eq!(refused.refusal(), (403, "bypass_not_allowed".to_owned()));
    let gone = get(&server, "/conversations/code").await;
    assert_eq!(gone.status, 404, "nothing of it was taken");
    let tighter = json!({"permissionMode": "default", "planMode": true});
    let mut dev = visitor(&server).with_forwarded("toolContext", tighter);
    dev.says("Add authentication").await;
    dev.waiting();
}

/// The history once the run that nobody reads has ended.
async fn until_idle(server: &Router) -> Vec<Value> {
    crate::watcher::until_state(server, "code", "idle").await;
    messages(server, "code").await
}

#[tokio::test]
async fn an_answer_counts_where_plan_mode_ended_before_it() {
    let server = desk();
    // A plan needs requirements whatever it is for.
    planner(&server).says("Tidy up").await;
    let mut over = says("code", "u2", "As you like");
    over["forwardedProps"] = json!({"toolContext": {"planMode": false}});
    post(&server, "/agent", over).await.events();
    let said = until_idle(&server).await;
    let last = said.last().expect("there are some")["content"].to_string();
    assert!(last.contains("I go by what you wrote: As you like"), "{last}");
}
