//! The abilities of a client, read from its declarations.

use crate::house::{app, parts, server, server_with};
use crate::http::{Answer, get, post, run_with, says};
use crate::script::{Line, Script};
use crate::watcher::{Frame, Watcher, until_waiting};
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::outcome::{Interrupt, RunOutcome};
use ask_user_question::limits::ExtraMember;
use ask_user_question::reply::Selection;
use ask_user_question::{Outcome, Reply};
use question_server::Config;
use serde_json::{Value, json};

/// The front desk's first question.
const SERVICE: &str = "Which service do you need?";

fn declaring(mut input: Value, name: &str) -> Value {
    let other = json!({"name": "play_sound", "description": "Plays a sound", "parameters": {"type": "object"}});
    let asking = json!({"name": name, "description": "Asks the user", "parameters": {"type": "object"}});
    input["tools"] = json!([other, asking]);
    input
}

/// The ask's call, with the name by which the model called it.
fn asked(answer: &Answer) -> Event {
    answer.of_kind(EventType::ToolCallStart).remove(0)
}

fn results(answer: &Answer) -> usize {
    answer.of_kind(EventType::ToolCallResult).len()
}

#[tokio::test]
async fn a_clients_own_tool_is_called_by_its_name_and_brings_the_result() {
    for name in ["AskUserQuestion", "ask_user_question"] {
        let server = server();
        let answer = post(&server, "/agent", declaring(says("t", "u1", "hi"), name)).await;
        let call = asked(&answer);
        assert_eq!(call.tool_call_name(), name);
        assert_eq!(answer.pending(), [call.tool_call_id()]);

        let content = json!({"answers": {SERVICE: "Brake service"}}).to_string();
        let tool = json!({"id": "tool", "role": "tool", "toolCallId": call.tool_call_id(), "content": content});
        let answer = post(&server, "/agent", declaring(run_with("t", "2", &tool), name)).await;
        assert_eq!(results(&answer), 0, "it has brought it");
        assert_eq!(asked(&answer).tool_call_name(), name);

        // A request without a declaration, such as an answer by REST, changes nothing.
        let rush = json!({"answers": {"Standard or rush scheduling?": "Rush"}});
        let taken = post(&server, "/conversations/t/respond", rush).await;
        assert_eq!(taken.status, 200);
        until_waiting(&server, "t", "Proceed with this estimate?").await;
        let described = get(&server, "/conversations/t").await.json();
        let last = described["messages"].as_array().and_then(|all| all.last());
        let call = &last.expect("there are some")["toolCalls"][0];
        assert_eq!(call["function"]["name"], name);
    }
}

#[tokio::test]
async fn for_a_client_without_the_tool_the_server_tells_its_result() {
    for tools in [json!(null), json!([]), json!([{"name": "play_sound"}]), json!("none")] {
        let server = server();
        let mut hello = says("t", "u1", "hi");
        hello["tools"] = tools;
        let answer = post(&server, "/agent", hello).await;
        let call = asked(&answer);
        assert_eq!(call.tool_call_name(), "ask_user_question");
        assert_eq!(answer.pending(), [call.tool_call_id()]);
        let typed = post(&server, "/agent", says("t", "u2", "Brake service")).await;
        assert_eq!(results(&typed), 1);
    }
}

#[tokio::test]
async fn a_model_may_ask_for_what_the_operator_offers_and_for_nothing_else() {
    for offers in [vec![], vec![ExtraMember::Input, ExtraMember::ShowIf]] {
        let script = Script::new([vec![Line::Says("Hello.")]]);
        let server = app(&Config { offers: offers.clone(), ..Config::default() }, parts(script.clone()));
        post(&server, "/agent", says("t", "u1", "hi")).await.events();
        let asked = script.asked();
        let schema = asked[0].tools[0].parameters.text();
        let has = ["\"input\"", "\"showIf\"", "\"blocking\""].map(|member| schema.contains(member));
        assert_eq!(has, [!offers.is_empty(), !offers.is_empty(), false], "{schema}");
        let profile = get(&server, "/settings.json").await.json()["profile"].clone();
        assert_eq!(profile, if offers.is_empty() { "runtime" } else { "runtime+showIf+input" });
    }
}

