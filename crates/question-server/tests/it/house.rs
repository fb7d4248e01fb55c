//! Servers put together for tests.

use axum::Router;
use question_server::clock::SystemClock;
use question_server::models::Model;
use question_server::models::scripted::Scripted;
use question_server::store::MemoryStore;
use question_server::{Config, Drain, Parts, app};
use std::sync::Arc;
use std::time::Duration;

/// A desk that does not pause.
pub(crate) fn front_desk() -> Scripted {
    Scripted::front_desk(Duration::ZERO)
}

/// What most tests put a server together from.
pub(crate) fn parts(model: impl Model) -> Parts {
    Parts {
        store: Arc::new(MemoryStore::default()),
        model: Arc::new(model),
        clock: Arc::new(SystemClock),
        page: None,
        other_agent: None,
        drain: Drain::default(),
    }
}

/// The front desk's server.
pub(crate) fn server() -> Router {
    server_with(front_desk())
}

/// A server with this model.
pub(crate) fn server_with(model: impl Model) -> Router {
    app(&Config::default(), parts(model))
}

/// The front desk's server, configured like this.
pub(crate) fn server_of(config: &Config) -> Router {
    app(config, parts(front_desk()))
}
