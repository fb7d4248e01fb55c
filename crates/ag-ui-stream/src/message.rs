//! Messages, tool calls and content parts.

use crate::reader::{StreamError, decode_alone};
use crate::warning::Warning;
use crate::wire::{Item, Members, Shape, Wire, choice, object, serde_form, set, text, union};
use json_tree::Json;
use serde_json::{Map, Value};

/// Open by key; the key `ag-ui` is reserved by the protocol.
pub type Metadata = Map<String, Value>;

union! {
    /// One message of a conversation, told apart by its `role`.
    Message by "role" {
        /// Instructions of the developer.
        Developer(DeveloperMessage) = "developer",
        /// Instructions of the system.
        System(SystemMessage) = "system",
        /// What the agent said and which tools it called.
        Assistant(AssistantMessage) = "assistant",
        /// What the user said.
        User(UserMessage) = "user",
        /// What a tool call gave.
        Tool(ToolMessage) = "tool",
        /// Something to show, never sent to the agent.
        Activity(ActivityMessage) = "activity",
        /// What the agent thought.
        Reasoning(ReasoningMessage) = "reasoning",
    }
}

object! {
    /// Instructions of the developer.
    DeveloperMessage {
        required {
            /// Unique in the conversation.
            id: String,
            /// The text.
            content: String,
        }
        optional {
            /// Who speaks.
            name: String,
            /// Opaque; goes back unchanged.
            encrypted_value: String,
            /// The subagent that owns it.
            subagent_run_id: String,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

object! {
    /// Instructions of the system.
    SystemMessage {
        required {
            /// Unique in the conversation.
            id: String,
            /// The text.
            content: String,
        }
        optional {
            /// Who speaks.
            name: String,
            /// Opaque; goes back unchanged.
            encrypted_value: String,
            /// The subagent that owns it.
            subagent_run_id: String,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

object! {
    /// What the agent said and which tools it called.
    AssistantMessage {
        required {
            /// Unique in the conversation.
            id: String,
        }
        optional {
            /// The text.
            content: String,
            /// The calls, in the order in which they began.
            tool_calls: Vec<ToolCall>,
            /// Who speaks.
            name: String,
            /// Opaque; goes back unchanged.
            encrypted_value: String,
            /// The subagent that owns it.
            subagent_run_id: String,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

object! {
    /// What the user said.
    UserMessage {
        required {
            /// Unique in the conversation.
            id: String,
            /// Text or parts.
            content: Content,
        }
        optional {
            /// Who speaks.
            name: String,
            /// Opaque; goes back unchanged.
            encrypted_value: String,
            /// The subagent that owns it.
            subagent_run_id: String,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

object! {
    /// What a tool call gave.
    ToolMessage {
        required {
            /// Unique in the conversation.
            id: String,
            /// The call that it answers.
            tool_call_id: String,
            /// Text or parts.
            content: Content,
        }
        optional {
            /// Why the call failed.
            error: String,
            /// Opaque; goes back unchanged.
            encrypted_value: String,
            /// The subagent that owns it.
            subagent_run_id: String,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

object! {
    /// Something to show, never sent to the agent.
    ActivityMessage {
        required {
            /// Unique in the conversation.
            id: String,
            /// Which kind of activity.
            activity_type: String,
            /// Opaque to the protocol.
            content: Map<String, Value>,
        }
        optional {
            /// The subagent that owns it.
            subagent_run_id: String,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

object! {
    /// What the agent thought.
    ReasoningMessage {
        required {
            /// Unique in the conversation.
            id: String,
            /// The text.
            content: String,
        }
        optional {
            /// Opaque; goes back unchanged.
            encrypted_value: String,
            /// The subagent that owns it.
            subagent_run_id: String,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

object! {
    /// One call of a tool.
    ToolCall {
        required {
            /// Unique in the conversation; what results and interrupts name.
            id: String,
            /// Always `function`.
            r#type: CallType,
            /// Name and arguments.
            function: FunctionCall,
        }
        optional {
            /// Opaque; goes back unchanged.
            encrypted_value: String,
            /// Open by key.
            metadata: Metadata,
        }
    }
}

object! {
    /// Name and arguments of a call.
    FunctionCall {
        required {
            /// The tool's name.
            name: String,
            /// The raw JSON text as the model wrote it; the protocol does not validate it.
            arguments: String,
        }
        optional {}
    }
}

choice! {
    /// The kind of a call; there is one.
    CallType {
        /// A function.
        Function = "function",
    }
}

/// Text, or a list of parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Parts of several kinds.
    Parts(Vec<ContentPart>),
}

impl Content {
    /// The text, or the text of all text parts joined by line feeds.
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Parts(parts) => {
                let texts: Vec<&str> = parts
                    .iter()
                    .filter_map(|part| if let ContentPart::Text(part) = part { Some(part.text.as_str()) } else { None })
                    .collect();
                texts.join("\n").into()
            }
        }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Wire for Content {
    const SHAPE: &'static Shape = &Shape::TextOrList(ContentPart::SHAPE);

    fn build(tree: Json<'_>) -> Self {
        match tree {
            Json::List(_) => Self::Parts(Vec::build(tree)),
            tree => Self::Text(String::build(tree)),
        }
    }

    fn item(&self) -> Item<'_> {
        match self {
            Self::Text(text) => text.item(),
            Self::Parts(parts) => parts.item(),
        }
    }
}

serde_form!(Content);

union! {
    /// One part of a message's content.
    ContentPart by "type" retired translate_part {
        /// Text.
        Text(TextPart) = "text",
        /// An image.
        Image(MediaPart) = "image",
        /// A recording.
        Audio(MediaPart) = "audio",
        /// A film.
        Video(MediaPart) = "video",
        /// A document.
        Document(MediaPart) = "document",
    }
}

object! {
    /// A part that is text.
    TextPart {
        required {
            /// The text.
            text: String,
        }
        optional {
            /// Names the part.
            id: String,
            /// Anything but null.
            metadata: Value,
        }
    }
}

object! {
    /// A part that is not text.
    MediaPart {
        required {
            /// Where its bytes are.
            source: PartSource,
        }
        optional {
            /// Names the part.
            id: String,
            /// Anything but null.
            metadata: Value | null,
        }
    }
}

union! {
    /// Where the bytes of a part are.
    PartSource by "type" {
        /// In the message itself.
        Data(DataSource) = "data",
        /// At a URL.
        Url(UrlSource) = "url",
        /// In a provider's store, under an opaque handle.
        File(FileSource) = "file",
    }
}

object! {
    /// Bytes in the message itself.
    DataSource {
        required {
            /// Base64.
            value: String,
            /// What the bytes are.
            mime_type: String,
        }
        optional {}
    }
}

object! {
    /// Bytes at a URL.
    UrlSource {
        required {
            /// The URL.
            value: String,
        }
        optional {
            /// What the bytes are.
            mime_type: String,
        }
    }
}

object! {
    /// Bytes in a provider's store.
    FileSource {
        required {
            /// An opaque handle.
            value: String,
        }
        optional {
            /// Whose handle it is.
            provider: String,
            /// What the bytes are.
            mime_type: String,
        }
    }
}

/// The same field of every kind of message.
macro_rules! of_each {
    ($message:expr, $m:ident => $field:expr) => {
        match $message {
            Message::Developer($m) => $field,
            Message::System($m) => $field,
            Message::Assistant($m) => $field,
            Message::User($m) => $field,
            Message::Tool($m) => $field,
            Message::Activity($m) => $field,
            Message::Reasoning($m) => $field,
        }
    };
}

impl Message {
    /// Reads one message as a stream's events are read: retired forms are translated, and what 1.0 does not describe is stripped with a
    /// warning. (Its `Deserialize` takes nothing but what 1.0 describes.)
    ///
    /// ```
    /// use ag_ui_stream::Message;
    /// let text = r#"{"role": "user", "id": "u1", "content": "Rome", "sentAt": 1}"#;
    /// let (message, warnings) = Message::parse(text)?;
    /// assert_eq!((&*message.text(), warnings.len()), ("Rome", 1));
    /// # Ok::<(), ag_ui_stream::reader::StreamError>(())
    /// ```
    ///
    /// # Errors
    /// Where it is no JSON, of a role that 1.0 does not describe, or a described field is missing or holds what it must not.
    pub fn parse(text: &str) -> Result<(Self, Vec<Warning>), StreamError> {
        decode_alone(text).map_err(|error| *error)
    }

    /// A user's text.
    #[must_use]
    pub fn user(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::User(UserMessage::new(id, text.into()))
    }

    /// A tool's result.
    #[must_use]
    pub fn tool(id: impl Into<String>, tool_call_id: impl Into<String>, content: impl Into<Content>) -> Self {
        Self::Tool(ToolMessage::new(id, tool_call_id, content))
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        of_each!(self, m => &m.id)
    }

    /// Its role, as the wire spells it.
    #[must_use]
    pub fn role(&self) -> &'static str {
        match self {
            Self::Developer(_) => "developer",
            Self::System(_) => "system",
            Self::Assistant(_) => "assistant",
            Self::User(_) => "user",
            Self::Tool(_) => "tool",
            Self::Activity(_) => "activity",
            Self::Reasoning(_) => "reasoning",
        }
    }

    /// Its metadata.
    #[must_use]
    pub fn metadata(&self) -> Option<&Metadata> {
        of_each!(self, m => m.metadata.as_ref())
    }

    /// The place of its metadata.
    pub fn metadata_mut(&mut self) -> &mut Option<Metadata> {
        of_each!(self, m => &mut m.metadata)
    }

    /// The subagent that owns it; absent means the parent agent.
    #[must_use]
    pub fn subagent_run_id(&self) -> Option<&str> {
        of_each!(self, m => m.subagent_run_id.as_deref())
    }

    /// Its text; empty where it has none.
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Developer(m) => m.content.as_str().into(),
            Self::System(m) => m.content.as_str().into(),
            Self::Assistant(m) => m.content.as_deref().unwrap_or_default().into(),
            Self::User(m) => m.content.text(),
            Self::Tool(m) => m.content.text(),
            Self::Activity(_) => "".into(),
            Self::Reasoning(m) => m.content.as_str().into(),
        }
    }

    /// Its tool calls; only an assistant's message has any.
    #[must_use]
    pub fn tool_calls(&self) -> &[ToolCall] {
        match self {
            Self::Assistant(m) => m.tool_calls.as_deref().unwrap_or_default(),
            _ => &[],
        }
    }
}

/// Turns a legacy binary part into a media part. One without MIME type or content stays, to be removed as unknown.
fn translate_part(part: &mut Members<'_>) {
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
