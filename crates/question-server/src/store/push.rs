//! The browsers that are told of questions, as a store has them.

use crate::auth::secret::hide_in_debug;
use crate::owner::Owner;
use question_agent::Timestamp;

/// A browser's subscription at its push service (W3C Push API). Whoever has it can notify its user, so `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct PushSubscription {
    /// The URL to which messages for the browser are posted.
    pub endpoint: String,
    /// The browser's public key, in base64url.
    pub p256dh: String,
    /// The secret that it shares with the server, in base64url.
    pub auth: String,
}

/// A subscription that is stored.
#[derive(Debug)]
pub struct NewPushSubscription {
    /// The subscription. One with the same endpoint is replaced, even another owner's.
    pub subscription: PushSubscription,
    /// The owner whose questions the browser shows.
    pub owner: Owner,
    /// The time at which it came.
    pub at: Timestamp,
    /// The most subscriptions of an owner. Above it, the oldest ones are removed.
    pub most: usize,
}

hide_in_debug!(PushSubscription);
