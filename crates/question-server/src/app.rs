//! The builder of the server, and its routes.

use crate::auth::access::{Tokens, admit};
use crate::auth::caller::recognise;
use crate::auth::guard::{Guard, guard};
use crate::auth::headers::accepts_html;
use crate::auth::peer::Proxies;
use crate::auth::policy::{self, cross_origin, policy};
use crate::auth::rate::RateLimits;
use crate::config::Config;
use crate::engine::clock::{Clock, SystemClock};
use crate::engine::drain::Drain;
use crate::engine::models::Model;
use crate::engine::models::scripted::Scripted;
use crate::engine::runtime::Runtime;
use crate::engine::tools::Tool;
use crate::engine::web_push;
use crate::error::ApiError;
use crate::http::asks::ShowsPage;
use crate::http::body::Bodies;
#[cfg(feature = "mcp")]
use crate::http::mcp::{self, McpKey, PageOrigin};
use crate::http::other_agent::{self, OtherAgent};
use crate::http::page::{self, Page};
use crate::http::streams;
use crate::http::{agent_endpoint, asks, conversations, events, files};
use crate::live::room::Room;
use crate::store::{SqliteStore, Store};
use crate::telemetry::metrics::{Counters, OPEN_METRICS};
use crate::telemetry::observe::{Observer, observed};
use ask_user_question::Limits;
use ask_user_question::attachment::FileLimits;
use axum::extract::{FromRef, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router, middleware};
#[cfg(feature = "mcp")]
use question_mcp::McpServer;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::mem;
use std::net::IpAddr;
use std::sync::Arc;

/// The description of the API, at `/openapi.json`.
const OPENAPI: &str = include_str!("../openapi.json");

/// The server of an agent that asks its user.
#[derive(Clone, Copy, Debug)]
pub enum Server {}

impl Server {
    /// Returns a builder. By default, the model is the front desk's script and conversations are in memory.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }
}

/// Collects the parts of a server. [`build`](Builder::build) makes its router.
#[derive(Debug, Default)]
pub struct Builder {
    config: Config,
    model: Option<Arc<dyn Model>>,
    tools: Vec<Arc<dyn Tool>>,
    store: Option<Arc<dyn Store>>,
    clock: Option<Arc<dyn Clock>>,
    page: Option<Page>,
    other_agent: Option<OtherAgent>,
    drain: Drain,
    counters: Counters,
    tokens: Option<Tokens>,
    checks_hosts: bool,
    #[cfg(feature = "mcp")]
    mcp: Option<McpKey>,
}

/// Defines a setter for each row, with the row's doc comment.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty => $set:expr;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(self, $name: $type) -> Self {
            Self { $name: $set, ..self }
        })*
    };
}

impl Builder {
    setters! {
        /// The model that speaks for the agent.
        model: Arc<dyn Model> => Some(model);
        /// The store of conversations.
        store: Arc<dyn Store> => Some(store);
        /// The clock. Default: the store's, or else the machine's.
        clock: Arc<dyn Clock> => Some(clock);
        /// The settings: limits, deadlines, tokens, allowed origins. The server ignores addresses, ports and files among them.
        config: Config => config;
        /// The built page, served beside the API. It has to be at the root of its origin.
        page: Page => Some(page);
        /// Another agent, to which requests to `/agent/other` are forwarded.
        other_agent: OtherAgent => Some(other_agent);
        /// The handle that shuts the server down.
        drain: Drain => drain;
        /// The access tokens, in place of [`Config::tokens`]. They can be replaced while the server runs.
        tokens: Tokens => Some(tokens);
        /// The counters of [`serve`](crate::serve()) and of the log, for `/metrics`.
        counters: Counters => counters;
    }

