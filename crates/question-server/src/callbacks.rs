//! Callbacks: programs get the outcomes of their asks at URLs that they name, signed as Standard Webhooks (standardwebhooks.com).
//!
//! A commit that ends an ask stores the callback as a [`Webhook`], so that it survives a restart. A server claims it before it calls: a URL is
//! called at least once, and may be called again with the same id.

use crate::auth::guard::Origin;
use crate::auth::secret::hide_in_debug;
use crate::clock::Clock;
use crate::endpoint::HttpEndpoint;
use crate::error::ApiError;
use crate::limits::{
    CALLBACK_ATTEMPTS, CALLBACK_PATIENCE, CALLS_BACK, CALLS_BACK_AT_ONCE, CALLS_BACK_TO_ORIGIN, FIRST_CALLBACK_PAUSE,
    MAX_CALLBACK_PAUSE, PLACE_PATIENCE,
};
use crate::store::{NewWebhook, Webhook};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use question_agent::ag_ui::ask_status;
use question_agent::registry::Callback;
use question_agent::{Conversation, Timestamp};
use sha2::Sha256;
use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The longest URL that is called, in bytes.
const MAX_URL: usize = 2048;

/// The key that signs callbacks: `whsec_` and base64, as libraries for Standard Webhooks take it.
#[derive(Clone)]
pub struct CallbackKey(Vec<u8>);

impl FromStr for CallbackKey {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let key = STANDARD.decode(text.strip_prefix("whsec_").unwrap_or(text)).unwrap_or_default();
        match (24..=64).contains(&key.len()) {
            true => Ok(Self(key)),
            false => Err("a key is whsec_ and 24 to 64 bytes in base64, such as `openssl rand -base64 32` makes"),
        }
    }
}

hide_in_debug!(CallbackKey);

impl CallbackKey {
    /// The headers of a call with this id, at this time, with this body.
    fn headers(&self, id: &str, now: Timestamp, body: &str) -> HeaderMap {
        let seconds = now.0 / 1000;
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may have any length");
        mac.update(format!("{id}.{seconds}.{body}").as_bytes());
        let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        let named = [
            ("webhook-id", id.to_owned()),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", signature),
        ];
        let header = |(name, value): (&'static str, String)| {
            Some((HeaderName::from_static(name), HeaderValue::try_from(value).ok()?))
        };
        named.into_iter().filter_map(header).collect()
    }
}

/// The calls that the operator allows.
#[derive(Debug)]
pub(crate) struct Callbacks {
    origins: Vec<Origin>,
    key: Option<CallbackKey>,
    /// The places of each origin and each path that is called now, so that one that hangs holds back no other.
    places: Mutex<HashMap<String, Weak<Semaphore>>>,
    /// The calls under way, each by its conversation and its ask.
    under_way: Arc<Mutex<HashSet<(String, String)>>>,
}

/// A call under way, until it is dropped.
#[derive(Debug)]
pub(crate) struct CallUnderWay(Arc<Mutex<HashSet<(String, String)>>>, (String, String));

impl Drop for CallUnderWay {
    fn drop(&mut self) {
        lock(&self.0).remove(&self.1);
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    // Entries are only inserted and removed.
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Callbacks {
    pub(crate) fn new(origins: Vec<Origin>, key: Option<CallbackKey>) -> Self {
        Self { origins, key, places: Mutex::default(), under_way: Arc::default() }
    }

    /// The number of calls that may begin now.
    pub(crate) fn free(&self) -> usize {
        CALLS_BACK.saturating_sub(lock(&self.under_way).len())
    }

    /// Marks a call as under way; `None` if it is already: its claim ends early if the clock is set forward.
    pub(crate) fn begin(&self, webhook: &Webhook) -> Option<CallUnderWay> {
        let name = (webhook.conversation.clone(), webhook.id.clone());
        lock(&self.under_way).insert(name.clone()).then(|| CallUnderWay(Arc::clone(&self.under_way), name))
    }

    /// The origin of a URL, if the operator allows it.
    fn allowed(&self, url: &Uri) -> Option<&Origin> {
        let origin: Origin = format!("{}://{}", url.scheme_str()?, url.authority()?).parse().ok()?;
        self.origins.iter().find(|allowed| **allowed == origin)
    }

    /// A place among the calls of this name.
    async fn place(&self, name: String, most: usize) -> Option<OwnedSemaphorePermit> {
        let places = {
            let mut all = lock(&self.places);
            all.retain(|_, places| places.strong_count() > 0);
            let known = all.get(&name).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                let new = Arc::new(Semaphore::new(most));
                all.insert(name, Arc::downgrade(&new));
                new
            })
        };
        places.acquire_owned().await.ok()
    }

