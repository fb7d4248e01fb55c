//! Rates: the number of times that something may happen.

use std::collections::HashMap;
use std::hash::Hash;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

/// The number of times that something may happen in a minute: at once, or spread over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerMinute(u32);

impl PerMinute {
    /// The same rate, this many times as high.
    pub(crate) const fn times(self, factor: u32) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// As often as that; 0 is without a bound.
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

/// What is left of a rate; it grows back with time.
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

    /// Returns true if it is as it would be if nothing had been taken.
    pub(crate) fn is_whole(&self, now: Instant) -> bool {
        let most = f64::from(self.rate.0);
        self.lock().grown(now, most) >= most
    }

    /// Takes one of what is left, or says how long it is until there is one.
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
        // Both fields are plain numbers, written one after the other without a panic in between.
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is left of a rate to each of many.
#[derive(Debug)]
pub(crate) struct TokenBuckets<K> {
    rate: PerMinute,
    kept: Mutex<Kept<K>>,
}

#[derive(Debug)]
struct Kept<K> {
    allowances: HashMap<K, TokenBucket>,
    /// The number at which those that are whole are looked for next.
    prune_at: usize,
}

/// The number that is not worth a look.
const FEW: usize = 64;

impl<K: Eq + Hash> TokenBuckets<K> {
    pub(crate) fn new(rate: PerMinute) -> Self {
        let kept = Kept { allowances: HashMap::new(), prune_at: FEW };
        Self { rate, kept: Mutex::new(kept) }
    }

    /// Takes one of what is left to this one, or says how long it is until there is one.
    pub(crate) fn take(&self, now: Instant, key: K) -> Result<(), Duration> {
        // An allowance more or less is all that a panic elsewhere could have left.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.allowances.len() >= kept.prune_at {
            kept.allowances.retain(|_, allowance| !allowance.is_whole(now));
            kept.prune_at = FEW.max(2 * kept.allowances.len());
        }
        kept.allowances.entry(key).or_insert_with(|| TokenBucket::new(now, self.rate)).take(now)
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
        let allowance = TokenBucket::new(start, PerMinute::new(30));
        let taken = |now| (0..100).take_while(|_| allowance.take(now).is_ok()).count();
        assert!(allowance.is_whole(start));
        assert_eq!(taken(start), 30);
        assert_eq!(allowance.take(start), Err(Duration::from_secs(2)));
        assert_eq!(taken(start + Duration::from_secs(2)), 1);
        assert!(!allowance.is_whole(start + Duration::from_secs(30)));
        assert!(allowance.is_whole(start + Duration::from_secs(3600)));
        assert_eq!(taken(start + Duration::from_secs(3600)), 30);
    }

    #[test]
    fn each_has_a_rate_of_its_own_that_is_forgotten_once_it_is_whole() {
        let start = Instant::now();
        let allowances = TokenBuckets::new(PerMinute::new(1));
        for number in 0..10 * FEW {
            assert!(allowances.take(start, number).is_ok());
            assert!(allowances.take(start, number).is_err(), "{number}");
        }
        let later = start + Duration::from_secs(60);
        allowances.take(later, 0).expect("it has grown back");
        for number in 0..10 * FEW {
            allowances.take(later, 10 * FEW + number).expect("it is new");
        }
        assert!(allowances.kept.lock().expect("nobody panics").allowances.len() <= 21 * FEW);
    }

    #[test]
    fn zero_is_no_bound() {
        let now = Instant::now();
        let allowance = TokenBucket::new(now, PerMinute::new(0));
        assert!((0..10_000).all(|_| allowance.take(now).is_ok()));
    }
}
