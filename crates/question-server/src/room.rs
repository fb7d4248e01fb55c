//! Memory that clients share: for bodies being received and histories being sent.

use crate::caller::Client;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// The time that a share waits for memory before another share is evicted for it.
const EVICT_AFTER: Duration = Duration::from_secs(1);

/// A budget of bytes. When it is used up, the slowest share of the client with the most bytes is evicted: an idle one, or one of very many.
#[derive(Debug)]
pub(crate) struct Room {
    state: Mutex<Budget>,
    /// Notified when bytes are freed.
    freed: Notify,
}

#[derive(Debug)]
struct Budget {
    /// Negative if a share became longer than expected.
    free: isize,
    shares: HashMap<u64, Allocation>,
    next: u64,
}

#[derive(Debug)]
struct Allocation {
    client: Client,
    bytes: usize,
    since: Instant,
    given_up: CancellationToken,
}

impl Allocation {
    fn bytes_per_second(&self, now: Instant) -> f64 {
        self.bytes as f64 / now.saturating_duration_since(self.since).as_secs_f64()
    }
}

/// The bytes of one body or history, which are freed when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    room: Arc<Room>,
    id: u64,
    given_up: CancellationToken,
}

impl Room {
    pub(crate) fn new(bytes: usize) -> Self {
        let state = Budget { free: signed(bytes), shares: HashMap::new(), next: 0 };
        Self { state: Mutex::new(state), freed: Notify::new() }
    }

    /// A new share of this client's, without bytes yet.
    pub(crate) fn enter(self: &Arc<Self>, client: Client) -> Share {
        let given_up = CancellationToken::new();
        let mut state = self.lock();
        state.next += 1;
        let id = state.next;
        let usage = Allocation { client, bytes: 0, since: Instant::now(), given_up: given_up.clone() };
        state.shares.insert(id, usage);
        Share { room: Arc::clone(self), id, given_up }
    }

    fn lock(&self) -> MutexGuard<'_, Budget> {
        // Both fields change together, without a panic in between.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes this number of bytes more, once they are free. False if it is evicted meanwhile.
    pub(crate) async fn grow(&mut self, bytes: usize) -> bool {
        let evict_at = Instant::now() + EVICT_AFTER;
        loop {
            let mut freed = pin!(self.room.freed.notified());
            // Before the look at the budget, so that no notification is missed.
            freed.as_mut().enable();
            if self.room.lock().grow(self.id, bytes) {
                return true;
            }
            tokio::select! {
                () = self.given_up.cancelled() => return false,
                () = freed => {}
                () = sleep_until(evict_at) => self.room.lock().evict_one(),
            }
        }
    }

    /// Sets its bytes, even if they are not free.
    pub(crate) fn set(&self, bytes: usize) {
        let mut state = self.room.lock();
        let Budget { free, shares, .. } = &mut *state;
        if let Some(usage) = shares.get_mut(&self.id) {
            *free += signed(usage.bytes) - signed(bytes);
            usage.bytes = bytes;
        }
        drop(state);
        self.room.freed.notify_waiters();
    }

    /// Resolves once it is evicted.
    pub(crate) async fn given_up(&self) {
        self.given_up.cancelled().await;
    }

    /// Cancelled once it is evicted or dropped.
    pub(crate) fn token(&self) -> CancellationToken {
        self.given_up.clone()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut state = self.room.lock();
        if let Some(usage) = state.shares.remove(&self.id) {
            state.free += signed(usage.bytes);
        }
        drop(state);
        self.given_up.cancel();
        self.room.freed.notify_waiters();
    }
}

impl Budget {
    /// Takes this number of bytes more for a share, if they are free.
    fn grow(&mut self, id: u64, bytes: usize) -> bool {
        let usage = self.shares.get_mut(&id).filter(|_| self.free >= signed(bytes));
        let is_there = usage.is_some();
        if let Some(usage) = usage {
            self.free -= signed(bytes);
            usage.bytes += bytes;
        }
        is_there
    }

    fn evict_one(&mut self) {
        let now = Instant::now();
        let mut by_client: HashMap<&Client, usize> = HashMap::new();
        for usage in self.shares.values() {
            *by_client.entry(&usage.client).or_default() += usage.bytes;
        }
        let most = by_client.values().copied().max().unwrap_or_default();
        let of_biggest = self.shares.iter().filter(|(_, usage)| usage.bytes > 0 && by_client[&usage.client] == most);
        let slowest =
            of_biggest.min_by(|(_, one), (_, other)| one.bytes_per_second(now).total_cmp(&other.bytes_per_second(now)));
        if let Some(id) = slowest.map(|(id, _)| *id)
            && let Some(usage) = self.shares.remove(&id)
        {
            self.free += signed(usage.bytes);
            usage.given_up.cancel();
        }
    }
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}
