//! Whose a conversation is: an unguessable token in a cookie that no script can read and no other site's request carries.
//!
//! A page gets its token with the first answer of the server and sends it back by itself, through Trunk's proxy too. A conversation that is
//! made with a token answers to that token alone; to all others it is not there. A program, or a page of another origin, sends a token of
//! its own as `Authorization: Bearer TOKEN`. Without a token its conversations have no owner, and answer to every client that is let in.

use crate::access::Admitted;
use crate::guard::X_FORWARDED_HOST;
use crate::peer::Peer;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use uuid::Uuid;

/// The cookie that carries the token.
pub const COOKIE: &str = "question_owner";

/// What the owners of asks by MCP begin with, as they are stored.
#[cfg(feature = "mcp")]
const MCP: &str = "mcp:";

/// The time that a browser keeps it: as long as browsers keep any.
const COOKIE_SECONDS: u32 = 400 * 24 * 60 * 60;

/// The digits of a token: two random ids.
const TOKEN_DIGITS: usize = 64;

pub(crate) const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Browsers say with each request where it comes from; programs do not.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whose a conversation is, as it is stored: the digest of a cookie or of a program's own token, or a kind and the digest of a name. A digest is hexadecimal, so no token can be taken for a name.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Owner(String);

impl Owner {
    /// The owner that brings this token.
    #[must_use]
    pub fn of(token: &str) -> Self {
        Self(hex(&Sha256::digest(token)))
    }

    /// The owner that was let in with a token of the server's: by its name, or as the one who has the token of `--token`, whichever that is.
    fn of_admitted(name: Option<&str>) -> Self {
        match name {
            Some(name) => Self(format!("name:{}", hex(&Sha256::digest(name)))),
            None => Self("token:".to_owned()),
        }
    }

    /// The owner that a proxy names.
    fn of_user(name: &str) -> Self {
        Self(format!("user:{}", hex(&Sha256::digest(name))))
    }

    /// The owner of what this owner's clients of MCP ask, or clients without one.
    #[cfg(feature = "mcp")]
    fn of_mcp(owner: Option<&Self>) -> Self {
        Self(format!("{MCP}{}", owner.map(Self::as_str).unwrap_or_default()))
    }

    /// Returns true for what clients of MCP ask.
    #[cfg(feature = "mcp")]
    pub(crate) fn is_of_mcp(&self) -> bool {
        self.0.starts_with(MCP)
    }

    /// As it was stored before there were kinds. No bearer token has a space.
    fn formerly_of(name: &str) -> Self {
        Self::of(&format!("name {name}"))
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
pub(crate) struct Caller {
    pub(crate) owner: Option<Owner>,
    /// What its conversations were stored under by an earlier version.
    formerly: Option<Owner>,
    /// True if a layer around the server says who the owner is.
    is_vouched_for: bool,
    pub(crate) peer: Option<Peer>,
}

/// Whom a limit counts: the address, or on this machine the owner, whose proxy may stand in front of many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    Peer(Peer),
    Owner(Owner),
    #[default]
    Unknown,
}

impl Caller {
    pub(crate) fn client(&self) -> Client {
        match (self.peer, &self.owner) {
            (Some(peer), _) => Client::Peer(peer),
            (None, Some(owner)) => Client::Owner(owner.clone()),
            (None, None) => Client::Unknown,
        }
    }

    /// Those whose conversations it may list and delete.
    pub(crate) fn owners(&self) -> impl Iterator<Item = &Owner> {
        self.owner.iter().chain(&self.formerly)
    }

    /// The same as a program whose conversations are for others to answer.
    pub(crate) fn as_program(&self) -> Self {
        Self { owner: self.owner.clone().filter(|_| self.is_vouched_for), formerly: None, ..self.clone() }
    }

    /// The same as a client of MCP, whose asks are kept apart from the conversations.
    #[cfg(feature = "mcp")]
    pub(crate) fn for_mcp(&self) -> Self {
        Self { owner: Some(Owner::of_mcp(self.owner.as_ref())), formerly: None, is_vouched_for: true, peer: self.peer }
    }

