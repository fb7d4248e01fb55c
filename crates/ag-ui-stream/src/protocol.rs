//! The protocol on one screen: the members of each type of event (`events/*`), its effect on open entities, and the retired types.
//!
//! A reader walks the members of an event along its row before anything is typed.

pub(crate) mod shapes;

use crate::wire::{MemberRule, Members, Presence, may, must, set};
use json_tree::Json;
use shapes::{ANY, FLAG, OBJECT, TEXT};

#[derive(Debug)]
pub(crate) struct EventRule {
    pub(crate) kind: EventType,
    pub(crate) name: &'static str,
    pub(crate) effect: EventEffect,
    pub(crate) closes: Closes,
    /// Its own members, in the order in which they are written, behind `type`.
    pub(crate) own: &'static [MemberRule],
    /// Those that it shares with the others, which follow.
    pub(crate) shared: &'static [MemberRule],
    /// The number of its own members that all its events have.
    pub(crate) required: usize,
    /// The indexes of the members that are read most, by [`place`].
    pub(crate) message_id: usize,
    pub(crate) tool_call_id: usize,
    pub(crate) delta: usize,
}

/// The index of a member in all events of a row, after `type`; 0 if some lack it or have an optional member before it.
const fn place(own: &[MemberRule], name: &str) -> usize {
    let mut place = 0;
    while place < own.len() && matches!(own[place].presence, Presence::Required) {
        let (found, name) = (own[place].name.as_bytes(), name.as_bytes());
        let mut same = 0;
        while same < found.len() && same < name.len() && found[same] == name[same] {
            same += 1;
        }
        place += 1;
        if same == found.len() && same == name.len() {
            return place;
        }
    }
    0
}

const fn required(own: &[MemberRule]) -> usize {
    let (mut at, mut required) = (0, 0);
    while at < own.len() {
        required += matches!(own[at].presence, Presence::Required) as usize;
        at += 1;
    }
    required
}

/// The effect of an event on the open entities of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventEffect {
    StartRun,
    FinishRun,
    FailRun,
    StartStep,
    FinishStep,
    StartSubagent,
    FinishSubagent,
    Open(EntityKind),
    Grow(EntityKind),
    Close(EntityKind),
    /// Opens, grows or does both, by what is open.
    Chunk(EntityKind),
    Result,
    TellMessages,
    SetActivity,
    ChangeActivity,
    Nothing,
}

/// The kinds of entity that are opened, grow and are closed under an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntityKind {
    Text,
    Call,
    Reasoning,
    /// A span of reasoning, which is no message.
    Span,
    /// One that is never closed.
    Activity,
}

/// The streams of chunks that an event closes (`basic/patterns/streaming`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closes {
    None,
    /// The one of the event's own agent.
    Own,
    All,
}

use EntityKind::{Activity, Call, Reasoning, Span, Text};
use EventEffect::{Chunk, Close, Grow, Open};

/// The members that every event may have. Events of subagents have all of them, the others all except the first.
static SHARED: [MemberRule; 4] =
    [may("subagentRunId", TEXT), may("timestamp", shapes::INTEGER), may("rawEvent", ANY), may("metadata", OBJECT)];

/// Declares the types of event and their rows: its name, whether it can be a subagent's, what it does and ends, and its members. `!` is behind
/// one that must be there, `?` behind one that may.
macro_rules! events {
    ($( $kind:ident $name:ident $shared:ident $effect:ident $(($entity:ident))?, $closes:ident:
        $( $field:ident $presence:tt $shape:expr ),*; )*) => {
        /// The types of event, with their own members. All may also hold `timestamp`, `rawEvent`, `metadata` and, if a subagent can send them,
        /// `subagentRunId`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EventType {
            $( #[doc = concat!("`", stringify!($name), "`:", $( " `", stringify!($field), "`", )* ".")] $kind, )*
        }

        pub(crate) static EVENTS: [EventRule; [$( stringify!($kind) ),*].len()] = [ $( {
            const OWN: &[MemberRule] = &[ $( presence!($presence)(stringify!($field), $shape) ),* ];
            EventRule {
                kind: EventType::$kind,
                name: stringify!($name),
                effect: EventEffect::$effect $((EntityKind::$entity))?,
                closes: Closes::$closes,
                own: OWN,
                shared: $shared!(),
                required: required(OWN),
                message_id: place(OWN, "messageId"),
                tool_call_id: place(OWN, "toolCallId"),
                delta: place(OWN, "delta"),
            }
        }, )* ];
    };
}

