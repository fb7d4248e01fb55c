//! What other servers do that share the store: their clients are told here as well, and what goes on here can be stopped there.

use super::sweep::one_turn;
use super::{Runtime, stop, stop_abandoned};
use crate::clock::{Clock, later};
use crate::error::ApiError;
use crate::limits::{FEED_PACE, OTHERS_PATIENCE, SWEEP};
use crate::live::{Live, Place, Talk};
use crate::log::{Found, Log};
use crate::store::StreamPosition;
use crate::store::feed::{Heard, Notification, Piece, Signal, StopCause};
use futures_util::StreamExt as _;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{sleep, timeout};

/// The number of signals that are looked at together.
const AT_A_TIME: usize = 256;

/// Tells other servers what is in the outbox and hears of what they do, for as long as this one lives.
pub(super) fn start_replication(runtime: &Arc<Runtime>, outgoing: UnboundedReceiver<Arc<Log>>) {
    tokio::spawn(tell(Arc::downgrade(runtime), outgoing));
    tokio::spawn(hear(Arc::downgrade(runtime)));
    tokio::spawn(look(Arc::downgrade(runtime)));
}

/// Tells at once what comes alone, and together what comes in a row.
async fn tell(told: Weak<Runtime>, mut outgoing: UnboundedReceiver<Arc<Log>>) {
    let mut logs = Vec::new();
    while outgoing.recv_many(&mut logs, AT_A_TIME).await > 0 {
        let Some(runtime) = told.upgrade() else {
            return;
        };
        one_turn(runtime.publish(std::mem::take(&mut logs))).await;
        drop(runtime);
        // What comes meanwhile is told together.
        sleep(FEED_PACE).await;
    }
}

async fn hear(hearing: Weak<Runtime>) {
    let Some(feed) = hearing.upgrade().and_then(|runtime| runtime.feed.clone()) else {
        return;
    };
    let mut heard = feed.subscribe().ready_chunks(AT_A_TIME);
    while let Some(batch) = heard.next().await {
        let Some(runtime) = hearing.upgrade() else {
            return;
        };
        one_turn(runtime.on_notifications(batch)).await;
    }
}

/// Looks now and then whether anything was not heard.
async fn look(looking: Weak<Runtime>) {
    while let Some(runtime) = looking.upgrade() {
        let clock: Arc<dyn Clock> = Arc::clone(&runtime.clock);
        one_turn(runtime.poll_peers()).await;
        one_turn(runtime.prune()).await;
        drop(runtime);
        clock.sleep_until(later(clock.now(), SWEEP)).await;
    }
}

impl Runtime {
    /// Sends other servers a word. It may be lost: they look into the store as well.
    pub(super) async fn say(&self, id: &str, news: Notification) {
        if let Some(feed) = &self.feed {
            let signal = Signal { by: self.holder, id: id.to_owned(), news };
            if let Err(error) = feed.publish(Vec::new(), vec![signal]).await {
                tracing::warn!(%error, "publishing to other servers failed");
            }
        }
    }

    async fn prune(&self) {
        if let Some(feed) = &self.feed
            && let Err(error) = feed.prune().await
        {
            tracing::error!(%error, "pruning the event feed failed");
        }
    }

    async fn publish(&self, logs: Vec<Arc<Log>>) {
        let Some(feed) = &self.feed else {
            return;
        };
        let pieces: Vec<Piece> = logs.iter().map(|log| log.take_out()).collect();
        let told: Vec<StreamPosition> = pieces.iter().map(Piece::told).collect();
        let signal =
            |piece: &Piece| Signal { by: self.holder, id: piece.id.clone(), news: Notification::Told(piece.told()) };
        let signals = pieces.iter().map(signal).collect();
        let new = pieces.into_iter().filter(|piece| !piece.frames.is_empty()).collect();
        match feed.publish(new, signals).await {
            Ok(()) => logs.iter().zip(told).for_each(|(log, told)| log.is_published(told)),
            // What is not published goes with what comes next.
            Err(error) => tracing::warn!(%error, "publishing to other servers failed"),
        }
    }

    async fn on_notifications(self: &Arc<Self>, batch: Vec<Heard>) {
        let mut behind: HashMap<String, Arc<Live>> = HashMap::new();
        for heard in batch {
            let Heard::Signal(Signal { by, id, news }) = heard else {
                self.poll_peers().await;
                continue;
            };
            if news == Notification::Released && by != self.holder {
                self.deadlines_changed.notify_one();
                continue;
            }
            let live = self.slots().live(&id).filter(|_| by != self.holder);
            let Some(live) = live else {
                continue;
            };
            match news {
                Notification::Released => {}
                Notification::Told(told) => self.hear_told(live, told, &mut behind),
                Notification::Gone => {
                    live.end();
                    self.forget(&id);
                }
                Notification::Stop { run, wish } => {
                    tokio::spawn(on_stop(live, run, wish));
                }
            }
        }
        self.read_behind(behind).await;
    }

    /// Reads what these were told elsewhere behind what they have been told here.
    async fn read_behind(self: &Arc<Self>, mut behind: HashMap<String, Arc<Live>>) {
        let places = behind.values().map(|live| (live.id.clone(), live.log.told())).collect();
        let mut missing: HashSet<String> = HashSet::new();
        for piece in self.told_elsewhere(places).await {
            let is_whole = behind.get(&piece.id).is_some_and(|live| live.log.hear(piece.clone()));
            if !is_whole {
                missing.insert(piece.id);
            }
        }
        for id in missing {
            if let Some(live) = behind.remove(&id) {
                self.look_again(live);
            }
        }
    }

