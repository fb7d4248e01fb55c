//! Uploads the files that a user adds to an answer or, without a server, encodes them as `data:` URLs.

use crate::chat::AgentChat;
use crate::core::Handle;
use crate::json;
use crate::transport::{AgentEndpoint, TransportError};
use crate::trouble::Trouble;
use ask_user_question::attachment::{Attachment, FileLimits};
use js_sys::{Promise, encode_uri_component};
use leptos::task::spawn_local;
use question_card::{Files, Upload};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileReader, Url};

/// The maximum size of a file that is sent in the reply itself, in bytes, because no server stores it. Every later request repeats the reply.
const MOST_IN_REPLY: usize = 256 << 10;

impl AgentChat {
    /// The files that a card takes within these limits, for [`CardOptions::files`](question_card::CardOptions::files). A conversation [behind
    /// `question-server`](crate::ChatOptions::behind_question_server) uploads each at once; any other sends it in the reply, as a `data:` URL,
    /// up to 256 KiB.
    #[must_use]
    pub fn files(&self, limits: FileLimits) -> Files {
        let handle = self.core();
        let is_on_server = handle.with(|core| core.has_server()) == Some(true);
        let bytes = if is_on_server { limits.bytes } else { limits.bytes.min(MOST_IN_REPLY) };
        Files::new(FileLimits { bytes, ..limits }, move |file, about, upload| {
            // After a reload, the draft and the server find the files only under this id.
            handle.with(|core| core.keep_new_id());
            spawn_local(async move {
                let upload = Rc::new(upload);
                let result = match is_on_server {
                    true => send(handle, &file, &about, Rc::clone(&upload)).await,
                    false => read(&file, about).await,
                };
                upload.done(result);
            });
        })
    }
}

async fn send(handle: Handle, file: &File, about: &Attachment, upload: Rc<Upload>) -> Result<Attachment, String> {
    let part = |text: &str| String::from(encode_uri_component(text));
    let rest = ["/files?name=", &part(&about.name), "&type=", &part(&about.media_type)].concat();
    let request = handle.with(|core| core.request(Some(&rest), String::new())).ok_or_else(String::new)?;
    let answer = request.upload(file, move |sent, all| upload.progress(sent, all)).await;
    let explain = |error| handle.with(|core| (core.config.words)(&Trouble::from_transport(error, &core.origin)));
    match answer {
        Ok(text) => read_answer(&request.endpoint, &text, about).ok_or_else(String::new),
        // The server knows best what is wrong with a file.
        Err(TransportError::Status { status: 400.., body }) if body.message.is_some() => {
            Err(body.message.unwrap_or_default())
        }
        Err(error) => Err(explain(error).unwrap_or_default()),
    }
}

/// Reads the response to an upload. The file's URL is resolved against the agent's if that is absolute.
fn read_answer(endpoint: &AgentEndpoint, text: &str, about: &Attachment) -> Option<Attachment> {
    let answer = json::parse(text);
    let url = json::text(&answer, "url")?;
    let is_elsewhere = endpoint.url.contains("://");
    let url = match Url::new_with_base(url, &endpoint.url) {
        Ok(url) if is_elsewhere => url.href(),
        _ => url.to_owned(),
    };
    let media_type = json::text(&answer, "type").unwrap_or(&about.media_type).to_owned();
    let name = json::text(&answer, "name").unwrap_or(&about.name).to_owned();
    Some(Attachment { url, name, media_type, size: about.size })
}

/// Encodes the file's bytes as a `data:` URL.
async fn read(file: &File, about: Attachment) -> Result<Attachment, String> {
    let unread = |error: JsValue| String::from(js_sys::Error::from(error).message());
    let reader = FileReader::new().map_err(unread)?;
    reader.read_as_data_url(file).map_err(unread)?;
    let ends = Promise::new(&mut |resolve, _| reader.set_onloadend(Some(&resolve)));
    // The promise never rejects.
    let _ = JsFuture::from(ends).await;
    let url = reader.result().ok().and_then(|url| url.as_string()).unwrap_or_default();
    let bytes = url.split_once(',').map(|(_, bytes)| bytes).ok_or_else(String::new)?;
    // The browser's own guess of the type may have parameters.
    let url = ["data:", &about.media_type, ";base64,", bytes].concat();
    Ok(Attachment { url, ..about })
}
