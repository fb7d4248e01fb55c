//! The headers of requests to an agent, such as a key. They are sent to its origin and to no other.

use gloo_net::http::{self, RequestBuilder};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use web_sys::RequestRedirect;

/// A request with its headers, once they are there.
type RequestFuture = Pin<Box<dyn Future<Output = RequestBuilder>>>;

/// Sets the headers in a request to an agent. The function is a value, so that a page without headers does not carry it.
#[derive(Clone)]
pub(crate) struct Headers(Arc<dyn Fn(RequestBuilder) -> RequestFuture + Send + Sync>);

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Headers")
    }
}

impl Headers {
    /// Headers from this function, which is called for each request.
    pub(crate) fn new<F>(list: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Vec<(String, String)>> + 'static,
    {
        Self(Arc::new(move |request| {
            let list = list();
            Box::pin(async move { put(&list.await, request) })
        }))
    }

    /// Sets the headers of a request, in place of all that it had.
    pub(crate) async fn put(&self, request: RequestBuilder) -> RequestBuilder {
        (self.0)(request).await
    }
}

fn put(list: &[(String, String)], request: RequestBuilder) -> RequestBuilder {
    let headers = web_sys::Headers::new().expect("headers can be empty");
    for (name, value) in list {
        // Invalid headers are left out; `http::Headers` would panic.
        let _ = headers.append(name, value);
    }
    // The headers are for this agent alone, but a browser would also send them to the target of a redirect.
    request.headers(http::Headers::from_raw(headers)).redirect(RequestRedirect::Error)
}

pub(crate) fn is_header_value(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
}
