//! The example of a server inside another program, as clients over HTTP see it.

#[path = "../../examples/embed.rs"]
#[expect(dead_code, reason = "only `main` is not used here")]
mod example;

use crate::http::says;
use crate::killed::pending;
use crate::script::{ASK, Line, Script};
use crate::socket::{exchange, raw};
use question_server::models::Model;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Serves it as its `main` does.
async fn served(model: impl Model) -> SocketAddr {
    let app = example::app(Arc::new(model)).into_make_service_with_connect_info::<SocketAddr>();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

/// Head and body of what this user is answered.
async fn asks(address: SocketAddr, user: &str, method: &str, path: &str, body: Option<Value>) -> (String, String) {
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    let answer =
        exchange(address, &raw(address, method, path, &format!("Host: shop.example\r\nX-User: {user}\r\n"), &body))
            .await;
    let (head, body) = answer.split_once("\r\n\r\n").expect("there is a head");
    (head.to_lowercase(), body.to_owned())
}

const TAKE: Line = Line::Calls(0, "take", r#"{"article": "shirt"}"#);

#[tokio::test]
async fn a_server_works_under_a_path_with_parameters() {
    let asks_first = vec![TAKE, Line::Calls(1, "ask_user_question", ASK)];
    let address = served(Script::new([asks_first, vec![Line::Says("Thank you.")]])).await;
    const AGENT: &str = "/tenants/acme/agent";
    let (head, run) = asks(address, "ann", "POST", &format!("{AGENT}/agent"), Some(says("t", "u", "A shirt"))).await;
    assert!(head.starts_with("http/1.0 200"), "{head}");
    assert!(run.contains("Taken. 11 left."), "{run}");
    let call = pending(&run).expect("it asks");
    let conversation = format!("{AGENT}/conversations/t");
    let (_, described) = asks(address, "ann", "GET", &conversation, None).await;
    let described: Value = serde_json::from_str(&described).expect("it is JSON");
    assert_eq!(described["pending"][0]["toolCallId"], json!(call));

    for (user, path) in [("bob", conversation.as_str()), ("ann", "/tenants/other/agent/conversations/t")] {
        let (head, _) = asks(address, user, "GET", path, None).await;
        assert!(head.starts_with("http/1.0 404"), "the login says whose it is: {head}");
    }
    let reply = json!({"answers": {"Which?": "Two"}});
    let (head, _) = asks(address, "ann", "POST", &format!("{conversation}/respond"), Some(reply)).await;
    assert!(head.starts_with("http/1.0 200"), "{head}");
}

#[tokio::test]
async fn a_tool_of_a_closure_tells_the_model_where_its_input_is_wrong() {
    let script = Script::new([
        vec![Line::Calls(0, "take", r#"{"article": 7}"#), Line::Calls(1, "take", "{}")],
        vec![Line::Says("I see.")],
    ]);
    let address = served(script.clone()).await;
    let (_, run) = asks(address, "ann", "POST", "/tenants/acme/agent/agent", Some(says("t", "u", "A shirt"))).await;
    assert!(run.contains("Invalid input at article: invalid type: integer `7`, expected a string"), "{run}");
    assert!(run.contains("Invalid input: missing field `article`"), "{run}");
    let asked = script.asked();
    let spec = asked[0].tools.iter().find(|tool| tool.name == "take").expect("it is offered");
    let spec: Value = serde_json::to_value(&spec.parameters).expect("it is JSON");
    assert_eq!(spec["properties"]["article"]["description"], "The name of the article, as the shop's stock has it.");
    assert_eq!((&spec["type"], &spec["required"]), (&json!("object"), &json!(["article"])));
}

#[tokio::test]
async fn what_is_beside_a_nested_server_is_left_as_it_is() {
    let address = served(Script::new([])).await;
    let (head, stock) = asks(address, "ann", "GET", "/stock", None).await;
    assert_eq!(stock, r#"{"shirt":12}"#);
    let (nothing, _) = asks(address, "ann", "GET", "/nothing", None).await;
    for head in [head, nothing] {
        let of_the_server = ["content-security-policy", "set-cookie", "x-request-id", "cross-origin", "cache-control"];
        assert!(!of_the_server.iter().any(|header| head.contains(header)), "{head}");
    }
    let (head, body) = asks(address, "ann", "GET", "/tenants/acme/agent/nothing", None).await;
    assert!(head.contains("404") && body.contains("not_found"), "{head} {body}");
    assert!(!head.contains("set-cookie"), "its users are known without a cookie: {head}");
    let (head, _) = asks(address, "ann", "GET", "/tenants/acme/agent/healthz", None).await;
    assert!(head.contains("200"), "{head}");
}
