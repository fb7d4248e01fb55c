//! Rate limits.

use governor::clock::{Clock, MonotonicClock};
use governor::state::keyed::HashMapStateStore;
use governor::{NotUntil, Quota, RateLimiter};
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

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

/// A rate limit for each key.
pub(crate) struct RateLimits<K: Eq + Hash + Clone, C: Clock<Instant = Instant> = MonotonicClock> {
    /// `None` is unlimited.
    limiter: Option<RateLimiter<K, HashMapStateStore<K>, C>>,
    clock: C,
    /// The number of keys at which those are forgotten whose whole burst is allowed again.
    prune_at: AtomicUsize,
}

/// The least number of keys at which some are forgotten.
const FEW: usize = 64;

impl<K: Eq + Hash + Clone> RateLimits<K> {
    pub(crate) fn new(rate: PerMinute) -> Self {
        Self::with_clock(rate, MonotonicClock)
    }
}

impl<K: Eq + Hash + Clone, C: Clock<Instant = Instant> + Clone> RateLimits<K, C> {
    fn with_clock(rate: PerMinute, clock: C) -> Self {
        let quota = NonZeroU32::new(rate.0).map(Quota::per_minute);
        let limiter = quota.map(|quota| RateLimiter::hashmap_with_clock(quota, clock.clone()));
        Self { limiter, clock, prune_at: AtomicUsize::new(FEW) }
    }

    /// Counts one for this key, or returns the time until that is allowed.
    pub(crate) fn take(&self, key: &K) -> Result<(), Duration> {
        let Some(limiter) = &self.limiter else {
            return Ok(());
        };
        if limiter.len() >= self.prune_at.load(Ordering::Relaxed) {
            limiter.retain_recent();
            limiter.shrink_to_fit();
            self.prune_at.store(FEW.max(2 * limiter.len()), Ordering::Relaxed);
        }
        let wait = |not_until: NotUntil<Instant>| not_until.wait_time_from(self.clock.now());
        limiter.check_key(key).map_err(wait)
    }
}

impl<K: Eq + Hash + Clone, C: Clock<Instant = Instant>> fmt::Debug for RateLimits<K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimits").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, PerMinute, RateLimits};
    use governor::clock::Clock;
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    /// A clock that a test moves on.
    #[derive(Clone, Debug)]
    struct Stopped(Arc<Mutex<Instant>>);

    impl Stopped {
        fn advance(&self, by: Duration) {
            *self.0.lock().expect("no test panics with it") += by;
        }
    }

    impl Clock for Stopped {
        type Instant = Instant;

        fn now(&self) -> Instant {
            *self.0.lock().expect("no test panics with it")
        }
    }

    fn limits(rate: u32) -> (RateLimits<usize, Stopped>, Stopped) {
        let clock = Stopped(Arc::new(Mutex::new(Instant::now())));
        (RateLimits::with_clock(PerMinute::new(rate), clock.clone()), clock)
    }

    #[test]
    fn a_burst_grows_back_and_no_further_than_it_was() {
        let (limits, clock) = limits(30);
        let taken = || (0..100).take_while(|_| limits.take(&0).is_ok()).count();
        assert_eq!(taken(), 30);
        assert_eq!(limits.take(&0), Err(Duration::from_secs(2)));
        clock.advance(Duration::from_secs(2));
        assert_eq!(taken(), 1);
        clock.advance(Duration::from_secs(3600));
        assert_eq!(taken(), 30);
    }

    #[test]
    fn each_key_has_a_rate_of_its_own_until_it_is_whole_again() {
        let (limits, clock) = limits(1);
        for key in 0..10 * FEW {
            assert!(limits.take(&key).is_ok());
            assert!(limits.take(&key).is_err(), "{key}");
        }
        clock.advance(Duration::from_secs(60));
        limits.take(&0).expect("it has grown back");
        for key in 0..10 * FEW {
            limits.take(&(10 * FEW + key)).expect("it is new");
        }
        assert!(limits.limiter.expect("there is a limit").len() <= 21 * FEW);
    }

    #[test]
    fn zero_is_no_limit() {
        let (limits, _) = limits(0);
        assert!((0..10_000).all(|_| limits.take(&0).is_ok()));
    }
}
