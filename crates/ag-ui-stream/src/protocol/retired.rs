//! Retired forms within messages.

use crate::wire::{Members, put_json, set, text};
use json_tree::Json;

/// Turns a legacy binary part into a media part. One without MIME type or content stays, to be removed as unknown.
pub(super) fn translate_part(part: &mut Members<'_>) {
    if text(part, "type") != Some("binary") {
        return;
    }
    let kinds = [("data", "data"), ("url", "url"), ("id", "file")];
    let value = kinds.iter().find_map(|(name, kind)| Some((kind, text(part, name)?)));
    let (Some(mime), Some((kind, value))) = (text(part, "mimeType"), value) else {
        return;
    };
    let is_medium = |medium: &&&str| mime.strip_prefix(**medium).is_some_and(|rest| rest.starts_with('/'));
    let medium = ["image", "audio", "video"].iter().find(is_medium).unwrap_or(&"document");
    let mut source = Members::new();
    set(&mut source, "type", kind);
    set(&mut source, "value", value);
    set(&mut source, "mimeType", mime);
    let mut translated = Members::new();
    set(&mut translated, "type", medium);
    put_json(&mut translated, "source", Json::Object(source));
    if let Some(filename) = text(part, "filename") {
        let mut metadata = Members::new();
        set(&mut metadata, "filename", filename);
        put_json(&mut translated, "metadata", Json::Object(metadata));
    }
    *part = translated;
}
