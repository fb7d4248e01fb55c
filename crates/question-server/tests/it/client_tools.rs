//! Tools that the client runs: the model calls them, a run ends, and the client brings the result.

use crate::house::server_with;
use crate::http::{Answer, get, messages, post, run_with, says};
use crate::script::{ASK, Line, Script};
use crate::watcher::Watcher;
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use axum::Router;
use question_agent::message::Message;
use serde_json::{Value, json};

fn with_tools(mut input: Value) -> Value {
    let tool = |name: &str| json!({"name": name, "description": "Does it", "parameters": {"type": "object", "required": ["x"]}});
    input["tools"] = json!([tool("play_sound"), tool("get_position")]);
    input
}

async fn run(server: &Router, input: Value) -> Answer {
    post(server, "/agent", with_tools(input)).await
}

fn result(id: &str, call: &str, content: &str) -> Value {
    run_with("t", id, &json!({"id": id, "role": "tool", "toolCallId": call, "content": content}))
}

fn calls(answer: &Answer) -> Vec<Event> {
    answer.of_kind(EventType::ToolCallStart)
}

/// The calls' results that the model read when it was asked last.
fn heard(script: &Script) -> Vec<(String, bool)> {
    let request = script.asked().pop().expect("it was asked");
    let result = |message| match message {
        Message::Tool(result) => Some((result.content, result.is_error)),
        Message::User(_) | Message::Assistant(_) => None,
    };
    request.messages.into_iter().filter_map(result).collect()
}

