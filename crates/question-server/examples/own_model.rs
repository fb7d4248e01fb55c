//! A vendor of one's own: a model that the server has no client for, in one file. This one is an oracle that asks back and then repeats the answer.
//! `cargo run -p question-server --example own_model` starts the whole program with it, with all its options.

use ask_user_question::Limits;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use question_agent::call::is_asking_tool;
use question_agent::message::Message;
use question_server::models::{Delta, Model, ModelError, ModelRequest};
use question_server::program;
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;

/// The model. A real one sends the request's messages and tools to its vendor, and makes deltas of what comes back.
#[derive(Debug)]
pub(crate) struct Oracle;

impl Model for Oracle {
    fn name(&self) -> Option<&str> {
        Some("Oracle")
    }

    fn limits(&self) -> Limits {
        Limits::RUNTIME
    }

    fn respond(&self, request: ModelRequest) -> BoxStream<'static, Result<Delta, ModelError>> {
        let asking = request.tools.iter().find(|tool| is_asking_tool(&tool.name));
        let reply = request.messages.iter().rev().find_map(|message| match message {
            Message::Tool(result) => Some(&result.content),
            Message::User(_) | Message::Assistant(_) => None,
        });
        let deltas = match (reply, asking) {
            (Some(reply), _) => vec![Delta::Text(format!("I see. {reply}"))],
            // There is no user to ask.
            (_, None) => vec![Delta::Text("I cannot ask.".to_owned())],
            (_, Some(tool)) => {
                let options = [json!({"label": "Yes"}), json!({"label": "No"})];
                let arguments = json!({"questions": [{"question": "Are you sure?", "options": options}]});
                vec![
                    Delta::CallStart { call: 0, name: tool.name.clone() },
                    Delta::CallArgs { call: 0, delta: arguments.to_string() },
                ]
            }
        };
        stream::iter(deltas).map(Ok).boxed()
    }
}

fn main() -> ExitCode {
    program::run(|server| server.model(Arc::new(Oracle)))
}
