//! What clients share: memory for bodies being received and histories being sent, and streams.

use crate::auth::caller::Client;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// The time that a share waits for memory before its request is refused.
const ROOM_TIMEOUT: Duration = Duration::from_millis(500);

/// The part of a budget that one client may use: one in this many.
const CLIENTS: usize = 4;

/// A budget of bytes. When it is used up, further requests are refused. One client cannot use it up.
#[derive(Debug)]
pub(crate) struct Room {
    most: usize,
    most_of_client: usize,
    /// The most bytes that are reserved for one text.
    longest: usize,
    used: Mutex<Used>,
    /// Notified when bytes are freed.
    freed: Notify,
}

#[derive(Debug, Default)]
struct Used {
    all: usize,
    by_client: HashMap<Client, usize>,
}

/// The bytes of one body or history, which are freed when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    room: Arc<Room>,
    client: Client,
    bytes: usize,
}

impl Room {
    /// A budget of this size, of which one share may take `longest`.
    pub(crate) fn new(bytes: usize, longest: usize) -> Self {
        let most = bytes.max(longest);
        let most_of_client = longest.max(most / CLIENTS);
        Self { most, most_of_client, longest, used: Mutex::default(), freed: Notify::new() }
    }

    /// A budget that is bounded for each client alone.
    pub(crate) fn for_each_client(most_of_client: usize) -> Self {
        Self { most_of_client, ..Self::new(usize::MAX, 0) }
    }

    /// A new share of this client's, without bytes yet.
    pub(crate) fn enter(self: &Arc<Self>, client: Client) -> Share {
        Share { room: Arc::clone(self), client, bytes: 0 }
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        // Both fields change together, without a panic in between.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes this number of bytes more, once they are free. Returns false if that takes too long.
    pub(crate) async fn grow(&mut self, bytes: usize) -> bool {
        let until = Instant::now() + ROOM_TIMEOUT;
        loop {
            let room = Arc::clone(&self.room);
            let mut freed = pin!(room.freed.notified());
            // Enabled before the budget is checked, so that no notification is missed.
            freed.as_mut().enable();
            if self.try_grow(bytes) {
                return true;
            }
            if timeout_at(until, freed).await.is_err() {
                return false;
            }
        }
    }

    /// Takes this number of bytes more, if they are free.
    pub(crate) fn try_grow(&mut self, bytes: usize) -> bool {
        let mut used = self.room.lock();
        // Requests of this machine without a name may come from several clients.
        let is_over = self.client != Client::Unknown
            && used.by_client.get(&self.client).copied().unwrap_or_default() + bytes > self.room.most_of_client;
        if is_over || used.all + bytes > self.room.most {
            return false;
        }
        used.add(&self.client, bytes);
        self.bytes += bytes;
        true
    }

    /// Reserves the missing bytes of a text of about this length, if they are free.
    pub(crate) fn try_reserve(&mut self, length: usize) -> bool {
        self.try_grow(self.missing(length))
    }

    /// Like `try_reserve`, but waits until the bytes are free. Returns false if that takes too long.
    pub(crate) async fn reserve(&mut self, length: usize) -> bool {
        self.grow(self.missing(length)).await
    }

    fn missing(&self, length: usize) -> usize {
        length.min(self.room.longest).saturating_sub(self.bytes)
    }

    /// Sets its bytes, even if they are not free.
    pub(crate) fn set(&mut self, bytes: usize) {
        let mut used = self.room.lock();
        used.remove(&self.client, self.bytes);
        used.add(&self.client, bytes);
        drop(used);
        self.bytes = bytes;
        self.room.freed.notify_waiters();
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.room.lock().remove(&self.client, self.bytes);
        self.room.freed.notify_waiters();
    }
}

impl Used {
    fn add(&mut self, client: &Client, bytes: usize) {
        if bytes > 0 {
            self.all += bytes;
            *self.by_client.entry(client.clone()).or_default() += bytes;
        }
    }

    fn remove(&mut self, client: &Client, bytes: usize) {
        self.all -= bytes;
        if let Some(of_client) = self.by_client.get_mut(client) {
            *of_client -= bytes;
            if *of_client == 0 {
                self.by_client.remove(client);
            }
        }
    }
}
