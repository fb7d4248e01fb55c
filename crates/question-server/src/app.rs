//! The server as a value.

use crate::config::Config;
use crate::error::ApiError;
use crate::guard::{Guard, guard};
use crate::limits::MAX_BODY_BYTES;
use crate::models::Model;
use crate::owner::recognise;
use crate::runtime::{Rates, Runtime};
use crate::store::Store;
use crate::{agent_endpoint, conversations, page};
use axum::extract::DefaultBodyLimit;
use axum::handler::HandlerWithoutStateExt as _;
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tower_http::services::ServeDir;

/// What the handlers share.
#[derive(Clone, Debug)]
pub struct App {
    pub(crate) runtime: Arc<Runtime>,
}

/// The whole server, to be bound to a socket or driven by hand. `shutdown` ends the streams that would never end by themselves.
pub fn app(
    config: &Config,
    store: Arc<dyn Store>,
    model: Arc<dyn Model>,
    shutdown: CancellationToken,
) -> Router {
    let rates = Rates::new(config.max_changes, config.max_new);
    let app = App {
        runtime: Arc::new(Runtime::new(store, model, rates, shutdown)),
    };
    let routes = Router::new()
        .route("/agent", post(agent_endpoint::run))
        .route("/conversations/{id}", get(conversations::describe))
        .route("/conversations/{id}/events", get(conversations::events))
        .route("/conversations/{id}/respond", post(conversations::respond))
        .route("/conversations/{id}/cancel", post(conversations::cancel))
        .route("/healthz", get(healthz))
        .method_not_allowed_fallback(no_such_method)
        .with_state(app)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES));
    let routes = match &config.page {
        Some(dir) => {
            routes.fallback_service(ServeDir::new(dir).fallback(nothing_here.into_service()))
        }
        None => routes.fallback(nothing_here),
    };
    let guarded = Arc::new(Guard::new(config.allow_origins.clone()));
    routes
        .layer(middleware::from_fn(recognise))
        .layer(middleware::from_fn_with_state(guarded, guard))
        .layer(middleware::from_fn(page::headers))
}

async fn healthz() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

async fn no_such_method() -> ApiError {
    ApiError::MethodNotAllowed
}

async fn nothing_here() -> ApiError {
    ApiError::NotFound
}
