//! Who may talk to a server that listens on this machine: no page of another site, and nobody who reached it under another name.
//!
//! - `Host` must name this machine (`localhost`, `127.0.0.1`, `[::1]`; any port or none) or an allowed origin's host. A page that rebinds its
//!   own name to 127.0.0.1 still sends that name. The same holds for each `X-Forwarded-Host` that a proxy such as Trunk's adds.
//! - `Origin`, where there is one, must be a page of this machine on any port, or an allowed origin. Any port, because `trunk serve` is free to
//!   take any, and because whoever can serve a page on this machine's loopback is on this machine already.
//!
//! Requests without `Origin` are no page's, or a page's own `GET`. State changes need `Content-Type: application/json`, which no page of
//! another origin can send unasked: see the endpoints. A conversation's [`owner`](crate::owner) is checked behind this guard.

use crate::error::ApiError;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// A web origin as browsers write it: scheme, host and, where it is not the scheme's own, a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Origin {
    /// Whether a Content-Security-Policy has a way to write it.
    ///
    /// # Errors
    /// A sentence where it has not.
    pub fn check_nameable_in_a_policy(&self) -> Result<(), String> {
        if self.host.starts_with('[') {
            return Err(format!(
                "{self}: a Content-Security-Policy cannot name an IPv6 address; give the host a name"
            ));
        }
        Ok(())
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

/// Why a text is no origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnOrigin;

impl fmt::Display for NotAnOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an origin looks like http://192.168.1.5:8080, without a path")
    }
}

impl std::error::Error for NotAnOrigin {}

impl FromStr for Origin {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, NotAnOrigin> {
        let (scheme, authority) = text
            .trim_end_matches('/')
            .split_once("://")
            .ok_or(NotAnOrigin)?;
        let own_port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return Err(NotAnOrigin),
        };
        let (host, port) = split_authority(authority).ok_or(NotAnOrigin)?;
        Ok(Self {
            scheme: scheme.to_owned(),
            host,
            port: port.filter(|port| *port != own_port),
        })
    }
}

/// Host and port of an authority; a host in lower case, an IPv6 address in brackets.
fn split_authority(authority: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match authority.rfind(':') {
        Some(colon) if !authority[colon..].contains(']') => {
            let port = &authority[colon + 1..];
            let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            (
                &authority[..colon],
                Some(port.parse().ok().filter(|_| digits)?),
            )
        }
        Some(_) | None => (authority, None),
    };
    let name = host
        .strip_prefix('[')
        .map_or(host, |host| host.strip_suffix(']').unwrap_or(""));
    let legal = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'.' | b'-' | b'_')
            || (byte == b':' && host != name)
    };
    (!name.is_empty() && name.bytes().all(legal)).then(|| (host.to_ascii_lowercase(), port))
}

/// Which hosts and origins are let in.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    allowed: Vec<Origin>,
}

impl Guard {
    /// Lets this machine's pages in, and those of the allowed origins.
    #[must_use]
    pub fn new(allowed: Vec<Origin>) -> Self {
        Self { allowed }
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(ApiError::ForbiddenHost);
        };
        let mut names = std::iter::once(host).chain(headers.get_all(X_FORWARDED_HOST));
        if !names.all(|name| self.allows_host(name)) {
            return Err(ApiError::ForbiddenHost);
        }
        if !headers
            .get_all(header::ORIGIN)
            .iter()
            .all(|origin| self.allows_origin(origin))
        {
            return Err(ApiError::ForbiddenOrigin);
        }
        Ok(())
    }

    fn allows_host(&self, value: &HeaderValue) -> bool {
        let Some((host, _)) = value.to_str().ok().and_then(split_authority) else {
            return false;
        };
        LOOPBACK_HOSTS.contains(&host.as_str())
            || self.allowed.iter().any(|origin| origin.host == host)
    }

    fn allows_origin(&self, value: &HeaderValue) -> bool {
        let Some(origin) = value
            .to_str()
            .ok()
            .and_then(|text| Origin::from_str(text).ok())
        else {
            return false;
        };
        LOOPBACK_HOSTS.contains(&origin.host.as_str()) || self.allowed.contains(&origin)
    }
}

