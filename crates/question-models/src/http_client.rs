//! The HTTP client. A dropped request is aborted, and its connection is closed. Redirects are not followed: one could take the conversation to
//! another host.

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::{TokioExecutor, TokioTimer};

type DirectConnector = HttpsConnector<HttpConnector>;

#[derive(Clone)]
pub(crate) enum HttpClient {
    Straight(Client<DirectConnector, Full<Bytes>>),
    /// Through the proxy that the environment names.
    Tunnel(Box<Client<HttpsConnector<Tunnel<DirectConnector>>, Full<Bytes>>>),
}

impl HttpClient {
    /// The client for the host of a URL.
    ///
    /// # Errors
    /// A sentence if the environment names a proxy that is no HTTP proxy.
    pub(crate) fn to(url: &Uri) -> Result<Self, String> {
        match Matcher::from_env().intercept(url).filter(|_| !is_local(url)) {
            Some(proxy) => Self::through(&proxy),
            None => Ok(Self::Straight(client(straight()))),
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
        Ok(Self::Tunnel(Box::new(client(with_tls(tunnel)))))
    }

    /// Sends a request. Returns the response once its head has arrived.
    pub(crate) async fn send(&self, mut request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Error> {
        match self {
            Self::Straight(client) => client.request(request).await,
            Self::Tunnel(client) => {
                if let Some(url) = with_port(request.uri()) {
                    *request.uri_mut() = url;
                }
                client.request(request).await
            }
        }
    }
}

/// Returns true for an address of this machine.
pub(crate) fn is_local(url: &Uri) -> bool {
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
