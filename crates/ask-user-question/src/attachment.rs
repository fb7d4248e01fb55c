//! Pictures and other files in an answer.

use crate::text::{counted, is_blank, joined};
use json_tree::{Json, codes};
use serde::{Deserialize, Serialize};

/// The maximum number of files in one reply, whatever the limits.
pub const MAX_ATTACHMENTS: usize = 16;

/// The maximum length of a file's name, in characters.
pub const MAX_NAME: usize = 200;

/// The maximum total length of the URLs in one reply, in bytes. A `data:` URL contains its file.
pub const MAX_URL_BYTES: usize = 32 << 20;

const MIB: usize = 1 << 20;

/// A file in an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Where the content is: an `http(s)` URL, a path on the agent's server or a `data:` URL. Empty if the content is [in another
    /// message](crate::Outcome::without_data).
    #[serde(default)]
    pub url: String,
    /// The file name without a path.
    pub name: String,
    /// The media type without parameters, such as `image/png`.
    #[serde(rename = "type")]
    pub media_type: String,
    /// The size in bytes.
    pub size: usize,
}

impl Attachment {
    /// Returns true if the media type is an image.
    #[must_use]
    pub fn is_picture(&self) -> bool {
        self.media_type.starts_with("image/")
    }

    /// Returns true if the URL contains the file itself (`data:`).
    #[must_use]
    pub fn is_data(&self) -> bool {
        has_scheme(&self.url, "data")
    }

    /// Reads an object with `url`, `name`, `type` and `size`, without validating their values. `None` if a member has the wrong type.
    #[must_use]
    pub fn read(json: &Json<'_>) -> Option<Self> {
        let text = |name| json.get(name).map_or(Some(""), Json::as_str).map(str::to_owned);
        Some(Self {
            url: text("url")?,
            name: text("name")?,
            media_type: text("type")?,
            size: json.get("size").map_or(Some(0), Json::as_index)?,
        })
    }

    /// The JSON object that [`read`](Self::read) accepts.
    #[must_use]
    pub fn to_json(&self) -> Json<'static> {
        Json::object_of(&mut [
            ("url", (!self.url.is_empty()).then(|| self.url.as_str().into())),
            ("name", Some(self.name.as_str().into())),
            ("type", Some(self.media_type.as_str().into())),
            ("size", Some(self.size.into())),
        ])
    }

    /// The first invalid member, and what it must be; `None` if all are valid.
    pub(crate) fn flaw(&self) -> Option<(&'static str, &'static str)> {
        if self.name != clean_name(&self.name) {
            return Some(("name", "a file's name without a path, of 1 to 200 visible characters"));
        }
        if !is_media_type(&self.media_type) {
            return Some(("type", "a media type without parameters, in lower case, such as image/png"));
        }
        let is_fit = is_legal_url(&self.url);
        (!is_fit).then_some(("url", "an http(s) or data URL, or a path on the agent's server"))
    }
}

/// Turns any text into a valid file name: the last part of a path, without invisible characters and those that change the text direction, cut to
/// [`MAX_NAME`]. An empty name becomes "file".
///
/// ```
/// use ask_user_question::attachment::clean_name;
/// assert_eq!(clean_name("C:\\pictures\\cat\n.png"), "cat.png");
/// assert_eq!(clean_name(".."), "file");
/// ```
#[must_use]
pub fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let turns =
        |c| matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let is_kept = |c: &char| !c.is_control() && !turns(*c) && !matches!(c, '\u{2028}' | '\u{2029}');
    let name: String = last.chars().filter(is_kept).collect();
    let name: String = name.trim().chars().take(MAX_NAME).collect();
    let name = name.trim_end();
    if is_blank(name) || name.bytes().all(|byte| byte == b'.') { "file".to_owned() } else { name.to_owned() }
}

fn is_media_type(text: &str) -> bool {
    let is_part = |part: &str| {
        let is_legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$&^_.+-".contains(&byte);
        !part.is_empty() && part.len() < 127 && part.bytes().all(is_legal)
    };
    text.split_once('/').is_some_and(|(kind, subtype)| is_part(kind) && is_part(subtype))
}

/// Returns true if a page may use the URL in a link or an image, because it can't run code.
fn is_legal_url(url: &str) -> bool {
    let head = url.split(['/', '?', '#']).next().unwrap_or_default();
    let is_known = !head.contains(':') || ["http", "https", "data"].iter().any(|scheme| has_scheme(url, scheme));
    is_known && !url.contains(|c: char| c.is_control() || c.is_whitespace())
}

