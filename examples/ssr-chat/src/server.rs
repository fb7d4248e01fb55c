//! Page, program and agent under one address.

use crate::app::whole_page;
use any_spawner::Executor;
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use leptos_axum::render_app_to_stream;
use question_server::Server;
use question_server::models::scripted::Scripted;
use scripted_agent::Script;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tower_http::services::ServeDir;

/// A file of its own, so that a strict policy can allow it.
const START: &str = "import start from '/program/ssr-chat.js';\nawait start();\n";

/// The whole app. `program` is the folder that wasm-bindgen has written; the agent is the front desk without a `script`.
pub(crate) fn app(program: impl AsRef<Path>, script: Option<Script>) -> Router {
    // An error says that it was set before.
    let _ = Executor::init_tokio();
    let agent = Scripted::new(script.unwrap_or_else(Script::front_desk), Duration::ZERO);
    let tools = agent.tools();
    let agent = Server::builder().model(Arc::new(agent)).tools(tools).build();
    let text = |kind: &'static str, text: &'static str| get(move || async move { ([(CONTENT_TYPE, kind)], text) });
    Router::new()
        .route("/", get(render_app_to_stream(whole_page)))
        .route("/start.js", text("text/javascript", START))
        .route("/question-card.css", text("text/css", question_card::STYLESHEET))
        .nest_service("/program", ServeDir::new(program))
        .fallback_service(agent)
}