macro_rules! presence {
    (!) => {
        must
    };
    (?) => {
        may
    };
}

macro_rules! of_any {
    () => {
        &SHARED
    };
}

macro_rules! of_run {
    () => {
        SHARED.split_at(1).1
    };
}

#[rustfmt::skip]
events! {
    RunStarted RUN_STARTED of_run StartRun, All: threadId ! TEXT, runId ! TEXT, protocolVersion ? TEXT, parentRunId ? TEXT, input ? shapes::INPUT;
    RunFinished RUN_FINISHED of_run FinishRun, All: threadId ! TEXT, runId ! TEXT, result ? ANY, outcome ? shapes::RUN_OUTCOME, usage ? shapes::USAGES;
    RunError RUN_ERROR of_run FailRun, All: message ! TEXT, code ? TEXT, usage ? shapes::USAGES;
    StepStarted STEP_STARTED of_any StartStep, Own: stepName ! TEXT;
    StepFinished STEP_FINISHED of_any FinishStep, Own: stepName ! TEXT;
    TextMessageStart TEXT_MESSAGE_START of_any Open(Text), Own: messageId ! TEXT, role ? shapes::TEXT_ROLE, name ? TEXT;
    TextMessageContent TEXT_MESSAGE_CONTENT of_any Grow(Text), Own: messageId ! TEXT, delta ! TEXT;
    TextMessageEnd TEXT_MESSAGE_END of_any Close(Text), Own: messageId ! TEXT;
    TextMessageChunk TEXT_MESSAGE_CHUNK of_any Chunk(Text), Own: messageId ? TEXT, role ? shapes::TEXT_ROLE, delta ? TEXT, name ? TEXT;
    ToolCallStart TOOL_CALL_START of_any Open(Call), Own: toolCallId ! TEXT, toolCallName ! TEXT, parentMessageId ? TEXT;
    ToolCallArgs TOOL_CALL_ARGS of_any Grow(Call), Own: toolCallId ! TEXT, delta ! TEXT;
    ToolCallEnd TOOL_CALL_END of_any Close(Call), Own: toolCallId ! TEXT;
    ToolCallChunk TOOL_CALL_CHUNK of_any Chunk(Call), Own: toolCallId ? TEXT, toolCallName ? TEXT, parentMessageId ? TEXT, delta ? TEXT;
    ToolCallResult TOOL_CALL_RESULT of_any Result, Own: messageId ! TEXT, toolCallId ! TEXT, content ! shapes::CONTENT, role ? shapes::TOOL_ROLE;
    StateSnapshot STATE_SNAPSHOT of_any Nothing, Own: snapshot ! ANY;
    StateDelta STATE_DELTA of_any Nothing, Own: delta ! shapes::PATCH;
    MessagesSnapshot MESSAGES_SNAPSHOT of_run TellMessages, All: messages ! shapes::MESSAGES;
    ActivitySnapshot ACTIVITY_SNAPSHOT of_any SetActivity, None: messageId ! TEXT, activityType ! TEXT, content ! OBJECT, replace ? FLAG;
    ActivityDelta ACTIVITY_DELTA of_any ChangeActivity, None: messageId ! TEXT, activityType ! TEXT, patch ! shapes::PATCH;
    ReasoningStart REASONING_START of_any Open(Span), Own: messageId ! TEXT;
    ReasoningMessageStart REASONING_MESSAGE_START of_any Open(Reasoning), Own: messageId ! TEXT, role ! shapes::REASONING_ROLE;
    ReasoningMessageContent REASONING_MESSAGE_CONTENT of_any Grow(Reasoning), Own: messageId ! TEXT, delta ! TEXT;
    ReasoningMessageEnd REASONING_MESSAGE_END of_any Close(Reasoning), Own: messageId ! TEXT;
    ReasoningMessageChunk REASONING_MESSAGE_CHUNK of_any Chunk(Reasoning), Own: messageId ? TEXT, delta ? TEXT;
    ReasoningEnd REASONING_END of_any Close(Span), Own: messageId ! TEXT;
    ReasoningEncryptedValue REASONING_ENCRYPTED_VALUE of_any Nothing, None: subtype ! shapes::ENCRYPTED, entityId ! TEXT, encryptedValue ! TEXT, encryptedValueType ? TEXT;
    SubagentStarted SUBAGENT_STARTED of_run StartSubagent, None: subagentRunId ! TEXT, name ! TEXT, description ? TEXT, parentSubagentRunId ? TEXT, parentToolCallId ? TEXT, parentMessageId ? TEXT;
    SubagentFinished SUBAGENT_FINISHED of_run FinishSubagent, Own: subagentRunId ! TEXT, result ? ANY, outcome ? shapes::SUBAGENT_OUTCOME;
    SubagentError SUBAGENT_ERROR of_run FinishSubagent, Own: subagentRunId ! TEXT, message ! TEXT, code ? TEXT;
    Raw RAW of_any Nothing, None: event ! ANY, source ? TEXT;
    Custom CUSTOM of_any Nothing, Own: name ! TEXT, value ! ANY;
}

