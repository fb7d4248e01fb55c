//! Whose a conversation is: an unguessable token in a cookie that no script can read and no other site's request carries.
//!
//! A page gets its token with the first answer of the server and sends it back by itself, through Trunk's proxy too. A conversation that is made
//! with a token answers to that token alone; to all others it is not there. A program that keeps no cookies makes conversations without an owner,
//! which answer to whoever the [`guard`](crate::guard) lets in.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Write as _};
use uuid::Uuid;

/// The cookie that carries the token.
pub const COOKIE: &str = "question_owner";

/// How long a browser keeps it: as long as browsers keep any.
const COOKIE_SECONDS: u32 = 400 * 24 * 60 * 60;

/// The digits of a token: two random ids.
const TOKEN_DIGITS: usize = 64;

/// Browsers say with each request where it comes from; programs do not.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whose a conversation is: what is kept of a token, from which the token cannot be had back.
#[derive(Clone, PartialEq, Eq)]
pub struct Owner(String);

impl Owner {
    /// The owner that brings this token.
    #[must_use]
    pub fn of(token: &str) -> Self {
        let mut hex = String::with_capacity(TOKEN_DIGITS);
        for byte in Sha256::digest(token) {
            write!(hex, "{byte:02x}").expect("a string takes everything");
        }
        Self(hex)
    }

    /// An owner as it was stored.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// What is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Owner")
    }
}

/// Who sent a request, as far as it says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller(pub(crate) Option<Owner>);

impl Caller {
    pub(crate) fn may_open(&self, owner: Option<&Owner>) -> bool {
        owner.is_none() || self.0.as_ref() == owner
    }
}

/// Tells the handlers who asks, and gives a browser that has no token yet one.
pub(crate) async fn recognise(mut request: Request, next: Next) -> Response {
    let known = token_in(request.headers()).map(Owner::of);
    let given = (known.is_none() && is_from_a_browser(request.headers())).then(new_token);
    let owner = known.or_else(|| given.as_deref().map(Owner::of));
    request.extensions_mut().insert(Caller(owner));
    let mut response = next.run(request).await;
    if let Some(token) = given {
        let cookie = set_cookie(&token);
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

fn token_in(headers: &HeaderMap) -> Option<&str> {
    let lines = headers.get_all(header::COOKIE).iter();
    let cookies = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'));
    let tokens = cookies.filter_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    let mut well_formed = tokens.filter(|token| {
        token.len() == TOKEN_DIGITS && token.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    well_formed.next()
}

fn is_from_a_browser(headers: &HeaderMap) -> bool {
    headers.contains_key(header::ORIGIN) || headers.contains_key(SEC_FETCH_SITE)
}

fn new_token() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

/// Not `Secure`, because this machine's own pages come without TLS and not every browser excepts them.
fn set_cookie(token: &str) -> HeaderValue {
    let cookie =
        format!("{COOKIE}={token}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict");
    HeaderValue::try_from(cookie)
        .expect("hexadecimal digits and this file's own text are legal in a header")
}

#[cfg(test)]
mod tests {
    use super::{Owner, new_token, token_in};
    use axum::http::{HeaderMap, HeaderValue, header};

    #[test]
    fn the_token_is_found_among_other_cookies() {
        let token = new_token();
        for cookie in [
            format!("question_owner={token}"),
            format!("a=b; question_owner={token}; c=d"),
            format!("question_owner=short;question_owner={token}"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(
                header::COOKIE,
                HeaderValue::try_from(cookie).expect("it is legal"),
            );
            assert_eq!(token_in(&headers), Some(token.as_str()));
        }
        for cookie in [
            "question_owner=",
            "xquestion_owner=1",
            "question_owner=../..",
            "=;;=",
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_static(cookie));
            assert_eq!(token_in(&headers), None, "{cookie}");
        }
    }

    #[test]
    fn tokens_differ_and_are_not_kept() {
        let (one, other) = (new_token(), new_token());
        assert_ne!(one, other);
        assert_ne!(Owner::of(&one), Owner::of(&other));
        let owner = Owner::of(&one);
        assert!(!owner.as_str().contains(&one) && !format!("{owner:?}").contains(owner.as_str()));
    }
}
