//! Agents of other frameworks, at other origins: a plain server replays runs, and has nothing beside its one endpoint.

use std::io::Write;

use serde_json::Value;

use crate::browser::journey_at;
use crate::plain_endpoint::answering;
use crate::server::Server;

const ASKS: &str = include_str!("recorded/scheduler.events.json");
const ANSWERED: &str = include_str!("recorded/scheduler-answered.events.json");

#[tokio::test]
async fn an_agent_that_the_operator_allows_is_used_again_after_a_reload() {
    let agent = asking();
    let server = Server::start_with_options(&["--allow-agent", &agent]);
    let url = format!("{}?agent={agent}/run", server.url());
    journey_at(&url, async |page| {
        page.say("When can I come?").await?;
        page.can_choose("Friday").await?;
        page.reload().await?;
        page.hears(&["I need to know one thing."]).await?;
        page.tap("Friday").await?;
        page.hears(&["Friday it is."]).await?;
        page.reload().await?;
        page.hears(&["Friday it is."]).await?;
        assert_eq!(page.receipts().await?.len(), 1);
        // To an agent of another origin an answer goes as the call's result alone; the receipt says it.
        assert_eq!(page.own_messages().await?, ["When can I come?"]);
        Ok(())
    })
    .await;
}

/// An agent at a new origin that asks, and goes on with the answer.
pub(crate) fn asking() -> String {
    answering(move |head, body, mut stream| stream.write_all(response(head, body).as_bytes()).ok())
}

fn response(head: &str, body: &[u8]) -> String {
    let any = "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: *\r\nConnection: close\r\n";
    if !head.starts_with("POST /run ") {
        return format!("HTTP/1.1 204 No Content\r\n{any}\r\n");
    }
    let input: Value = serde_json::from_slice(body).expect("it is a RunAgentInput");
    let answered = input["messages"].as_array().into_iter().flatten().any(|message| message["role"] == "tool");
    let recorded = if answered { ANSWERED } else { ASKS };
    let recorded: Vec<Value> = serde_json::from_str(recorded).expect("it is a recorded run");
    let mut frames = String::new();
    for mut event in recorded {
        for name in ["threadId", "runId"] {
            if event.get(name).is_some() {
                event[name] = input[name].clone();
            }
        }
        frames.push_str(&format!("data: {event}\r\n\r\n"));
    }
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{any}\r\n{frames}")
}
