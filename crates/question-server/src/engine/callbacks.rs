//! Callbacks: programs get the outcomes of their asks at URLs that they name, and the program of `--notify-url` each question that begins to wait,
//! signed as Standard Webhooks (standardwebhooks.com).
//!
//! A commit that ends or makes an ask stores the callback as a [`Webhook`], so that it survives a restart. A server claims it before it calls: a URL is
//! called at least once, and may be called again with the same id.

use crate::auth::guard::Origin;
use crate::auth::secret::hide_in_debug;
use crate::config::limits::{
    CALLBACK_ATTEMPTS, CALLBACK_PATIENCE, CALLS_BACK, CALLS_BACK_AT_ONCE, CALLS_BACK_TO_ORIGIN, FIRST_CALLBACK_PAUSE,
    MAX_CALLBACK_PAUSE, PLACE_PATIENCE,
};
use crate::engine::clock::Clock;
use crate::engine::endpoint::HttpEndpoint;
use crate::engine::waiting_asks::{self, NotifyUrl};
use crate::error::ApiError;
use crate::store::{NewWebhook, Webhook};
use axum::body::Bytes;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use percent_encoding::{CONTROLS, utf8_percent_encode};
use question_agent::ag_ui::ask_status;
use question_agent::registry::Callback;
use question_agent::state::AwaitingUserResponse;
use question_agent::{Conversation, Timestamp};
use sha2::Sha256;
use std::collections::HashSet;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use uuid::Uuid;
use weak_table::WeakValueHashMap;

/// The prefix of a webhook's URL that is a browser's push endpoint. No URL of a callback has it.
pub(crate) const PUSH: &str = "push:";

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
    fn headers(&self, id: &str, now: Timestamp, body: &str) -> HeaderMap {
        let seconds = now.0 / 1000;
        // Receivers read a header as Latin-1 and would check the signature of another id, so an id that is not ASCII is percent-encoded.
        let id = utf8_percent_encode(id, CONTROLS).to_string();
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may have any length");
        mac.update(format!("{id}.{seconds}.{body}").as_bytes());
        let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        let named = [("webhook-id", id), ("webhook-timestamp", seconds.to_string()), ("webhook-signature", signature)];
        let header = |(name, value): (&'static str, String)| {
            Some((HeaderName::from_static(name), HeaderValue::try_from(value).ok()?))
        };
        named.into_iter().filter_map(header).collect()
    }
}

/// The callbacks that the operator allows, and those under way.
#[derive(Debug)]
pub(crate) struct Callbacks {
    origins: Vec<Origin>,
    key: Option<CallbackKey>,
    notify_url: Option<NotifyUrl>,
    public_origin: Option<Origin>,
    /// Limits the concurrent calls of each origin and of each path, so that an endpoint that hangs delays no other.
    places: Mutex<WeakValueHashMap<String, Weak<Semaphore>>>,
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
    // Entries are only inserted and removed, so a panic leaves the set consistent.
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Callbacks {
    /// Calls to these origins, signed by the key. The program of `notify_url` is told of questions, with addresses at the public origin.
    pub(crate) fn new(
        origins: Vec<Origin>,
        key: Option<CallbackKey>,
        notify_url: Option<NotifyUrl>,
        public_origin: Option<Origin>,
    ) -> Self {
        Self { origins, key, notify_url, public_origin, places: Mutex::default(), under_way: Arc::default() }
    }

    /// The server's own origin as people reach it, if the operator has named it.
    pub(crate) fn public_origin(&self) -> Option<String> {
        self.public_origin.as_ref().map(Origin::to_string)
    }

    /// The kind of a webhook, for the log and the metrics.
    pub(crate) fn kind_of(webhook: &Webhook) -> &'static str {
        match &*webhook.url {
            "" => "notification",
            url if url.starts_with(PUSH) => "push",
            _ => "callback",
        }
    }

    /// The webhook for a question that begins to wait, if somebody is to be told.
    pub(crate) fn notify(
        &self,
        conversation: &str,
        waiting: &AwaitingUserResponse,
        at: Timestamp,
    ) -> Option<NewWebhook> {
        self.notify_url.as_ref()?;
        let body = waiting_asks::body(conversation, waiting, self.public_origin.as_ref()).to_string();
        // The id is random, so that no program can give its ask the same one.
        Some(NewWebhook { id: format!("waits_{}", Uuid::new_v4().simple()), url: String::new(), body, at })
    }

    /// The URL of a webhook, unless the operator has withdrawn it since the ask.
    fn url_of(&self, webhook: &Webhook) -> Option<Uri> {
        if webhook.url.is_empty() {
            return self.notify_url.as_ref().map(|url| url.0.clone());
        }
        webhook.url.parse().ok().filter(|url| self.allows(url))
    }

    /// The number of calls that may begin now.
    pub(crate) fn free(&self) -> usize {
        CALLS_BACK.saturating_sub(lock(&self.under_way).len())
    }

