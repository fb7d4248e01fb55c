//! The check of `Host` and `Origin`: pages of other sites, and clients that reached the server under another name, are refused.
//!
//! - `Host` must name this machine (`localhost`, `127.0.0.1`, `[::1]`; any port or none), or be a public or an allowed origin's. A page that
//!   rebinds its own name to 127.0.0.1 still sends that name. The same holds for each name in `X-Forwarded-Host`, which a proxy such as Trunk's adds.
//! - `Origin`, if there is one, must be the server's own under that host, a page of this machine on any port, or an allowed origin. Any port,
//!   because `trunk serve` may take any, and because a program that serves a page on loopback runs on this machine already.
//!
//! Requests without `Origin` are a program's, or a page's own `GET`. State changes need `Content-Type: application/json`, which no page of
//! another origin can send without a preflight. A conversation's [`owner`](crate::auth::owner) is checked behind this guard.

use crate::auth::headers::{X_FORWARDED_HOST, members};
use crate::error::ApiError;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use reqwest::Url;
use std::fmt;
use std::iter::once;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// A web origin as browsers write it: scheme, host and, unless it is the scheme's default, a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(Url);

impl Origin {
    /// Its host in lower case, an IPv6 address in brackets.
    pub(crate) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.origin().ascii_serialization())
    }
}

/// The text is no origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an origin looks like http://192.168.1.5:8080, without a path")]
pub struct OriginError;

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let origin = Self(text.parse().map_err(|_| OriginError)?);
        let url = &origin.0;
        let has_login = !url.username().is_empty() || url.password().is_some();
        let is_bare = !has_login && url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        // Hosts of URLs may have further characters, of which some mean something in a policy.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._[]:".contains(&byte);
        let is_one = matches!(url.scheme(), "http" | "https") && is_bare && origin.host().bytes().all(is_plain);
        if is_one { Ok(origin) } else { Err(OriginError) }
    }
}

/// The allowed hosts and origins.
#[derive(Clone, Debug)]
pub struct Guard {
    origins: Vec<Origin>,
    /// `None` allows every name.
    hosts: Option<Vec<String>>,
    /// True lets in the pages of other programs of this machine.
    neighbours: bool,
}

impl Guard {
    /// Allows this machine's pages, those of these origins, and the server's own under these names, or under any.
    #[must_use]
    pub fn new(origins: Vec<Origin>, hosts: Option<Vec<String>>) -> Self {
        Self { origins, hosts, neighbours: true }
    }

    /// Lets in no page but the server's own, under the names of this machine.
    #[must_use]
    pub fn own_pages() -> Self {
        Self { origins: Vec::new(), hosts: Some(Vec::new()), neighbours: false }
    }

    /// `target` is the host in the request line, which takes precedence (RFC 9112, 3.2.2).
    fn check(&self, target: Option<&str>, headers: &HeaderMap) -> Result<(), ApiError> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(ApiError::ForbiddenHost);
        };
        let names = once(host.to_str().unwrap_or_default()).chain(members(headers, X_FORWARDED_HOST));
        let names: Vec<&str> = names.collect();
        if !target.iter().chain(&names).all(|name| self.allows_host(name)) {
            return Err(ApiError::ForbiddenHost);
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(|origin| self.allows_origin(origin, &names)) {
            return Err(ApiError::ForbiddenOrigin);
        }
        Ok(())
    }

    fn allows_host(&self, name: &str) -> bool {
        let Ok(named) = format!("http://{name}").parse::<Origin>() else {
            return false;
        };
        let host = named.host();
        self.hosts.as_ref().is_none_or(|hosts| hosts.iter().any(|allowed| allowed == host))
            || LOOPBACK_HOSTS.contains(&host)
            || self.origins.iter().any(|origin| origin.host() == host)
    }

    fn allows_origin(&self, value: &HeaderValue, names: &[&str]) -> bool {
        let Some(origin) = value.to_str().ok().and_then(|text| text.parse::<Origin>().ok()) else {
            return false;
        };
        let is_own = |name: &&str| format!("{}://{name}", origin.0.scheme()).parse().as_ref() == Ok(&origin);
        let is_neighbour = self.neighbours && LOOPBACK_HOSTS.contains(&origin.host());
        is_neighbour || self.origins.contains(&origin) || names.iter().any(is_own)
    }
}

/// Refuses requests with a host or an origin that is not allowed.
pub(crate) async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Result<Response, ApiError> {
    guard.check(request.uri().authority().map(Authority::as_str), request.headers())?;
    Ok(next.run(request).await)
}
