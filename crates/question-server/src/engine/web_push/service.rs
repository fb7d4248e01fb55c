//! The server as push services know it, and the services that it calls.

use super::contact::WebPushContact;
use super::vapid::VapidKey;
use crate::auth::guard::Origin;
use crate::error::ApiError;
use crate::store::Store;
use axum::http::Uri;
use tokio::sync::OnceCell;

/// The longest endpoint, in bytes.
const MAX_ENDPOINT: usize = 1024;

/// The push services of browsers: hosts, and domains after a dot.
const SERVICES: [&str; 4] =
    ["fcm.googleapis.com", ".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com"];

/// The server as push services know it.
#[derive(Debug)]
pub(crate) struct WebPush {
    pub(super) contact: WebPushContact,
    /// Services beside those of the browsers.
    further: Vec<Origin>,
    key: OnceCell<VapidKey>,
}

impl WebPush {
    pub(crate) fn new(contact: WebPushContact, further: Vec<Origin>) -> Self {
        Self { contact, further, key: OnceCell::new() }
    }

    /// The key. The first server on a store makes it.
    pub(super) async fn key(&self, store: &dyn Store) -> Result<&VapidKey, ApiError> {
        let load = || async {
            let stored = store.secret("web-push", VapidKey::generate().ok_or(ApiError::Internal)?).await?;
            VapidKey::read(&stored).ok_or(ApiError::Internal)
        };
        self.key.get_or_try_init(load).await
    }

    /// The origin of an endpoint, if it is a push service's. Any client may name an endpoint, which the server then calls.
    pub(super) fn service_of(&self, endpoint: &str) -> Option<Origin> {
        let url: Uri = endpoint.parse().ok().filter(|_| endpoint.len() <= MAX_ENDPOINT)?;
        let (scheme, authority) = (url.scheme_str()?, url.authority()?.as_str());
        let origin: Origin = format!("{scheme}://{authority}").parse().ok()?;
        let is_known = |service: &&str| match service.starts_with('.') {
            true => authority.ends_with(*service),
            false => authority == *service,
        };
        let is_browsers = scheme == "https" && SERVICES.iter().any(is_known);
        (is_browsers || self.further.contains(&origin)).then_some(origin)
    }
}
