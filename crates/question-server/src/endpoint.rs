//! HTTP clients of models, agents, callbacks and collectors. A dropped request is aborted, and its connection is closed.

use crate::trace;
use axum::body::Body;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri, header};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::{TokioExecutor, TokioTimer};

type Straight = HttpsConnector<HttpConnector>;

/// A URL to which requests are posted, with its client. Redirects are not followed: one could take the conversation to another host.
#[derive(Clone)]
pub(crate) struct HttpEndpoint {
    url: Uri,
    headers: HeaderMap,
    way: Way,
}

#[derive(Clone)]
enum Way {
    Straight(Client<Straight, Body>),
    /// Through the proxy that the environment names.
    Tunnel(Box<Client<HttpsConnector<Tunnel<Straight>>, Body>>),
}

impl HttpEndpoint {
    /// The endpoint at this URL, with headers for each request. They may be secret: over plain HTTP only this machine and the `plain` hosts get
    /// them.
    ///
    /// # Errors
    /// A sentence if the URL is malformed, or the headers would go over the network in the clear.
    pub(crate) fn new(url: &str, mut headers: HeaderMap, plain: &[String]) -> Result<Self, String> {
        let url: Uri = url.parse().map_err(|_| format!("{url} is no URL"))?;
        let is_local = matches!(url.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
        match url.scheme_str() {
            Some("https") => {}
            Some("http") if is_local || headers.is_empty() => {}
            Some("http") if url.host().is_some_and(|host| plain.iter().any(|plain| plain == host)) => {}
            Some("http") => {
                return Err(format!(
                    "{url} would get the key in the clear; use https, or --allow-plain-key {} on a network of your own",
                    url.host().unwrap_or("HOST")
                ));
            }
            Some(_) | None => return Err(format!("{url} is no http or https URL")),
        }
        headers.values_mut().for_each(|value| value.set_sensitive(true));
        let proxy = Matcher::from_env().intercept(&url);
        let (url, way) = match proxy.filter(|_| !is_local) {
            Some(proxy) => (with_port(&url)?, Way::through(&proxy)?),
            None => (url, Way::Straight(client(straight()))),
        };
        Ok(Self { url, headers, way })
    }

    /// Scheme, host, port and path: what may stand in a log. Login and query of a URL may be secret.
    pub(crate) fn public_url(&self) -> String {
        let scheme = self.url.scheme_str().unwrap_or_default();
        let authority = self.url.authority().map(|authority| authority.as_str()).unwrap_or_default();
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        format!("{scheme}://{host}{}", self.url.path())
    }

    /// Posts a body. Returns the response once its head has arrived.
    pub(crate) async fn post(&self, body: impl Into<Body>) -> Result<Response<Body>, Error> {
        self.send(body, &HeaderMap::new()).await
    }

    /// The same with further headers.
    pub(crate) async fn send(&self, body: impl Into<Body>, further: &HeaderMap) -> Result<Response<Body>, Error> {
        let mut request = Request::post(&self.url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream");
        for (name, value) in self.headers.iter().chain(further) {
            request = request.header(name, value);
        }
        for (name, value) in trace::headers() {
            request = request.header(name, value);
        }
        let request = request.body(body.into()).expect("the URL and the headers were checked before");
        let asked = match &self.way {
            Way::Straight(client) => client.request(request),
            Way::Tunnel(client) => client.request(request),
        };
        Ok(asked.await?.map(Body::new))
    }
}

/// A key as a header: `Authorization: Bearer KEY`, or alone in a header of that name.
///
/// # Errors
/// A sentence if the key has characters that are illegal in a header.
pub(crate) fn key_header(key: &str, name: Option<&HeaderName>) -> Result<(HeaderName, HeaderValue), String> {
    let (name, value) = match name {
        Some(name) => (name.clone(), key.to_owned()),
        None => (header::AUTHORIZATION, format!("Bearer {key}")),
    };
    let value = HeaderValue::try_from(value).map_err(|_| "the key has characters that no header takes".to_owned())?;
    Ok((name, value))
}

impl Way {
    fn through(proxy: &Intercept) -> Result<Self, String> {
        if !matches!(proxy.uri().scheme_str(), Some("http" | "https")) {
            return Err("the proxy in the environment is no HTTP proxy".to_owned());
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), straight());
        if let Some(authorization) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(authorization.clone());
        }
        Ok(Self::Tunnel(Box::new(client(with_tls(tunnel)))))
    }
}

/// The same URL with its port, since a tunnel without one goes to the port of TLS.
fn with_port(url: &Uri) -> Result<Uri, String> {
    let (Some("http"), Some(host), None) = (url.scheme_str(), url.host(), url.port()) else {
        return Ok(url.clone());
    };
    Uri::builder()
        .scheme("http")
        .authority(format!("{host}:80"))
        .path_and_query(url.path_and_query().map_or("/", PathAndQuery::as_str))
        .build()
        .map_err(|_| format!("{url} is no URL"))
}

fn client<C>(connector: C) -> Client<C, Body>
where
    C: hyper_util::client::legacy::connect::Connect + Clone,
{
    Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector)
}

fn straight() -> Straight {
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
            assert_eq!(with_port(&url).expect("it can be built").to_string(), expected);
        }
    }
}
