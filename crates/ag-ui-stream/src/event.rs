//! One event: its type, and its members as defined in the protocol's table.

use crate::message::{Content, Message};
use crate::notice::{Notice, NoticeDetail, NoticeResult, Notices};
use crate::outcome::RunOutcome;
use crate::protocol::{EntityKind, EventRule};
use crate::wire::{Members, enforce_members};
use json_tree::Json;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

pub use crate::protocol::EventType;

/// One event of a run. It has only members that 1.0 describes.
///
/// [`EventType`] lists the members of each type. Members that several types share have a method of the same name; [`get`](Self::get) reads any
/// member. Text getters return an empty string if the event lacks the member.
///
/// ```
/// use ag_ui_stream::Event;
/// use ag_ui_stream::event::EventType;
/// let event = Event::tool_call_args("c1", "{");
/// assert_eq!((event.kind(), event.tool_call_id(), event.delta()), (EventType::ToolCallArgs, "c1", "{"));
/// assert_eq!(event.to_string(), r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{"}"#);
/// ```
pub type Event = EventRef<'static>;

/// As [`Event`], but its texts may be borrowed from the input.
#[derive(Clone)]
pub struct EventRef<'a> {
    pub(crate) rule: &'static EventRule,
    /// `type`, then the others in the order of `rule`.
    pub(crate) members: Members<'a>,
}

