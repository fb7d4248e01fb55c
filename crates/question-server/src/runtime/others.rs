//! Other servers on the same store: their commits reach clients here, and they can stop runs of this server.

use super::Runtime;
use super::sweep::one_turn;
use crate::clock::{Clock, later};
use crate::error::ApiError;
use crate::limits::{OTHERS_PATIENCE, SIGNALS_PACE, SWEEP};
use crate::live::ActiveSession;
use crate::log::Found;
use crate::store::StreamPosition;
use crate::store::signals::{Heard, Notification, Signal, StopCause};
use futures_util::StreamExt as _;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{sleep, timeout};

/// The most signals in one batch.
const AT_A_TIME: usize = 256;

/// Publishes this server's commits and takes those of others, for as long as the runtime lives.
pub(super) fn start_replication(runtime: &Arc<Runtime>, committed: UnboundedReceiver<(String, StreamPosition)>) {
    tokio::spawn(tell(Arc::downgrade(runtime), committed));
    tokio::spawn(hear(Arc::downgrade(runtime)));
    tokio::spawn(look(Arc::downgrade(runtime)));
}

/// Publishes a single commit at once, and several in one batch.
async fn tell(told: Weak<Runtime>, mut committed: UnboundedReceiver<(String, StreamPosition)>) {
    let mut all = Vec::new();
    while committed.recv_many(&mut all, AT_A_TIME).await > 0 {
        let Some(runtime) = told.upgrade() else {
            return;
        };
        // The last position of each conversation.
        let last: HashMap<String, StreamPosition> = all.drain(..).collect();
        let news = last.into_iter().map(|(id, told)| (id, Notification::Committed(told)));
        one_turn(runtime.publish(news.collect())).await;
        drop(runtime);
        // Commits of this time make the next batch.
        sleep(SIGNALS_PACE).await;
    }
}

async fn hear(hearing: Weak<Runtime>) {
    let Some(signals) = hearing.upgrade().and_then(|runtime| runtime.signals.clone()) else {
        return;
    };
    let mut heard = signals.subscribe().ready_chunks(AT_A_TIME);
    while let Some(batch) = heard.next().await {
        let Some(runtime) = hearing.upgrade() else {
            return;
        };
        one_turn(runtime.on_notifications(batch)).await;
    }
}

/// Polls for lost signals.
async fn look(looking: Weak<Runtime>) {
    while let Some(runtime) = looking.upgrade() {
        let clock: Arc<dyn Clock> = Arc::clone(&runtime.clock);
        one_turn(runtime.poll_peers()).await;
        drop(runtime);
        clock.sleep_until(later(clock.now(), SWEEP)).await;
    }
}

impl Runtime {
    /// Sends other servers a notification. It may be lost: they poll the store as well.
    pub(super) async fn say(&self, id: &str, news: Notification) {
        self.publish(vec![(id.to_owned(), news)]).await;
    }

    async fn publish(&self, news: Vec<(String, Notification)>) {
        let Some(signals) = &self.signals else {
            return;
        };
        let all = news.into_iter().map(|(id, notification)| Signal { by: self.holder, id, notification });
        if let Err(error) = signals.publish(all.collect()).await {
            tracing::warn!(%error, "NOTIFY failed");
        }
    }

    async fn on_notifications(self: &Arc<Self>, batch: Vec<Heard>) {
        let (mut committed, mut missed) = (HashMap::new(), false);
        for heard in batch {
            let Heard::Signal(Signal { by, id, notification }) = heard else {
                missed = true;
                continue;
            };
            if notification == Notification::Released && by != self.holder {
                self.deadlines_changed.notify_one();
                continue;
            }
            let live = self.slots().live(&id).filter(|_| by != self.holder);
            let Some(live) = live else {
                continue;
            };
            match notification {
                Notification::Released => {}
                Notification::Committed(told) => {
                    committed.insert(id, (live, told));
                }
                Notification::Gone => {
                    live.end();
                    self.forget(&id);
                }
                Notification::Stop { run, cause } => {
                    tokio::spawn(on_stop(live, run, cause));
                }
            }
        }
        committed.into_values().for_each(|(live, told)| self.on_commit(live, told));
        if missed {
            self.poll_peers().await;
        }
    }

    /// Loads a conversation that another server changed, and stops this server's run in it.
    fn on_commit(self: &Arc<Self>, live: Arc<ActiveSession>, told: StreamPosition) {
        let here = live.log.told();
        let is_held = self.held().contains(&live.id);
        if told.since > here.since && is_held {
            tokio::spawn(async move {
                let run = live.talk.lock().await.run.clone();
                if let Some(run) = run {
                    run.stop.cancel();
                }
            });
        } else if !is_held && (told.since, told.frames) > (here.since, here.frames) {
            self.look_again(live);
        }
    }

    /// Loads a watched conversation from the store.
    fn look_again(self: &Arc<Self>, live: Arc<ActiveSession>) {
        let runtime = Arc::clone(self);
        tokio::spawn(async move {
            let looked = runtime.talk(&live).await;
            match looked {
                Ok(mut talk) => talk.rest(),
                // Its clients have been told.
                Err(ApiError::UnknownConversation) => {}
                Err(error) => {
                    tracing::error!(conversation = %live.name(), ?error, "loading another server's commit failed");
                }
            }
        });
    }

    /// Loads watched conversations that others have changed, without waiting for their signals.
    async fn poll_peers(self: &Arc<Self>) {
        let mut watched = self.slots().all();
        watched.retain(|live| live.is_known() && !self.held().contains(&live.id));
        if watched.is_empty() {
            return;
        }
        let ids = watched.iter().map(|live| live.id.clone()).collect();
        match self.store.told(ids).await {
            Ok(Some(told)) => {
                watched.retain(|live| told.get(&live.id) != Some(&live.log.told()));
                watched.into_iter().for_each(|live| self.look_again(live));
            }
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "reading other servers' positions failed"),
        }
    }

    /// Asks the server that works on a run to stop it. Returns false if no end arrives within [`OTHERS_PATIENCE`].
    pub(crate) async fn stop_elsewhere(&self, live: &ActiveSession, run: String, cause: StopCause) -> bool {
        let mut reader = live.log.reader(live.log.told().frames);
        self.say(&live.id, Notification::Stop { run, cause }).await;
        let end = async {
            while let Found::Entry(entry, _) = reader.next().await {
                if entry.is_end() {
                    return;
                }
            }
        };
        timeout(OTHERS_PATIENCE, end).await.is_ok()
    }
}

/// Stops a run for another server, if it is under way here.
async fn on_stop(live: Arc<ActiveSession>, run_id: String, cause: StopCause) {
    let run = live.talk.lock().await.run.clone();
    if let Some(run) = run.filter(|run| run.id == run_id) {
        match cause {
            StopCause::Requested => run.stop_and_wait().await,
            StopCause::IfAbandoned => drop(run.stop_if_abandoned().await),
        }
    }
}
