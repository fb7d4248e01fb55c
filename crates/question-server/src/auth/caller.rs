//! The sender of a request and its owner. A browser has a random token in a cookie, which no script can read and no other site's request carries.
//!
//! A page gets its token with the server's first response and sends it back by itself, through Trunk's proxy as well. Only this token opens a
//! conversation that was made with it; for all others it does not exist. A program, or a page of another origin, sends a token of its own as
//! `Authorization: Bearer TOKEN`. Without a token its conversations have no owner and are open to every client with access.

use crate::auth::access::Admitted;
use crate::auth::headers::{X_FORWARDED_HOST, accepts_html, bearer, cookie, cookies, members};
use crate::auth::owner::Owner;
use crate::auth::peer::{Peer, Proxies, remote_of};
use crate::hex::random_hex;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use std::sync::Arc;

/// The cookie with the token.
const COOKIE: &str = "question_owner";

/// The length of a token, in hexadecimal digits.
const TOKEN_DIGITS: usize = 64;

/// The header by which a browser, and no program, names the origin of a request.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The sender of a request, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    pub(crate) owner: Option<Owner>,
    /// True if a layer around the server, or a proxy, names the owner.
    is_vouched_for: bool,
    pub(crate) peer: Option<Peer>,
}

/// The client that a limit counts: the address, or for this machine the owner, since a proxy there has many clients behind it.
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

    /// The same caller as a program, whose conversations are for others to answer.
    pub(crate) fn as_program(&self) -> Self {
        Self { owner: self.owner.clone().filter(|_| self.is_vouched_for), ..self.clone() }
    }

    /// The same caller as a client of MCP with this mark, whose asks are stored apart from its conversations.
    #[cfg(feature = "mcp")]
    pub(crate) fn for_mcp(&self, mark: &str) -> Self {
        Self { owner: Some(Owner::of_mcp(self.owner.as_ref(), mark)), is_vouched_for: true, peer: self.peer }
    }

    pub(crate) fn may_open(&self, owner: Option<&Owner>) -> bool {
        owner.is_none() || self.owner.as_ref() == owner
    }
}

/// Puts the [`Caller`] among a request's extensions, and gives a browser without a token one. A proxy may name the user in this header.
pub(crate) async fn recognise(State(proxies): State<Arc<Proxies>>, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    let admitted = request.extensions().get::<Admitted>();
    let user = match proxies.user(headers, remote_of(&request)) {
        Ok(user) => user,
        Err(refused) => return refused.into_response(),
    };
    let named = request.extensions().get::<Owner>().cloned().or_else(|| user.map(Owner::of_user));
    let is_vouched_for = named.is_some();
    let known = named.or_else(|| decide(token_in(headers), admitted, bearer(headers).as_deref()));
    let given = (known.is_none() && keeps_cookies(headers)).then(random_hex);
    let set_cookie = given.as_deref().map(|token| cookie(headers, COOKIE, token));
    let owner = known.or_else(|| given.as_deref().map(Owner::of));
    let peer = request.extensions().get::<Peer>().copied();
    request.extensions_mut().insert(Caller { owner, is_vouched_for, peer });
    let asks_for_document = accepts_html(request.headers());
    let mut response = next.run(request).await;
    if let Some(set_cookie) = set_cookie {
        // A browser whose cookies are gone may still have the document.
        let is_document = asks_for_document && response.status() == StatusCode::NOT_MODIFIED;
        set_cookie_on(set_cookie, is_document, response.headers_mut());
    }
    response
}

/// The owner of what a request creates, the first of these:
///
/// 1. the owner's cookie: one browser;
/// 2. the name of the access token, sent as a bearer or as a cookie;
/// 3. the token of `--token`, sent as a bearer;
/// 4. any other bearer token, which is a program's own.
///
/// A browser without any of these gets a cookie; a program has no owner. Two come before all of them: an [`Owner`] that a layer around the
/// router put among the request's extensions, then the user in the header of `--owner-header`.
fn decide(cookie: Option<&str>, admitted: Option<&Admitted>, bearer: Option<&str>) -> Option<Owner> {
    let by_token = || {
        let admitted = admitted.filter(|admitted| admitted.name.is_some() || admitted.is_bearer)?;
        Some(Owner::of_admitted(admitted.name.as_deref()))
    };
    cookie.map(Owner::of).or_else(by_token).or_else(|| bearer.map(Owner::of))
}

/// Sets the cookie on a response for one browser: the API's, or the page's document, which only that browser may cache. A shared cache may
/// hold the page's other files, and a cookie on those would make all its users one owner.
fn set_cookie_on(set_cookie: HeaderValue, is_document: bool, headers: &mut HeaderMap) {
    let is_kept = headers.get(header::CACHE_CONTROL).is_some_and(|cache| !cache.as_bytes().starts_with(NO_STORE));
    if is_kept {
        let kind = headers.get(header::CONTENT_TYPE);
        if !is_document && !kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
            return;
        }
        headers.insert(header::CACHE_CONTROL, FOR_ONE_BROWSER);
    }
    headers.append(header::SET_COOKIE, set_cookie);
}

const NO_STORE: &[u8] = b"no-store";
const FOR_ONE_BROWSER: HeaderValue = HeaderValue::from_static("private, no-cache");

fn token_in(headers: &HeaderMap) -> Option<&str> {
    cookies(headers, COOKIE)
        .find(|token| token.len() == TOKEN_DIGITS && token.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// True if the request is of a browser that will send a cookie back: from a page of this server, or from the address bar. A page of another
/// origin gets no cookies, and a program names no origin.
fn keeps_cookies(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get(SEC_FETCH_SITE) {
        return site == "same-origin" || site == "none";
    }
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok()?.split_once("://"));
    let mut names = [header::HOST, X_FORWARDED_HOST].into_iter().flat_map(|name| members(headers, name));
    origin.is_some_and(|(_, authority)| names.any(|name| name == authority))
}

#[cfg(test)]
mod tests {
    use super::decide;
    use crate::auth::access::Admitted;
    use crate::auth::owner::Owner;

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
}
