//! Forms of messages from before 1.0.

use crate::LEGACY;
use crate::wire::Members;
use json_tree::Json;

/// Turns a `binary` part of clients before 1.0 into a media part. One without MIME type or content stays, to be removed as unknown.
pub(super) fn translate_part(part: &mut Members<'_>) {
    if !LEGACY || part.string("type") != Some("binary") {
        return;
    }
    let kinds = [("data", "data"), ("url", "url"), ("id", "file")];
    let value = kinds.iter().find_map(|(name, kind)| Some((kind, part.string(name)?)));
    let (Some(mime), Some((kind, value))) = (part.string("mimeType"), value) else {
        return;
    };
    let is_medium = |medium: &&&str| mime.strip_prefix(**medium).is_some_and(|rest| rest.starts_with('/'));
    let medium = ["image", "audio", "video"].iter().find(is_medium).unwrap_or(&"document");
    let source = &mut [("type", Some((*kind).into())), ("value", Some(value.into())), ("mimeType", Some(mime.into()))];
    let metadata = part.string("filename").map(|name| Json::object_of(&mut [("filename", Some(name.into()))]));
    let mut translated =
        [("type", Some((*medium).into())), ("source", Some(Json::object_of(source))), ("metadata", metadata)];
    if let Json::Object(translated) = Json::object_of(&mut translated) {
        *part = translated;
    }
}