    /// What is to be read of what another server told; where a run goes on here that cannot be, it is over.
    fn hear_told(self: &Arc<Self>, live: Arc<Live>, told: StreamPosition, behind: &mut HashMap<String, Arc<Live>>) {
        let here = live.log.told();
        let is_held = self.held().contains(&live.id);
        if told.since > here.since && is_held {
            tokio::spawn(async move {
                let run = live.talk.lock().await.run.clone();
                if let Some(run) = run {
                    run.stop.cancel();
                }
            });
        } else if told.since > here.since {
            self.look_again(live);
        } else if told.since == here.since && told.frames > here.frames && !is_held {
            behind.insert(live.id.clone(), live);
        }
    }

    /// Reads a conversation that somebody watches from the store.
    fn look_again(self: &Arc<Self>, live: Arc<Live>) {
        let runtime = Arc::clone(self);
        tokio::spawn(async move {
            let looked = runtime.talk(&live).await;
            match looked {
                Ok(mut talk) => talk.rest(),
                // Those who watched it have been told.
                Err(ApiError::UnknownConversation) => {}
                Err(error) => {
                    tracing::error!(conversation = %live.name(), ?error, "reading what other servers did failed");
                }
            }
        });
    }

    /// Reads what others may have done in what is watched here, whether or not they were heard.
    async fn poll_peers(self: &Arc<Self>) {
        let mut watched = self.slots().all();
        watched.retain(|live| live.is_known() && !self.held().contains(&live.id));
        if watched.is_empty() {
            return;
        }
        let ids = watched.iter().map(|live| live.id.clone()).collect();
        let told = match self.store.told(ids).await {
            Ok(Some(told)) => told,
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "reading other servers' positions failed");
                return;
            }
        };
        let mut behind = HashMap::new();
        for live in watched {
            let here = live.log.told();
            let is_known = |told: &StreamPosition| told.since == here.since && told.frames <= here.frames;
            if !told.get(&live.id).is_some_and(is_known) {
                self.look_again(live);
            } else if live.log.is_under_way() {
                // What an answer says is not committed before its end.
                behind.insert(live.id.clone(), live);
            }
        }
        self.read_behind(behind).await;
    }

    async fn told_elsewhere(&self, places: Vec<(String, StreamPosition)>) -> Vec<Piece> {
        let (Some(feed), false) = (&self.feed, places.is_empty()) else {
            return Vec::new();
        };
        feed.read(places).await.unwrap_or_else(|error| {
            tracing::error!(%error, "reading the event feed failed");
            Vec::new()
        })
    }

    /// Takes in what has been told elsewhere behind this place, as far as it is whole.
    pub(super) async fn hear_what_was_told(&self, live: &Live, behind: StreamPosition) {
        let pieces = self.told_elsewhere(vec![(live.id.clone(), behind)]).await;
        pieces.into_iter().all(|piece| live.log.hear(piece));
    }

    /// The place that an event id stands for, where what follows it is here or can be had from others.
    pub(crate) async fn place(&self, live: &Live, talk: &Talk, event_id: &str) -> Option<Place> {
        let place = Place::read(event_id).filter(|place| place.told.since == live.log.told().since)?;
        if talk.run_elsewhere.is_some() {
            // A client that was told something at another server may be here before it.
            let _ = timeout(OTHERS_PATIENCE, live.log.comes_to(place.told)).await;
        }
        if !live.log.reaches(place.told) {
            self.recall(live, place.told).await;
        }
        Some(place).filter(|place| live.log.reaches(place.told))
    }

    /// Takes in what was told before anybody was here to hear it.
    async fn recall(&self, live: &Live, behind: StreamPosition) {
        let mut whole = Piece { id: live.id.clone(), behind, frames: Vec::new() };
        for piece in self.told_elsewhere(vec![(live.id.clone(), behind)]).await {
            let next = whole.told().frames;
            let Some(known) = next.checked_sub(piece.behind.frames) else {
                return;
            };
            let known = usize::try_from(known).unwrap_or(usize::MAX);
            whole.frames.extend(piece.frames.into_iter().skip(known));
        }
        live.log.hear(whole);
    }

    /// Has the server stop that works on a run, and waits a little for its end; false where that does not come.
    pub(crate) async fn stop_elsewhere(&self, live: &Live, run: String, wish: StopCause) -> bool {
        let mut reader = live.log.reader(live.log.told().frames);
        self.say(&live.id, Notification::Stop { run, wish }).await;
        let end = async {
            while let Found::Entry(entry) = reader.next().await {
                if entry.is_end() {
                    return;
                }
            }
        };
        timeout(OTHERS_PATIENCE, end).await.is_ok()
    }
}

/// Another server has somebody who wants a run to stop that may go on here.
async fn on_stop(live: Arc<Live>, run_id: String, wish: StopCause) {
    let run = live.talk.lock().await.run.clone();
    if let Some(run) = run.filter(|run| run.id == run_id) {
        match wish {
            StopCause::Said => stop(&run).await,
            StopCause::IfAbandoned => {
                stop_abandoned(&run).await;
            }
        }
    }
}