    /// Serves clients of MCP at `/mcp`, with this key. Their page is at `/ask`, so the router must be at the root of its origin.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn mcp(self, key: McpKey) -> Self {
        Self { mcp: Some(key), ..self }
    }

    /// Returns the MCP server for the client that started this process, and the router of its pages, to be served at `origin` on this machine. If
    /// `opens` is true, each question opens a browser.
    ///
    /// # Panics
    /// As [`build`](Self::build).
    #[cfg(feature = "mcp")]
    pub fn build_for_mcp(mut self, key: McpKey, origin: String, opens: bool) -> (McpServer, Router) {
        let runtime = self.runtime();
        let place = PageOrigin::Here { base: origin, opens };
        let bodies = Bodies::new(&self.config);
        let (server, pages) = mcp::open(&runtime, (&self.config, self.page.as_ref()), key, place, &bodies);
        let pages = pages.method_not_allowed_fallback(no_such_method).fallback(nothing_here);
        // These pages are for this machine alone, whatever hosts and origins are allowed.
        let guarded = Arc::new(Guard::own_pages());
        let pages = pages.layer(middleware::from_fn_with_state(guarded, guard));
        (server, pages.layer(middleware::from_fn_with_state(policy(&[], None), policy::harden)))
    }

    /// Adds a tool of the agent's.
    #[must_use]
    pub fn tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds tools of the agent's, such as those of a [script](Scripted::tools) or an [MCP server](crate::engine::mcp_tools::connect). Of two tools
    /// with the same name, the first is used.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Refuses all host names but this machine's, [`Config::bind`] and those in [`Config::public_origins`] and [`Config::allow_origins`]. A server on
    /// loopback needs this against DNS rebinding. By default, every name is allowed.
    #[must_use]
    pub fn checks_hosts(self) -> Self {
        Self { checks_hosts: true, ..self }
    }

    /// Returns the server as a router, to be bound to a socket or nested under any path, even one with parameters. Its headers and cookies are set on
    /// its own responses only.
    ///
    /// A layer around the router may name the owner of a request, by an [`Owner`](crate::auth::owner::Owner) among its extensions. Otherwise the cookie
    /// or the token does. Limits for each address need axum's `ConnectInfo<SocketAddr>`, or [`Config::peer_header`].
    ///
    /// # Panics
    /// Outside of a Tokio runtime, which expires questions and resumes runs in the background.
    pub fn build(mut self) -> Router {
        let runtime = self.runtime();
        let bodies = Bodies::new(&self.config);
        #[cfg(feature = "mcp")]
        let further = self.mcp.map(|key| mcp::routes(&runtime, (&self.config, self.page.as_ref()), key, &bodies));
        #[cfg(not(feature = "mcp"))]
        let further = None;
        let Self { config, page, other_agent, tokens, checks_hosts, .. } = self;
        let hosts = checks_hosts.then(|| hosts(&config));
        let tokens = tokens.unwrap_or_else(|| Tokens::new(config.tokens.clone()));
        let app = App { runtime, bodies, shows_page: ShowsPage(page.is_some()) };
        router(&config, app, tokens, page, other_agent, hosts, further)
    }

    /// Starts the parts that all conversations share.
    fn runtime(&mut self) -> Arc<Runtime> {
        let config = &self.config;
        let model = self.model.take().unwrap_or_else(|| {
            let desk = Scripted::front_desk(config.pace);
            self.tools.extend(desk.tools());
            Arc::new(desk)
        });
        let store = self.store.take().unwrap_or_else(|| Arc::new(SqliteStore::in_memory()));
        let clock = self.clock.take().or_else(|| store.clock()).unwrap_or_else(|| Arc::new(SystemClock));
        let mut tools = mem::take(&mut self.tools);
        let mut names = HashSet::new();
        tools.retain(|tool| names.insert(tool.spec().name.clone()));
        Runtime::start(config, store, model, tools, clock, self.drain.clone(), &self.counters)
    }
}

/// The allowed host names, beside this machine's.
fn hosts(config: &Config) -> Vec<String> {
    let bound = (!config.bind.is_unspecified()).then(|| match config.bind {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    });
    config.public_origins.iter().map(|origin| origin.host().to_owned()).chain(bound).collect()
}

/// The state of the handlers, each of which takes the part that it needs.
macro_rules! state {
    ($($part:ident: $type:ty),+) => {
        #[derive(Clone)]
        struct App {
            $($part: $type),+
        }

        $(impl FromRef<App> for $type {
            fn from_ref(app: &App) -> Self {
                Self::clone(&app.$part)
            }
        })+
    };
}

state! { runtime: Arc<Runtime>, bodies: Bodies, shows_page: ShowsPage }