    pub(crate) fn may_open(&self, owner: Option<&Owner>) -> bool {
        owner.is_none() || self.owner.as_ref() == owner || (self.formerly.is_some() && self.formerly.as_ref() == owner)
    }
}

/// Tells the handlers who asks, and gives a browser that has no token yet one. A proxy may say it, in a header of this name.
pub(crate) async fn recognise(State(proxys): State<Option<HeaderName>>, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    let admitted = request.extensions().get::<Admitted>();
    let of_proxy = || proxys.as_ref().and_then(|name| headers.get(name)?.to_str().ok()).filter(|name| !name.is_empty());
    let named = request.extensions().get::<Owner>().cloned().or_else(|| of_proxy().map(Owner::of_user));
    let is_vouched_for = named.is_some();
    let known = named.or_else(|| decide(token_in(headers), admitted, bearer(headers)));
    let given = (known.is_none() && keeps_cookies(headers)).then(new_token);
    let set_cookie = given.as_deref().map(|token| cookie(headers, COOKIE, token));
    let owner = known.or_else(|| given.as_deref().map(Owner::of));
    let formerly = admitted.filter(|_| token_in(headers).is_none()).and_then(|admitted| match &admitted.name {
        Some(name) => Some(Owner::formerly_of(name)),
        None => bearer(headers).filter(|_| admitted.is_bearer).map(Owner::of),
    });
    let peer = request.extensions().get::<Peer>().copied();
    request.extensions_mut().insert(Caller { owner, formerly, is_vouched_for, peer });
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    if let Some(set_cookie) = set_cookie {
        give(set_cookie, headers);
    }
    response
}

/// The owner of what a request makes, the first of these:
///
/// 1. who has the cookie of an owner: one browser;
/// 2. the name of the token that let the request in, as a bearer or as a cookie;
/// 3. the one who brings the token of `--token` as a bearer;
/// 4. who brings any other bearer token, which is a program's own.
///
/// A browser that has none of these gets a cookie; a program has no owner. Two count before all of them: an [`Owner`] that a layer around the router put among
/// the request's extensions, then the user in the header of `--owner-header`.
fn decide(cookie: Option<&str>, admitted: Option<&Admitted>, bearer: Option<&str>) -> Option<Owner> {
    let by_token = || {
        let admitted = admitted.filter(|admitted| admitted.name.is_some() || admitted.is_bearer)?;
        Some(Owner::of_admitted(admitted.name.as_deref()))
    };
    cookie.map(Owner::of).or_else(by_token).or_else(|| bearer.map(Owner::of))
}

/// Sets the cookie on a response that is for one browser: the API's, or the page's document, which only that browser may keep. A shared cache
/// may keep the page's other files, and a cookie on those would make all its users one owner.
fn give(set_cookie: HeaderValue, headers: &mut HeaderMap) {
    let is_kept = headers.get(header::CACHE_CONTROL).is_some_and(|cache| cache != NO_STORE);
    if is_kept {
        let kind = headers.get(header::CONTENT_TYPE);
        if !kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
            return;
        }
        headers.insert(header::CACHE_CONTROL, FOR_ONE_BROWSER);
    }
    headers.append(header::SET_COOKIE, set_cookie);
}

const NO_STORE: &str = "no-store";
const FOR_ONE_BROWSER: HeaderValue = HeaderValue::from_static("private, no-cache");

fn token_in(headers: &HeaderMap) -> Option<&str> {
    cookies(headers, COOKIE)
        .find(|token| token.len() == TOKEN_DIGITS && token.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The token of `Authorization: Bearer TOKEN`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    let is_one = !token.is_empty() && !token.contains(char::is_whitespace);
    (scheme.eq_ignore_ascii_case("bearer") && is_one).then_some(token)
}

/// The values of all cookies of that name.
pub(crate) fn cookies<'a>(headers: &'a HeaderMap, name: &'static str) -> impl Iterator<Item = &'a str> {
    let (prefix, _) = secured(headers);
    let lines = headers.get_all(header::COOKIE).iter();
    lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';')).filter_map(move |cookie| {
        let named = cookie.trim().strip_prefix(prefix)?;
        named.strip_prefix(name)?.strip_prefix('=')
    })
}

