//! A model behind an endpoint of OpenAI's chat completions, which streams as vendors do, from the page to the receipt.

use std::io::Write;
use std::net::TcpStream;
use std::sync::mpsc::{self, Receiver, Sender};

use serde_json::{Value, json};

use crate::browser::journey_at;
use crate::plain_endpoint::answering;
use crate::server::Server;

const KEY: &str = "sk-journey-0123456789";

#[tokio::test]
async fn a_model_of_an_endpoint_asks_and_goes_on_with_the_answer() {
    let (endpoint, requests) = endpoint();
    let server = Server::start_with_model(&endpoint, KEY);
    journey_at(&server.url(), async |page| {
        page.say("Set the project up").await?;
        page.can_choose("PostgreSQL").await?;
        page.tap("SQLite").await?;
        page.hears(&["SQLite it is."]).await?;
        assert_eq!(page.receipts().await?.len(), 1);
        page.reload().await?;
        page.hears(&["SQLite it is."]).await?;
        assert!(page.receipts().await?[0].contains("SQLite"));
        Ok(())
    })
    .await;

    let (head, first) = requests.recv().expect("it was asked");
    assert!(head.contains(&format!("Bearer {KEY}")), "{head}");
    assert_eq!(first["model"], "journey");
    let system = first["messages"][0]["content"].as_str().expect("there is a system prompt");
    assert!(system.contains("ask_user_question"), "the guidance follows: {system}");
    assert_eq!(first["tools"][0]["function"]["name"], "ask_user_question");
    let (_, second) = requests.recv().expect("it was asked again");
    let messages = second["messages"].as_array().expect("there is a history");
    let result = messages.iter().find(|message| message["role"] == "tool").expect("the answer goes back");
    let call = messages.iter().find_map(|message| message["tool_calls"].get(0)).expect("the call goes back, too");
    assert_eq!(result["tool_call_id"], call["id"]);
    let content: Value = serde_json::from_str(result["content"].as_str().expect("it is text")).expect("it is JSON");
    assert_eq!(content["answers"]["Which database?"], "SQLite");
}

/// An endpoint that asks at first, and goes on with the answer; and what it is asked, head and body.
fn endpoint() -> (String, Receiver<(String, Value)>) {
    let (sender, requests) = mpsc::channel();
    let origin = answering(move |head, body, stream| respond(head, body, stream, &sender));
    (format!("{origin}/v1"), requests)
}

/// Answers a request, unless its client hangs up.
fn respond(head: &str, body: &[u8], mut stream: TcpStream, requests: &Sender<(String, Value)>) -> Option<()> {
    assert!(head.starts_with("POST /v1/chat/completions "), "{head}");
    let body: Value = serde_json::from_slice(body).expect("it is JSON");
    let answered = body["messages"].as_array()?.iter().any(|message| message["role"] == "tool");
    requests.send((head.to_owned(), body)).ok()?;

    write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n").ok()?;
    // OpenRouter says so while it waits.
    write!(stream, ": OPENROUTER PROCESSING\n\n").ok()?;
    for choice in if answered { vec![text("SQLite "), text("it is."), end("stop")] } else { ask() } {
        let chunk =
            json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "journey", "choices": [choice]});
        write!(stream, "data: {chunk}\n\n").ok()?;
        stream.flush().ok()?;
    }
    // The usage comes last, in a chunk without choices.
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}});
    write!(stream, "data: {usage}\n\ndata: [DONE]\n\n").ok()
}

/// A call as vendors stream it: with null content, and arguments cut anywhere.
fn ask() -> Vec<Value> {
    let arguments = json!({"questions": [{
        "question": "Which database?",
        "header": "Database",
        "multiSelect": false,
        "options": [{"label": "PostgreSQL", "description": "Läuft schon 🐘"}, {"label": "SQLite"}],
    }]});
    let arguments: Vec<char> = arguments.to_string().chars().collect();
    let function = json!({"name": "ask_user_question", "arguments": ""});
    let call = json!([{"index": 0, "id": "call_1", "type": "function", "function": function}]);
    let mut choices = vec![delta(json!({"role": "assistant", "content": null, "tool_calls": call}))];
    for part in arguments.chunks(7) {
        let part: String = part.iter().collect();
        choices.push(delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": part}}]})));
    }
    choices.push(end("tool_calls"));
    choices
}

fn text(content: &str) -> Value {
    delta(json!({"content": content}))
}

fn delta(delta: Value) -> Value {
    json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": null})
}

fn end(reason: &str) -> Value {
    json!({"index": 0, "delta": {}, "logprobs": null, "finish_reason": reason})
}
