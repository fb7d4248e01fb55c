//! The example of an agent behind a WebSocket, whose other end is the test.

use crate::scripted_agent;
use crate::visitor::{SIZE, Visitor};
use agent_chat::{Phase, Status, Trouble};
use example::options;
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test as test;

#[path = "../../examples/websocket.rs"]
#[allow(dead_code, reason = "the page is a visitor here instead of its own `main`")]
mod example;

#[wasm_bindgen(inline_js = "
    const WebSocket = window.WebSocket;
    const sockets = [];
    let sent = [];
    class Socket extends EventTarget {
        constructor(url) { super(); this.url = url; this.readyState = 0; sockets.push(this); }
        send(text) { sent.push(text); }
        close() { this.readyState = 3; }
    }
    const last = () => sockets.at(-1);
    export const take_over = () => { window.WebSocket = Socket; };
    export const give_back = () => { window.WebSocket = WebSocket; sockets.length = 0; sent = []; };
    export const open_sockets = () => sockets.filter((socket) => socket.readyState < 2).length;
    export const opens = () => { last().readyState = 1; last().dispatchEvent(new Event('open')); };
    export const breaks = () => { last().readyState = 3; last().dispatchEvent(new Event('error')); last().dispatchEvent(new CloseEvent('close', { code: 1006 })); };
    export const says = (data) => last().dispatchEvent(new MessageEvent('message', { data }));
    export const take_sent = () => sent.splice(0);
")]
extern "C" {
    fn take_over();
    fn give_back();
    fn open_sockets() -> u32;
    fn opens();
    fn breaks();
    fn says(event: &str);
    fn take_sent() -> Vec<String>;
}

/// Returns its own sockets to the browser.
struct Other;

impl Drop for Other {
    fn drop(&mut self) {
        give_back();
    }
}

/// A visitor who has greeted, and the input of the run that answers.
async fn greeted() -> (Visitor, Other, Value) {
    scripted_agent::fresh();
    take_over();
    let visitor = Visitor::beside(options());
    assert!(visitor.chat.send("Hello"));
    visitor.sees("the socket", |_| open_sockets() == 1).await;
    opens();
    let input = sent(&visitor).await;
    (visitor, Other, input)
}

async fn sent(visitor: &Visitor) -> Value {
    let mut all = Vec::new();
    visitor
        .sees("the request", |_| {
            all.append(&mut take_sent());
            !all.is_empty()
        })
        .await;
    serde_json::from_str(&all[0]).expect("the request is JSON")
}

fn tells(event: &Value) {
    says(&event.to_string());
}

#[test]
async fn a_run_over_a_socket_asks_and_takes_the_answer() {
    let (visitor, _other, input) = greeted().await;
    let run = |kind: &str, input: &Value| serde_json::json!({"type": kind, "threadId": input["threadId"], "runId": input["runId"]});
    tells(&run("RUN_STARTED", &input));
    tells(&serde_json::json!({"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "ask_user_question"}));
    tells(&serde_json::json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": SIZE}));
    tells(&serde_json::json!({"type": "TOOL_CALL_END", "toolCallId": "c1"}));
    tells(&run("RUN_FINISHED", &input));
    visitor.sees_phase("c1", Phase::Answerable).await;
    visitor.sees_status(Status::Idle).await;
    assert_eq!(open_sockets(), 0, "the run is over");
    visitor.picks("c1", SIZE, 1);
    visitor.sees("another socket", |_| open_sockets() == 1).await;
    opens();
    let input = sent(&visitor).await;
    assert_eq!(input["messages"][2]["content"], r#"{"answers":{"Which size?":"Large"}}"#);
    visitor.chat.stop();
    visitor.sees("the end of the socket", |_| open_sockets() == 0).await;
    visitor.sees_status(Status::Idle).await;
}

#[test]
async fn what_no_socket_took_can_be_sent_again() {
    let (visitor, _other, _) = greeted().await;
    breaks();
    visitor.sees_status(Status::Failed(Trouble::Elsewhere { origin: "wss://agent.example".to_owned() })).await;
    visitor.chat.retry();
    visitor.sees("another socket", |_| open_sockets() == 1).await;
    opens();
    assert_eq!(sent(&visitor).await["messages"][0]["content"], "Hello");
}
