//! Memory that clients share: for bodies that arrive, and for histories that are read.

use crate::caller::Client;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// The time that one waits for room before another is given up for it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Bytes that all may have together. When they are used up, the slowest of the client that has most of them is given up: one on which nothing goes
/// on any more, or one of very many.
#[derive(Debug)]
pub(crate) struct Room {
    state: Mutex<State>,
    /// Notified when there is more of it.
    freed: Notify,
}

#[derive(Debug)]
struct State {
    /// Less than nothing where one has become longer than it was to be.
    free: isize,
    all: HashMap<u64, Held>,
    next: u64,
}

#[derive(Debug)]
struct Held {
    client: Client,
    bytes: usize,
    since: Instant,
    given_up: CancellationToken,
}

impl Held {
    fn bytes_per_second(&self, now: Instant) -> f64 {
        self.bytes as f64 / now.saturating_duration_since(self.since).as_secs_f64()
    }
}

/// The room of one; free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    room: Arc<Room>,
    id: u64,
    given_up: CancellationToken,
}

impl Room {
    pub(crate) fn new(bytes: usize) -> Self {
        let state = State { free: signed(bytes), all: HashMap::new(), next: 0 };
        Self { state: Mutex::new(state), freed: Notify::new() }
    }

    /// One more of this client's; it has no room yet.
    pub(crate) fn enter(self: &Arc<Self>, client: Client) -> Share {
        let given_up = CancellationToken::new();
        let mut state = self.lock();
        state.next += 1;
        let id = state.next;
        let held = Held { client, bytes: 0, since: Instant::now(), given_up: given_up.clone() };
        state.all.insert(id, held);
        Share { room: Arc::clone(self), id, given_up }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change of both fields has no panic in between.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes this number of bytes more, once they are free; false if it is given up meanwhile.
    pub(crate) async fn grow(&mut self, bytes: usize) -> bool {
        let patience = Instant::now() + PATIENCE;
        loop {
            let mut freed = pin!(self.room.freed.notified());
            // From now on, so that none is missed.
            freed.as_mut().enable();
            if self.room.lock().grow(self.id, bytes) {
                return true;
            }
            tokio::select! {
                () = self.given_up.cancelled() => return false,
                () = freed => {}
                () = sleep_until(patience) => self.room.lock().give_one_up(),
            }
        }
    }

    /// Takes this number of bytes in all from now on, whether or not they are free.
    pub(crate) fn set(&self, bytes: usize) {
        let mut state = self.room.lock();
        let State { free, all, .. } = &mut *state;
        if let Some(held) = all.get_mut(&self.id) {
            *free += signed(held.bytes) - signed(bytes);
            held.bytes = bytes;
        }
        drop(state);
        self.room.freed.notify_waiters();
    }

    /// When it is given up for another.
    pub(crate) async fn given_up(&self) {
        self.given_up.cancelled().await;
    }

    /// Cancelled when it is given up, or dropped.
    pub(crate) fn token(&self) -> CancellationToken {
        self.given_up.clone()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut state = self.room.lock();
        if let Some(held) = state.all.remove(&self.id) {
            state.free += signed(held.bytes);
        }
        drop(state);
        self.given_up.cancel();
        self.room.freed.notify_waiters();
    }
}

impl State {
    /// Takes this number of bytes more for one, if they are free.
    fn grow(&mut self, id: u64, bytes: usize) -> bool {
        let held = self.all.get_mut(&id).filter(|_| self.free >= signed(bytes));
        let is_there = held.is_some();
        if let Some(held) = held {
            self.free -= signed(bytes);
            held.bytes += bytes;
        }
        is_there
    }

    fn give_one_up(&mut self) {
        let now = Instant::now();
        let mut by_client: HashMap<&Client, usize> = HashMap::new();
        for held in self.all.values() {
            *by_client.entry(&held.client).or_default() += held.bytes;
        }
        let most = by_client.values().copied().max().unwrap_or_default();
        let of_biggest = self.all.iter().filter(|(_, held)| held.bytes > 0 && by_client[&held.client] == most);
        let slowest =
            of_biggest.min_by(|(_, one), (_, other)| one.bytes_per_second(now).total_cmp(&other.bytes_per_second(now)));
        if let Some(id) = slowest.map(|(id, _)| *id)
            && let Some(held) = self.all.remove(&id)
        {
            self.free += signed(held.bytes);
            held.given_up.cancel();
        }
    }
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}
