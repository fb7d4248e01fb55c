//! The HTTP client of this crate and of programs around it, and its rules for secrets. A dropped request is aborted, and its connection is closed. Redirects are not followed: one could take the conversation to
//! another host.

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::fmt;

type DirectConnector = HttpsConnector<HttpConnector>;

/// A client for one host, through the proxy that the environment names for it. Over TLS it trusts the machine's root certificates.
#[derive(Clone)]
pub struct HttpClient(Way);

#[derive(Clone)]
enum Way {
    Straight(Client<DirectConnector, Full<Bytes>>),
    /// Through the proxy that the environment names.
    Tunnel(Box<Client<HttpsConnector<Tunnel<DirectConnector>>, Full<Bytes>>>),
}

impl HttpClient {
    /// The client for the host of a URL.
    ///
    /// # Errors
    /// A sentence if the environment names a proxy that is no HTTP proxy.
    pub fn to(url: &Uri) -> Result<Self, String> {
        match Matcher::from_env().intercept(url).filter(|_| !is_local(url)) {
            Some(proxy) => Self::through(&proxy),
            None => Ok(Self(Way::Straight(client(straight())))),
        }
    }

    fn through(proxy: &Intercept) -> Result<Self, String> {
        if !matches!(proxy.uri().scheme_str(), Some("http" | "https")) {
            return Err("the proxy in the environment is no HTTP proxy".to_owned());
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), straight());
        if let Some(authorization) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(authorization.clone());
        }
        Ok(Self(Way::Tunnel(Box::new(client(with_tls(tunnel))))))
    }

    /// Sends a request. Returns the response once its head has arrived.
    ///
    /// # Errors
    /// The host cannot be reached, or does not speak HTTP.
    pub async fn send(&self, mut request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Error> {
        match &self.0 {
            Way::Straight(client) => client.request(request).await,
            Way::Tunnel(client) => {
                if let Some(url) = with_port(request.uri()) {
                    *request.uri_mut() = url;
                }
                client.request(request).await
            }
        }
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A proxy's address may have a password.
        f.write_str("HttpClient")
    }
}

/// Marks headers as secret. Over plain HTTP, only this machine and the `plain` hosts get such ones.
///
/// # Errors
/// A sentence if the URL is no HTTP URL, or the headers would go over the network in the clear.
pub fn keep_secret(headers: &mut HeaderMap, url: &Uri, plain: &[String]) -> Result<(), String> {
    headers.values_mut().for_each(|value| value.set_sensitive(true));
    let is_named = |host: &str| plain.iter().any(|plain| plain == host);
    match url.scheme_str() {
        Some("https") => Ok(()),
        Some("http") if is_local(url) || headers.is_empty() || url.host().is_some_and(is_named) => Ok(()),
        Some("http") => Err(format!(
            "{} would get the key in the clear; use https, or --allow-plain-key {} on a network of your own",
            public_url(url),
            url.host().unwrap_or("HOST")
        )),
        Some(_) | None => Err(format!("{url} is no http or https URL")),
    }
}

/// A key as a header: `Authorization: Bearer KEY`, or alone in a header of that name.
///
/// # Errors
/// A sentence if the key has characters that are illegal in a header.
pub fn key_header(key: &str, name: Option<HeaderName>) -> Result<(HeaderName, HeaderValue), String> {
    let (name, value) = match name {
        Some(name) => (name, key.to_owned()),
        None => (header::AUTHORIZATION, format!("Bearer {key}")),
    };
    let value = HeaderValue::try_from(value).map_err(|_| "the key has characters that no header takes".to_owned())?;
    Ok((name, value))
}

/// Scheme, host, port and path: what may stand in a log. Login and query of a URL may be secret.
#[must_use]
pub fn public_url(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or_default();
    let authority = url.authority().map(|authority| authority.as_str()).unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{}", url.path())
}

/// Returns true for an address of this machine.
fn is_local(url: &Uri) -> bool {
    matches!(url.host(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// The same URL with its port, since a tunnel without one goes to the port of TLS; `None` if it needs none.
fn with_port(url: &Uri) -> Option<Uri> {
    let (Some("http"), Some(host), None) = (url.scheme_str(), url.host(), url.port()) else {
        return None;
    };
    let path = url.path_and_query().map_or("/", PathAndQuery::as_str);
    Uri::builder().scheme("http").authority(format!("{host}:80")).path_and_query(path).build().ok()
}

fn client<C>(connector: C) -> Client<C, Full<Bytes>>
where
    C: hyper_util::client::legacy::connect::Connect + Clone,
{
    Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector)
}

fn straight() -> DirectConnector {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    with_tls(tcp)
}

/// Trusts this machine's root certificates, so that a company's own endpoint works; Mozilla's if there are none.
fn with_tls<T>(connector: T) -> HttpsConnector<T> {
    HttpsConnectorBuilder::new()
        .with_native_roots()
        .unwrap_or_else(|_| HttpsConnectorBuilder::new().with_webpki_roots())
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector)
}

#[cfg(test)]
mod tests {
    use super::with_port;

    #[test]
    fn a_url_through_a_tunnel_keeps_all_that_it_has() {
        for (url, expected) in [
            ("http://a.example/cb?token=x&y=%20", "http://a.example:80/cb?token=x&y=%20"),
            ("http://a.example?token=x", "http://a.example:80/?token=x"),
            ("http://a.example", "http://a.example:80/"),
            ("http://a.example:8080/cb?token=x", "http://a.example:8080/cb?token=x"),
            ("https://a.example/cb?token=x", "https://a.example/cb?token=x"),
        ] {
            let url = url.parse().expect("it is a URL");
            assert_eq!(with_port(&url).unwrap_or(url).to_string(), expected);
        }
    }
}
