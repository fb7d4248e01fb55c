//! Messages that no client should send.

use crate::client::{Client, GENERATIONS, shows_forms, which_size};
use question_mcp::McpServer;
use serde_json::{Value, json};

#[tokio::test]
async fn a_line_that_is_no_message_gets_an_error() {
    for generation in GENERATIONS {
        let mut client = Client::new(&McpServer::builder().build(), generation, shows_forms()).await;
        for (line, code, id) in [
            ("{", -32700, Value::Null),
            ("hello", -32700, Value::Null),
            ("\u{0}\u{7f}", -32700, Value::Null),
            ("[]", -32600, Value::Null),
            ("7", -32600, Value::Null),
            (r#"{"jsonrpc": "1.0", "id": 7}"#, -32600, json!(7)),
            (r#"{"jsonrpc": "2.0", "id": "x", "params": {}}"#, -32600, json!("x")),
            (r#"{"jsonrpc": "2.0", "id": 8, "method": "initialize", "params": {"clientInfo": 1}}"#, -32602, json!(8)),
        ] {
            client.send_line(line).await;
            let error = client.next().await;
            assert_eq!((&error["error"]["code"], &error["id"]), (&json!(code), &id), "{line} {error}");
        }
        client.send_line("").await;
        client.send_line("\r").await;
        client.send_line("\u{feff}{\"jsonrpc\": \"2.0\", \"id\": \"marked\", \"method\": \"ping\"}").await;
        assert_eq!(client.next().await["id"], "marked");
        let result = client.fills_in(&which_size(), &[json!({"action": "decline"})]).await;
        assert_eq!(result["structuredContent"]["outcome"], "declined");
    }
}

#[tokio::test]
async fn what_comes_before_the_beginning_is_no_harm() {
    let inline = |version| json!({"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}});
    // Requests that leave open which generation it is.
    for (method, params) in [
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/list", json!({"_meta": inline("2099-01-01")})),
        ("server/discover", json!({"_meta": inline("2026-07-28")})),
    ] {
        let mut client = Client::silent(&McpServer::builder().build());
        client.send_line("{").await;
        assert_eq!(client.next().await["error"]["code"], -32700);
        for _ in 0..2 {
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
            client.send(&json!({"jsonrpc": "2.0", "id": 9, "result": {}})).await;
            client.send(&json!({"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "?"}})).await;
            let early = client.request(method, params.clone()).await;
            assert_ne!(early["result"].is_object(), early["error"]["code"].is_number(), "{early}");
        }
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let begun = client.request("initialize", params).await;
        assert_eq!(begun["result"]["serverInfo"]["name"], "question-server", "after {method}");
        client.vanish().await.expect("it has spoken the protocol");
    }
}

#[tokio::test]
async fn a_client_that_says_nothing_ends_its_server() {
    Client::silent(&McpServer::builder().build()).vanish().await.expect("that is no error");
}

#[tokio::test]
async fn unknown_methods_and_wrong_parameters_have_their_codes() {
    for generation in GENERATIONS {
        let mut client = Client::new(&McpServer::builder().build(), generation, shows_forms()).await;
        for (method, params, code) in [
            ("tools/destroy", json!({}), -32601),
            ("prompts/list", json!({}), -32601),
            ("tools/call", json!({"name": 7}), -32602),
            ("tools/call", json!({"name": "rm"}), -32602),
        ] {
            let response = client.request(method, params).await;
            if method == "prompts/list" && response["result"]["prompts"] == json!([]) {
                continue;
            }
            assert_eq!(response["error"]["code"], code, "{method} {response}");
        }
        for arguments in [json!({}), json!({"questions": 7}), json!({"questions": [[[]]]})] {
            let result = client.call("ask_user_question", arguments).await;
            assert_eq!(
                (&result["isError"], &result["_meta"]["code"]),
                (&json!(true), &json!("invalid_ask")),
                "{result}"
            );
        }
    }
}

#[tokio::test]
async fn arguments_of_four_megabytes_are_refused_in_words() {
    for generation in GENERATIONS {
        let mut client = Client::new(&McpServer::builder().build(), generation, shows_forms()).await;
        let mut long = which_size();
        long["questions"][0]["question"] = "q".repeat(4 << 20).into();
        let result = client.call("ask_user_question", long).await;
        assert_eq!(result["_meta"]["code"], "invalid_ask", "{result}");
        client.send_line(&format!("\"{}\"", "q".repeat(9 << 20))).await;
        assert_eq!(client.next().await["error"]["code"], -32600);
        assert!(client.request("tools/list", json!({})).await["result"].is_object());
    }
}
