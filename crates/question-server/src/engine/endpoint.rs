//! The endpoints of agents, callbacks and collectors.

use crate::telemetry::trace;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use question_models::SetupError;
use question_models::http_client::{self, keep_secret, to_host_of};
use reqwest::{Client, Error, Response, Url};

/// A URL to which requests are posted, with its client.
#[derive(Clone)]
pub(crate) struct HttpEndpoint {
    url: Url,
    public_url: String,
    headers: HeaderMap,
    client: Client,
}

impl HttpEndpoint {
    /// The endpoint at this URL, with headers for each request. They may be secret: over plain HTTP only private hosts get them.
    ///
    /// # Errors
    /// If the URL is malformed, or the headers would go over the network in the clear.
    pub(crate) fn new(url: &str, mut headers: HeaderMap) -> Result<Self, SetupError> {
        let malformed = || SetupError::Url(url.to_owned());
        let uri: Uri = url.parse().map_err(|_| malformed())?;
        keep_secret(&mut headers, &uri)?;
        let url = url.parse().map_err(|_| malformed())?;
        Ok(Self { url, public_url: http_client::public_url(&uri), headers, client: to_host_of(&uri)? })
    }

    pub(crate) fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Posts a body to an agent. Returns the response once its head has arrived.
    pub(crate) async fn post(&self, body: impl Into<Bytes>) -> Result<Response, Error> {
        let streams = (header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        self.send(body, HeaderMap::from_iter([streams])).await
    }

    /// Posts a body with further headers.
    pub(crate) async fn send(&self, body: impl Into<Bytes>, further: HeaderMap) -> Result<Response, Error> {
        let request = self.client.post(self.url.clone()).body(body.into());
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let request = request.headers(self.headers.clone()).headers(further).headers(trace::headers());
        // The query of a URL may be secret.
        request.send().await.map_err(Error::without_url)
    }
}
