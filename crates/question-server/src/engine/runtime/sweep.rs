//! Work without a client: agents whose server has died, questions that expire, and callbacks.

use super::Runtime;
use crate::config::limits::{EXPIRED_AT_A_TIME, RELOADS_AT_ONCE, SWEEP, WEBHOOK_CLAIM};
use crate::engine::callbacks::{CallUnderWay, Callbacks, Called, pause_after};
use crate::engine::clock::{Clock, later};
use crate::engine::session::{ActiveRun, ActiveSession, SessionState};
use crate::error::{ApiError, WithCauses};
use crate::owner::name_in_log;
use crate::store::{DueKind, Webhook};
use futures_util::{FutureExt as _, StreamExt as _, join, stream};
use question_agent::{ConvState, Event, Timestamp};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Runs one turn of a background task. A panic ends the turn alone, which then returns `None`.
pub(super) async fn one_turn<T>(turn: impl Future<Output = T>) -> Option<T> {
    // The state that turns share is behind locks, each of which tolerates a panic.
    let done = AssertUnwindSafe(turn).catch_unwind().await;
    done.inspect_err(|_| tracing::error!("background task panicked; restarting it")).ok()
}

async fn wake(watched: Weak<Runtime>) {
    while let Some(runtime) = watched.upgrade() {
        let (clock, drain) = (Arc::clone(&runtime.clock), runtime.drain.clone());
        let changed = Arc::clone(&runtime.deadlines_changed);
        // Its own leases first: they may have run out while the process was paused.
        one_turn(runtime.renew_held()).await;
        let soon = later(clock.now(), SWEEP);
        let due = async {
            // Concurrently, so that no kind of work delays another.
            join!(
                one_turn(runtime.take_up_due(DueKind::Expire, EXPIRED_AT_A_TIME)),
                one_turn(runtime.take_up_due(DueKind::Resume, runtime.unattended.available_permits())),
                one_turn(runtime.deliver_due()),
                one_turn(runtime.delete_old()),
            )
        };
        let (expire, resume, deliver, delete) = tokio::select! {
            () = drain.closed() => return,
            next = due => next,
        };
        drop(runtime);
        let next = [expire, resume, deliver, delete].into_iter().flatten().flatten().fold(soon, Timestamp::min);
        tokio::select! {
            () = drain.closed() => return,
            () = changed.notified() => {}
            () = clock.sleep_until(next) => {}
        }
    }
}

/// Renews leases and polls for lost signals, while the server drains as well: its runs still go on.
async fn renew(watched: Weak<Runtime>) {
    while let Some(runtime) = watched.upgrade() {
        let clock: Arc<dyn Clock> = Arc::clone(&runtime.clock);
        join!(one_turn(runtime.renew_held()), one_turn(runtime.poll_peers()));
        drop(runtime);
        clock.sleep_until(later(clock.now(), SWEEP)).await;
    }
}

impl Runtime {
    /// Does what is due and renews this server's leases, for as long as the runtime lives.
    pub(super) fn sweep(self: &Arc<Self>) {
        tokio::spawn(wake(Arc::downgrade(self)));
        tokio::spawn(renew(Arc::downgrade(self)));
    }

    /// The time at which an ask that begins to wait now expires.
    pub(crate) fn deadline(&self) -> Option<Timestamp> {
        let expire_after = self.config.expire_after?;
        Some(later(self.clock.now(), expire_after))
    }

    /// Expires the waiting question if its time is over.
    pub(super) async fn expire(
        self: &Arc<Self>,
        session: &Arc<ActiveSession>,
        state: &mut SessionState,
    ) -> Result<(), ApiError> {
        let now = self.clock.now();
        let waiting = state.conversation.waiting();
        // If this server is shutting down, the next one expires it.
        if !waiting.is_some_and(|waiting| waiting.is_expired(now)) || self.drain.is_closed() {
            return Ok(());
        }
        let run = ActiveRun::unattended(state).after(Arc::clone(&self.unattended));
        self.begin(session, state, run, Some(Event::QuestionExpired { now })).await.map(drop)
    }

    async fn renew_held(&self) {
        let _leases = self.leases.lock().await;
        let held: Vec<String> = self.held().iter().cloned().collect();
        if held.is_empty() {
            return;
        }
        if let Err(error) = self.store.renew(held, self.lease()).await {
            tracing::error!(error = %WithCauses(&error), "renewing leases failed");
        }
    }

