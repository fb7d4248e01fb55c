//! Agents of other frameworks, at other origins: a plain server replays runs, and has nothing beside its one endpoint.

use std::io::Write;

use serde_json::Value;

use crate::browser::journey_at;
use crate::plain_endpoint::answering;
use crate::server::Server;

const ASKS: &str = include_str!("recorded/scheduler.events.json");
const ANSWERED: &str = include_str!("recorded/scheduler-answered.events.json");
const APPROVES: &str = include_str!("recorded/mailer.events.json");
const APPROVED: &str = include_str!("recorded/mailer-answered.events.json");

/// The text of an agent in a run: given true if a question was answered before.
type Tells = fn(bool) -> &'static str;

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

#[tokio::test]
async fn a_call_is_approved_with_other_arguments_than_the_agents() {
    let agent = stranger(|answered| if answered { APPROVED } else { APPROVES });
    let server = Server::start_with_options(&["--allow-agent", &agent]);
    let url = format!("{}?agent={agent}/run", server.url());
    journey_at(&url, async |page| {
        page.say("Write to Kim").await?;
        page.chooses("Approve with changes").await?;
        page.rewrites("copies", "6").await?;
        page.presses_still("Submit answers").await?;
        page.says_on_the_card("Allowed up to").await?;
        // Nothing that was typed is lost, be it by a reload.
        page.rewrites("to", "ann@example.test").await?;
        page.reload().await?;
        page.rewrites("copies", "3").await?;
        page.presses_still("Submit answers").await?;
        // In whatever order.
        let edited = [r#""to":"ann@example.test""#, r#""copies":3"#, r#""urgent":false"#, r#""tags":["a"]"#];
        page.hears(&[&[r#""approved":true"#, r#""editedArgs":{"#], &edited[..]].concat()).await
    })
    .await;
}

/// An agent at a new origin that asks, and goes on with the answer.
pub(crate) fn asking() -> String {
    stranger(|answered| if answered { ANSWERED } else { ASKS })
}

/// An agent at a new origin.
fn stranger(tells: Tells) -> String {
    answering(move |head, body, mut stream| stream.write_all(response(head, body, tells).as_bytes()).ok())
}

fn response(head: &str, body: &[u8], tells: Tells) -> String {
    let any = "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: *\r\nConnection: close\r\n";
    if !head.starts_with("POST /run ") {
        return format!("HTTP/1.1 204 No Content\r\n{any}\r\n");
    }
    let input: Value = serde_json::from_slice(body).expect("it is a RunAgentInput");
    let payload = &input["resume"][0]["payload"];
    let has_result = input["messages"].as_array().into_iter().flatten().any(|message| message["role"] == "tool");
    let answered = has_result || !payload.is_null();
    let recorded = tells(answered);
    let recorded: Vec<Value> = serde_json::from_str(recorded).expect("it is a recorded run");
    let mut frames = String::new();
    for mut event in recorded {
        for name in ["threadId", "runId"] {
            if event.get(name).is_some() {
                event[name] = input[name].clone();
            }
        }
        if event["delta"] == "PAYLOAD" {
            event["delta"] = payload.to_string().into();
        }
        frames.push_str(&format!("data: {event}\r\n\r\n"));
    }
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{any}\r\n{frames}")
}
