//! Clocks, which tests can set.

use async_trait::async_trait;
use question_agent::Timestamp;
use std::fmt;
use std::sync::PoisonError;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// A clock.
#[async_trait]
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The present time.
    fn now(&self) -> Timestamp;

    /// Waits until this time, but for no longer than it is away now, since a clock may be set back.
    async fn sleep_until(&self, time: Timestamp) {
        let left = || Duration::from_millis(time.0.saturating_sub(self.now().0));
        let end = Instant::now() + left();
        while Instant::now() < end && !left().is_zero() {
            tokio::time::sleep_until(end.min(Instant::now() + MAX_SLEEP.min(left()))).await;
        }
    }
}

/// The longest sleep without a look at the clock: timers stop while the machine is suspended, and people set clocks.
const MAX_SLEEP: Duration = Duration::from_secs(30);

/// The time this much earlier, if there is one.
pub(crate) fn earlier(time: Timestamp, by: Duration) -> Option<Timestamp> {
    let by = u64::try_from(by.as_millis()).ok()?;
    time.0.checked_sub(by).map(Timestamp)
}

pub(crate) fn later(time: Timestamp, by: Duration) -> Timestamp {
    let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
    Timestamp(time.0.saturating_add(by))
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// The clock of a database: its last reading, advanced by this machine's monotonic clock.
#[derive(Debug, Default)]
pub struct DatabaseClock(std::sync::Mutex<Option<(Timestamp, std::time::Instant)>>);

/// The longest round trip of a reading that sets the clock.
#[cfg(feature = "postgres")]
const MAX_ROUND_TRIP: Duration = Duration::from_secs(1);

#[cfg(feature = "postgres")]
impl DatabaseClock {
    /// Sets it to a reading of the database that was asked for at `asked`. A slow response is ignored, since it would set the clock wrong.
    pub(crate) fn set(&self, time: Timestamp, asked: std::time::Instant) {
        let took = asked.elapsed();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if took < MAX_ROUND_TRIP || known.is_none() {
            *known = Some((time, asked + took / 2));
        }
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.map_or_else(|| SystemClock.now(), |(time, at)| later(time, at.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;
    use question_agent::Timestamp;
    use std::sync::atomic::{AtomicU64, Ordering};
    use tokio::time::Instant;

    #[derive(Debug)]
    struct SetBack(AtomicU64);

    impl Clock for SetBack {
        fn now(&self) -> Timestamp {
            Timestamp(self.0.swap(0, Ordering::Relaxed))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_is_no_longer_because_the_clock_is_set_back() {
        let begun = Instant::now();
        SetBack(AtomicU64::new(600_000)).sleep_until(Timestamp(605_000)).await;
        assert_eq!(begun.elapsed().as_secs(), 5);
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn a_databases_clock_goes_on_from_what_the_database_said() {
        let clock = super::DatabaseClock::default();
        let now = std::time::Instant::now();
        clock.set(Timestamp(1_000), now);
        assert!((1_000..60_000).contains(&clock.now().0), "whatever this machine's clock says");
        if let Some(long_ago) = now.checked_sub(super::Duration::from_secs(30)) {
            clock.set(Timestamp(9_000_000), long_ago);
            assert!(clock.now().0 < 9_000_000, "the time is unknown");
        }
    }
}