    /// Takes up conversations in which this kind of work is due, at most `most`. Returns the time of the next look.
    async fn take_up_due(self: &Arc<Self>, kind: DueKind, most: usize) -> Option<Timestamp> {
        if most == 0 {
            // The end of a run wakes the sweep again.
            return None;
        }
        let due = self.store.due(kind, self.clock.now(), most).await;
        let due = due.inspect_err(|error| {
            tracing::error!(error = %WithCauses(error), ?kind, "looking for due conversations failed");
        });
        let due = due.ok()?;
        let taken_up = due.claimed.into_iter().map(|id| {
            let runtime = Arc::clone(self);
            async move {
                // Spawned, so that neither a panic in another one nor the end of the sweep cancels it: an event that was taken must be stored.
                let due = id.clone();
                let taken_up = tokio::spawn(async move { one_turn(runtime.take_up(&due)).await });
                if let Ok(Some(Err(error))) = taken_up.await {
                    let conversation = name_in_log(&id, None);
                    tracing::error!(%conversation, %error, "could not resume the conversation");
                }
            }
        });
        stream::iter(taken_up).for_each_concurrent(RELOADS_AT_ONCE, |one| one).await;
        due.next
    }

    /// Resumes a conversation.
    async fn take_up(self: &Arc<Self>, id: &str) -> Result<(), ApiError> {
        let Some(session) = self.find(id).await? else {
            return Ok(());
        };
        // This expires a question whose time is over.
        let mut state = self.lock(&session).await?;
        if self.is_interrupted(&state) {
            let run = ActiveRun::unattended(&state).after(Arc::clone(&self.unattended));
            match self.begin(&session, &mut state, run, None).await {
                // Another server has resumed it.
                Ok(_) | Err(ApiError::Overtaken) => {}
                Err(error) => return Err(error),
            }
        }
        state.rest();
        Ok(())
    }

    /// Delivers the webhooks that are due, and returns the time of the next look.
    async fn deliver_due(self: &Arc<Self>) -> Option<Timestamp> {
        let free = self.callbacks.free();
        if free == 0 {
            // The end of a call wakes the sweep again.
            return None;
        }
        let now = self.clock.now();
        let due = self.store.claim_webhooks(now, later(now, WEBHOOK_CLAIM), free).await;
        let due = due
            .inspect_err(|error| tracing::error!(error = %WithCauses(error), "looking for due webhooks failed"))
            .ok()?;
        for webhook in due.claimed {
            if let Some(under_way) = self.callbacks.begin(&webhook) {
                tokio::spawn(Arc::clone(self).deliver(webhook, under_way));
            }
        }
        due.next
    }

    /// Makes one attempt, and schedules the next one if it fails.
    async fn deliver(self: Arc<Self>, mut webhook: Webhook, under_way: CallUnderWay) {
        let called = match self.push(&webhook).await {
            Some(called) => called,
            None => self.callbacks.call(&webhook, &*self.clock).await,
        };
        let conversation = name_in_log(&webhook.conversation, None);
        let kind = Callbacks::kind_of(&webhook);
        let pause = match called {
            Called::Taken => {
                self.metrics.called(kind, "taken");
                tracing::info!(%conversation, kind, "callback taken");
                None
            }
            Called::Gone => {
                self.metrics.called(kind, "gone");
                tracing::info!(%conversation, kind, "callback not wanted any more");
                None
            }
            Called::Crowded => Some(Duration::ZERO),
            Called::Failed => {
                webhook.attempts = webhook.attempts.saturating_add(1);
                let pause = pause_after(webhook.attempts);
                self.metrics.called(kind, if pause.is_some() { "failed" } else { "dropped" });
                if pause.is_none() {
                    let attempts = webhook.attempts;
                    tracing::error!(%conversation, kind, attempts, "callback dropped after too many attempts");
                }
                pause
            }
        };
        let next_at = pause.map(|pause| later(self.clock.now(), pause));
        if let Err(error) = self.store.reschedule_webhook(&webhook, next_at).await {
            tracing::error!(error = %WithCauses(&error), "could not store the outcome of a callback; it is called again");
        }
        drop(under_way);
        self.deadlines_changed.notify_one();
    }

    /// Resumes an agent whose run died or failed. Does nothing if its run is under way or has ended, or waits for the result of a client's tool.
    pub(crate) async fn revive(
        self: &Arc<Self>,
        session: &Arc<ActiveSession>,
        state: &mut SessionState,
    ) -> Result<(), ApiError> {
        let event = match state.conversation.state() {
            ConvState::Failed { .. } => Some(Event::Retry),
            _ if self.is_interrupted(state) => None,
            _ => return Ok(()),
        };
        self.begin(session, state, ActiveRun::unattended(state), event).await.map(drop)
    }

    /// Returns true if it is at work, but in no run.
    fn is_interrupted(&self, state: &SessionState) -> bool {
        state.run.is_none() && state.view().is_at_work() && !self.is_anothers(state)
    }
}
