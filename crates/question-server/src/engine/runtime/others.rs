//! Other servers on the same store: their commits reach clients here, and they can stop runs of this server.

use super::Runtime;
use super::sweep::one_turn;
use crate::config::limits::{PEER_STOP_TIMEOUT, SIGNALS_PACE};
use crate::engine::session::ActiveSession;
use crate::error::{ApiError, WithCauses};
use crate::store::Revision;
use crate::store::signals::{Notification, Signal, StopCause};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{sleep, timeout};

/// The most signals in one batch.
const MAX_BATCH: usize = 256;

/// Publishes a single commit at once, and several in one batch.
async fn publish_commits(weak: Weak<Runtime>, mut committed: UnboundedReceiver<(String, Revision)>) {
    let mut all = Vec::new();
    while committed.recv_many(&mut all, MAX_BATCH).await > 0 {
        let Some(runtime) = weak.upgrade() else {
            return;
        };
        // Only the last revision of each conversation is announced.
        let last: HashMap<String, Revision> = all.drain(..).collect();
        let notifications = last.into_iter().map(|(id, revision)| (id, Notification::Committed(revision)));
        one_turn(runtime.publish(notifications.collect())).await;
        drop(runtime);
        // The commits of this pause make the next batch.
        sleep(SIGNALS_PACE).await;
    }
}

async fn receive_signals(weak: Weak<Runtime>, received: BoxStream<'static, Option<Signal>>) {
    let mut batches = received.ready_chunks(MAX_BATCH);
    while let Some(batch) = batches.next().await {
        let Some(runtime) = weak.upgrade() else {
            return;
        };
        one_turn(runtime.on_notifications(batch)).await;
    }
}

impl Runtime {
    /// Publishes this server's commits and takes those of others, for as long as the runtime lives.
    pub(super) fn replicate(
        self: &Arc<Self>,
        received: BoxStream<'static, Option<Signal>>,
        committed: UnboundedReceiver<(String, Revision)>,
    ) {
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::select! {
                // Ends with the runtime, which has the sender.
                () = publish_commits(Weak::clone(&weak), committed) => {}
                () = receive_signals(weak, received) => {}
            }
        });
    }

    /// Sends other servers a notification. It may be lost: they poll the store as well.
    pub(super) async fn notify(&self, id: &str, notification: Notification) {
        self.publish(vec![(id.to_owned(), notification)]).await;
    }

    async fn publish(&self, notifications: Vec<(String, Notification)>) {
        let all = notifications.into_iter().map(|(id, notification)| Signal { by: self.holder, id, notification });
        if let Err(error) = self.store.publish(all.collect()).await {
            tracing::warn!(error = %WithCauses(&error), "NOTIFY failed");
        }
    }

    async fn on_notifications(self: &Arc<Self>, batch: Vec<Option<Signal>>) {
        let (mut committed, mut missed) = (HashMap::new(), false);
        for received in batch {
            let Some(Signal { by, id, notification }) = received else {
                missed = true;
                continue;
            };
            if by == self.holder {
                continue;
            }
            let session = self.sessions().get(id.as_str());
            match (notification, session) {
                (Notification::Released, _) => self.deadlines_changed.notify_one(),
                (Notification::Committed(revision), Some(session)) => {
                    committed.insert(id, (session, revision));
                }
                (Notification::Stop { run, cause }, Some(session)) => drop(tokio::spawn(on_stop(session, run, cause))),
                (Notification::Committed(_) | Notification::Stop { .. }, None) => {}
            }
        }
        committed.into_values().for_each(|(session, revision)| self.on_commit(session, revision));
        if missed {
            self.poll_peers().await;
        }
    }

    /// Loads a conversation that another server changed, and stops this server's run in it.
    fn on_commit(self: &Arc<Self>, session: Arc<ActiveSession>, revision: Revision) {
        if revision <= session.hub.position().revision {
            return;
        }
        if !self.held().contains(&session.id) {
            return self.reload(session);
        }
        let runtime = Arc::clone(self);
        tokio::spawn(async move {
            let run = session.state.lock().await.run.clone();
            match run {
                Some(run) => run.stop.cancel(),
                // The run here has ended meanwhile.
                None => runtime.reload(session),
            }
        });
    }

    /// Sends the clients of a watched conversation the commits of other servers.
    fn reload(self: &Arc<Self>, session: Arc<ActiveSession>) {
        let runtime = Arc::clone(self);
        tokio::spawn(async move {
            // `acquire` fails only on a closed semaphore, and this one is never closed.
            let _permit = runtime.reloads.acquire().await;
            match runtime.catch_up(&session).await {
                // The streams of an unknown conversation have been ended.
                Ok(()) | Err(ApiError::UnknownConversation) => {}
                Err(error) => {
                    tracing::error!(conversation = %session.name(), %error, "loading another server's commit failed");
                }
            }
        });
    }

    /// Sends the clients here the commits that they have missed. The conversation is loaded only if those are not stored.
    async fn catch_up(self: &Arc<Self>, session: &Arc<ActiveSession>) -> Result<(), ApiError> {
        let mut state = session.state.lock().await;
        if state.run.is_none() && !self.tell_missed(session, Revision(u64::MAX)).await? {
            drop(state);
            state = self.lock(session).await?;
        }
        state.rest();
        Ok(())
    }

    /// Loads watched conversations that others have changed, without waiting for their signals.
    pub(super) async fn poll_peers(self: &Arc<Self>) {
        let mut watched: Vec<_> = self.sessions().values().collect();
        watched.retain(|session| session.is_known() && !self.held().contains(&session.id));
        if watched.is_empty() {
            return;
        }
        let ids = watched.iter().map(|session| session.id.clone()).collect();
        match self.store.revisions(ids).await {
            Ok(Some(revisions)) => {
                watched.retain(|session| revisions.get(&session.id) != Some(&session.hub.position().revision));
                watched.into_iter().for_each(|session| self.reload(session));
            }
            Ok(None) => {}
            Err(error) => tracing::error!(error = %WithCauses(&error), "reading other servers' revisions failed"),
        }
    }

    /// Asks the server that works on a run to stop it. Returns false if no end arrives within [`PEER_STOP_TIMEOUT`].
    pub(crate) async fn stop_elsewhere(&self, session: &ActiveSession, run: String, cause: StopCause) -> bool {
        let mut tail = session.hub.tail_from_now();
        self.notify(&session.id, Notification::Stop { run, cause }).await;
        let end = async {
            while let Some(told) = tail.next().await {
                if told.entry.is_end() {
                    return;
                }
            }
        };
        timeout(PEER_STOP_TIMEOUT, end).await.is_ok()
    }
}

/// Stops a run for another server, if it is under way here.
async fn on_stop(session: Arc<ActiveSession>, run_id: String, cause: StopCause) {
    let run = session.state.lock().await.run.clone();
    if let Some(run) = run.filter(|run| run.id == run_id) {
        match cause {
            StopCause::Requested => run.stop_and_wait().await,
            StopCause::IfAbandoned => drop(run.stop_if_abandoned().await),
        }
    }
}
