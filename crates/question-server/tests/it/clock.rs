//! A clock that a test sets.

use async_trait::async_trait;
use question_agent::Timestamp;
use question_server::clock::Clock;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// A clock that stands still until it is moved.
#[derive(Clone, Debug)]
pub(crate) struct HandClock(Arc<watch::Sender<Timestamp>>);

impl HandClock {
    /// At noon on 20 November 2026.
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Timestamp(1_795_176_000_000))))
    }

    pub(crate) fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).expect("no test takes that long");
        self.0.send_modify(|now| now.0 += by);
    }
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *self.0.borrow()
    }

    async fn sleep_until(&self, time: Timestamp) {
        let mut now = self.0.subscribe();
        let late = now.wait_for(|now| *now >= time).await;
        late.expect("the clock holds the other end");
    }
}