/// The guard in front of every route.
pub(crate) async fn guard(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    guard.check(request.headers())?;
    Ok(next.run(request).await)
}

#[cfg(test)]
mod tests {
    use super::{Guard, Origin};
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    fn allows(guard: &Guard, headers: &[(&str, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
            map.append(name, HeaderValue::from_str(value).expect("a header value"));
        }
        guard.check(&map).is_ok()
    }

    #[test]
    fn this_machine_is_let_in_under_its_own_names() {
        let guard = Guard::default();
        for host in [
            "localhost",
            "127.0.0.1",
            "127.0.0.1:8787",
            "[::1]:8787",
            "[::1]",
            "LOCALHOST:1",
        ] {
            assert!(allows(&guard, &[("host", host)]), "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:8787",
            "127.0.0.1:x",
            "",
            "[::1",
            "localhost:+1",
            "a b",
        ] {
            assert!(!allows(&guard, &[("host", host)]), "{host}");
        }
        assert!(!allows(&guard, &[]), "no host at all");
        assert!(
            !allows(&guard, &[("host", "localhost"), ("host", "localhost")]),
            "two hosts"
        );
    }

    #[test]
    fn trunks_proxy_is_let_in_as_it_is() {
        let guard = Guard::default();
        let proxied = [
            ("host", "127.0.0.1"),
            ("x-forwarded-host", "127.0.0.1:8080"),
            ("origin", "http://127.0.0.1:8080"),
        ];
        assert!(allows(&guard, &proxied));
        let rebound = [
            ("host", "127.0.0.1"),
            ("x-forwarded-host", "evil.example:8080"),
        ];
        assert!(
            !allows(&guard, &rebound),
            "the name that the browser used counts"
        );
    }

    #[test]
    fn pages_of_other_origins_are_refused() {
        let guard = Guard::default();
        for origin in [
            "http://localhost:8080",
            "http://127.0.0.1:1",
            "http://[::1]:3000",
            "http://localhost",
        ] {
            assert!(
                allows(&guard, &[("host", "localhost:8787"), ("origin", origin)]),
                "{origin}"
            );
        }
        for origin in [
            "null",
            "https://evil.example",
            "http://localhost.evil.example",
            "file://",
            "http://evil.example:8080",
            "http://localhost@evil.example",
        ] {
            assert!(
                !allows(&guard, &[("host", "localhost:8787"), ("origin", origin)]),
                "{origin}"
            );
        }
    }

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        for (given, written) in [
            ("https://Agent.Example:443/", "https://agent.example"),
            ("http://agent.example:80", "http://agent.example"),
            ("http://agent.example:8080", "http://agent.example:8080"),
            ("http://[::1]:3000", "http://[::1]:3000"),
        ] {
            let origin: Origin = given.parse().expect("an origin");
            assert_eq!(origin.to_string(), written);
        }
        for given in [
            "agent.example",
            "ws://agent.example",
            "https://agent.example/path",
            "https://agent.example?query",
            "https://user@agent.example",
            "https://*.example",
            "https://agent.example;script-src",
            "https://",
            "*",
        ] {
            assert!(given.parse::<Origin>().is_err(), "{given}");
        }
    }

    #[test]
    fn an_allowed_origin_is_let_in_exactly() {
        let origin: Origin = "http://192.168.1.5:8080".parse().expect("an origin");
        let guard = Guard::new(vec![origin]);
        let page = [
            ("host", "127.0.0.1"),
            ("x-forwarded-host", "192.168.1.5:8080"),
            ("origin", "http://192.168.1.5:8080"),
        ];
        assert!(allows(&guard, &page));
        assert!(
            !allows(
                &guard,
                &[("host", "127.0.0.1"), ("origin", "http://192.168.1.5:9090")]
            ),
            "another port"
        );
        assert!(
            !allows(
                &guard,
                &[
                    ("host", "127.0.0.1"),
                    ("origin", "https://192.168.1.5:8080")
                ]
            ),
            "another scheme"
        );
    }
}
