//! The example of a model of one's own, as a client over HTTP sees it.

#[path = "../../examples/own_model.rs"]
#[expect(dead_code, reason = "only `main` is not used here")]
mod example;

use crate::http::{get, post, says};
use question_server::Server;
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn a_model_of_ones_own_asks_and_reads_the_answer() {
    let server = Server::builder().model(Arc::new(example::Oracle)).build();
    post(&server, "/agent", says("t", "u", "Shall I?")).await;
    let pending = get(&server, "/conversations/t").await.json()["pending"].clone();
    assert_eq!(pending[0]["questions"][0]["question"], "Are you sure?", "{pending}");
    let replied = post(&server, "/conversations/t/respond", json!({"answers": {"Are you sure?": "Yes"}})).await;
    assert_eq!(replied.status, 200);
    let settings = get(&server, "/settings.json").await.json();
    assert_eq!((&settings["name"], &settings["profile"]), (&json!("Oracle"), &json!("runtime")));
    while get(&server, "/conversations/t").await.json()["state"]["type"] != "idle" {
        tokio::task::yield_now().await;
    }
    let told = get(&server, "/conversations/t").await.json();
    let last = told["messages"].as_array().and_then(|messages| messages.last()).expect("it has some");
    let text = last["content"].as_str().expect("it is text");
    assert!(text.starts_with("I see. ") && text.contains("Yes"), "{text}");
}
