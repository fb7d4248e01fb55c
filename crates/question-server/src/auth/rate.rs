//! Rate limits.

use governor::clock::{Clock, MonotonicClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A rate per minute, which also is the largest burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerMinute(u32);

impl PerMinute {
    /// This multiple of the rate.
    pub(crate) const fn times(self, factor: u32) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// This rate; 0 is unlimited.
    #[must_use]
    pub const fn new(times: u32) -> Self {
        Self(times)
    }
}

type KeyedLimiter<K, C> = RateLimiter<K, HashMapStateStore<K>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// A rate limit for each key.
pub(crate) struct RateLimits<K: Eq + Hash + Clone, C: Clock = MonotonicClock> {
    /// `None` is unlimited.
    limiter: Option<KeyedLimiter<K, C>>,
    clock: C,
    /// The number of keys at which those are forgotten whose burst is whole again.
    prune_at: AtomicUsize,
}

/// The least value of `prune_at`.
const MIN_PRUNE_AT: usize = 64;

impl<K: Eq + Hash + Clone> RateLimits<K> {
    pub(crate) fn new(rate: PerMinute) -> Self {
        Self::with_clock(rate, MonotonicClock)
    }
}

impl<K: Eq + Hash + Clone, C: Clock + Clone> RateLimits<K, C> {
    fn with_clock(rate: PerMinute, clock: C) -> Self {
        let quota = NonZeroU32::new(rate.0).map(Quota::per_minute);
        let limiter = quota.map(|quota| RateLimiter::hashmap_with_clock(quota, clock.clone()));
        Self { limiter, clock, prune_at: AtomicUsize::new(MIN_PRUNE_AT) }
    }

    /// Counts one for this key, or returns the time until that is allowed.
    pub(crate) fn take(&self, key: &K) -> Result<(), Duration> {
        let Some(limiter) = &self.limiter else {
            return Ok(());
        };
        if limiter.len() >= self.prune_at.load(Ordering::Relaxed) {
            limiter.retain_recent();
            limiter.shrink_to_fit();
            self.prune_at.store(MIN_PRUNE_AT.max(2 * limiter.len()), Ordering::Relaxed);
        }
        limiter.check_key(key).map_err(|not_until| not_until.wait_time_from(self.clock.now()))
    }
}

impl<K: Eq + Hash + Clone, C: Clock> fmt::Debug for RateLimits<K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimits").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{MIN_PRUNE_AT, PerMinute, RateLimits};
    use governor::clock::FakeRelativeClock;
    use std::time::Duration;

    #[test]
    fn keys_are_forgotten_once_their_rate_is_whole_again() {
        let clock = FakeRelativeClock::default();
        let limits = RateLimits::with_clock(PerMinute::new(1), clock.clone());
        for key in 0..10 * MIN_PRUNE_AT {
            assert!(limits.take(&key).is_ok());
            assert_eq!(limits.take(&key), Err(Duration::from_secs(60)), "{key}");
        }
        clock.advance(Duration::from_secs(60));
        limits.take(&0).expect("it has grown back");
        for key in 0..10 * MIN_PRUNE_AT {
            limits.take(&(10 * MIN_PRUNE_AT + key)).expect("it is new");
        }
        assert!(limits.limiter.expect("there is a limit").len() <= 21 * MIN_PRUNE_AT);
    }
}
