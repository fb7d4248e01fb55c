//! Files in the user's messages, as content parts of 1.0.

use crate::message::{Content, Message, borrowed};
use ask_user_question::attachment::{Attachment, clean_name};
use json_tree::Json;

/// The marker before the data of a `data:` URL.
const BASE64: &str = ";base64,";

impl Message {
    /// Creates a user message with files: plain text if there are none, else a part for the text and one for each file. The type of a part follows
    /// from the file's media type. The file's name and size are in the part's `metadata`, with the index of the question that it answers, if any.
    ///
    /// ```
    /// use ag_ui_stream::Message;
    /// use ask_user_question::attachment::Attachment;
    /// let cat = Attachment {
    ///     url: "https://example.org/1".into(), name: "cat.png".into(), media_type: "image/png".into(), size: 12_000,
    /// };
    /// let message = Message::user_with_files("u1", "Look", [(None, &cat)]);
    /// assert_eq!(message.text(), "Look");
    /// assert_eq!(message.files(), [(None, cat)]);
    /// ```
    #[must_use]
    pub fn user_with_files<'a>(
        id: impl Into<String>,
        text: impl Into<String>,
        files: impl IntoIterator<Item = (Option<usize>, &'a Attachment)>,
    ) -> Self {
        let text: String = text.into();
        let mut message = Self::user(id, "");
        let mut parts = Vec::new();
        for (question, file) in files {
            if !file.url.is_empty() {
                parts.push(part(question, file));
            }
        }
        if parts.is_empty() {
            message.content = Content::Text(text);
            return message;
        }
        if !text.is_empty() {
            let text = &mut [("type", Some(borrowed("text"))), ("text", Some(text.into()))];
            parts.insert(0, Json::object_of(text));
        }
        message.content = Content::Parts(parts);
        message
    }

    /// The files among the content parts, each with the index of the question that it answers, if any. The URL is empty for a file that only the
    /// agent's provider can read.
    #[must_use]
    pub fn files(&self) -> Vec<(Option<usize>, Attachment)> {
        match &self.content {
            Content::Parts(parts) => parts.iter().filter_map(file).collect(),
            Content::None | Content::Text(_) | Content::Open(_) => Vec::new(),
        }
    }

    /// As [`files`](Self::files), for the content of a message that is still JSON.
    #[must_use]
    pub fn files_in(content: &Json<'_>) -> Vec<(Option<usize>, Attachment)> {
        content.as_list().unwrap_or_default().iter().filter_map(file).collect()
    }
}

fn part(question: Option<usize>, file: &Attachment) -> Json<'static> {
    let media_type: Json<'static> = file.media_type.as_str().into();
    let kind = file.media_type.split('/').next().unwrap_or_default();
    let medium = if ["image", "audio", "video"].contains(&kind) { kind } else { "document" };
    let data = file.url.split_once(BASE64).filter(|_| file.is_data());
    let (kind, value) = data.map_or(("url", &*file.url), |(_, bytes)| ("data", bytes));
    let source = [("type", Some(kind.into())), ("value", Some(value.into())), ("mimeType", Some(media_type))];
    let metadata = [
        ("name", Some(file.name.as_str().into())),
        ("size", Some(file.size.into())),
        ("question", question.map(Json::from)),
    ];
    Json::object_of(&mut [
        ("type", Some(medium.into())),
        ("source", Some(Json::object_of(&mut { source }))),
        ("metadata", Some(Json::object_of(&mut { metadata }))),
    ])
}

/// The file in a part. Clients other than this crate name it `filename`, as in the retired parts, or not at all.
fn file(part: &Json<'_>) -> Option<(Option<usize>, Attachment)> {
    let (source, about) = (part.get("source")?, part.get("metadata"));
    let said = |json: &Json<'_>, name: &str| json.string(name).map(str::to_owned);
    let value = source.string("value")?;
    let media_type = said(source, "mimeType").unwrap_or_else(|| "application/octet-stream".to_owned());
    let url = match source.string("type")? {
        "url" => value.to_owned(),
        "data" => ["data:", &media_type, BASE64, value].concat(),
        _ => String::new(),
    };
    let name = about.and_then(|about| said(about, "name").or_else(|| said(about, "filename")));
    let size = about.and_then(|about| about.get("size")?.as_index()).unwrap_or_default();
    let question = about.and_then(|about| about.get("question")?.as_index());
    Some((question, Attachment { url, name: clean_name(&name.unwrap_or_default()), media_type, size }))
}