/// A cookie for a browser to keep.
pub(crate) fn cookie(headers: &HeaderMap, name: &str, value: &str) -> HeaderValue {
    let (prefix, secure) = secured(headers);
    let cookie = format!("{prefix}{name}={value}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::try_from(cookie).expect("hexadecimal digits and this file's own text are legal in a header")
}

/// What a cookie's name begins with and its attributes end with. With TLS, which a proxy reports, browsers keep the cookie from the other
/// hosts of the domain. Pages of this machine come without TLS, and then not every browser keeps a `Secure` cookie.
fn secured(headers: &HeaderMap) -> (&'static str, &'static str) {
    match headers.get(X_FORWARDED_PROTO).is_some_and(|scheme| scheme == "https") {
        true => ("__Host-", "; Secure"),
        false => ("", ""),
    }
}

/// Returns true if the request is of a browser that will bring a cookie back: it comes from a page of this server, or from its address bar. A page of another
/// origin gets no cookies here, and a program does not say where it comes from.
fn keeps_cookies(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get(SEC_FETCH_SITE) {
        return site == "same-origin" || site == "none";
    }
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok()?.split_once("://"));
    let mut names = headers.get_all(header::HOST).iter().chain(headers.get_all(X_FORWARDED_HOST));
    origin.is_some_and(|(_, authority)| names.any(|name| name == authority))
}

/// What a conversation is called in the log. The id of one without an owner opens it, so the log must not show that id.
pub(crate) fn name_in_log<'a>(id: &'a str, owner: Option<&Owner>) -> Cow<'a, str> {
    match owner {
        Some(_) => id.into(),
        None => format!("#{}", &hex(&Sha256::digest(id))[..LOG_DIGITS]).into(),
    }
}

/// Enough to tell conversations apart.
const LOG_DIGITS: usize = 16;

fn new_token() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(hex, "{byte:02x}").expect("a string takes everything");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::{Admitted, Owner, decide, new_token, token_in};
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
            headers.insert(header::COOKIE, HeaderValue::try_from(cookie).expect("it is legal"));
            assert_eq!(token_in(&headers), Some(token.as_str()));
        }
        for cookie in ["question_owner=", "xquestion_owner=1", "question_owner=../..", "=;;="] {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_static(cookie));
            assert_eq!(token_in(&headers), None, "{cookie}");
        }
    }

    #[test]
    fn of_all_that_says_who_it_is_the_first_counts() {
        let admitted = |name: Option<&str>, is_bearer| Some(Admitted { name: name.map(Into::into), is_bearer });
        let (named, by_bearer, by_cookie) =
            (admitted(Some("desk"), false), admitted(None, true), admitted(None, false));
        let (cookie, token) = (Some("c"), Some("b"));
        let name = Owner::of_admitted(Some("desk"));
        let (the_token, of_cookie, of_bearer) = (Owner::of_admitted(None), Owner::of("c"), Owner::of("b"));
        for (cookie, admitted, bearer, expected) in [
            (cookie, &named, token, Some(&of_cookie)),
            (cookie, &by_bearer, token, Some(&of_cookie)),
            (cookie, &None, token, Some(&of_cookie)),
            (None, &named, token, Some(&name)),
            (None, &named, None, Some(&name)),
            (None, &by_bearer, token, Some(&the_token)),
            (None, &by_cookie, token, Some(&of_bearer)),
            (None, &by_cookie, None, None),
            (None, &None, token, Some(&of_bearer)),
            (None, &None, None, None),
        ] {
            assert_eq!(
                decide(cookie, admitted.as_ref(), bearer).as_ref(),
                expected,
                "{cookie:?} {admitted:?} {bearer:?}"
            );
        }
        for said in ["name desk", "name:desk", "token:", "desk"] {
            assert!(![&name, &the_token].contains(&&Owner::of(said)), "{said}");
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
