//! The server as a value.

use crate::access::{Token, admit};
use crate::body::Bodies;
use crate::clock::Clock;
use crate::config::Config;
use crate::drain::Drain;
use crate::error::ApiError;
use crate::guard::{Guard, guard};
use crate::metrics::OPEN_METRICS;
use crate::models::Model;
use crate::observe::{Observer, observe};
use crate::other_agent::{self, OtherAgent};
use crate::owner::recognise;
use crate::page::{self, Page};
use crate::policy::{self, cross_origin, policy};
use crate::rate::TokenBuckets;
use crate::runtime::Runtime;
use crate::store::Store;
use crate::streams::{self, Streams};
use crate::{agent_endpoint, conversations, events};
use ask_user_question::Limits;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use axum::routing::{get, post};
use axum::{Extension, Json, Router, middleware};
use serde_json::{Value, json};
use std::sync::Arc;

/// What clients may ask for, as they are told of it.
const OPENAPI: &str = include_str!("../openapi.json");

/// What a server is put together from, beside its configuration.
#[derive(Debug)]
pub struct Parts {
    /// Where conversations are kept.
    pub store: Arc<dyn Store>,
    /// Who speaks for the agent.
    pub model: Arc<dyn Model>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The built page, where one is served.
    pub page: Option<Page>,
    /// The agent that requests are passed on to, where there is one.
    pub other_agent: Option<OtherAgent>,
    /// A handle that ends it.
    pub drain: Drain,
}

/// What the handlers share.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) bodies: Bodies,
    pub(crate) streams: Streams,
}

/// The whole server, to be bound to a socket or driven by hand.
///
/// # Panics
/// Outside of a Tokio runtime: questions expire and what was broken off goes on, whether or not anybody asks.
pub fn app(config: &Config, parts: Parts) -> Router {
    let Parts { store, model, clock, page, other_agent, drain } = parts;
    let settings = settings(config, &*model);
    let runtime = Runtime::new(config, store, model, clock, drain);
    let app = App { runtime, bodies: Bodies::new(config), streams: Streams::new(config.bounds.streams) };
    // Answered for every host name: a probe knows neither names nor tokens.
    let health = Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .method_not_allowed_fallback(no_such_method)
        .with_state(app.clone());
    let watched = Router::new()
        .route("/metrics", get(metrics))
        .method_not_allowed_fallback(no_such_method)
        .with_state(app.clone());
    let counted = Arc::clone(app.runtime.metrics());
    let streams = Router::new()
        .route("/agent", post(agent_endpoint::run))
        .route("/conversations/{id}/agent", post(agent_endpoint::run_in))
        .route("/conversations/{id}/events", get(events::follow));
    let streams = match &other_agent {
        Some(agent) => streams.route(other_agent::PATH, post(other_agent::run).layer(Extension(agent.clone()))),
        None => streams,
    };
    let streams = streams.route_layer(middleware::from_fn_with_state(app.clone(), streams::count));
    let routes = streams
        .route("/conversations/{id}", get(conversations::describe).delete(conversations::delete))
        .route("/conversations/{id}/respond", post(conversations::respond))
        .route("/conversations/{id}/cancel", post(conversations::cancel))
        .route("/settings.json", get(async move || Json(settings)))
        .route("/openapi.json", get(async || ([(header::CONTENT_TYPE, "application/json")], OPENAPI)))
        .method_not_allowed_fallback(no_such_method);
    let routes = routes.with_state(app);
    let routes = match page {
        Some(page) => {
            let page = Arc::new(page);
            let files = get(page::serve).fallback(no_such_method);
            let routes = match other_agent {
                Some(_) => routes.route("/", get(other_agent::document).with_state(Arc::clone(&page))),
                None => routes,
            };
            routes.fallback_service(files.with_state(page))
        }
        None => routes.fallback(nothing_here),
    };
    let routes = routes.layer(middleware::from_fn(recognise));
    // What watches it has a token, and no name to know it by.
    let (routes, watched) = match config.tokens.as_slice() {
        [] => (routes, watched),
        tokens => {
            let admitted = middleware::from_fn_with_state(Arc::<[Token]>::from(tokens), admit);
            (routes.layer(admitted.clone()), watched.layer(admitted))
        }
    };
    let routes = match config.allow_origins.as_slice() {
        [] => routes,
        origins => routes.layer(cross_origin(origins)),
    };
    let mut hosts = config.allow_hosts.clone();
    if !config.bind.is_unspecified() {
        hosts.push(config.bind.into());
    }
    let guarded = Arc::new(Guard::new(config.allow_origins.clone(), hosts));
    let policy = policy(&config.allow_agents);
    let observer = Observer {
        peer_header: config.peer_header.clone(),
        requests: TokenBuckets::new(config.bounds.requests),
        metrics: counted,
    };
    routes
        .layer(middleware::from_fn_with_state(guarded, guard))
        .merge(health.merge(watched))
        .layer(middleware::from_fn_with_state(policy, policy::harden))
        .layer(middleware::from_fn_with_state(Arc::new(observer), observe))
}

/// What the page has to know of how its server was started.
fn settings(config: &Config, model: &dyn Model) -> Value {
    let agents = config.allow_agents.iter().map(ToString::to_string);
    let is_called = |name: &&str| Limits::by_name(name) == Some(model.limits());
    let profile = ["chat", "coding", "runtime"].into_iter().find(is_called);
    let mut settings = json!({"allowAgents": agents.collect::<Vec<String>>(), "profile": profile});
    if let Some(name) = config.name.as_deref().or(model.name()) {
        settings["name"] = name.into();
    }
    settings
}

/// Says that the process runs. A database that is away is no reason to end it.
async fn healthz() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

async fn readyz(State(app): State<App>) -> (StatusCode, Json<Value>) {
    match app.runtime.is_ready().await {
        Ok(()) => (StatusCode::OK, Json(json!({"status": "ready"}))),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"status": why}))),
    }
}

async fn metrics(State(app): State<App>) -> Result<([(HeaderName, &'static str); 1], String), ApiError> {
    let text = app.runtime.read_metrics().await?;
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS)], text))
}

async fn no_such_method() -> ApiError {
    ApiError::MethodNotAllowed
}

async fn nothing_here() -> ApiError {
    ApiError::NotFound
}
