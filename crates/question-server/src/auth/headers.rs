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

/// The origin that the client called, as it or the proxy in front names it.
pub(crate) fn called(headers: &HeaderMap) -> String {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let host = header(X_FORWARDED_HOST).or_else(|| header(header::HOST)).unwrap_or("127.0.0.1");
    let scheme = header(X_FORWARDED_PROTO).filter(|scheme| *scheme == "https").unwrap_or("http");
    format!("{scheme}://{host}")
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

/// The values of all cookies with this name.
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

/// True if a proxy reports TLS. Pages of this machine come without, and not every browser stores a `Secure` cookie then.
fn is_secure(headers: &HeaderMap) -> bool {
    headers.get(X_FORWARDED_PROTO).is_some_and(|scheme| scheme == "https")
}
