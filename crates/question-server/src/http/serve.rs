//! The HTTP server on a socket, with timeouts for slow clients.

mod connections;

use crate::config::limits::Timeouts;
use crate::telemetry::metrics::Counters;
use axum::Router;
use axum::extract::ConnectInfo;
use connections::{Connections, Watched};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tower_http::add_extension::AddExtension;

/// The read buffer of a connection, in bytes, which also is the longest head. A slow connection may hold all of it.
const READ_AT_ONCE: usize = 32 << 10;

/// The pause after a failed accept.
const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Serves clients until `stopped` resolves. Then it finishes open responses and returns.
///
/// Counts failures and evictions in `counters`. Above `most` connections, the quietest one of the address with the most is closed.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    timeouts: Timeouts,
    most: usize,
    counters: Counters,
    stopped: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(timeouts.head).max_buf_size(READ_AT_ONCE);
    let (graceful, connections) = (GracefulShutdown::new(), Connections::new(most, &counters));
    let mut stopped = pin!(stopped);
    loop {
        let (stream, remote) = tokio::select! {
            () = &mut stopped => break,
            accepted = accept(&listener, &counters) => accepted,
        };
        let entry = connections.enter(remote.ip());
        let evicted = entry.evicted();
        let io = TokioIo::new(Watched::new(stream, timeouts.write, entry));
        let connection =
            http.serve_connection(io, TowerToHyperService::new(AddExtension::new(router.clone(), ConnectInfo(remote))));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            tokio::select! {
                served = connection => {
                    if let Err(error) = served {
                        tracing::debug!(%error, "connection lost");
                    }
                }
                () = evicted.cancelled() => {}
            }
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

/// Accepts the next connection. A failure of the system, such as too many open files, is logged and retried.
async fn accept(listener: &TcpListener, counters: &Counters) -> (TcpStream, SocketAddr) {
    loop {
        let error = match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => error,
        };
        let is_the_clients = [io::ErrorKind::ConnectionAborted, io::ErrorKind::ConnectionReset];
        if !is_the_clients.contains(&error.kind()) {
            counters.accept_errors.inc();
            tracing::error!(%error, "accepting a connection failed");
            // With too many open files, each accept fails at once.
            sleep(ACCEPT_RETRY_PAUSE).await;
        }
    }
}
