//! Callbacks: programs get the outcomes of their asks at URLs that they name, signed as Standard Webhooks (standardwebhooks.com).
//!
//! Callbacks are stored with the conversation, so that they survive a restart. Each attempt is stored before it is made: a URL is called at least
//! once, and may be called again with the same id.

use crate::clock::{Clock, later};
use crate::endpoint::HttpEndpoint;
use crate::error::ApiError;
use crate::guard::Origin;
use crate::limits::{
    CALLBACK_PATIENCE, CALLED_BACK_FOR, CALLS_BACK_AT_ONCE, CALLS_BACK_TO_ORIGIN, FIRST_CALLBACK_PAUSE,
    MAX_CALLBACK_PAUSE,
};
use crate::secret::hide_in_debug;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use question_agent::registry::Callback;
use question_agent::{Conversation, Timestamp};
use serde_json::Value;
use sha2::Sha256;
use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The names of callbacks as events that are stored, counted and logged: before each attempt, and after the one that succeeded.
pub(crate) const CALLED_BACK: &str = "called_back";
pub(crate) const CALLBACK_TAKEN: &str = "callback_taken";
pub(crate) const EVENTS: [&str; 2] = [CALLED_BACK, CALLBACK_TAKEN];

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
    under_way: Mutex<HashSet<(String, String)>>,
}

/// A call under way, until it is dropped.
pub(crate) struct CallUnderWay<'c>(&'c Callbacks, (String, String));

impl Drop for CallUnderWay<'_> {
    fn drop(&mut self) {
        lock(&self.0.under_way).remove(&self.1);
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    // Entries are only inserted and removed.
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Callbacks {
    pub(crate) fn new(origins: Vec<Origin>, key: Option<CallbackKey>) -> Self {
        Self { origins, key, places: Mutex::default(), under_way: Mutex::default() }
    }

    /// Marks a call as under way; `None` if it is already: it may take longer than the pause before its next attempt.
    pub(crate) fn begin(&self, conversation: &str, callback: &Callback) -> Option<CallUnderWay<'_>> {
        let name = (conversation.to_owned(), callback.tool_call_id.clone());
        lock(&self.under_way).insert(name.clone()).then(|| CallUnderWay(self, name))
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
            true => Ok(Callback {
                tool_call_id: tool_call_id.to_owned(),
                url: url.to_owned(),
                tries: 0,
                due: None,
                until: None,
            }),
            false => Err(ApiError::CallbackNotAllowed),
        }
    }

    /// Calls a URL. False if the response is no success.
    pub(crate) async fn call(&self, callback: &Callback, clock: &dyn Clock, body: &Value) -> bool {
        let (Some(key), body) = (&self.key, body.to_string()) else {
            tracing::warn!(callback.tries, "callback failed: there is no --callback-key any more");
            return false;
        };
        let url: Option<Uri> = callback.url.parse().ok();
        // The operator may have withdrawn it since the ask.
        let Some(url) = url.filter(|url| self.allowed(url).is_some()) else {
            tracing::warn!(callback.tries, "callback failed: its origin is not among --allow-callback any more");
            return false;
        };
        let authority = url.authority().map_or("", Authority::as_str);
        let _of_path = self.place(format!("{authority}{}", url.path()), CALLS_BACK_AT_ONCE).await;
        let _of_origin = self.place(authority.to_owned(), CALLS_BACK_TO_ORIGIN).await;
        let endpoint = match HttpEndpoint::new(&callback.url, HeaderMap::new(), &[]) {
            Ok(endpoint) => endpoint,
            Err(error) => {
                tracing::warn!(%error, "callback failed");
                return false;
            }
        };
        let headers = key.headers(&callback.tool_call_id, clock.now(), &body);
        match timeout(CALLBACK_PATIENCE, endpoint.send(body, headers)).await {
            Ok(Ok(answer)) if answer.status().is_success() => return true,
            Ok(Ok(answer)) => tracing::warn!(status = answer.status().as_u16(), callback.tries, "callback refused"),
            Ok(Err(error)) => tracing::warn!(%error, callback.tries, "callback failed"),
            Err(_) => tracing::warn!(callback.tries, "callback timed out"),
        }
        false
    }
}

/// Makes the callbacks of asks that have ended due.
pub(crate) fn arm(callbacks: &mut [Callback], conversation: &Conversation, now: Timestamp) {
    for callback in callbacks.iter_mut().filter(|callback| callback.due.is_none()) {
        if conversation.result_of(&callback.tool_call_id).is_some() {
            (callback.due, callback.until) = (Some(now), Some(later(now, CALLED_BACK_FOR)));
        }
    }
}

/// Takes the callbacks that are due, and schedules the next attempt of each in `callbacks`: once this one has failed or timed out. One that failed
/// for too long is dropped.
pub(crate) fn take_due(callbacks: &mut Vec<Callback>, now: Timestamp) -> Vec<Callback> {
    let mut due = Vec::new();
    for callback in callbacks.iter_mut().filter(|callback| callback.due.is_some_and(|due| due <= now)) {
        let pause = FIRST_CALLBACK_PAUSE * 4_u32.saturating_pow(callback.tries.min(16));
        callback.due = Some(later(now, pause.min(MAX_CALLBACK_PAUSE) + CALLBACK_PATIENCE));
        callback.tries = callback.tries.saturating_add(1);
        due.push(callback.clone());
    }
    callbacks.retain(|callback| {
        let is_over = callback.until.is_some_and(|until| until <= now);
        if is_over {
            tracing::error!(ask = callback.tool_call_id, callback.tries, "callback dropped after too many attempts");
        }
        !is_over
    });
    due.retain(|due| due.until.is_none_or(|until| now < until));
    due
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
