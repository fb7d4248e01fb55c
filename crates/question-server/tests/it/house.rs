//! Servers put together for tests.

use axum::Router;
use question_models::RemoteModel;
use question_server::clock::{Clock, SystemClock};
use question_server::models::Model;
use question_server::models::scripted::Scripted;
use question_server::other_agent::OtherAgent;
use question_server::page::Page;
use question_server::store::{SqliteStore, Store};
use question_server::tools::Tool;
use question_server::{Builder, Config, Drain, Server};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// A desk that does not pause.
pub(crate) fn front_desk() -> Scripted {
    Scripted::front_desk(Duration::ZERO)
}

/// The parts from which a test builds a server.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) page: Option<Page>,
    pub(crate) other_agent: Option<OtherAgent>,
    pub(crate) drain: Drain,
}

/// A model, with tools of its own if it is a script.
pub(crate) trait Agent: Model {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }
}

impl Agent for RemoteModel {}

impl Agent for Scripted {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools()
    }
}

/// The parts of most tests.
pub(crate) fn parts(model: impl Agent) -> Parts {
    Parts {
        store: Arc::new(SqliteStore::in_memory()),
        tools: model.tools(),
        model: Arc::new(model),
        clock: Arc::new(SystemClock),
        page: None,
        other_agent: None,
        drain: Drain::default(),
    }
}

/// A server as the binary puts it together.
pub(crate) fn app(config: &Config, parts: Parts) -> Router {
    let Parts { store, model, tools, clock, page, other_agent, drain } = parts;
    let server =
        Server::builder().config(config.clone()).store(store).model(model).tools(tools).clock(clock).drain(drain);
    let server = page.into_iter().fold(server, Builder::page);
    other_agent.into_iter().fold(server, Builder::other_agent).checks_hosts().build()
}

/// The front desk's server.
pub(crate) fn server() -> Router {
    server_with(front_desk())
}

/// A server with this model.
pub(crate) fn server_with(model: impl Agent) -> Router {
    app(&Config::default(), parts(model))
}

/// The front desk's server, configured like this.
pub(crate) fn server_of(config: &Config) -> Router {
    app(config, parts(front_desk()))
}

/// Serves this on a free port of its own.
pub(crate) async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// Tests of what holds over each store: one that needs nothing, and one over Postgres.
macro_rules! over_each_store {
    ($name:ident: $check:ident) => {
        mod $name {
            #[tokio::test]
            async fn in_memory_and_in_a_file() {
                crate::sqlite::each_store(super::$check).await;
            }

            #[cfg(all(unix, feature = "postgres"))]
            #[tokio::test]
            #[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
            async fn over_postgres() {
                let database = crate::postgres::Database::new().await;
                super::$check(database.open().await).await;
            }
        }
    };
}
pub(crate) use over_each_store;
