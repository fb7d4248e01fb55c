//! Open connections and their eviction.

use crate::telemetry::metrics::Counters;
use prometheus_client::metrics::counter::Counter;
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};
use tokio_util::sync::CancellationToken;

/// The least bytes that a client must read within the write timeout, since unread data is in memory.
const TAKEN_AT_LEAST: usize = 64 << 10;

/// All open connections. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    most: usize,
    begun: Instant,
    next: Arc<AtomicU64>,
    open: Arc<Mutex<HashMap<u64, Arc<OpenConnection>>>>,
    evictions: Counter,
}

#[derive(Debug)]
struct OpenConnection {
    from: IpAddr,
    /// The time of its last byte, in milliseconds since the server started.
    last: AtomicU64,
    evicted: CancellationToken,
}

/// An open connection, until it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionGuard {
    connections: Connections,
    id: u64,
    connection: Arc<OpenConnection>,
}

impl Connections {
    pub(super) fn new(most: usize, counters: &Counters) -> Self {
        let evictions = counters.connections_evicted.clone();
        Self { most, begun: Instant::now(), next: Arc::default(), open: Arc::default(), evictions }
    }

    /// Adds a connection. If there are too many, another is closed.
    pub(super) fn enter(&self, from: IpAddr) -> ConnectionGuard {
        let last = AtomicU64::new(self.now());
        let connection = Arc::new(OpenConnection { from, last, evicted: CancellationToken::new() });
        let mut open = self.lock();
        if open.len() >= self.most {
            self.evict(&mut open);
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        open.insert(id, Arc::clone(&connection));
        ConnectionGuard { connections: self.clone(), id, connection }
    }

    /// Closes the quietest connection of the address with the most.
    fn evict(&self, open: &mut HashMap<u64, Arc<OpenConnection>>) {
        let mut by_address: HashMap<IpAddr, usize> = HashMap::new();
        for connection in open.values() {
            *by_address.entry(connection.from).or_default() += 1;
        }
        let most = by_address.values().copied().max().unwrap_or_default();
        let of_biggest = open.iter().filter(|(_, connection)| by_address[&connection.from] == most);
        let quietest = of_biggest.min_by_key(|(id, connection)| (connection.last.load(Ordering::Relaxed), **id));
        let id = quietest.map(|(id, _)| *id);
        if let Some(connection) = id.and_then(|id| open.remove(&id)) {
            self.evictions.inc();
            tracing::warn!(peer = %connection.from, limit = "max-connections", "connection closed for a newer one");
            connection.evicted.cancel();
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<OpenConnection>>> {
        // A panic leaves the map consistent.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionGuard {
    /// Cancelled once it is closed for another.
    pub(super) fn evicted(&self) -> CancellationToken {
        self.connection.evicted.clone()
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.connections.lock().remove(&self.id);
    }
}

/// A stream that fails if its client reads too slowly, since unread data is in memory.
#[derive(Debug)]
pub(super) struct Watched {
    stream: TcpStream,
    timeout: Duration,
    entry: ConnectionGuard,
    /// Set while data waits for the client.
    deadline: Option<Pin<Box<Sleep>>>,
    /// The bytes that the client has read since `deadline` was set.
    taken: usize,
}

impl Watched {
    pub(super) fn new(stream: TcpStream, timeout: Duration, entry: ConnectionGuard) -> Self {
        Self { stream, timeout, entry, deadline: None, taken: 0 }
    }

    /// Notes that a byte was transferred.
    fn touch(&self) {
        let ConnectionGuard { connections, connection, .. } = &self.entry;
        connection.last.store(connections.now(), Ordering::Relaxed);
    }

    /// The result of a write, or a timeout if the client reads too slowly.
    fn judge(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            self.touch();
            self.taken += *written.as_ref().unwrap_or(&0);
            if self.taken >= TAKEN_AT_LEAST {
                self.all_taken();
            }
            return Poll::Ready(written);
        }
        let timeout = self.timeout;
        // The timeout starts with the first write that has to wait.
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(timeout)));
        ready!(deadline.as_mut().poll(context));
        // Makes the system drop its buffer for this client as well.
        self.stream.set_zero_linger()?;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn all_taken(&mut self) {
        (self.deadline, self.taken) = (None, 0);
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.touch();
        }
        read
    }
}

impl AsyncWrite for Watched {
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

    /// Called once everything has been written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.all_taken();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
