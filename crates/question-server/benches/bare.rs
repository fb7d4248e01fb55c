//! The yardstick: axum alone, with the same requests, the same first frame and the same event.

use crate::Outcome;
use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::future::ready;
use futures_util::{Stream, StreamExt as _, stream};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::convert::Infallible;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The frames of `question-server`, to a few bytes.
const ASKS: &str = r#"{"type":"awaiting_user_response","questions":[{"question":"Which service do you need?","header":"Service","options":[{"label":"Oil change","description":"About 45 minutes"},{"label":"Brake service","description":"Pads and discs, checked and replaced as needed"},{"label":"Tire rotation","description":"About 30 minutes"},{"label":"Inspection","description":"A look at everything, with a report"}],"multiSelect":false}],"toolCallId":"call_0123456789abcdef0123456789abcdef"}"#;
const RESULT: &str = r#"{"type":"TOOL_CALL_RESULT","messageId":"call_0123456789abcdef0123456789abcdef-result","toolCallId":"call_0123456789abcdef0123456789abcdef","content":"{\"answers\":{\"Which service do you need?\":\"Brake service\"}}","role":"tool"}"#;

/// The waiting clients, by the name that they wait for.
type Waits = Arc<Mutex<HashMap<String, watch::Sender<()>>>>;

/// Serves until the process is ended.
pub(crate) async fn serve() -> Outcome<()> {
    let waits = Waits::default();
    let app = Router::new()
        .route("/agent", post(begin))
        .route("/conversations/{id}/events", get(follow))
        .route("/conversations/{id}/respond", post(answer))
        .with_state(waits);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    println!("listening on http://{address}");
    std::io::stdout().flush()?;
    Ok(axum::serve(listener, app).await?)
}

/// Stores nothing.
async fn begin(Json(_): Json<Value>) -> &'static str {
    "pendingToolCallIds"
}

async fn follow(
    State(waits): State<Waits>,
    Path(id): Path<String>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (answered, told) = watch::channel(());
    waits.lock().expect("no handler panics with it").insert(id, answered);
    let asks = Event::default().event("state_change").id("0123abcd-0m");
    let first = stream::once(ready(Ok(asks.data(ASKS))));
    let then = stream::unfold((told, 1_u64), async |(mut told, count)| {
        told.changed().await.ok()?;
        let result = Event::default().id(format!("0123abcd-{count}"));
        Some((Ok(result.data(RESULT)), (told, count + 1)))
    });
    Sse::new(first.chain(then)).keep_alive(KeepAlive::new())
}

async fn answer(State(waits): State<Waits>, Path(id): Path<String>, Json(_): Json<Value>) -> Json<Value> {
    if let Some(waiting) = waits.lock().expect("no handler panics with it").get(&id) {
        waiting.send_replace(());
    }
    Json(json!({"state": {"type": "llm_requesting", "attempt": 1}}))
}
