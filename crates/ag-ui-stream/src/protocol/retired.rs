//! Retired forms within messages.

use crate::wire::{Members, set, text};
use json_tree::Json;

/// Turns a legacy binary part into a media part. One without MIME type or content stays, to be removed as unknown.
pub(super) fn translate_part(part: &mut Members<'_>) {
    if text(part, "type") != Some("binary") {
        return;
    }
    let own = |name: &str| text(part, name).map(str::to_owned);
    let Some(mime) = own("mimeType") else {
        return;
    };
    let (kind, value) = match (own("data"), own("url"), own("id")) {
        (Some(data), _, _) => ("data", data),
        (None, Some(url), _) => ("url", url),
        (None, None, Some(id)) => ("file", id),
        (None, None, None) => return,
    };
    let filename = own("filename");
    let medium = ["image", "audio", "video"]
        .into_iter()
        .find(|medium| mime.split_once('/').is_some_and(|(of, _)| of == *medium));
    let mut source = Members::new();
    set(&mut source, "type", kind);
    set(&mut source, "value", value);
    set(&mut source, "mimeType", mime);
    part.clear();
    set(part, "type", medium.unwrap_or("document"));
    part.push(("source".into(), Json::Object(source)));
    if let Some(filename) = filename {
        let mut metadata = Members::new();
        set(&mut metadata, "filename", filename);
        part.push(("metadata".into(), Json::Object(metadata)));
    }
}
