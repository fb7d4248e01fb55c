//! The request headers that credentials and proxies use, and the parameters of a query.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use cookie::time::Duration;
use cookie::{Cookie, SameSite};
use headers::HeaderMapExt as _;
use headers::authorization::{Authorization, Bearer};

pub(crate) const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
pub(crate) const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The lifetime of a cookie: the longest that browsers accept.
const COOKIE_LIFETIME: Duration = Duration::days(400);

/// The value of this parameter in the query, as it is written there.
pub(crate) fn parameter<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    let mut parameters = uri.query()?.split('&').filter_map(|parameter| parameter.split_once('='));
    parameters.find_map(|(known, value)| (known == name).then_some(value))
}

/// The members of a header that is a list: a proxy behind another adds its own, in the same line or in a further one. A value that is not text counts
/// as an empty member.
pub(crate) fn members(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).into_iter();
    lines.flat_map(|line| line.to_str().unwrap_or_default().split(',')).map(str::trim)
}

/// The origin that the client called, as it or the first proxy names it.
pub(crate) fn called(headers: &HeaderMap) -> String {
    let host = [X_FORWARDED_HOST, header::HOST].into_iter().find_map(|name| members(headers, name).next());
    let scheme = if is_secure(headers) { "https" } else { "http" };
    format!("{scheme}://{}", host.unwrap_or("127.0.0.1"))
}

/// True for a browser that asks for a document.
pub(crate) fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|accepted| accepted.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// The token of `Authorization: Bearer TOKEN`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<String> {
    let given = headers.typed_get::<Authorization<Bearer>>()?;
    Some(given.token().trim().to_owned()).filter(|token| !token.is_empty())
}

pub(crate) fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let name = named(headers, name);
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let cookies = lines.flat_map(Cookie::split_parse).flatten().filter(move |cookie| cookie.name() == name);
    cookies.filter_map(|cookie| cookie.value_raw())
}

/// The `Set-Cookie` header with this cookie.
pub(crate) fn cookie(headers: &HeaderMap, name: &str, value: &str) -> HeaderValue {
    let cookie = Cookie::build((named(headers, name), value)).path("/").max_age(COOKIE_LIFETIME).http_only(true);
    let cookie = cookie.same_site(SameSite::Strict).secure(is_secure(headers)).to_string();
    HeaderValue::try_from(cookie).expect("hexadecimal digits and this file's text are legal in a header")
}

/// The name of a cookie. With TLS, browsers hide a cookie of this prefix from the domain's other hosts.
fn named(headers: &HeaderMap, name: &str) -> String {
    let prefix = if is_secure(headers) { "__Host-" } else { "" };
    [prefix, name].concat()
}

/// True if the first proxy reports TLS. Pages of this machine come without, and not every browser stores a `Secure` cookie then.
fn is_secure(headers: &HeaderMap) -> bool {
    members(headers, X_FORWARDED_PROTO).next() == Some("https")
}
