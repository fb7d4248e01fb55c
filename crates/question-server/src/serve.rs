//! Serving over sockets, with an end to what clients can keep waiting.

mod connections;

use crate::limits::Patience;
use crate::metrics::Counters;
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

/// The part of a request that is read before somebody takes it, in bytes: also the longest head. A slow connection may hold all of it.
const READ_AT_ONCE: usize = 32 << 10;

/// The time until a connection is accepted again where the system refused.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves clients until told to stop. After that it only finishes open responses, and returns when the last is done.
///
/// It counts what it does in `counters`. Of more connections than `most`, the quietest of the address that has most of them is closed.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    patience: Patience,
    most: usize,
    counters: Counters,
    told_to_stop: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience.head).max_buf_size(READ_AT_ONCE);
    let (graceful, connections) = (GracefulShutdown::new(), Connections::new(most, &counters));
    let mut told_to_stop = pin!(told_to_stop);
    loop {
        let (stream, remote) = tokio::select! {
            () = &mut told_to_stop => break,
            accepted = accept(&listener, &counters) => accepted,
        };
        let entry = connections.enter(remote.ip());
        let evicted = entry.evicted();
        let io = TokioIo::new(Watched::new(stream, patience.write, entry));
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

/// The next connection. If the system has none to give, such as without free files, that is logged and tried again.
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
            // A listener without free files fails at once, again and again.
            sleep(PAUSE).await;
        }
    }
}
