//! Questions whose time is over: the agent goes on without an answer, whether or not anybody looks.

use super::Runtime;
use crate::error::ApiError;
use crate::live::{Live, Run, Talk};
use crate::owner::name_in_log;
use crate::store::Deadlines;
use question_agent::{Event, Timestamp};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// How long it is until a store that failed is asked again.
const RETRY: Duration = Duration::from_secs(60);

/// Lets questions expire at their time, for as long as the server lives.
pub(crate) fn watch_deadlines(runtime: &Arc<Runtime>) {
    let watched = Arc::downgrade(runtime);
    let (clock, changed) = (Arc::clone(&runtime.clock), Arc::clone(&runtime.deadlines_changed));
    let shutdown = runtime.shutdown.clone();
    tokio::spawn(async move {
        loop {
            let Some(runtime) = watched.upgrade() else {
                return;
            };
            let next = runtime.expire_all().await;
            drop(runtime);
            let struck = async {
                match next {
                    Some(next) => clock.sleep_until(next).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = changed.notified() => {}
                () = struck => {}
            }
        }
    });
}

impl Runtime {
    /// When an ask expires that begins to wait now.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let patience = self.expire_after?;
        Some(later(self.clock.now(), patience))
    }

    /// Lets the question that waits expire, if its time is over.
    pub(super) async fn expire(self: &Arc<Self>, live: &Arc<Live>, talk: &mut Talk) -> Result<(), ApiError> {
        let now = self.clock.now();
        let waiting = talk.conversation.waiting();
        if !waiting.is_some_and(|waiting| waiting.is_expired(now)) {
            return Ok(());
        }
        let run = Run::detached(Uuid::new_v4().to_string(), talk);
        let expired = Event::QuestionExpired { now };
        self.begin(live, talk, run, Some(expired)).await?;
        Ok(())
    }

    /// Lets all questions expire whose time is over, and says when to look again.
    async fn expire_all(self: &Arc<Self>) -> Option<Timestamp> {
        let now = self.clock.now();
        let Deadlines { over, next } = match self.store.deadlines(now).await {
            Ok(deadlines) => deadlines,
            Err(error) => {
                tracing::error!(%error, "the store does not say which questions have expired");
                return Some(later(now, RETRY));
            }
        };
        let mut retry = None;
        for id in over {
            let permit = Arc::clone(&self.unattended).acquire_owned().await;
            match self.expire_stored(&id).await {
                Ok(run) => hold_during(run, permit),
                Err(error) => {
                    let conversation = name_in_log(&id, None);
                    tracing::error!(%conversation, ?error, "its question cannot expire");
                    retry = Some(later(now, RETRY));
                }
            }
        }
        next.into_iter().chain(retry).min()
    }

    /// Gives the run in which the agent goes on.
    async fn expire_stored(self: &Arc<Self>, id: &str) -> Result<Option<Run>, ApiError> {
        let found = self.find(&mut *self.slots.lock().await, id).await?;
        match found {
            Some(live) => Ok(self.talk(&live).await?.run.clone()),
            None => Ok(None),
        }
    }
}

/// Holds a permit until the run is over, where there is one.
pub(super) fn hold_during<T: Send + 'static>(run: Option<Run>, permit: T) {
    tokio::spawn(async move {
        if let Some(run) = run {
            run.over.cancelled().await;
        }
        drop(permit);
    });
}

fn later(time: Timestamp, by: Duration) -> Timestamp {
    let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
    Timestamp(time.0.saturating_add(by))
}
