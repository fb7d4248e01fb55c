//! Servers put together for tests.

use axum::Router;
use question_models::RemoteModel;
use question_server::models::Model;
use question_server::models::scripted::Scripted;
use question_server::tools::Tool;
use question_server::{Builder, Config, Server};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// A desk that does not pause.
pub(crate) fn front_desk() -> Scripted {
    Scripted::front_desk(Duration::ZERO)
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

/// The parts of most tests, as the binary puts them together, without settings.
pub(crate) fn parts(model: impl Agent) -> Builder {
    Server::builder().tools(model.tools()).model(Arc::new(model)).checks_hosts()
}

pub(crate) fn app(config: &Config, parts: Builder) -> Router {
    parts.config(config.clone()).build()
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
