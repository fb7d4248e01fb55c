//! The memory that bodies share while they arrive.

use crate::error::ApiError;
use crate::owner::Client;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// How long a body waits for room before another one is given up for it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Bytes that all bodies may have together. When they are used up, the slowest body of the client that has most of them is given up: one that sends
/// nothing any more, or one of very many.
#[derive(Debug)]
pub(super) struct Room {
    state: Mutex<State>,
    /// Notified when there is more of it.
    freed: Notify,
}

#[derive(Debug)]
struct State {
    free: usize,
    bodies: HashMap<u64, Held>,
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

/// The room of one body; free again when it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    room: Arc<Room>,
    id: u64,
    given_up: CancellationToken,
}

impl Room {
    pub(super) fn new(bytes: usize) -> Self {
        let state = State { free: bytes, bodies: HashMap::new(), next: 0 };
        Self { state: Mutex::new(state), freed: Notify::new() }
    }

    /// A body of this client that arrives; it has no room yet.
    pub(super) fn enter(self: &Arc<Self>, client: Client) -> Share {
        let given_up = CancellationToken::new();
        let mut state = self.lock();
        state.next += 1;
        let id = state.next;
        let held = Held { client, bytes: 0, since: Instant::now(), given_up: given_up.clone() };
        state.bodies.insert(id, held);
        Share { room: Arc::clone(self), id, given_up }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change of both fields has no panic in between.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes this number of bytes more, once they are free.
    pub(super) async fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let patience = Instant::now() + PATIENCE;
        loop {
            let mut freed = pin!(self.room.freed.notified());
            // From now on, so that none is missed.
            freed.as_mut().enable();
            if self.room.lock().grow(self.id, bytes) {
                return Ok(());
            }
            tokio::select! {
                () = self.given_up.cancelled() => return Err(ApiError::BodyGivenUp),
                () = freed => {}
                () = sleep_until(patience) => self.room.lock().give_one_up(),
            }
        }
    }

    /// When the body is given up for another.
    pub(super) async fn given_up(&self) {
        self.given_up.cancelled().await;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut state = self.room.lock();
        if let Some(held) = state.bodies.remove(&self.id) {
            state.free += held.bytes;
        }
        drop(state);
        self.room.freed.notify_waiters();
    }
}

impl State {
    /// Takes this number of bytes more for a body, if they are free.
    fn grow(&mut self, id: u64, bytes: usize) -> bool {
        let held = self.bodies.get_mut(&id).filter(|_| self.free >= bytes);
        let is_there = held.is_some();
        if let Some(held) = held {
            self.free -= bytes;
            held.bytes += bytes;
        }
        is_there
    }

    fn give_one_up(&mut self) {
        let now = Instant::now();
        let mut by_client: HashMap<&Client, usize> = HashMap::new();
        for held in self.bodies.values() {
            *by_client.entry(&held.client).or_default() += held.bytes;
        }
        let most = by_client.values().copied().max().unwrap_or_default();
        let of_biggest = self.bodies.iter().filter(|(_, held)| held.bytes > 0 && by_client[&held.client] == most);
        let slowest =
            of_biggest.min_by(|(_, one), (_, other)| one.bytes_per_second(now).total_cmp(&other.bytes_per_second(now)));
        if let Some(id) = slowest.map(|(id, _)| *id)
            && let Some(held) = self.bodies.remove(&id)
        {
            self.free += held.bytes;
            held.given_up.cancel();
        }
    }
}
