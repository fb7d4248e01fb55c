//! What time it is, so that tests can say so.

use async_trait::async_trait;
use question_agent::Timestamp;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A clock.
#[async_trait]
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// What time it is.
    fn now(&self) -> Timestamp;

    /// Waits until it is at least that late.
    async fn sleep_until(&self, time: Timestamp);
}

/// When it is so much later.
pub(crate) fn later(time: Timestamp, by: Duration) -> Timestamp {
    let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
    Timestamp(time.0.saturating_add(by))
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

/// How long it is slept at a stretch: timers stand still while the machine is suspended, and people set clocks.
const NAP: Duration = Duration::from_secs(30);

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    async fn sleep_until(&self, time: Timestamp) {
        loop {
            let left = Duration::from_millis(time.0.saturating_sub(self.now().0));
            if left.is_zero() {
                return;
            }
            // Until a deadline; tests have a clock of their own.
            tokio::time::sleep(left.min(NAP)).await;
        }
    }
}
