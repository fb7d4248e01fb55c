//! Messages, tool calls and their content.

use crate::notice::Notice;
use crate::protocol::shapes::A_MESSAGE;
use crate::wire::{enforce, parse};
use json_tree::{Json, WireValue};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

pub(crate) use crate::protocol::shapes::Role;

/// An object with any keys. The protocol reserves the key `ag-ui`.
pub type Metadata = Json<'static>;

/// One message of a conversation. Its [`role`](Self::role) determines which members it has.
///
/// The members are boxed because inserting a result behind its call may move thousands of messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Message(Box<MessageMembers>);

/// The members of a [`Message`], visible only in this crate.
#[doc(hidden)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageMembers {
    pub(crate) id: String,
    pub(crate) role: Role,
    pub(crate) content: Content,
    pub(crate) tool_calls: Vec<ToolCall>,
    /// The following members belong only to some roles.
    pub(crate) tool_call_id: String,
    pub(crate) wire_call_id: Option<String>,
    pub(crate) activity_type: String,
    pub(crate) error: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) encrypted_value: Option<String>,
    pub(crate) encrypted_value_type: Option<String>,
    pub(crate) subagent_run_id: Option<String>,
    pub(crate) metadata: Option<Metadata>,
}

/// The content of a message.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// No content, as in an assistant message that only calls tools.
    #[default]
    None,
    /// Plain text.
    Text(String),
    /// Parts of several kinds, each an object with a `type`.
    Parts(Vec<Json<'static>>),
    /// The content of an activity. The protocol does not define it; its members keep the agent's order.
    Open(Json<'static>),
}

impl Content {
    /// The text, or the text of all text parts joined by line feeds. Empty for other content.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Parts(parts) => {
                let texts = parts.iter().filter_map(|part| part.string("text"));
                texts.collect::<Vec<_>>().join("\n").into()
            }
            Self::None | Self::Open(_) => "".into(),
        }
    }

    pub(crate) fn of(json: &Json<'_>) -> Self {
        match json {
            Json::Text(text) => Self::Text(text.clone().into_owned()),
            Json::List(parts) => Self::Parts(parts.iter().map(|part| part.clone().into_static()).collect()),
            Json::Object(_) => Self::Open(unique(json)),
            _ => Self::None,
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

/// One call of a tool, within an assistant message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// Unique in the conversation. If the agent reuses an id, the later call gets a key derived from it, such as `call_0#2`.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them. They should be JSON, but the protocol does not validate them.
    pub arguments: String,
    /// Opaque; returned to the agent unchanged.
    pub encrypted_value: Option<String>,
    /// The provider's type of `encrypted_value`; returned with it. (Added in AG-UI 1.1.)
    pub encrypted_value_type: Option<String>,
    /// An object with any keys.
    pub metadata: Option<Metadata>,
    /// The agent's own id, if it differs from `id` because an earlier call has it.
    wire_id: Option<String>,
}

impl ToolCall {
    /// Creates a call without metadata. `arguments` is JSON text.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into(), ..Self::default() }
    }

    fn of(json: &Json<'_>) -> Self {
        let function = json.get("function");
        let said = |name: &str| function.and_then(|it| it.string(name)).unwrap_or_default();
        Self {
            id: json.get("id").and_then(String::of).unwrap_or_default(),
            name: said("name").to_owned(),
            arguments: said("arguments").to_owned(),
            encrypted_value: json.get("encryptedValue").and_then(String::of),
            encrypted_value_type: json.get("encryptedValueType").and_then(String::of),
            metadata: json.get("metadata").map(unique),
            wire_id: None,
        }
    }

    /// The id that the agent gave the call. Results and interrupts refer to it.
    #[must_use]
    pub fn wire_id(&self) -> &str {
        self.wire_id.as_deref().unwrap_or(&self.id)
    }

    pub(crate) fn set_key(&mut self, key: String) {
        if key != self.id {
            let id = std::mem::replace(&mut self.id, key);
            self.wire_id.get_or_insert(id);
        }
    }

    fn to_json(&self, told: fn(&str) -> &str) -> Json<'_> {
        let function =
            &mut [("name", Some(borrowed(&self.name))), ("arguments", Some(borrowed(told(&self.arguments))))];
        Json::object_of(&mut [
            ("id", Some(borrowed(self.wire_id()))),
            ("type", Some(borrowed("function"))),
            ("function", Some(Json::object_of(function))),
            ("encryptedValue", self.encrypted_value.as_deref().map(borrowed)),
            ("encryptedValueType", self.encrypted_value_type.as_deref().map(borrowed)),
            ("metadata", self.metadata.clone()),
        ])
    }
}

