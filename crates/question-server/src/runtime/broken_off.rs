//! Runs that an earlier process left in the midst of their work: the agent goes on, whether or not anybody looks.

use super::Runtime;
use super::deadlines::hold_during;
use crate::error::ApiError;
use crate::input::Pending;
use crate::live::{Live, Run, Talk};
use question_agent::{ConvState, Event};
use std::sync::Arc;
use uuid::Uuid;

/// Takes up what an earlier process broke off.
pub(crate) fn take_up(runtime: &Arc<Runtime>) {
    let weak = Arc::downgrade(runtime);
    let (store, at_once, shutdown) =
        (Arc::clone(&runtime.store), Arc::clone(&runtime.unattended), runtime.shutdown.clone());
    tokio::spawn(async move {
        let broken_off = store.at_work().await;
        // Whoever waits for its turn here must not keep the store open.
        drop(store);
        let broken_off = broken_off.unwrap_or_else(|error| {
            tracing::error!(%error, "the store does not say which runs were broken off");
            Vec::new()
        });
        for id in broken_off {
            let permit = tokio::select! {
                () = shutdown.cancelled() => return,
                permit = Arc::clone(&at_once).acquire_owned() => permit,
            };
            let Some(runtime) = weak.upgrade() else {
                return;
            };
            match runtime.take_up(&id).await {
                Ok(run) => hold_during(run, permit),
                Err(error) => tracing::error!(?error, "what was broken off cannot go on"),
            }
        }
    });
}

impl Runtime {
    async fn take_up(self: &Arc<Self>, id: &str) -> Result<Option<Run>, ApiError> {
        let Some(live) = self.find(&mut *self.slots.lock().await, id).await? else {
            return Ok(None);
        };
        let mut talk = self.talk(&live).await?;
        let run = self.revive(&live, &mut talk).await?;
        talk.rest();
        Ok(run)
    }

    /// Gives the run in which the agent goes on where the one before it died or failed. There is none where neither is so: it goes on, has come to its
    /// end, or waits for what its client's tool brings.
    pub(crate) async fn revive(self: &Arc<Self>, live: &Arc<Live>, talk: &mut Talk) -> Result<Option<Run>, ApiError> {
        let event = match talk.conversation.state() {
            ConvState::Failed { .. } => Some(Event::Retry),
            state if state.is_at_work() => None,
            _ => return Ok(None),
        };
        if talk.run.is_some() || talk.clients_call().is_some() {
            return Ok(None);
        }
        tracing::info!(conversation = %live.name(), "an agent goes on with what was broken off");
        // Nobody reads it as its own, so what its user says next comes first.
        let run = Run::new(Uuid::new_v4().to_string(), Pending::of(&talk.context));
        let (run, _) = self.begin(live, talk, run, event).await?;
        Ok(Some(run))
    }
}
