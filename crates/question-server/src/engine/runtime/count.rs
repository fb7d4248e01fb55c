//! The number of stored conversations. To count them, a store looks at each, so that is done now and then.

use crate::config::limits::{COUNT_PAUSE, COUNTED_FOR};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of stored conversations when it was counted last, with what this server has stored and deleted since.
#[derive(Debug, Default)]
pub(super) struct StoredCount(Mutex<Option<(usize, Instant)>>);

impl StoredCount {
    /// The number, if it was counted lately. Changes of other servers show late.
    pub(super) fn known(&self) -> Option<usize> {
        let counted = self.lock().filter(|(_, until)| Instant::now() < *until);
        counted.map(|(count, _)| count)
    }

    /// Sets the number, which took this long to count.
    pub(super) fn set(&self, count: usize, took: Duration) {
        *self.lock() = Some((count, Instant::now() + COUNTED_FOR.max(took * COUNT_PAUSE)));
    }

    /// Counts conversations that this server has stored or deleted.
    pub(super) fn change(&self, by: isize) {
        if let Some((count, _)) = &mut *self.lock() {
            *count = count.saturating_add_signed(by);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(usize, Instant)>> {
        // Two numbers, which no panic leaves half-written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
