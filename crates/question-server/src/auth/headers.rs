//! The request headers that credentials and proxies use, and the parameters of a query.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

pub(crate) const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
pub(crate) const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The lifetime of a cookie, in seconds: the longest that browsers accept.
const COOKIE_SECONDS: u32 = 400 * 24 * 60 * 60;

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
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    let is_one = !token.is_empty() && !token.contains(char::is_whitespace);
    (scheme.eq_ignore_ascii_case("bearer") && is_one).then_some(token)
}

/// The values of all cookies with this name.
pub(crate) fn cookies<'a>(headers: &'a HeaderMap, name: &'static str) -> impl Iterator<Item = &'a str> {
    let (prefix, _) = secured(headers);
    let lines = headers.get_all(header::COOKIE).iter();
    lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';')).filter_map(move |cookie| {
        let named = cookie.trim().strip_prefix(prefix)?;
        named.strip_prefix(name)?.strip_prefix('=')
    })
}

/// The `Set-Cookie` header with this cookie.
pub(crate) fn cookie(headers: &HeaderMap, name: &str, value: &str) -> HeaderValue {
    let (prefix, secure) = secured(headers);
    let cookie = format!("{prefix}{name}={value}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::try_from(cookie).expect("hexadecimal digits and this file's text are legal in a header")
}

/// The prefix of a cookie's name and the end of its attributes. With TLS, which a proxy reports, browsers hide the cookie from the domain's other
/// hosts. Pages of this machine come without TLS, and not every browser stores a `Secure` cookie then.
fn secured(headers: &HeaderMap) -> (&'static str, &'static str) {
    match headers.get(X_FORWARDED_PROTO).is_some_and(|scheme| scheme == "https") {
        true => ("__Host-", "; Secure"),
        false => ("", ""),
    }
}
