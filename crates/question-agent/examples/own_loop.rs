//! An agent of one's own in plain axum: a loop with a model, two tools and the asking tool. `question-server --agent http://127.0.0.1:8000/` has the
//! chat page talk to it. Conversations are in memory here, and a run is worked off before the next.

use ask_user_question::Limits;
use axum::{
    Router, body::Bytes, extract::State, http::StatusCode, http::header, response::IntoResponse, routing::post,
};
use question_agent::ag_ui::{self, AnswerTooLong, Bounds, Delta, Refused, RunInput, Step, Turn, View, Work, wire};
use question_agent::call::{ToolCall, ToolResult};
use question_agent::registry::{ToolContext, ToolRegistry, ToolSpec};
use question_agent::{Conversation, Event, message::Message};
use serde_json::json;
use std::{collections::HashMap, sync::Arc, sync::Mutex};
use tokio::net::TcpListener;

type Conversations = Arc<Mutex<HashMap<String, Conversation>>>;

/// Stands in for a model: it calls both tools, asks for a size, and says thank you for the answer.
fn answer(messages: &[Message]) -> Vec<Result<Delta, AnswerTooLong>> {
    let ask = r#"{"questions": [{"question": "Which size?", "options": [{"label": "S"}, {"label": "M"}]}]}"#;
    let calls = [("stock", "{}"), ("weather", "{}"), ("ask_user_question", ask)];
    let results = messages.iter().filter(|message| matches!(message, Message::Tool(_))).count();
    let Some((name, delta)) = calls.get(results) else {
        return vec![Ok(Delta::Text("Thank you.".to_owned()))];
    };
    let start = Delta::CallStart { call: 0, name: (*name).to_owned() };
    vec![Ok(start), Ok(Delta::CallArgs { call: 0, delta: (*delta).to_owned() })]
}

/// The tools, with their results.
const TOOLS: [(&str, &str); 2] = [("stock", "12 shirts"), ("weather", "rain")];

fn registry(context: ToolContext) -> ToolRegistry {
    let specs = TOOLS.iter().map(|(name, _)| ToolSpec::new(name, "", &json!({"type": "object"})));
    specs.fold(ToolRegistry::new(Limits::RUNTIME, context), ToolRegistry::with)
}

fn run_tool(call: &ToolCall) -> Option<ToolResult> {
    let (_, result) = TOOLS.iter().find(|(name, _)| *name == call.name())?;
    Some(ToolResult::success(&call.id, *result))
}

/// Works a run off, and returns what its client is told.
fn run(all: &Conversations, body: &[u8]) -> Result<Vec<ag_ui_stream::Event>, Refused> {
    let input = RunInput::parse(body)?;
    let mut all = all.lock().expect("nobody panics with it");
    let conversation = all.entry(input.thread_id.clone()).or_default();
    let context = ToolContext { client_tools: input.client_tools()?, ..ToolContext::default() };
    let event = ag_ui::read(&Bounds::default(), View { conversation, context: &context }, &input)?;
    let (brought, mut turns) = (event.as_ref().and_then(ag_ui::brought_message).map(str::to_owned), 0..32);
    let mut step = Step::of(event.map_or(Ok(Vec::new()), |event| conversation.handle(event))?);
    let mut told = vec![wire::run_started(&input.thread_id, &input.run_id, step.taken(brought.as_deref()))];
    loop {
        let view = View { conversation, context: &context };
        told.extend(step.events(view, brought.as_deref()));
        let event = match step.work.filter(|_| view.clients_call().is_none()) {
            None => break told.push(wire::run_end(view, &input)),
            Some(Work::Execute(call)) => registry(context.clone()).execute(&call, None, run_tool),
            Some(_) if turns.next().is_none() => Event::LlmFailed { reason: "no end".into(), retryable: false },
            Some(Work::AskModel) => {
                let mut turn = Turn::new(context.clone(), || uuid::Uuid::new_v4().simple().to_string());
                turn.take(answer(conversation.messages())).expect("it is short");
                let (message, events) = turn.finish();
                told.extend(events);
                Event::LlmResponse(message)
            }
        };
        step = Step::of(conversation.handle(event)?);
    }
    Ok(told)
}

async fn agent(State(all): State<Conversations>, body: Bytes) -> Result<impl IntoResponse, (StatusCode, String)> {
    let told = run(&all, &body).map_err(|refused| (StatusCode::BAD_REQUEST, refused.to_string()))?;
    let frames: String = told.iter().map(|event| format!("data: {}\n\n", json!(event))).collect();
    Ok(([(header::CONTENT_TYPE, "text/event-stream")], frames))
}

pub(crate) fn app() -> Router {
    Router::new().route("/", post(agent)).with_state(Conversations::default())
}

/// A listener at this address.
///
/// # Errors
/// A sentence for the person who starts the program.
pub(crate) async fn listen(address: &str) -> Result<TcpListener, String> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|why| format!("{address}: {why}. Name another address, such as 127.0.0.1:8001, as the argument."))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:8000".into());
    let listener = listen(&address).await.unwrap_or_else(|why| {
        eprintln!("{why}");
        std::process::exit(1)
    });
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, app()).await
}
