//! An agent behind a WebSocket: a socket for each run, whose messages are its events.

use agent_chat::{ChatOptions, RunPart, RunRequest, RunResponse, Transport, use_agent_chat};
use futures_util::{SinkExt, StreamExt, future, stream};
use gloo_net::websocket::Message;
use gloo_net::websocket::futures::WebSocket;
use leptos::prelude::*;
use leptos::task::spawn_local;

struct Sockets;

impl Transport for Sockets {
    fn run(&self, request: RunRequest) -> RunResponse {
        let Ok(socket) = WebSocket::open(&request.url) else { return Box::pin(stream::empty()) };
        let (mut out, messages) = socket.split();
        spawn_local(async move {
            // A socket that broke has no messages either.
            let _ = out.send(Message::Text(request.input)).await;
        });
        let parts = messages.scan((), |(), message| {
            future::ready(message.ok().map(|message| match message {
                Message::Text(event) => RunPart::Event(event),
                Message::Bytes(bytes) => RunPart::Bytes(bytes),
            }))
        });
        Box::pin(parts)
    }
}

pub(crate) fn options() -> ChatOptions {
    ChatOptions::new("wss://agent.example/run").with_transport(Sockets)
}

fn main() {
    mount_to_body(|| {
        let chat = use_agent_chat(options());
        view! {
            <button on:click=move |_| { chat.send("I need my car looked at"); }>"Begin"</button>
            <p>{move || chat.entries.with(Vec::len)} " entries"</p>
        }
    });
}
