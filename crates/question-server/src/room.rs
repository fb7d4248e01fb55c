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

/// A budget of bytes. When it is used up, the slowest share of the client with the most bytes is evicted: an idle one, or one of very
/// many.
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
    /// Moved on by the time in which it waited for the server.
    since: Instant,
    /// Since when it waits for the server: for memory, or for the history that it is for.
    waits_since: Option<Instant>,
    given_up: CancellationToken,
}

impl Allocation {
    /// Its speed, without the time in which it waited for the server.
    fn bytes_per_second(&self, now: Instant) -> f64 {
        let until = self.waits_since.unwrap_or(now);
        self.bytes as f64 / until.saturating_duration_since(self.since).as_secs_f64()
    }

    fn waits(&mut self) {
        self.waits_since.get_or_insert_with(Instant::now);
    }

    fn comes_on(&mut self) {
        self.since += self.waits_since.take().map(|since| since.elapsed()).unwrap_or_default();
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
        let usage =
            Allocation { client, bytes: 0, since: Instant::now(), waits_since: None, given_up: given_up.clone() };
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
            if self.try_grow(bytes) {
                return true;
            }
            self.waits();
            tokio::select! {
                () = self.given_up.cancelled() => return false,
                () = freed => {}
                () = sleep_until(evict_at) => self.room.lock().evict_one(),
            }
        }
    }

    /// Takes this number of bytes more, if they are free.
    pub(crate) fn try_grow(&self, bytes: usize) -> bool {
        self.room.lock().grow(self.id, bytes)
    }

    /// Marks it as waiting for the server, until it grows or is set. Others are evicted before it.
    pub(crate) fn waits(&self) {
        if let Some(usage) = self.room.lock().shares.get_mut(&self.id) {
            usage.waits();
        }
    }

    /// Its bytes; `None` if it was evicted.
    pub(crate) fn bytes(&self) -> Option<usize> {
        Some(self.room.lock().shares.get(&self.id)?.bytes)
    }

    /// Sets its bytes, even if they are not free.
    pub(crate) fn set(&self, bytes: usize) {
        let mut state = self.room.lock();
        let Budget { free, shares, .. } = &mut *state;
        if let Some(usage) = shares.get_mut(&self.id) {
            *free += signed(usage.bytes) - signed(bytes);
            usage.bytes = bytes;
            usage.comes_on();
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
            usage.comes_on();
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
        // One that waits for the server is not slow by itself.
        let slowest = of_biggest.min_by(|(_, one), (_, other)| {
            let order = |usage: &Allocation| (usage.waits_since.is_some(), usage.bytes_per_second(now));
            let ((one_waits, one), (other_waits, other)) = (order(one), order(other));
            one_waits.cmp(&other_waits).then(one.total_cmp(&other))
        });
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
