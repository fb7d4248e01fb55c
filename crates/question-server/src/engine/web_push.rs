//! Web push: notifies users' browsers of each question that begins to wait, even when no page is open.
//!
//! A page subscribes at its browser's push service and brings the subscription here. A commit that makes an ask stores a
//! [`Webhook`] for each browser of the conversation's owner. The browsers are told whether or not a page is open: an open page may be in the
//! background, and only the browser knows.

pub mod contact;
mod encryption;
pub(crate) mod service;
mod vapid;

use crate::caller::Caller;
use crate::config::limits::{MAX_PUSH_TTL, PUSH_SUBSCRIPTIONS, PUSH_SUBSCRIPTIONS_OF_OWNER};
use crate::engine::callbacks::{Called, PUSH};
use crate::engine::runtime::Runtime;
use crate::engine::waiting_asks::page_address;
use crate::error::{ApiError, WithCauses};
use crate::http::body::JsonBody;
use crate::owner::Owner;
use crate::store::{NewPushSubscription, NewWebhook, PushSubscription, Webhook};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::{Extension, Json};
use encryption::{BrowserKeys, MAX_TEXT};
use question_agent::Timestamp;
use question_agent::state::AwaitingUserResponse;
use serde::Deserialize;
use serde_json::{Value, json};
use service::WebPush;
use std::sync::Arc;
use uuid::Uuid;

/// The policy of Trusted Types by which the page names its worker.
pub(crate) const TRUSTED_TYPES: &str = "web-push";

/// The body of `POST /push/subscriptions`, as `PushSubscription.toJSON()` in a browser makes it.
#[derive(Deserialize)]
struct SubscriptionBody {
    endpoint: String,
    keys: KeysBody,
}

#[derive(Deserialize)]
struct KeysBody {
    p256dh: String,
    auth: String,
}

/// The body of `DELETE /push/subscriptions`; further members are ignored.
#[derive(Deserialize)]
struct EndpointBody {
    endpoint: String,
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::BadRequest(format!("The body cannot be read: {error}.")))
}

/// The public key for `PushManager.subscribe`.
pub(crate) async fn key(State(runtime): State<Arc<Runtime>>) -> Result<Json<Value>, ApiError> {
    let key = runtime.web_push()?.key(&*runtime.store).await?.public();
    Ok(Json(json!({"key": key})))
}

