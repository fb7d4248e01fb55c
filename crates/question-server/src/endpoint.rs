//! The endpoints of agents, callbacks and collectors.

use crate::trace;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request, Response, Uri, header};
use http_body_util::Full;
use hyper_util::client::legacy::Error;
use question_models::http_client::{self, HttpClient, keep_secret};

/// A URL to which requests are posted, with its client.
#[derive(Clone)]
pub(crate) struct HttpEndpoint {
    url: Uri,
    headers: HeaderMap,
    client: HttpClient,
}

impl HttpEndpoint {
    /// The endpoint at this URL, with headers for each request. They may be secret: over plain HTTP only this machine and the `plain` hosts get
    /// them.
    ///
    /// # Errors
    /// A sentence if the URL is malformed, or the headers would go over the network in the clear.
    pub(crate) fn new(url: &str, mut headers: HeaderMap, plain: &[String]) -> Result<Self, String> {
        let url: Uri = url.parse().map_err(|_| format!("{url} is no URL"))?;
        keep_secret(&mut headers, &url, plain)?;
        Ok(Self { client: HttpClient::to(&url)?, url, headers })
    }

    pub(crate) fn public_url(&self) -> String {
        http_client::public_url(&self.url)
    }

    /// Posts a body. Returns the response once its head has arrived.
    pub(crate) async fn post(&self, body: impl Into<Bytes>) -> Result<Response<Body>, Error> {
        self.send(body, &HeaderMap::new()).await
    }

    /// The same with further headers.
    pub(crate) async fn send(&self, body: impl Into<Bytes>, further: &HeaderMap) -> Result<Response<Body>, Error> {
        let mut request = Request::post(&self.url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream");
        for (name, value) in self.headers.iter().chain(further) {
            request = request.header(name, value);
        }
        for (name, value) in trace::headers() {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(body.into())).expect("the URL and the headers were checked before");
        Ok(self.client.send(request).await?.map(Body::new))
    }
}
