//! The start of the runtime, with the tasks that last as long as it does.

use super::Runtime;
use super::count::StoredCount;
use super::others::start_replication;
use super::sweep::sweep;
use crate::config::Config;
use crate::config::limits::{OWNERS_OF_A_PEER, PICTURE_KIB_AT_ONCE, RELOADS_AT_ONCE, UNATTENDED};
use crate::engine::callbacks::Callbacks;
use crate::engine::clock::Clock;
use crate::engine::drain::Drain;
use crate::engine::models::Model;
use crate::engine::tools::Tool;
use crate::engine::web_push::service::WebPush;
use crate::live::histories::Histories;
use crate::metrics::{Counters, Metrics};
use crate::rate::RateLimits;
use crate::store::Store;
use std::sync::Arc;
use tokio::sync::{Mutex, Semaphore, mpsc};
use uuid::Uuid;

/// The parts from which the runtime is made.
#[derive(Debug)]
pub(crate) struct RuntimeParts {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) drain: Drain,
    pub(crate) counters: Counters,
}

/// Starts the runtime.
pub(crate) fn start(config: &Config, parts: RuntimeParts) -> Arc<Runtime> {
    let RuntimeParts { store, model, tools, clock, drain, counters } = parts;
    let signals = store.signals();
    let (committed, outgoing) = signals.as_ref().map(|_| mpsc::unbounded_channel()).unzip();
    let metrics = Arc::new(Metrics::new(&counters));
    let runtime = Arc::new(Runtime {
        histories: Histories::new(&config.bounds),
        picture_room: Arc::new(Semaphore::new(PICTURE_KIB_AT_ONCE)),
        store,
        signals,
        committed,
        limits: config.limits(&*model),
        model,
        tools,
        clock,
        bounds: config.bounds,
        expire_after: config.expire_after,
        keep: config.keep,
        allow_bypass: config.allow_bypass,
        changed_answer: config.changed_answer,
        new_by_owner: RateLimits::new(config.bounds.new),
        new_by_peer: RateLimits::new(config.bounds.new.times(OWNERS_OF_A_PEER)),
        changes: Arc::new(RateLimits::new(config.bounds.changes)),
        sessions: std::sync::Mutex::default(),
        holder: Uuid::new_v4(),
        held: std::sync::Mutex::default(),
        leases: Mutex::default(),
        reloads: Arc::new(Semaphore::new(RELOADS_AT_ONCE)),
        deadlines_changed: Arc::default(),
        unattended: Arc::new(Semaphore::new(UNATTENDED.min(config.model_calls.get()))),
        drain,
        callbacks: Callbacks::new(config.allow_callbacks.clone(), config.callback_key.clone())
            .notifying(config.notify_url.clone(), config.public_origins.first().cloned()),
        web_push: config.web_push.clone().map(|contact| WebPush::new(contact, config.push_services.clone())),
        metrics,
        stored_count: StoredCount::default(),
        checked: Mutex::default(),
    });
    sweep(&runtime);
    if let Some(outgoing) = outgoing {
        start_replication(&runtime, outgoing);
    }
    runtime
}
