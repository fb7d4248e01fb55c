//! The question on a page of its own.

use crate::client::{Client, GENERATIONS, Generation, shows_forms, which_size};
use crate::desk::{ANSWERED_AT, Desk};
use ask_user_question::Limits;
use ask_user_question::limits::ExtraMember;
use question_mcp::McpServer;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

fn asking(meta: Value) -> Value {
    json!({"name": "ask_user_question", "arguments": which_size(), "_meta": meta})
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_and_tells_its_progress() {
    for generation in GENERATIONS {
        let desk = Desk::new();
        let server = McpServer::builder().own_page(desk.clone()).wait(Duration::from_secs(1)).build();
        let mut client = Client::new(&server, generation, json!({})).await;
        let id = client.ask("tools/call", asking(json!({"progressToken": "p"}))).await;
        if generation == Generation::Sessions {
            let told = client.next().await;
            assert_eq!(told["method"], "notifications/message", "{told}");
            assert!(told["params"]["data"].as_str().is_some_and(|text| text.contains("/ask/secret")), "{told}");
        }
        for number in 1..4 {
            let told = client.next().await;
            assert_eq!(
                (&told["method"], &told["params"]["progressToken"]),
                (&json!("notifications/progress"), &json!("p"))
            );
            assert_eq!(told["params"]["progress"].as_f64(), Some(f64::from(number)), "{told}");
        }
        desk.answer(0);
        let result = client.response(id).await["result"].take();
        let answers = json!({"Which size?": "S"});
        assert_eq!(
            result["structuredContent"],
            json!({"outcome": "answered", "answers": answers, "answered_at": ANSWERED_AT})
        );
        assert!(desk.is_closed(0), "it was handed over");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_without_progress_returns_and_another_goes_on_waiting() {
    for generation in GENERATIONS {
        let desk = Desk::new();
        let server = McpServer::builder().own_page(desk.clone()).build();
        let mut client = Client::new(&server, generation, json!({})).await;
        let open = client.request("tools/call", asking(json!({}))).await["result"].take();
        assert_eq!(open["structuredContent"]["outcome"], "open", "{open}");
        assert!(open["content"][0]["text"].as_str().is_some_and(|text| text.contains("This is no answer")), "{open}");
        assert!(!desk.is_closed(0));
        let id = &open["structuredContent"]["ask_id"];
        let still = client.call("wait_for_answer", json!({"ask_id": id})).await;
        assert_eq!(still["structuredContent"]["outcome"], "open", "{still}");
        desk.answer(0);
        let over = client.call("wait_for_answer", json!({"ask_id": id})).await;
        assert_eq!(over["structuredContent"]["answers"], json!({"Which size?": "S"}), "{over}");
        for (arguments, code) in [(json!({"ask_id": id}), "unknown_ask"), (json!({}), "invalid_input")] {
            let result = client.call("wait_for_answer", arguments).await;
            assert_eq!((&result["isError"], &result["_meta"]["code"]), (&json!(true), &json!(code)), "{result}");
        }
    }
}

#[tokio::test]
async fn a_call_whose_agent_goes_on_returns_at_once_and_another_reads_the_answer() {
    for (generation, capabilities) in GENERATIONS.into_iter().flat_map(|it| [(it, json!({})), (it, shows_forms())]) {
        let desk = Desk::new();
        let limits = Limits::RUNTIME.with(ExtraMember::Blocking);
        let server = McpServer::builder().limits(limits).own_page(desk.clone()).build();
        let mut client = Client::new(&server, generation, capabilities).await;
        let mut ask = which_size();
        ask["blocking"] = false.into();
        let asking = json!({"name": "ask_user_question", "arguments": ask, "_meta": {"progressToken": "p"}});
        let open = client.request("tools/call", asking).await["result"].take();
        let text = open["content"][0]["text"].as_str().expect("it is text");
        assert!(text.contains("/ask/secret") && text.ends_with("This is no answer and no consent."), "{text}");
        assert_eq!(open["structuredContent"]["outcome"], "open", "{open}");
        assert!(!desk.is_closed(0));
        desk.answer(0);
        let over = client.call("wait_for_answer", json!({"ask_id": open["structuredContent"]["ask_id"]})).await;
        assert_eq!(over["structuredContent"]["answers"], json!({"Which size?": "S"}), "{over}");
        assert!(desk.is_closed(0));
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_not_told_of_going_on_waits() {
    for generation in GENERATIONS {
        let desk = Desk::new();
        let server = McpServer::builder().own_page(desk.clone()).build();
        let mut client = Client::new(&server, generation, json!({})).await;
        let mut ask = which_size();
        ask["blocking"] = false.into();
        let asking = json!({"name": "ask_user_question", "arguments": ask, "_meta": {"progressToken": "p"}});
        let id = client.ask("tools/call", asking).await;
        desk.until(1).await;
        desk.answer(0);
        assert_eq!(client.response(id).await["result"]["structuredContent"]["outcome"], "answered");
    }
}

#[tokio::test]
async fn a_call_that_its_user_cancels_closes_its_page_and_one_that_timed_out_or_vanished_does_not() {
    for generation in GENERATIONS {
        let desk = Desk::new();
        let server = McpServer::builder().own_page(desk.clone()).build();
        let mut client = Client::new(&server, generation, json!({})).await;
        let reasons = [Some("McpError: MCP error -32001: Request timed out"), Some("context deadline exceeded"), None];
        for (number, reason) in reasons.into_iter().enumerate() {
            let id = client.ask("tools/call", asking(json!({"progressToken": number}))).await;
            desk.until(number + 1).await;
            let params = json!({"requestId": id, "reason": reason});
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
        }
        desk.until_closed(2).await;
        client.ask("tools/call", asking(json!({"progressToken": 3}))).await;
        desk.until(4).await;
        client.vanish().await.expect("it has spoken the protocol");
        assert_eq!([0, 1, 2, 3].map(|number| desk.is_closed(number)), [false, false, true, false]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_hangs_up_is_answered_at_once() {
    for generation in GENERATIONS {
        for (capabilities, ended) in [(json!({}), "open"), (shows_forms(), "cancelled")] {
            let server = McpServer::builder().own_page(Desk::new()).build();
            let mut client = Client::new(&server, generation, capabilities).await;
            let id = client.ask("tools/call", asking(json!({"progressToken": "p"}))).await;
            let begin = Instant::now();
            let last = client.hang_up().await.pop().unwrap_or_default();
            assert_eq!(last["id"], id, "{last}");
            let result = &last["result"];
            let said = [&result["structuredContent"]["outcome"], &result["_meta"]["code"]];
            assert!(said.contains(&&json!(ended)) || result["resultType"] == "input_required", "{last}");
            assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
        }
    }
}
