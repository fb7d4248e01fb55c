//! Serving over sockets, with an end to what clients can keep waiting.

use crate::limits::Patience;
use crate::peer::Remote;
use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Sleep, sleep};
use tower_http::add_extension::AddExtension;

/// How much of a request is read before somebody takes it, in bytes: also the longest head. A slow connection may hold all of it.
const READ_AT_ONCE: usize = 32 << 10;

/// Serves clients until told to stop. After that it only finishes open responses, and returns when the last is done.
pub async fn serve(
    mut listener: TcpListener,
    router: Router,
    patience: Patience,
    told_to_stop: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience.head).max_buf_size(READ_AT_ONCE);
    let connections = GracefulShutdown::new();
    let mut told_to_stop = pin!(told_to_stop);
    loop {
        let (stream, remote) = tokio::select! {
            () = &mut told_to_stop => break,
            accepted = Listener::accept(&mut listener) => accepted,
        };
        let io = TokioIo::new(Impatient::new(stream, patience.write));
        let connection =
            http.serve_connection(io, TowerToHyperService::new(AddExtension::new(router.clone(), Remote(remote))));
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke off");
            }
        });
    }
    drop(listener);
    connections.shutdown().await;
}

/// A connection that is given up where its client takes nothing: what it should have taken is in memory meanwhile.
#[derive(Debug)]
struct Impatient {
    stream: TcpStream,
    patience: Duration,
    /// Set while the client takes nothing.
    giving_up: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        Self { stream, patience, giving_up: None }
    }

    /// What came of writing, unless it has waited for too long.
    fn judge<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.giving_up = None;
            return written;
        }
        let patience = self.patience;
        // From the first write that the client does not take, until one is taken again.
        let giving_up = self.giving_up.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(giving_up.as_mut().poll(context));
        // What the system still holds for this client goes, too.
        self.stream.set_zero_linger()?;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.judge(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
