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
use std::fmt;
use std::iter::once;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// A web origin as browsers write it: scheme, host and, unless it is the scheme's default, a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Origin {
    /// Its host in lower case, an IPv6 address in brackets.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The default port of its scheme.
    fn own_port(&self) -> Option<u16> {
        match self.scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// The text is no origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an origin looks like http://192.168.1.5:8080, without a path")]
pub struct OriginError;

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let (scheme, authority) = text.trim_end_matches('/').split_once("://").ok_or(OriginError)?;
        if !matches!(scheme, "http" | "https") {
            return Err(OriginError);
        }
        let (host, port) = split_authority(authority).ok_or(OriginError)?;
        let origin = Self { scheme: scheme.to_owned(), host, port: None };
        let port = port.filter(|port| Some(*port) != origin.own_port());
        Ok(Self { port, ..origin })
    }
}

/// Host and port of an authority; a host in lower case, an IPv6 address in brackets.
fn split_authority(authority: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match authority.rfind(':') {
        Some(colon) if !authority[colon..].contains(']') => {
            let port = &authority[colon + 1..];
            let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            (&authority[..colon], Some(port.parse().ok().filter(|_| digits)?))
        }
        Some(_) | None => (authority, None),
    };
    let name = host.strip_prefix('[').map_or(host, |host| host.strip_suffix(']').unwrap_or(""));
    let legal =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') || (byte == b':' && host != name);
    (!name.is_empty() && name.bytes().all(legal)).then(|| (host.to_ascii_lowercase(), port))
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
        let is_let_in = |target: &str| split_authority(target).is_some_and(|(host, _)| self.allows_host(&host));
        if !target.is_none_or(is_let_in) {
            return Err(ApiError::ForbiddenHost);
        }
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(ApiError::ForbiddenHost);
        };
        let names = once(host.to_str().unwrap_or_default()).chain(members(headers, X_FORWARDED_HOST));
        let names: Option<Vec<(String, Option<u16>)>> = names.map(split_authority).collect();
        let names = names.ok_or(ApiError::ForbiddenHost)?;
        if !names.iter().all(|(host, _)| self.allows_host(host)) {
            return Err(ApiError::ForbiddenHost);
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(|origin| self.allows_origin(origin, &names)) {
            return Err(ApiError::ForbiddenOrigin);
        }
        Ok(())
    }

    fn allows_host(&self, host: &str) -> bool {
        let Some(hosts) = &self.hosts else {
            return true;
        };
        LOOPBACK_HOSTS.contains(&host)
            || hosts.iter().any(|allowed| allowed == host)
            || self.origins.iter().any(|origin| origin.host == host)
    }

    fn allows_origin(&self, value: &HeaderValue, names: &[(String, Option<u16>)]) -> bool {
        let origin = value.to_str().ok();
        let Some(origin) = origin.and_then(|text| Origin::from_str(text).ok()) else {
            return false;
        };
        let is_own = |(host, port): &(String, Option<u16>)| {
            let port = port.filter(|port| Some(*port) != origin.own_port());
            *host == origin.host && port == origin.port
        };
        let is_neighbour = self.neighbours && LOOPBACK_HOSTS.contains(&origin.host.as_str());
        is_neighbour || self.origins.contains(&origin) || names.iter().any(is_own)
    }
}

/// Refuses requests with a host or an origin that is not allowed.
pub(crate) async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Result<Response, ApiError> {
    guard.check(request.uri().authority().map(Authority::as_str), request.headers())?;
    Ok(next.run(request).await)
}