    /// Marks a call as under way; `None` if it already is, since a claim ends early if the clock is set forward.
    pub(crate) fn begin(&self, webhook: &Webhook) -> Option<CallUnderWay> {
        let name = (webhook.conversation.clone(), webhook.id.clone());
        lock(&self.under_way).insert(name.clone()).then(|| CallUnderWay(Arc::clone(&self.under_way), name))
    }

    fn allows(&self, url: &Uri) -> bool {
        let origin = || format!("{}://{}", url.scheme_str()?, url.authority()?).parse().ok();
        origin().is_some_and(|origin| self.origins.contains(&origin))
    }

    /// Waits for a permit to make one of at most `most` concurrent calls of this name.
    async fn place(&self, name: String, most: usize) -> Option<OwnedSemaphorePermit> {
        let places = {
            let mut all = lock(&self.places);
            all.remove_expired();
            all.entry(name).or_insert_with(|| Arc::new(Semaphore::new(most)))
        };
        places.acquire_owned().await.ok()
    }

    /// The callback for an ask that is open, to be stored with it.
    ///
    /// # Errors
    /// If there is no key, or the operator has not allowed the URL's origin.
    pub(crate) fn keep(&self, url: &str, tool_call_id: &str) -> Result<Callback, ApiError> {
        let is_allowed = url.len() <= MAX_URL && url.parse().is_ok_and(|url| self.allows(&url));
        match is_allowed && self.key.is_some() {
            true => Ok(Callback { tool_call_id: tool_call_id.to_owned(), url: url.to_owned() }),
            false => Err(ApiError::CallbackNotAllowed),
        }
    }

    pub(crate) async fn call(&self, webhook: &Webhook, clock: &dyn Clock) -> Called {
        let attempts = webhook.attempts;
        let Some(key) = &self.key else {
            tracing::warn!(attempts, "callback failed: there is no --callback-key any more");
            return Called::Failed;
        };
        let Some(url) = self.url_of(webhook) else {
            tracing::warn!(
                attempts,
                "callback failed: neither --allow-callback nor --notify-url has its address any more"
            );
            return Called::Failed;
        };
        let headers = key.headers(&webhook.id, clock.now(), &webhook.body);
        Called::of(self.post(&url.to_string(), webhook.body.clone(), headers, attempts).await, attempts)
    }

    /// Posts a body to a URL, once there is a place for that. Returns the status.
    pub(crate) async fn post(
        &self,
        url: &str,
        body: impl Into<Bytes>,
        headers: HeaderMap,
        attempts: u32,
    ) -> Result<StatusCode, Called> {
        let parsed: Uri = url.parse().map_err(|_| Called::Failed)?;
        let authority = parsed.authority().map_or("", Authority::as_str);
        let places = async {
            let of_path = self.place(format!("{authority}{}", parsed.path()), CALLS_BACK_AT_ONCE).await;
            (of_path, self.place(authority.to_owned(), CALLS_BACK_TO_ORIGIN).await)
        };
        let Ok(_places) = timeout(PLACE_PATIENCE, places).await else {
            return Err(Called::Crowded);
        };
        let failed = |error: &dyn Display| {
            tracing::warn!(%error, attempts, "callback failed");
            Called::Failed
        };
        let endpoint = HttpEndpoint::new(url, HeaderMap::new()).map_err(|error| failed(&error))?;
        match timeout(CALLBACK_PATIENCE, endpoint.send(body, headers)).await {
            Ok(Ok(answer)) => Ok(answer.status()),
            Ok(Err(error)) => Err(failed(&error)),
            Err(_) => {
                tracing::warn!(attempts, "callback timed out");
                Err(Called::Failed)
            }
        }
    }
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Called {
    /// The endpoint took it.
    Taken,
    /// The attempt failed.
    Failed,
    /// No attempt was made: its endpoint has the most concurrent calls already.
    Crowded,
    /// The call is not wanted any more, and is not repeated.
    Gone,
}

impl Called {
    /// The outcome of an attempt with this status.
    pub(crate) fn of(status: Result<StatusCode, Self>, attempts: u32) -> Self {
        match status {
            Ok(status) if status.is_success() => Self::Taken,
            Ok(StatusCode::GONE) => Self::Gone,
            Ok(status) => {
                tracing::warn!(status = status.as_u16(), attempts, "callback refused");
                Self::Failed
            }
            Err(called) => called,
        }
    }
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
        let headers = key.headers("größe/1", Timestamp(0), "");
        assert_eq!(headers["webhook-id"], "gr%C3%B6%C3%9Fe/1");
        for short in ["", "whsec_", "whsec_c2hvcnQ=", "no base64 at all, but long enough to be one"] {
            assert!(short.parse::<CallbackKey>().is_err(), "{short}");
        }
    }
}
