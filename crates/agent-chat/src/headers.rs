//! Headers of requests to an agent: those that the host gives, and those that this browser keeps for the agent's origin, such as a key. They are
//! sent to that origin and to no other.

use crate::policy::{Reach, reach};
use crate::storage::Shelf;
use gloo_net::http::{self, RequestBuilder};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use web_sys::RequestRedirect;

/// Headers that are still to come.
pub(crate) type Coming = Pin<Box<dyn Future<Output = Vec<(String, String)>>>>;

/// What goes with each request to an agent. The function is a value, so that a page without headers does not carry it.
#[derive(Clone)]
pub(crate) struct Headers {
    /// Asked for each request.
    list: Arc<dyn Fn() -> Coming + Send + Sync>,
    put: fn(&[(String, String)], RequestBuilder) -> RequestBuilder,
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Headers")
    }
}

impl Headers {
    /// The headers of each request.
    pub(crate) fn new(list: impl Fn() -> Coming + Send + Sync + 'static) -> Self {
        Self { list: Arc::new(list), put }
    }

    /// Puts them into a request, in the place of those that it has.
    pub(crate) async fn put(&self, request: RequestBuilder) -> RequestBuilder {
        (self.put)(&(self.list)().await, request)
    }
}

fn put(list: &[(String, String)], request: RequestBuilder) -> RequestBuilder {
    let headers = web_sys::Headers::new().expect("headers can be empty");
    for (name, value) in list {
        // What is no legal header is left out; `http::Headers` would panic.
        let _ = headers.append(name, value);
    }
    // They are for this agent alone, and a browser would take them along.
    request.headers(http::Headers::from_raw(headers)).redirect(RequestRedirect::Error)
}

/// The headers that are kept for the origin of an agent's address.
#[must_use]
pub fn kept_headers(agent: &str) -> Vec<(String, String)> {
    let kept = key(agent).and_then(|key| Shelf::Browser.read(&key));
    let kept = kept.unwrap_or_default();
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_owned(), value.to_owned()))
    };
    kept.lines().filter_map(header).collect()
}

/// Keeps headers for the origin of an agent's address, in the place of those that were kept. False where one of them is no header, or where the
/// browser keeps nothing; nothing is changed then.
pub fn keep_headers(agent: &str, headers: &[(String, String)]) -> bool {
    let Some(key) = key(agent) else { return false };
    if !headers.iter().all(|(name, value)| is_header(name, value)) {
        return false;
    }
    if headers.is_empty() {
        Shelf::Browser.remove(&key);
        return true;
    }
    let lines = headers.iter().map(|(name, value)| format!("{name}:{value}"));
    Shelf::Browser.write(&key, &lines.collect::<Vec<_>>().join("\n"))
}

fn key(agent: &str) -> Option<String> {
    let origin = match reach(agent) {
        Reach::Own => String::new(),
        Reach::Other(origin) => origin,
        Reach::None => return None,
    };
    Some(format!("agent-chat headers {origin}"))
}

/// Whether this may be kept, and sent, as a header.
pub(crate) fn is_header(name: &str, value: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_value = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
    !name.is_empty() && name.bytes().all(is_token) && value.bytes().all(is_value)
}

#[cfg(test)]
mod tests {
    use super::is_header;

    #[test]
    fn headers_are_told_from_what_is_none() {
        assert!(is_header("Authorization", "Bearer abc:def"));
        assert!(is_header("X-Key", ""));
        for (name, value) in [("", "x"), ("X Key", "x"), ("X:", "x"), ("X", "a\r\nY: b"), ("X", "é")] {
            assert!(!is_header(name, value), "{name}: {value}");
        }
    }
}