#[tokio::test]
async fn the_model_calls_a_tool_of_the_client_which_brings_the_result() {
    let script = Script::new([vec![Line::Calls(0, "play_sound", r#"{"x":1}"#)], vec![Line::Says("Did you hear it?")]]);
    let server = server_with(script.clone());
    let answer = run(&server, says("t", "u", "go")).await;
    let call = calls(&answer).remove(0);
    assert_eq!(call.tool_call_name(), "play_sound");
    assert_eq!(answer.pending(), [call.tool_call_id()]);
    let offered = script.asked().remove(0).tools;
    let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["ask_user_question", "play_sound", "get_position"]);
    let schema: Value = serde_json::to_value(&offered[1].parameters).expect("it is JSON");
    assert_eq!(schema, json!({"type": "object", "required": ["x"]}));

    let described = get(&server, "/conversations/t").await.json();
    assert_eq!(described["state"]["type"], "tool_executing");
    assert_eq!(described["state"]["toolCallId"], json!(call.tool_call_id()));
    assert_eq!(described["pending"], json!([]));

    let mut other = Watcher::open(&server, "t", None).await;
    other.next().await;
    let answer = run(&server, result("r", call.tool_call_id(), "played")).await;
    assert_eq!(answer.pending(), Vec::<String>::new());
    assert_eq!(answer.of_kind(EventType::ToolCallResult), [], "it has it");
    assert_eq!(heard(&script), [("played".to_owned(), false)]);
    let started = other.next().await;
    assert_eq!(started.data["input"]["messages"][0]["id"], "r");
    // Once more, as a client does that has not heard: nothing is done twice.
    let again = run(&server, result("r", call.tool_call_id(), "played")).await;
    assert_eq!(again.pending(), Vec::<String>::new());
    assert_eq!(script.times_asked(), 2);
}

#[tokio::test]
async fn its_calls_come_one_by_one_and_a_failed_one_is_an_error() {
    let script = Script::new([
        vec![
            Line::Calls(0, "play_sound", r#"{"x":1}"#),
            Line::Calls(1, "get_position", r#"{"x":2}"#),
            Line::Calls(2, "ask_user_question", ASK),
        ],
        vec![Line::Says("Thank you.")],
    ]);
    let server = server_with(script.clone());
    let first = run(&server, says("t", "u", "go")).await;
    let call = calls(&first).remove(0).tool_call_id().to_owned();
    assert_eq!(calls(&first).len(), 1, "the others are held back");
    assert_eq!(first.pending(), [call.as_str()]);
    let shown = messages(&server, "t").await;
    assert_eq!(shown[1]["toolCalls"].as_array().map(Vec::len), Some(1));

    let mut failed = result("r1", &call, "no loudspeaker");
    failed["messages"][0]["error"] = json!("no loudspeaker");
    let second = run(&server, failed).await;
    let call = calls(&second).remove(0);
    assert_eq!(call.tool_call_name(), "get_position");
    assert_eq!(second.pending(), [call.tool_call_id()]);

    let third = run(&server, result("r2", call.tool_call_id(), "47 N 15 E")).await;
    let call = calls(&third).remove(0);
    assert_eq!(call.tool_call_name(), "ask_user_question");
    assert_eq!(third.pending(), [call.tool_call_id()]);
    run(&server, says("t", "u2", "One")).await.events();
    let heard = heard(&script);
    assert_eq!(heard[0], ("no loudspeaker".to_owned(), true));
    assert_eq!(heard[1], ("47 N 15 E".to_owned(), false));
}

#[tokio::test]
async fn a_client_that_comes_back_finds_the_call_and_may_leave_it() {
    let script = Script::new([vec![Line::Calls(0, "play_sound", "{}")], vec![Line::Says("As you like.")]]);
    let server = server_with(script.clone());
    let first = run(&server, says("t", "u", "go")).await;
    let call = calls(&first).remove(0).tool_call_id().to_owned();
    let again = run(&server, says("t", "u", "go")).await;
    assert_eq!(again.pending(), [call.as_str()]);
    assert_eq!(script.times_asked(), 1);

    let answer = post(&server, "/agent", says("t", "u2", "Never mind")).await;
    assert_eq!(answer.pending(), Vec::<String>::new());
    let heard = heard(&script);
    assert_eq!(heard.len(), 1);
    assert!(heard[0].1, "{heard:?}");
    assert_eq!(script.asked()[1].tools.len(), 1, "this client has none");
    let late = run(&server, result("r", &call, "played")).await;
    assert_eq!(late.refusal(), (409, "already_answered".to_owned()));
}

#[tokio::test]
async fn a_cancel_ends_its_call_as_any_other() {
    let server = server_with(Script::new([vec![Line::Calls(0, "play_sound", "{}")]]));
    run(&server, says("t", "u", "go")).await.events();
    let cancelled = post(&server, "/conversations/t/cancel", json!({})).await;
    assert_eq!(cancelled.json()["state"]["type"], "idle");
    assert_eq!(messages(&server, "t").await.len(), 3);
}

#[tokio::test]
async fn sub_agents_and_names_of_the_agents_own_are_left_out() {
    let script = Script::new([
        vec![Line::Calls(0, "spawn_agents", r#"{"tasks":["look"]}"#)],
        vec![Line::Says("I have looked.")],
        vec![Line::Says("They have looked.")],
    ])
    .with_agents();
    let server = server_with(script.clone());
    let mut go = with_tools(says("t", "u", "go"));
    go["tools"] = json!([
        {"name": "spawn_agents"}, {"name": "play_sound"}, {"name": "play_sound"}, {"name": "no such name"}, {"name": 1}, 2,
    ]);
    let answer = post(&server, "/agent", go).await;
    assert_eq!(answer.pending(), Vec::<String>::new());
    let offered: Vec<Vec<String>> =
        script.asked().into_iter().map(|request| request.tools.into_iter().map(|tool| tool.name).collect()).collect();
    let of_parent = ["ask_user_question", "spawn_agents", "play_sound"].as_slice();
    assert_eq!(offered, [of_parent, &[], of_parent]);
}

#[tokio::test]
async fn a_held_call_is_shown_with_its_result_once_its_tools_are_gone() {
    let script = Script::new([
        vec![Line::Calls(0, "play_sound", r#"{"x":1}"#), Line::Calls(1, "unknown_tool", "{}")],
        vec![Line::Says("Never mind.")],
    ]);
    let server = server_with(script);
    let first = run(&server, says("t", "u", "go")).await;
    let mut shown: Vec<Value> = calls(&first).into_iter().map(|call| json!(call.tool_call_id())).collect();
    let mut watcher = Watcher::open(&server, "t", None).await;
    // Another client, which has no tools.
    post(&server, "/agent", says("t", "u2", "Something else")).await.events();
    let frames = watcher.until(|frame| frame.data["type"] == "TEXT_MESSAGE_END").await;
    let mut results = 0;
    for frame in frames {
        match frame.data["type"].as_str() {
            Some("TOOL_CALL_START") => shown.push(frame.data["toolCallId"].clone()),
            Some("TOOL_CALL_RESULT") => {
                results += 1;
                assert!(shown.contains(&frame.data["toolCallId"]), "{frame:?}");
            }
            _ => {}
        }
    }
    assert_eq!(results, 2);
}

#[tokio::test]
async fn a_text_in_place_of_a_decision_leaves_each_call_one_result() {
    let (ask, sound) = (Line::Calls(0, "ask_user_question", ASK), Line::Calls(1, "play_sound", "{}"));
    for calls in [vec![ask.clone(), sound.clone()], vec![sound, ask]] {
        let script = Script::new([calls]);
        let server = server_with(script.clone());
        for (id, text) in [("u1", "go"), ("u2", "make it the blue one"), ("u3", "the blue one, please")] {
            run(&server, says("t", id, text)).await;
        }
        let told = script.asked().pop().expect("it was asked").messages;
        let [Message::User(_), Message::Assistant(said), Message::Tool(one), Message::Tool(two), Message::User(_), ..] =
            &told[..]
        else {
            panic!("{told:#?}");
        };
        let closed = [&one.tool_use_id, &two.tool_use_id];
        assert_eq!(closed, [&said.tool_calls[0].id, &said.tool_calls[1].id]);
        let mut sounds = said.tool_calls.iter().zip([one, two]).filter(|(call, _)| call.name() == "play_sound");
        assert!(sounds.all(|(_, result)| result.is_error || result.content.contains("no consent")), "{told:#?}");
        assert_eq!(heard(&script).len(), 2);
    }
}