/// Adds the middleware to the routes. `further` is a router with streams, and one with pages that need no token because their address is a secret.
fn router(
    config: &Config,
    app: App,
    tokens: Tokens,
    page: Option<Page>,
    other_agent: Option<OtherAgent>,
    hosts: Option<Vec<String>>,
    further: Option<(Router<App>, Router)>,
) -> Router {
    // Probes know neither host names nor tokens.
    let health = Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .method_not_allowed_fallback(no_such_method)
        .with_state(app.clone());
    let watched = Router::new()
        .route("/metrics", get(metrics))
        .method_not_allowed_fallback(no_such_method)
        .with_state(app.clone());
    let counted = Arc::clone(&app.runtime.metrics);
    let proxies = Arc::new(Proxies::new(config));
    let settings = settings(config, &*app.runtime.model);
    let streams = Router::new()
        .route("/agent", post(agent_endpoint::run))
        .route("/conversations/{id}/agent", post(agent_endpoint::run_in))
        .route("/conversations/{id}/events", get(events::follow))
        .route("/conversations/{id}/asks/{ask}", get(asks::status));
    let streams = match &other_agent {
        Some(agent) => streams.route(other_agent::PATH, post(other_agent::run).layer(Extension(agent.clone()))),
        None => streams,
    };
    let (streams, pages) = match further {
        Some((further, pages)) => (streams.merge(further), pages),
        None => (streams, Router::new()),
    };
    let open = Arc::new(Room::for_each_client(config.bounds.streams));
    let streams = streams.route_layer(middleware::from_fn_with_state(open, streams::count));
    let routes = streams
        .route("/conversations", get(conversations::list).delete(conversations::delete_all))
        .route("/conversations/{id}", get(conversations::describe).delete(conversations::delete))
        .route("/conversations/{id}/asks", post(asks::ask))
        .route("/conversations/{id}/files", post(files::upload))
        .route("/conversations/{id}/files/{file}", get(files::serve))
        .route("/conversations/{id}/respond", post(conversations::respond))
        .route("/conversations/{id}/cancel", post(conversations::cancel))
        .route("/push/key", get(web_push::key))
        .route("/push/subscriptions", post(web_push::subscribe).delete(web_push::unsubscribe))
        .route("/settings.json", get(async move || Json(settings)))
        .route("/openapi.json", get(async || ([(header::CONTENT_TYPE, "application/json")], OPENAPI)))
        .method_not_allowed_fallback(no_such_method);
    let routes = routes.with_state(app);
    let routes = match page {
        Some(page) => {
            let files = get(page::serve).fallback(no_such_method);
            let routes = match other_agent {
                Some(_) => routes.route("/", get(other_agent::document).with_state(page.clone())),
                None => routes,
            };
            routes.fallback_service(files.with_state(page))
        }
        None => routes.route("/", get(no_page)).fallback(nothing_here),
    };
    let routes = routes.layer(middleware::from_fn_with_state(Arc::clone(&proxies), recognise));
    // Monitoring has a token, and does not know the host name.
    let (routes, watched) = match tokens.all().is_empty() {
        true => (routes, watched),
        false => {
            let admitted = middleware::from_fn_with_state(tokens, admit);
            (routes.layer(admitted.clone()), watched.layer(admitted))
        }
    };
    let routes = match config.allow_origins.as_slice() {
        [] => routes,
        origins => routes.layer(cross_origin(origins)),
    };
    let routes = routes.merge(pages);
    let guarded = Arc::new(Guard::new(config.allow_origins.clone(), hosts));
    let policy = policy(&config.allow_agents, config.web_push.as_ref().map(|_| web_push::TRUSTED_TYPES));
    let observer = Observer { proxies, requests: RateLimits::new(config.bounds.requests), metrics: counted };
    let routes = routes
        .layer(middleware::from_fn_with_state(guarded, guard))
        .merge(health.merge(watched))
        .layer(middleware::from_fn_with_state(policy, policy::harden));
    observed(routes, observer)
}

/// The settings of the server for the page.
fn settings(config: &Config, model: &dyn Model) -> Value {
    let agents = config.allow_agents.iter().map(ToString::to_string);
    // By the names that `Limits::by_name` reads, so that the page offers the attachments that the server takes.
    let limits = config.limits(model);
    let files = FileLimits::BY_NAME.into_iter().find(|(_, files)| Some(files) == limits.attachments());
    let more: Vec<&str> = limits.extra_names().chain(files.map(|(name, _)| name)).collect();
    let called = |name: &str| [&[name], &*more].concat().join("+");
    let is_called = |name: &String| Limits::by_name(name).as_ref() == Some(&limits);
    let profile = ["chat", "coding", "runtime"].map(called).into_iter().find(is_called);
    let mut settings = json!({"allowAgents": agents.collect::<Vec<String>>(), "profile": profile});
    if config.web_push.is_some() {
        settings["webPush"] = true.into();
    }
    if let Some(name) = config.name.as_deref().or(model.name()) {
        settings["name"] = name.into();
    }
    settings
}

/// Liveness: the process runs. A database that is down is no reason to restart it.
async fn healthz() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

async fn readyz(State(runtime): State<Arc<Runtime>>) -> (StatusCode, Json<Value>) {
    match runtime.is_ready().await {
        Ok(()) => (StatusCode::OK, Json(json!({"status": "ready"}))),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"status": why}))),
    }
}

async fn metrics(State(runtime): State<Arc<Runtime>>) -> Result<([(HeaderName, &'static str); 1], String), ApiError> {
    let text = runtime.read_metrics().await?;
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS)], text))
}

/// Returns an HTML page to a browser, and the usual JSON error to a program.
async fn no_page(headers: HeaderMap) -> Response {
    match accepts_html(&headers) {
        true => Html(NO_PAGE).into_response(),
        false => ApiError::NotFound.into_response(),
    }
}

const NO_PAGE: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
    <title>question-server</title>\n<h1>This server has no page</h1>\n\
    <p>It works, and its API is described at <a href=\"openapi.json\">openapi.json</a>.\n\
    <p>For the chat page, start it with <code>--page DIR</code> and the folder of a built page.\n";

async fn no_such_method() -> ApiError {
    ApiError::MethodNotAllowed
}

async fn nothing_here() -> ApiError {
    ApiError::NotFound
}