    /// The callback for an ask that is open.
    ///
    /// # Errors
    /// If there is no key, or the operator has not allowed the URL's origin.
    pub(crate) fn keep(&self, url: &str, tool_call_id: &str) -> Result<Callback, ApiError> {
        let parsed: Option<Uri> = url.parse().ok().filter(|_| url.len() <= MAX_URL && self.key.is_some());
        match parsed.is_some_and(|url| self.allowed(&url).is_some()) {
            true => Ok(Callback { tool_call_id: tool_call_id.to_owned(), url: url.to_owned() }),
            false => Err(ApiError::CallbackNotAllowed),
        }
    }

    /// Calls a URL.
    pub(crate) async fn call(&self, webhook: &Webhook, clock: &dyn Clock) -> Called {
        let attempts = webhook.attempts;
        let Some(key) = &self.key else {
            tracing::warn!(attempts, "callback failed: there is no --callback-key any more");
            return Called::Failed;
        };
        let url: Option<Uri> = webhook.url.parse().ok();
        // The operator may have withdrawn it since the ask.
        let Some(url) = url.filter(|url| self.allowed(url).is_some()) else {
            tracing::warn!(attempts, "callback failed: its origin is not among --allow-callback any more");
            return Called::Failed;
        };
        let authority = url.authority().map_or("", Authority::as_str);
        let places = async {
            let of_path = self.place(format!("{authority}{}", url.path()), CALLS_BACK_AT_ONCE).await;
            (of_path, self.place(authority.to_owned(), CALLS_BACK_TO_ORIGIN).await)
        };
        let Ok(_places) = timeout(PLACE_PATIENCE, places).await else {
            return Called::Crowded;
        };
        let endpoint = match HttpEndpoint::new(&webhook.url, HeaderMap::new(), &[]) {
            Ok(endpoint) => endpoint,
            Err(error) => {
                tracing::warn!(%error, "callback failed");
                return Called::Failed;
            }
        };
        let headers = key.headers(&webhook.id, clock.now(), &webhook.body);
        match timeout(CALLBACK_PATIENCE, endpoint.send(webhook.body.clone(), headers)).await {
            Ok(Ok(answer)) if answer.status().is_success() => return Called::Taken,
            Ok(Ok(answer)) => tracing::warn!(status = answer.status().as_u16(), attempts, "callback refused"),
            Ok(Err(error)) => tracing::warn!(%error, attempts, "callback failed"),
            Err(_) => tracing::warn!(attempts, "callback timed out"),
        }
        Called::Failed
    }
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Called {
    /// The endpoint took it.
    Taken,
    /// The attempt failed.
    Failed,
    /// There was no attempt: as many calls of its endpoint are under way as may be.
    Crowded,
}

/// Takes the callbacks whose asks have ended out of `callbacks`, as webhooks.
pub(crate) fn take_ended(
    callbacks: &mut Vec<Callback>,
    conversation: &Conversation,
    id: &str,
    at: Timestamp,
) -> Vec<NewWebhook> {
    let ended = callbacks.extract_if(.., |callback| conversation.result_of(&callback.tool_call_id).is_some());
    let webhooks = ended.map(|Callback { tool_call_id, url }| {
        let mut body = ask_status(&tool_call_id, conversation.result_of(&tool_call_id));
        body["conversationId"] = id.into();
        NewWebhook { id: tool_call_id, url, body: body.to_string(), at }
    });
    webhooks.collect()
}

/// The pause after this many failed attempts; `None` after the last one.
pub(crate) fn pause_after(attempts: u32) -> Option<Duration> {
    let longer = 4_u32.saturating_pow(attempts.saturating_sub(1).min(15));
    (attempts < CALLBACK_ATTEMPTS).then(|| (FIRST_CALLBACK_PAUSE * longer).min(MAX_CALLBACK_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::CallbackKey;
    use question_agent::Timestamp;

    #[test]
    fn a_call_is_signed_as_the_standards_own_example() {
        let key: CallbackKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().expect("it is one");
        let headers =
            key.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", Timestamp(1_614_265_330_000), r#"{"test": 2432232314}"#);
        assert_eq!(headers["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        for short in ["", "whsec_", "whsec_c2hvcnQ=", "no base64 at all, but long enough to be one"] {
            assert!(short.parse::<CallbackKey>().is_err(), "{short}");
        }
    }
}
