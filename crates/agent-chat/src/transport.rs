//! The one place that fetches: a POST whose response is read while it arrives.

use ag_ui_stream::Message;
use gloo_net::http::Request;
use js_sys::{Reflect, Uint8Array};
use serde::Deserialize;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal, ReadableStreamDefaultReader};

/// Why a request did not become a stream, or a stream ended early.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TransportError {
    /// The user stopped it.
    Aborted,
    /// The server could not be reached, or the connection broke. Browsers don't tell scripts more than that.
    Network,
    /// The server answered with another status than 2xx.
    Status {
        /// The HTTP status.
        status: u16,
        /// What the body says.
        body: Box<ErrorBody>,
    },
}

/// What is read of an error's JSON body.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ErrorBody {
    /// A sentence.
    pub(crate) message: Option<String>,
    /// The answer that was there first.
    pub(crate) winner: Option<Message>,
}

/// A response that is arriving.
pub(crate) struct ByteStream {
    reader: Option<ReadableStreamDefaultReader>,
}

/// Ends a request at will, or when dropped by its owner's cleanup.
#[derive(Clone, Debug)]
pub(crate) struct Abort(AbortController);

impl Abort {
    pub(crate) fn new() -> Self {
        Self(
            AbortController::new()
                .expect("every browser that runs WebAssembly has AbortController"),
        )
    }

    pub(crate) fn abort(&self) {
        self.0.abort();
    }

    fn signal(&self) -> AbortSignal {
        self.0.signal()
    }

    fn error(&self) -> TransportError {
        if self.signal().aborted() {
            TransportError::Aborted
        } else {
            TransportError::Network
        }
    }
}

/// Posts a `RunAgentInput` and returns its response's bytes as they arrive.
///
/// # Errors
/// Where the server can't be reached, answers with an error status, or the request is aborted.
pub(crate) async fn post(
    url: &str,
    body: String,
    abort: &Abort,
) -> Result<ByteStream, TransportError> {
    let response = Request::post(url)
        .header("Content-Type", "application/json")
        .header("Accept", "text/event-stream")
        .abort_signal(Some(&abort.signal()))
        .body(body)
        .map_err(|_| abort.error())?
        .send()
        .await
        .map_err(|_| abort.error())?;
    if !response.ok() {
        let body = response.text().await.unwrap_or_default();
        return Err(TransportError::Status {
            status: response.status(),
            body: Box::new(serde_json::from_str(&body).unwrap_or_default()),
        });
    }
    let reader = response
        .body()
        .map(|body| body.get_reader().unchecked_into());
    Ok(ByteStream { reader })
}

impl ByteStream {
    /// The next chunk; `None` at the end.
    ///
    /// # Errors
    /// Where the connection breaks or is aborted.
    pub(crate) async fn next_chunk(
        &mut self,
        abort: &Abort,
    ) -> Result<Option<Vec<u8>>, TransportError> {
        let Some(reader) = &self.reader else {
            return Ok(None);
        };
        let part = JsFuture::from(reader.read())
            .await
            .map_err(|_| abort.error())?;
        let done = field(&part, "done").is_truthy();
        let chunk = field(&part, "value");
        Ok((!done).then(|| chunk.unchecked_into::<Uint8Array>().to_vec()))
    }
}

fn field(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
}