/// Declares constructors: name, event type, and the required members.
macro_rules! constructors {
    ($( $name:ident $kind:ident: $( $argument:ident $member:literal ),*; )*) => {
        impl Event {
            $(
                #[doc = concat!("A `", stringify!($kind), "` event. [`with`](Self::with) adds what it may have beside.")]
                #[must_use]
                pub fn $name($( $argument: impl Into<Json<'static>> ),*) -> Self {
                    Self::new(EventType::$kind, [ $( ($member, $argument.into()) ),* ])
                }
            )*
        }
    };
}

constructors! {
    run_started RunStarted: thread_id "threadId", run_id "runId";
    run_finished RunFinished: thread_id "threadId", run_id "runId";
    run_error RunError: message "message";
    text_message_start TextMessageStart: message_id "messageId";
    text_message_content TextMessageContent: message_id "messageId", delta "delta";
    text_message_end TextMessageEnd: message_id "messageId";
    tool_call_start ToolCallStart: tool_call_id "toolCallId", tool_call_name "toolCallName";
    tool_call_args ToolCallArgs: tool_call_id "toolCallId", delta "delta";
    tool_call_end ToolCallEnd: tool_call_id "toolCallId";
    tool_call_result ToolCallResult: message_id "messageId", tool_call_id "toolCallId", content "content";
    messages_snapshot MessagesSnapshot: messages "messages";
    state_snapshot StateSnapshot: snapshot "snapshot";
    custom Custom: name "name", value "value";
}

impl Event {
    /// Adds a member, such as `outcome` to `RUN_FINISHED`.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[must_use]
    pub fn with(self, member: &'static str, value: impl Into<Json<'static>>) -> Self {
        let mut members = self.members;
        members.push((member.into(), value.into()));
        Self::checked(self.rule, members)
    }

    /// Creates an event from its type and members, in any order.
    ///
    /// # Panics
    /// If a member is missing, unknown or of the wrong kind, which is a programming error.
    #[must_use]
    pub fn new(kind: EventType, members: impl IntoIterator<Item = (&'static str, Json<'static>)>) -> Self {
        let mut event = kind.rule().members();
        for (name, member) in members {
            event.push((name.into(), member));
        }
        Self::checked(kind.rule(), event)
    }

    fn checked(rule: &EventRule, members: Members<'static>) -> Self {
        match Self::read(members) {
            Ok((event, warnings)) if warnings.is_empty() => event,
            Ok((_, warnings)) => panic!("{}: {}", rule.name, warnings[0]),
            Err(error) => panic!("{}: {error}", rule.name),
        }
    }

    /// Reads one event by the same rules as in a stream, but without a check of the order. Members that 1.0 does not describe are stripped with a
    /// warning.
    ///
    /// # Errors
    /// If it is no object of a known `type`, or a described member is missing or of the wrong kind.
    pub fn from_json(json: Json<'_>) -> Result<(Self, Vec<Notice>), Notice> {
        let Json::Object(members) = json else {
            return Err(*Notice::new(NoticeDetail::NoEvent, &[]));
        };
        Self::read(members).map_err(|error| *error)
    }

    fn read(mut members: Members<'_>) -> NoticeResult<(Self, Vec<Notice>)> {
        let rule = members.string("type").and_then(EventRule::of);
        let rule = rule.ok_or_else(|| Notice::new(NoticeDetail::NoEvent, &[]))?;
        let mut warnings = Notices::default();
        if enforce_members(&mut members, rule.own, rule.shared, &mut warnings)? {
            return Ok((EventRef { rule, members }.into_owned(), warnings.into_vec()));
        }
        Err(Notice::new(NoticeDetail::NoEvent, &[]))
    }
}

impl<'a> EventRef<'a> {
    /// Copies everything that is borrowed.
    #[must_use]
    pub fn into_owned(self) -> Event {
        let mut fields = self.rule.fields();
        // The names are static, so they are not copied, and the list's allocation is reused.
        let members = self.members.into_iter().enumerate().map(|(index, (name, member))| match index {
            0 => ("type".into(), Json::Text(self.rule.name.into())),
            _ => {
                let field = fields.find(|field| field.name == name);
                (Cow::Borrowed(field.map_or("", |field| field.name)), member.into_static())
            }
        });
        EventRef { rule: self.rule, members: members.collect() }
    }

    /// The event's type.
    #[must_use]
    pub fn kind(&self) -> EventType {
        self.rule.kind
    }

    /// The value of the member `type`, such as `RUN_STARTED`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.rule.name
    }

    /// The value of a member; `None` if the event lacks it.
    #[must_use]
    pub fn get(&self, member: &str) -> Option<&Json<'a>> {
        self.members.find(member)
    }

    /// The value of a string member; empty if it is missing or no string.
    #[must_use]
    pub fn text(&self, member: &str) -> &str {
        self.members.string(member).unwrap_or_default()
    }

    #[inline(always)]
    fn text_at(&self, place: usize, member: &str) -> &str {
        match self.members.get(place) {
            Some((_, Json::Text(text))) if place > 0 => text,
            _ => self.text(member),
        }
    }

    fn beside(&self, member: &str) -> Option<&Json<'a>> {
        let has_more = self.members.len() > 1 + self.rule.required;
        if has_more { self.get(member) } else { None }
    }

    /// `messageId`: the message that the event is about; empty if it has none.
    #[must_use]
    pub fn message_id(&self) -> &str {
        self.text_at(self.rule.message_id, "messageId")
    }

    /// `toolCallId`: the call that the event is about; empty if it has none.
    #[must_use]
    pub fn tool_call_id(&self) -> &str {
        self.text_at(self.rule.tool_call_id, "toolCallId")
    }

    /// The id of the entity that the event opens, grows or closes.
    pub(crate) fn id_of(&self, entity: EntityKind) -> &str {
        if entity == EntityKind::Call { self.tool_call_id() } else { self.message_id() }
    }

    /// `toolCallName`: the tool that is called; empty if the event has none.
    #[must_use]
    pub fn tool_call_name(&self) -> &str {
        self.text("toolCallName")
    }

    /// `delta`: the text to append to a message or to the arguments of a call.
    #[must_use]
    pub fn delta(&self) -> &str {
        self.text_at(self.rule.delta, "delta")
    }

    /// `runId`: the run that begins or ends; empty for other events.
    #[must_use]
    pub fn run_id(&self) -> &str {
        self.text("runId")
    }

    /// `subagentRunId`: the subagent that the event belongs to; `None` means the parent agent.
    #[must_use]
    pub fn subagent_run_id(&self) -> Option<&str> {
        self.beside("subagentRunId")?.as_str()
    }

    /// `metadata`: an object with any keys.
    #[must_use]
    pub fn metadata(&self) -> Option<&Members<'a>> {
        self.beside("metadata")?.as_object()
    }

    /// The messages of a snapshot, or of the `input` in `RUN_STARTED`; empty if there are none.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        let input = self.get("input").and_then(Json::as_object);
        input.unwrap_or(&self.members).items("messages").iter().map(Message::of).collect()
    }

    /// The content of a tool call's result; [`Content::None`] if the event has none.
    #[must_use]
    pub fn content(&self) -> Content {
        self.get("content").map_or(Content::None, Content::of)
    }

    /// The outcome of a run that did not fail. `None` means success.
    #[must_use]
    pub fn outcome(&self) -> Option<RunOutcome> {
        self.get("outcome").map(RunOutcome::of)
    }

    pub(crate) fn write(&self, out: &mut String) {
        json_tree::write_members(out, &self.members);
    }
}

impl PartialEq for EventRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.members == other.members
    }
}

impl fmt::Debug for EventRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for EventRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(&mut out);
        f.write_str(&out)
    }
}

impl Serialize for EventRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.members.iter().map(|(name, member)| (&**name, member)))
    }
}

impl<'de> Deserialize<'de> for Event {
    /// As [`from_json`](Self::from_json), without the warnings.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (event, _) = Self::from_json(Json::deserialize(deserializer)?).map_err(D::Error::custom)?;
        Ok(event)
    }
}

impl EventType {
    fn rule(self) -> &'static EventRule {
        &crate::protocol::EVENTS[self as usize]
    }

    /// The name on the wire, such as `RUN_STARTED`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.rule().name
    }
}
