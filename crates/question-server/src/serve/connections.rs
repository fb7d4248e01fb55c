//! The connections that are open, and giving them up.

use crate::metrics::Counters;
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

/// The bytes that a client has to take within its time of what waits for it: what it should have taken is in memory.
const TAKEN_AT_LEAST: usize = 64 << 10;

/// All that are open. Clones are of the same.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    most: usize,
    begun: Instant,
    next: Arc<AtomicU64>,
    open: Arc<Mutex<HashMap<u64, Arc<Connection>>>>,
    evictions: Counter,
}

#[derive(Debug)]
struct Connection {
    from: IpAddr,
    /// When something went over it last, in milliseconds since the first could.
    last: AtomicU64,
    evicted: CancellationToken,
}

/// One of them, until it is dropped.
#[derive(Debug)]
pub(super) struct Entry {
    connections: Connections,
    id: u64,
    connection: Arc<Connection>,
}

impl Connections {
    pub(super) fn new(most: usize, counters: &Counters) -> Self {
        let evictions = counters.connections_evicted.clone();
        Self { most, begun: Instant::now(), next: Arc::default(), open: Arc::default(), evictions }
    }

    /// Counts a new connection. Where there are too many, one is closed for it.
    pub(super) fn enter(&self, from: IpAddr) -> Entry {
        let last = AtomicU64::new(self.now());
        let connection = Arc::new(Connection { from, last, evicted: CancellationToken::new() });
        let mut open = self.lock();
        if open.len() >= self.most {
            self.evict(&mut open);
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        open.insert(id, Arc::clone(&connection));
        Entry { connections: self.clone(), id, connection }
    }

    /// Closes the quietest connection of the address that has most.
    fn evict(&self, open: &mut HashMap<u64, Arc<Connection>>) {
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
            tracing::warn!(peer = %connection.from, limit = "--max-connections", "connection closed for a newer one");
            connection.evicted.cancel();
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Connection>>> {
        // Entries are only put in and taken out.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// Notified when it is closed for another.
    pub(super) fn evicted(&self) -> CancellationToken {
        self.connection.evicted.clone()
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.connections.lock().remove(&self.id);
    }
}

/// A connection that is given up where its client takes too little: what it should have taken is in memory meanwhile.
#[derive(Debug)]
pub(super) struct Watched {
    stream: TcpStream,
    patience: Duration,
    entry: Entry,
    /// Set while something waits for the client to take it.
    giving_up: Option<Pin<Box<Sleep>>>,
    /// What it has taken since, in bytes.
    taken: usize,
}

impl Watched {
    pub(super) fn new(stream: TcpStream, patience: Duration, entry: Entry) -> Self {
        Self { stream, patience, entry, giving_up: None, taken: 0 }
    }

    /// Notes that something went over it.
    fn is_alive(&self) {
        let Entry { connections, connection, .. } = &self.entry;
        connection.last.store(connections.now(), Ordering::Relaxed);
    }

    /// What came of writing, unless the client has taken too little for too long.
    fn judge(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            self.is_alive();
            self.taken += *written.as_ref().unwrap_or(&0);
            if self.taken >= TAKEN_AT_LEAST {
                self.all_taken();
            }
            return Poll::Ready(written);
        }
        let patience = self.patience;
        // A client that takes no more is given up after this time, from the first such write on.
        let giving_up = self.giving_up.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(giving_up.as_mut().poll(context));
        // What the system still holds for this client goes, too.
        self.stream.set_zero_linger()?;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn all_taken(&mut self) {
        (self.giving_up, self.taken) = (None, 0);
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
            self.is_alive();
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

    /// Called when all that there was has been written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.all_taken();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
