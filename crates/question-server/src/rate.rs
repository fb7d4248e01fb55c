//! Rate limits.

use std::collections::HashMap;
use std::hash::Hash;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

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

impl FromStr for PerMinute {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self).map_err(|_| "must be a non-negative integer")
    }
}

/// A token bucket, which refills with time.
#[derive(Debug)]
pub(crate) struct TokenBucket {
    rate: PerMinute,
    left: Mutex<Left>,
}

#[derive(Debug)]
struct Left {
    times: f64,
    at: Instant,
}

impl TokenBucket {
    pub(crate) fn new(now: Instant, rate: PerMinute) -> Self {
        let left = Left { times: f64::from(rate.0), at: now };
        Self { rate, left: Mutex::new(left) }
    }

    /// True if it is full.
    pub(crate) fn is_whole(&self, now: Instant) -> bool {
        let most = f64::from(self.rate.0);
        self.lock().grown(now, most) >= most
    }

    /// Takes a token, or returns the time until there is one.
    pub(crate) fn take(&self, now: Instant) -> Result<(), Duration> {
        let most = f64::from(self.rate.0);
        if most == 0.0 {
            return Ok(());
        }
        let a_second = most / MINUTE.as_secs_f64();
        let mut left = self.lock();
        left.times = left.grown(now, most);
        left.at = now;
        if left.times < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - left.times) / a_second));
        }
        left.times -= 1.0;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Left> {
        // Both fields are plain numbers, so a panic leaves them usable.
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A token bucket for each key.
#[derive(Debug)]
pub(crate) struct TokenBuckets<K> {
    rate: PerMinute,
    buckets: Mutex<Buckets<K>>,
}

#[derive(Debug)]
struct Buckets<K> {
    by_key: HashMap<K, TokenBucket>,
    /// The number of buckets at which full ones are dropped next.
    prune_at: usize,
}

/// The least number of buckets at which full ones are dropped.
const FEW: usize = 64;

impl<K: Eq + Hash> TokenBuckets<K> {
    pub(crate) fn new(rate: PerMinute) -> Self {
        let buckets = Buckets { by_key: HashMap::new(), prune_at: FEW };
        Self { rate, buckets: Mutex::new(buckets) }
    }

    /// Takes a token of this key, or returns the time until there is one.
    pub(crate) fn take(&self, now: Instant, key: K) -> Result<(), Duration> {
        // A panic leaves at most a bucket more or less.
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.by_key.len() >= buckets.prune_at {
            buckets.by_key.retain(|_, bucket| !bucket.is_whole(now));
            buckets.prune_at = FEW.max(2 * buckets.by_key.len());
        }
        buckets.by_key.entry(key).or_insert_with(|| TokenBucket::new(now, self.rate)).take(now)
    }
}

impl Left {
    fn grown(&self, now: Instant, most: f64) -> f64 {
        let passed = now.saturating_duration_since(self.at);
        (self.times + passed.as_secs_f64() * most / MINUTE.as_secs_f64()).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, PerMinute, TokenBucket, TokenBuckets};
    use std::time::{Duration, Instant};

    #[test]
    fn it_grows_back_and_no_further_than_it_was() {
        let start = Instant::now();
        let bucket = TokenBucket::new(start, PerMinute::new(30));
        let taken = |now| (0..100).take_while(|_| bucket.take(now).is_ok()).count();
        assert!(bucket.is_whole(start));
        assert_eq!(taken(start), 30);
        assert_eq!(bucket.take(start), Err(Duration::from_secs(2)));
        assert_eq!(taken(start + Duration::from_secs(2)), 1);
        assert!(!bucket.is_whole(start + Duration::from_secs(30)));
        assert!(bucket.is_whole(start + Duration::from_secs(3600)));
        assert_eq!(taken(start + Duration::from_secs(3600)), 30);
    }

    #[test]
    fn each_has_a_rate_of_its_own_that_is_forgotten_once_it_is_whole() {
        let start = Instant::now();
        let buckets = TokenBuckets::new(PerMinute::new(1));
        for number in 0..10 * FEW {
            assert!(buckets.take(start, number).is_ok());
            assert!(buckets.take(start, number).is_err(), "{number}");
        }
        let later = start + Duration::from_secs(60);
        buckets.take(later, 0).expect("it has grown back");
        for number in 0..10 * FEW {
            buckets.take(later, 10 * FEW + number).expect("it is new");
        }
        assert!(buckets.buckets.lock().expect("no test panics").by_key.len() <= 21 * FEW);
    }

    #[test]
    fn zero_is_no_bound() {
        let now = Instant::now();
        let bucket = TokenBucket::new(now, PerMinute::new(0));
        assert!((0..10_000).all(|_| bucket.take(now).is_ok()));
    }
}