#[tokio::test]
async fn a_run_that_asks_for_interrupts_gets_one_with_the_schema_of_its_answer() {
    const ASK: &str = r#"{"questions":[
        {"question":"Which?","options":[{"label":"One"},{"label":"Two, or more"}],"multiSelect":true},
        {"question":"When?","options":[{"label":"Now"},{"label":"Later"}]}]}"#;
    let server = server_with(Script::new([vec![Line::Calls(0, "ask_user_question", ASK)]]));
    let mut go = declaring(says("t", "u1", "go"), "ask_user_question");
    go["forwardedProps"] = json!({"interrupts": true});
    let answer = post(&server, "/agent", go).await;
    let interrupt = interrupt(&answer);
    let call = asked(&answer).tool_call_id().to_owned();
    assert_eq!(interrupt.tool_call_id.as_ref(), Some(&call));
    assert_eq!(interrupt.id, call);
    assert_eq!(interrupt.reason, "tool_call");
    assert_eq!(interrupt.message.as_deref(), Some("Which?\nWhen?"));
    assert_eq!(interrupt.expires_at, None);

    let schema = interrupt.response_schema.expect("it has one").into_value();
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("urn:answer", schema).expect("it is JSON");
    let mut schemas = boon::Schemas::new();
    let index = compiler.compile("urn:answer", &mut schemas);
    let index = index.expect("it is a JSON Schema");
    let is_valid = |payload: &Value| schemas.validate(payload, index).is_ok();
    let ask = serde_json::from_str(ASK).expect("it is an ask");
    let picked = |question, selected: &[usize], other: Option<&str>, note: Option<&str>| {
        let mut picked = Selection::picked(question, selected);
        (picked.other, picked.note) = (other.map(str::to_owned), note.map(str::to_owned));
        picked
    };
    for selections in [
        vec![picked(0, &[0], None, None), picked(1, &[1], None, None)],
        vec![picked(0, &[0, 1], Some("and, more"), Some("by Friday")), picked(1, &[], Some("on Tuesday"), None)],
        vec![Selection::skipped(0), picked(1, &[], Some("on Tuesday"), None)],
    ] {
        let reply = Reply::check(&ask, selections).expect("it is legal");
        let payload = json!(reply);
        assert!(is_valid(&payload), "{payload}");
        assert!(Outcome::from_json(&ask, &payload).is_some());
    }
    for payload in [
        json!({}),
        json!("One"),
        json!({"answers": {"Who?": "Me"}}),
        json!({"answers": {"When?": 1}}),
        json!({"answers": {"When?": "Now"}, "details": "none"}),
    ] {
        assert!(!is_valid(&payload), "{payload}");
    }
}

fn interrupt(answer: &Answer) -> Interrupt {
    match answer.of_kind(EventType::RunFinished).pop().and_then(|end| end.outcome()) {
        Some(RunOutcome::Interrupt { mut interrupts }) => interrupts.remove(0),
        other => panic!("{other:?} is no interrupt"),
    }
}

#[tokio::test]
async fn interrupts_reach_their_client_in_runs_of_others_and_after_a_reconnect() {
    let server = server();
    let mut hello = says("t", "u1", "hi");
    hello["forwardedProps"] = json!({"interrupts": true});
    let first = interrupt(&post(&server, "/agent", hello).await).id;
    let mut watcher = Watcher::open(&server, "t", None).await;
    let reply = json!({"answers": {SERVICE: "Brake service"}});
    let taken = post(&server, "/conversations/t/respond", reply).await;
    assert_eq!(taken.status, 200);
    let is_end = |frame: &Frame| frame.data["type"] == "RUN_FINISHED";
    let mut back = Watcher::open(&server, "t", Some("0123abcd-5")).await;
    for reader in [&mut watcher, &mut back] {
        let end = reader.until(is_end).await.pop().expect("it ends");
        assert_eq!(end.data["outcome"]["type"], "interrupt", "{end:?}");
        assert_ne!(end.data["outcome"]["interrupts"][0]["id"], json!(first));
    }
    // At rest it is still known.
    drop((watcher, back));
    let mut back = Watcher::open(&server, "t", Some("0123abcd-5")).await;
    let end = back.until(is_end).await.pop().expect("it ends");
    assert_eq!(end.data["outcome"]["type"], "interrupt", "{end:?}");
}