fn has_scheme(url: &str, scheme: &str) -> bool {
    url.split_once(':').is_some_and(|(head, _)| head.eq_ignore_ascii_case(scheme))
}

/// Describes the files for the agent, such as "1 picture: cat.png". Empty if there are none.
#[must_use]
pub fn sentence(attachments: &[Attachment]) -> String {
    if attachments.is_empty() {
        return String::new();
    }
    let noun = if attachments.iter().all(Attachment::is_picture) { "picture" } else { "file" };
    let names: Vec<&str> = attachments.iter().map(|it| it.name.as_str()).collect();
    counted(attachments.len(), noun) + ": " + &joined(&names, ", ")
}

codes! {
    /// The reason why a file can't be attached.
    #[non_exhaustive]
    FileFlaw {
        /// The maximum number of files is already reached.
        TooMany "too_many_files",
        /// The file has no content.
        Empty "empty_file",
        /// The file is larger than allowed.
        TooLarge "file_too_large",
        /// The media type is not accepted.
        WrongType "wrong_file_type",
    }
}

/// The limits for files in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// The maximum number of files in one reply; [`MAX_ATTACHMENTS`] applies, too.
    pub count: usize,
    /// The maximum size of each file, in bytes.
    pub bytes: usize,
    /// The accepted media types, such as `image/png`, or `image/*` for all images.
    pub types: &'static [&'static str],
}

impl FileLimits {
    /// Up to four pictures of 5 MiB each, in the formats that all browsers and all vision models support.
    pub const PICTURES: Self =
        Self { count: 4, bytes: 5 << 20, types: &["image/png", "image/jpeg", "image/gif", "image/webp"] };

    /// As [`PICTURES`](Self::PICTURES), and documents.
    pub const FILES: Self = Self {
        types: &[
            "image/png",
            "image/jpeg",
            "image/gif",
            "image/webp",
            "application/pdf",
            "application/json",
            "text/plain",
            "text/csv",
            "text/markdown",
        ],
        ..Self::PICTURES
    };

    /// The limits by their names in profiles and server settings.
    pub const BY_NAME: [(&'static str, Self); 2] = [("pictures", Self::PICTURES), ("files", Self::FILES)];

    /// Returns true if files of this media type are accepted.
    #[must_use]
    pub fn accepts(&self, media_type: &str) -> bool {
        self.types.iter().any(|accepted| match accepted.strip_suffix('*') {
            Some(kind) => media_type.starts_with(kind),
            None => *accepted == media_type,
        })
    }

    /// The names of the types for users, such as PNG.
    #[must_use]
    pub fn type_names(&self) -> Vec<String> {
        let name = |of: &&str| match of.rsplit('/').next().unwrap_or_default() {
            "plain" => "TXT".to_owned(),
            "markdown" => "MD".to_owned(),
            name => name.to_ascii_uppercase(),
        };
        self.types.iter().map(name).collect()
    }

    /// Checks whether one more file may be attached in addition to `others`.
    ///
    /// # Errors
    /// The first limit that the file violates.
    pub fn check(&self, others: usize, media_type: &str, size: usize) -> Result<(), FileFlaw> {
        if others >= self.count.min(MAX_ATTACHMENTS) {
            return Err(FileFlaw::TooMany);
        }
        if !self.accepts(media_type) {
            return Err(FileFlaw::WrongType);
        }
        match size {
            0 => Err(FileFlaw::Empty),
            size if size > self.bytes => Err(FileFlaw::TooLarge),
            _ => Ok(()),
        }
    }

    /// Explains the flaw to the user who attached the file.
    #[must_use]
    pub fn explain(&self, flaw: FileFlaw) -> String {
        match flaw {
            FileFlaw::TooMany => format!("At most {} are taken.", counted(self.count, "file")),
            FileFlaw::Empty => "The file is empty.".to_owned(),
            FileFlaw::TooLarge if self.bytes.is_multiple_of(MIB) => {
                format!("A file has at most {} MiB.", self.bytes / MIB)
            }
            FileFlaw::TooLarge => format!("A file has at most {} bytes.", self.bytes),
            FileFlaw::WrongType => format!("These types are taken: {}.", joined(self.types, ", ")),
        }
    }
}