/// Stores a browser's subscription for the caller's owner.
pub(crate) async fn subscribe(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    JsonBody(body): JsonBody,
) -> Result<StatusCode, ApiError> {
    let push = runtime.web_push()?;
    let owner = caller.owner.ok_or(ApiError::NoOwner)?;
    let SubscriptionBody { endpoint, keys: KeysBody { p256dh, auth } } = parse(&body)?;
    push.service_of(&endpoint).ok_or(ApiError::PushServiceNotAllowed)?;
    BrowserKeys::read(&p256dh, &auth)
        .ok_or_else(|| ApiError::BadRequest("`keys` are not those of a subscription.".to_owned()))?;
    let store = &runtime.store;
    if store.count_push_subscriptions().await? >= PUSH_SUBSCRIPTIONS {
        return Err(ApiError::SubscriptionsFull);
    }
    let subscription = PushSubscription { endpoint, p256dh, auth };
    let (at, most) = (runtime.clock.now(), PUSH_SUBSCRIPTIONS_OF_OWNER);
    store.put_push_subscription(NewPushSubscription { subscription, owner, at, most }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Forgets a browser's subscription, if it is the caller's owner's.
pub(crate) async fn unsubscribe(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    JsonBody(body): JsonBody,
) -> Result<StatusCode, ApiError> {
    runtime.web_push()?;
    let owner = caller.owner.ok_or(ApiError::NoOwner)?;
    let EndpointBody { endpoint } = parse(&body)?;
    runtime.store.delete_push_subscription(&endpoint, Some(&owner)).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl Runtime {
    fn web_push(&self) -> Result<&WebPush, ApiError> {
        self.web_push.as_ref().ok_or(ApiError::WebPushOff)
    }

    /// The webhooks for a question that begins to wait, one for each browser of the owner. If the store fails, there are none.
    pub(crate) async fn pushes(
        &self,
        conversation: &str,
        owner: Option<&Owner>,
        waiting: &AwaitingUserResponse,
        at: Timestamp,
    ) -> Vec<NewWebhook> {
        let (Some(_), Some(owner)) = (&self.web_push, owner) else {
            return Vec::new();
        };
        let browsers = self.store.push_subscriptions(owner).await.unwrap_or_else(|error| {
            tracing::error!(error = %WithCauses(&error), "looking for browsers to tell failed");
            Vec::new()
        });
        let body = body(conversation, waiting).to_string();
        let webhook = |browser: PushSubscription| NewWebhook {
            id: format!("pushes_{}", Uuid::new_v4().simple()),
            url: [PUSH, &browser.endpoint].concat(),
            body: body.clone(),
            at,
        };
        browsers.into_iter().map(webhook).collect()
    }

    /// Makes one attempt to tell a browser, if the webhook is for one.
    pub(crate) async fn push(&self, webhook: &Webhook) -> Option<Called> {
        let endpoint = webhook.url.strip_prefix(PUSH)?;
        // The question may have ended since the first attempt.
        if webhook.attempts > 0 && !self.still_waits(webhook).await {
            return Some(Called::Gone);
        }
        Some(match self.try_push(endpoint, webhook).await {
            Ok(Some(Called::Gone)) => {
                if let Err(error) = self.store.delete_push_subscription(endpoint, None).await {
                    tracing::error!(error = %WithCauses(&error), "could not remove the subscription of a browser");
                }
                Called::Gone
            }
            Ok(called) => called.unwrap_or(Called::Gone),
            Err(error) => {
                tracing::warn!(%error, "push failed");
                Called::Failed
            }
        })
    }

    /// Tries to notify a browser once; `None` if it is not to be notified any more.
    async fn try_push(&self, endpoint: &str, webhook: &Webhook) -> Result<Option<Called>, ApiError> {
        let Some(push) = &self.web_push else {
            return Ok(None);
        };
        let subscription = self.store.push_subscription(endpoint).await?;
        let (Some(browser), Some(service)) = (subscription, push.service_of(endpoint)) else {
            return Ok(None);
        };
        let now = self.clock.now();
        let key = push.key(&*self.store).await?;
        let token = key.authorization(&service.to_string(), push.contact.as_str(), now).ok_or(ApiError::Internal)?;
        let keys = BrowserKeys::read(&browser.p256dh, &browser.auth).ok_or(ApiError::Internal)?;
        let sealed = keys.encrypt(webhook.body.as_bytes()).map_err(|_| ApiError::Internal)?;
        let mut headers = HeaderMap::new();
        let mut authorization = HeaderValue::try_from(token).map_err(|_| ApiError::Internal)?;
        authorization.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, authorization);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("aes128gcm"));
        headers.insert("ttl", HeaderValue::from(MAX_PUSH_TTL.as_secs()));
        // The agent waits for a person.
        headers.insert("urgency", HeaderValue::from_static("high"));
        let status = self.callbacks.post(endpoint, sealed, headers, webhook.attempts).await;
        Ok(Some(match status {
            Ok(StatusCode::NOT_FOUND) => Called::Gone,
            status => Called::of(status, webhook.attempts),
        }))
    }

    /// Returns true if the question of a webhook waits, as far as the store says.
    async fn still_waits(&self, webhook: &Webhook) -> bool {
        let told: Value = serde_json::from_str(&webhook.body).unwrap_or_default();
        match self.store.load(&webhook.conversation).await {
            Ok(Some(stored)) => {
                told["toolCallId"].as_str().is_some_and(|call| stored.conversation.end_of(call).is_none())
            }
            Ok(None) => false,
            Err(_) => true,
        }
    }
}

/// The longest texts of a notification, in characters. Browsers show less.
const MOST_CHARACTERS: usize = 240;

/// What a browser is told: what to show, and where the page shows the question, as seen from the page.
fn body(conversation: &str, waiting: &AwaitingUserResponse) -> Value {
    let first = waiting.questions.questions.first();
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let short = |text: &str| text.chars().take(MOST_CHARACTERS).map(plain).collect::<String>();
    let question = first.map(|first| short(&first.question)).unwrap_or_default();
    let header = first.and_then(|first| first.header.as_deref()).map(short).filter(|header| !header.is_empty());
    let body = json!({
        "conversationId": conversation,
        "toolCallId": waiting.tool_use_id,
        "title": header.as_ref().unwrap_or(&question),
        "body": header.as_ref().map(|_| &question),
        "url": page_address(".", conversation),
    });
    debug_assert!(body.to_string().len() <= MAX_TEXT, "ids and texts are short");
    body
}