impl Message {
    pub(crate) fn new(role: Role, id: String, content: Content) -> Self {
        Self(Box::new(MessageMembers { id, role, content, ..MessageMembers::default() }))
    }

    /// Creates a user message with plain text.
    #[must_use]
    pub fn user(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Role::User, id.into(), Content::Text(text.into()))
    }

    /// Creates an assistant message with its tool calls. An empty text becomes [`Content::None`].
    #[must_use]
    pub fn assistant(id: impl Into<String>, text: impl Into<String>, tool_calls: Vec<ToolCall>) -> Self {
        let text = text.into();
        let content = if text.is_empty() { Content::None } else { Content::Text(text) };
        let mut message = Self::new(Role::Assistant, id.into(), content);
        message.tool_calls = tool_calls;
        message
    }

    /// Creates a tool message: the result of a call.
    #[must_use]
    pub fn tool(id: impl Into<String>, tool_call_id: impl Into<String>, content: impl Into<Content>) -> Self {
        let mut message = Self::new(Role::Tool, id.into(), content.into());
        message.tool_call_id = tool_call_id.into();
        message
    }

    /// Sets or clears the metadata.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Option<Metadata>) -> Self {
        self.metadata = metadata.map(Json::into_unique);
        self
    }

    /// Sets or clears the reason why the call failed.
    #[must_use]
    pub fn with_error(mut self, error: Option<String>) -> Self {
        self.error = error;
        self
    }

    /// Reads one message by the same rules as events: retired forms are translated, and members that 1.0 does not describe are stripped with a
    /// warning.
    ///
    /// ```
    /// use ag_ui_stream::Message;
    /// let text = r#"{"role": "user", "id": "u1", "content": "Rome", "sentAt": 1}"#;
    /// let (message, warnings) = Message::parse(text)?;
    /// assert_eq!((&*message.text(), warnings.len()), ("Rome", 1));
    /// # Ok::<(), ag_ui_stream::notice::Notice>(())
    /// ```
    ///
    /// # Errors
    /// If it is not JSON, its role is unknown to 1.0, or a described member is missing or of the wrong kind.
    pub fn parse(text: &str) -> Result<(Self, Vec<Notice>), Notice> {
        let read = parse(text).and_then(|(json, _)| enforce(json, A_MESSAGE));
        let (json, warnings) = read.map_err(|error| *error)?;
        Ok((Self::of(&json), warnings))
    }

    pub(crate) fn of(json: &Json<'_>) -> Self {
        let said = |name: &str| json.get(name).and_then(String::of);
        Self(Box::new(MessageMembers {
            id: said("id").unwrap_or_default(),
            role: Role::from_word(json.string("role").unwrap_or_default()).unwrap_or_default(),
            content: json.get("content").map_or(Content::None, Content::of),
            tool_calls: json.items("toolCalls").iter().map(ToolCall::of).collect(),
            tool_call_id: said("toolCallId").unwrap_or_default(),
            wire_call_id: None,
            activity_type: said("activityType").unwrap_or_default(),
            error: said("error"),
            name: said("name"),
            encrypted_value: said("encryptedValue"),
            encrypted_value_type: said("encryptedValueType"),
            subagent_run_id: said("subagentRunId"),
            metadata: json.get("metadata").map(unique),
        }))
    }

    pub(crate) fn to_json(&self) -> Json<'_> {
        self.to_json_with(|arguments| arguments)
    }

    /// The message as JSON. `told` maps the arguments of each call.
    pub(crate) fn to_json_with<'t>(&'t self, told: fn(&str) -> &str) -> Json<'t> {
        let of_role = |role: Role, text: &'t str| (self.role == role).then(|| borrowed(text));
        let calls: Vec<_> = self.tool_calls.iter().map(|call| call.to_json(told)).collect();
        let content = match &self.content {
            Content::None => None,
            Content::Text(text) => Some(borrowed(text)),
            Content::Parts(parts) => Some(Json::List(parts.clone())),
            Content::Open(content) => Some(content.clone()),
        };
        Json::object_of(&mut [
            ("role", Some(borrowed(self.role()))),
            ("id", Some(borrowed(&self.id))),
            ("toolCallId", of_role(Role::Tool, self.wire_call_id())),
            ("activityType", of_role(Role::Activity, &self.activity_type)),
            ("content", content),
            ("toolCalls", (!calls.is_empty()).then_some(Json::List(calls))),
            ("error", self.error.as_deref().map(borrowed)),
            ("name", self.name.as_deref().map(borrowed)),
            ("encryptedValue", self.encrypted_value.as_deref().map(borrowed)),
            ("encryptedValueType", self.encrypted_value_type.as_deref().map(borrowed)),
            ("subagentRunId", self.subagent_run_id.as_deref().map(borrowed)),
            ("metadata", self.metadata.clone()),
        ])
    }

    /// The id, unique in the conversation.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The role on the wire: `developer`, `system`, `assistant`, `user`, `tool`, `activity` or `reasoning`.
    #[must_use]
    pub fn role(&self) -> &'static str {
        self.role.as_str()
    }

    /// The content, in the form in which it was sent.
    #[must_use]
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The text as in [`Content::text`]; empty if there is none.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        self.content.text()
    }

    /// The tool calls, in the order in which they began. Only assistant messages have any.
    #[must_use]
    pub fn tool_calls(&self) -> &[ToolCall] {
        &self.tool_calls
    }

    /// The [key](ToolCall::id) of the call that a tool message answers; `None` for other roles.
    #[must_use]
    pub fn tool_call_id(&self) -> Option<&str> {
        (self.role == Role::Tool).then_some(&self.tool_call_id)
    }

    /// The agent's own id of the call that a tool message answers.
    pub(crate) fn wire_call_id(&self) -> &str {
        self.wire_call_id.as_ref().unwrap_or(&self.tool_call_id)
    }

    /// Sets the key of the call that a tool message answers, and keeps the agent's id.
    pub(crate) fn set_call_key(&mut self, key: String) {
        if key != self.tool_call_id {
            let id = std::mem::replace(&mut self.tool_call_id, key);
            self.wire_call_id.get_or_insert(id);
        }
    }

    /// The reason why the call failed; `None` if it did not, or for other roles.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The metadata; `None` if the message has none.
    #[must_use]
    pub fn metadata(&self) -> Option<&Metadata> {
        self.metadata.as_ref()
    }

    /// The id of the subagent that owns the message; `None` means the parent agent.
    #[must_use]
    pub fn subagent_run_id(&self) -> Option<&str> {
        self.subagent_run_id.as_deref()
    }
}

impl Deref for Message {
    type Target = MessageMembers;

    fn deref(&self) -> &MessageMembers {
        &self.0
    }
}

impl DerefMut for Message {
    fn deref_mut(&mut self) -> &mut MessageMembers {
        &mut self.0
    }
}

impl From<&Message> for Json<'static> {
    fn from(message: &Message) -> Self {
        message.to_json().into_static()
    }
}

impl WireValue for Message {
    fn of(json: &Json<'_>) -> Option<Self> {
        Some(Self::of(json))
    }

    fn write(&self) -> Option<Json<'static>> {
        Some(self.into())
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Message {
    /// As [`parse`](Self::parse), without the warnings.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let (json, _) = enforce(json, A_MESSAGE).map_err(D::Error::custom)?;
        Ok(Self::of(&json))
    }
}

pub(crate) fn borrowed(text: &str) -> Json<'_> {
    Json::Text(Cow::Borrowed(text))
}

/// A copy without duplicate keys, since a later reader of an open object may take the first of two.
pub(crate) fn unique(json: &Json<'_>) -> Json<'static> {
    json.clone().into_unique()
}