/// The types of drafts before 1.0, each with its row today. They have no ids, so each entity that they open gets one.
static RETIRED: [(&str, EventType); 5] = [
    ("THINKING_START", EventType::ReasoningStart),
    ("THINKING_TEXT_MESSAGE_START", EventType::ReasoningMessageStart),
    ("THINKING_TEXT_MESSAGE_CONTENT", EventType::ReasoningMessageContent),
    ("THINKING_TEXT_MESSAGE_END", EventType::ReasoningMessageEnd),
    ("THINKING_END", EventType::ReasoningEnd),
];

impl EventRule {
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        EVENTS.iter().find(|rule| rule.name == name)
    }

    /// The members of its events after `type`, in written order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static MemberRule> {
        self.own.iter().chain(self.shared)
    }

    pub(crate) fn of_retired(name: &str) -> Option<&'static Self> {
        RETIRED.iter().find(|(retired, _)| *retired == name).map(|(_, kind)| &EVENTS[*kind as usize])
    }

    /// The members of a new event: its type alone.
    pub(crate) fn members<'a>(&'static self) -> Members<'a> {
        vec![("type".into(), Json::Text(self.name.into()))].into()
    }

    pub(crate) fn entity(&self) -> Option<EntityKind> {
        match self.effect {
            Open(entity) | Grow(entity) | Close(entity) | Chunk(entity) => Some(entity),
            _ => None,
        }
    }
}

impl EntityKind {
    /// The rows that open, grow and close it, if it comes in chunks.
    pub(crate) fn rows(self) -> &'static [EventRule] {
        let first = match self {
            Text => EventType::TextMessageStart,
            Call => EventType::ToolCallStart,
            Reasoning | Span | Activity => EventType::ReasoningMessageStart,
        };
        &EVENTS[first as usize..first as usize + 4]
    }

    /// The event that closes it, if it comes in chunks.
    pub(crate) fn end_of(self, id: &str) -> (&'static EventRule, Members<'static>) {
        let end = &self.rows()[2];
        let mut event = end.members();
        set(&mut event, self.id(), id);
        (end, event)
    }

    pub(crate) fn id(self) -> &'static str {
        if self == Call { "toolCallId" } else { "messageId" }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Text => "text message",
            Reasoning => "reasoning message",
            Span => "reasoning",
            Call => "tool call",
            Activity => "activity",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_belong_together_stand_together() {
        for entity in [Text, Call, Reasoning] {
            let effects: Vec<EventEffect> = entity.rows().iter().map(|rule| rule.effect).collect();
            assert_eq!(effects, [Open(entity), Grow(entity), Close(entity), Chunk(entity)]);
        }
        assert!(EVENTS.iter().enumerate().all(|(index, rule)| rule.kind as usize == index));
        let stand_for: Vec<EventEffect> = RETIRED.iter().map(|(_, kind)| EVENTS[*kind as usize].effect).collect();
        assert_eq!(stand_for, [Open(Span), Open(Reasoning), Grow(Reasoning), Close(Reasoning), Close(Span)]);
    }
}
