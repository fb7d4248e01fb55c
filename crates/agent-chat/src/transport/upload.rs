//! The upload of a file. `fetch` does not tell how much of a request is sent, so this goes by `XMLHttpRequest`.

use super::{AgentRequest, ErrorBody, TransportError, read_text, respond};
use gloo_net::http::Request;
use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, RequestCredentials};

const ACCEPT: (&str, &str) = ("Accept", "application/json");
const BYTES: (&str, &str) = ("Content-Type", "application/octet-stream");

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = XMLHttpRequest)]
    #[derive(Clone)]
    type HttpRequest;

    #[wasm_bindgen(constructor, js_class = "XMLHttpRequest")]
    fn new() -> HttpRequest;

    #[wasm_bindgen(method, js_class = "XMLHttpRequest", catch)]
    fn open(this: &HttpRequest, method: &str, url: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, js_class = "XMLHttpRequest", js_name = setRequestHeader, catch)]
    fn set_header(this: &HttpRequest, name: &str, value: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, js_class = "XMLHttpRequest", catch)]
    fn send(this: &HttpRequest, body: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(method, js_class = "XMLHttpRequest")]
    fn abort(this: &HttpRequest);

    #[wasm_bindgen(js_namespace = Reflect, js_name = get)]
    fn number(of: &JsValue, name: &str) -> f64;

    #[wasm_bindgen(js_namespace = Reflect, js_name = get)]
    fn value(of: &JsValue, name: &str) -> JsValue;

    #[wasm_bindgen(js_namespace = Reflect, js_name = set)]
    fn put(of: &JsValue, name: &str, value: &JsValue);
}

impl AgentRequest {
    /// Posts a file in place of the body, and returns the response's text. `progress` receives the number of bytes sent and their total,
    /// and returns false to abort the upload.
    ///
    /// # Errors
    /// Those of [`post`](Self::post).
    pub(crate) async fn upload(
        &self,
        file: &File,
        progress: impl Fn(f64, f64) -> bool + 'static,
    ) -> Result<String, TransportError> {
        let url = self.url();
        // `XMLHttpRequest` would follow a redirect with the page's own headers, and always sends cookies to the page's own origin.
        let credentials = self.endpoint.credentials;
        if self.endpoint.headers.is_some() || credentials == Some(RequestCredentials::Omit) {
            let request = self.build(Request::post(&url), ACCEPT.1).await;
            let response = respond(request.header(BYTES.0, BYTES.1).body(file.clone()), None, &self.abort).await?;
            return read_text(&response, self.response_timeout(), &self.abort).await;
        }
        let with_cookies = credentials == Some(RequestCredentials::Include);
        send(&url, file, with_cookies, progress).await.map_err(|_| TransportError::Network)?
    }
}

async fn send(
    url: &str,
    file: &File,
    with_cookies: bool,
    progress: impl Fn(f64, f64) -> bool + 'static,
) -> Result<Result<String, TransportError>, JsValue> {
    let request = HttpRequest::new();
    request.open("POST", url)?;
    for (name, value) in [ACCEPT, BYTES] {
        request.set_header(name, value)?;
    }
    put(&request, "withCredentials", &with_cookies.into());
    let of_progress = request.clone();
    let on_progress = Closure::<dyn Fn(JsValue)>::new(move |event: JsValue| {
        if !progress(number(&event, "loaded"), number(&event, "total")) {
            of_progress.abort();
        }
    });
    put(&value(&request, "upload"), "onprogress", on_progress.as_ref());
    let ends = Promise::new(&mut |resolve, _| put(&request, "onloadend", &resolve));
    request.send(file)?;
    // The promise never rejects.
    let _ = JsFuture::from(ends).await;
    let text = value(&request, "responseText").as_string().unwrap_or_default();
    Ok(match number(&request, "status") as u16 {
        0 => Err(TransportError::Network),
        200..=299 => Ok(text),
        status => Err(TransportError::Status { status, body: Box::new(ErrorBody::read(&text)) }),
    })
}
