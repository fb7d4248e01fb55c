//! The compatibility boundary: retired events and forms become what 1.0 has, before anything is enforced. (Where a retired form is only a
//! `null` for something absent, the shapes say so.)
//!
//! The reference client keeps this boundary until 2027-09-17.

use crate::warning::{Warning, WarningCode, Warnings};
use crate::wire::text;
use json_tree::{Json, Members};

/// What is open of the retired `THINKING_*` events, which have no ids of their own.
#[derive(Debug, Default)]
pub(super) struct Retired {
    /// How many ids were made. They are derived from the run and this count, so that the same bytes give the same ids.
    made: u64,
    span: Option<String>,
    message: Option<String>,
}

impl Retired {
    fn make_id(&mut self, run: Option<&str>) -> String {
        self.made += 1;
        format!("{}-thinking-{}", run.unwrap_or("run"), self.made)
    }

    /// Translates an event in place; what is not retired is untouched.
    pub(super) fn translate(&mut self, event: &mut Members<'_>, run: Option<&str>, warnings: &mut Warnings) {
        let Some(kind) = text(event, "type").and_then(|kind| kind.strip_prefix("THINKING_")) else {
            return;
        };
        let (name, id) = match kind {
            "START" => {
                if event.iter().any(|(key, _)| key == "title") {
                    event.retain(|(key, _)| key != "title");
                    let message = "the title of a retired THINKING_START has no place in 1.0 and was dropped";
                    warnings.push(Warning::new(WarningCode::Retired, message).at("/title"));
                }
                let id = self.make_id(run);
                ("REASONING_START", self.span.insert(id).clone())
            }
            "TEXT_MESSAGE_START" => {
                set(event, "role", "reasoning");
                let id = self.make_id(run);
                ("REASONING_MESSAGE_START", self.message.insert(id).clone())
            }
            "TEXT_MESSAGE_CONTENT" => ("REASONING_MESSAGE_CONTENT", self.message.clone().unwrap_or_default()),
            "TEXT_MESSAGE_END" => ("REASONING_MESSAGE_END", self.message.take().unwrap_or_default()),
            "END" => ("REASONING_END", self.span.take().unwrap_or_default()),
            _ => return,
        };
        set(event, "type", name);
        set(event, "messageId", id);
    }
}

/// Turns a legacy binary part into a media part. One without MIME type or content stays, to be removed as unknown.
pub(crate) fn translate_part(part: &mut Members<'_>) {
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

/// Gives a member its last value, which is the one that counts.
fn set(members: &mut Members<'_>, name: &'static str, text: impl Into<String>) {
    members.push((name.into(), Json::Text(text.into().into())));
}
