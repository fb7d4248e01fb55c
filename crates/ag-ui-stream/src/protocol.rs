//! The table of the protocol: the members of each type of event (`events/*`), its effect on open entities, and the retired types.
//!
//! A reader checks the members of an event against its rule before it reads them.

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
    /// The members of this type alone, in the order in which they are written after `type`.
    pub(crate) own: &'static [MemberRule],
    /// The members shared with other types, written after `own`.
    pub(crate) shared: &'static [MemberRule],
    /// The number of members in `own` that are required.
    pub(crate) required: usize,
    /// The indexes of the most used members, computed by [`place`].
    pub(crate) message_id: usize,
    pub(crate) tool_call_id: usize,
    pub(crate) delta: usize,
}

/// The index of a member, counting `type`, in all events of a type; 0 if the member is optional, absent or behind an optional one.
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
    /// Opens, grows or both, depending on what is open.
    Chunk(EntityKind),
    Result,
    TellMessages,
    SetActivity,
    ChangeActivity,
    Nothing,
}

/// The kinds of entity that events open, grow and close under an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntityKind {
    Text,
    Call,
    Reasoning,
    /// A span of reasoning, which is not a message.
    Span,
    /// An activity, which is never closed.
    Activity,
}

/// The streams of chunks that an event closes (`basic/patterns/streaming`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closes {
    None,
    /// The open chunk stream of the event's own agent.
    Own,
    All,
}

use EntityKind::{Activity, Call, Reasoning, Span, Text};
use EventEffect::{Chunk, Close, Grow, Open};

/// The members that every event may have. Only events that a subagent can send have `subagentRunId`.
const OF_ANY: &[MemberRule] =
    &[may("subagentRunId", TEXT), may("timestamp", shapes::INTEGER), may("rawEvent", ANY), may("metadata", OBJECT)];
const OF_RUN: &[MemberRule] = OF_ANY.split_at(1).1;

/// Declares each type of event and its rule: its name, whether a subagent can send it, what it opens and closes, and its members.
macro_rules! events {
    ($( $kind:ident $name:ident $shared:ident $effect:ident $(($entity:ident))?, $closes:ident:
        $( $field:ident $presence:ident $shape:expr ),*; )*) => {
        /// The types of event with their own members. Every event may also have `timestamp`, `rawEvent` and `metadata`, and `subagentRunId` if a
        /// subagent can send it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EventType {
            $( #[doc = concat!("`", stringify!($name), "`:", $( " `", stringify!($field), "`", )* ".")] $kind, )*
        }

        pub(crate) static EVENTS: [EventRule; [$( stringify!($kind) ),*].len()] = [ $( {
            const OWN: &[MemberRule] = &[ $( $presence(stringify!($field), $shape) ),* ];
            EventRule {
                kind: EventType::$kind,
                name: stringify!($name),
                effect: EventEffect::$effect $((EntityKind::$entity))?,
                closes: Closes::$closes,
                own: OWN,
                shared: $shared,
                required: required(OWN),
                message_id: place(OWN, "messageId"),
                tool_call_id: place(OWN, "toolCallId"),
                delta: place(OWN, "delta"),
            }
        }, )* ];
    };
}

#[rustfmt::skip]
events! {
    RunStarted RUN_STARTED OF_RUN StartRun, All: threadId must TEXT, runId must TEXT, protocolVersion may TEXT, parentRunId may TEXT, input may shapes::INPUT;
    RunFinished RUN_FINISHED OF_RUN FinishRun, All: threadId must TEXT, runId must TEXT, result may ANY, outcome may shapes::RUN_OUTCOME, usage may shapes::USAGES;
    RunError RUN_ERROR OF_RUN FailRun, All: message must TEXT, code may TEXT, usage may shapes::USAGES;
    StepStarted STEP_STARTED OF_ANY StartStep, Own: stepName must TEXT;
    StepFinished STEP_FINISHED OF_ANY FinishStep, Own: stepName must TEXT;
    TextMessageStart TEXT_MESSAGE_START OF_ANY Open(Text), Own: messageId must TEXT, role may shapes::TEXT_ROLE, name may TEXT;
    TextMessageContent TEXT_MESSAGE_CONTENT OF_ANY Grow(Text), Own: messageId must TEXT, delta must TEXT;
    TextMessageEnd TEXT_MESSAGE_END OF_ANY Close(Text), Own: messageId must TEXT;
    TextMessageChunk TEXT_MESSAGE_CHUNK OF_ANY Chunk(Text), Own: messageId may TEXT, role may shapes::TEXT_ROLE, delta may TEXT, name may TEXT;
    ToolCallStart TOOL_CALL_START OF_ANY Open(Call), Own: toolCallId must TEXT, toolCallName must TEXT, parentMessageId may TEXT;
    ToolCallArgs TOOL_CALL_ARGS OF_ANY Grow(Call), Own: toolCallId must TEXT, delta must TEXT;
    ToolCallEnd TOOL_CALL_END OF_ANY Close(Call), Own: toolCallId must TEXT;
    ToolCallChunk TOOL_CALL_CHUNK OF_ANY Chunk(Call), Own: toolCallId may TEXT, toolCallName may TEXT, parentMessageId may TEXT, delta may TEXT;
    ToolCallResult TOOL_CALL_RESULT OF_ANY Result, Own: messageId must TEXT, toolCallId must TEXT, content must shapes::CONTENT, role may shapes::TOOL_ROLE, error may TEXT;
    StateSnapshot STATE_SNAPSHOT OF_ANY Nothing, Own: snapshot must ANY;
    StateDelta STATE_DELTA OF_ANY Nothing, Own: delta must shapes::PATCH;
    MessagesSnapshot MESSAGES_SNAPSHOT OF_RUN TellMessages, All: messages must shapes::MESSAGES;
    ActivitySnapshot ACTIVITY_SNAPSHOT OF_ANY SetActivity, None: messageId must TEXT, activityType must TEXT, content must OBJECT, replace may FLAG;
    ActivityDelta ACTIVITY_DELTA OF_ANY ChangeActivity, None: messageId must TEXT, activityType must TEXT, patch must shapes::PATCH;
    ReasoningStart REASONING_START OF_ANY Open(Span), Own: messageId must TEXT;
    ReasoningMessageStart REASONING_MESSAGE_START OF_ANY Open(Reasoning), Own: messageId must TEXT, role must shapes::REASONING_ROLE;
    ReasoningMessageContent REASONING_MESSAGE_CONTENT OF_ANY Grow(Reasoning), Own: messageId must TEXT, delta must TEXT;
    ReasoningMessageEnd REASONING_MESSAGE_END OF_ANY Close(Reasoning), Own: messageId must TEXT;
    ReasoningMessageChunk REASONING_MESSAGE_CHUNK OF_ANY Chunk(Reasoning), Own: messageId may TEXT, delta may TEXT;
    ReasoningEnd REASONING_END OF_ANY Close(Span), Own: messageId must TEXT;
    ReasoningEncryptedValue REASONING_ENCRYPTED_VALUE OF_ANY Nothing, None: subtype must shapes::ENCRYPTED, entityId must TEXT, encryptedValue must TEXT, encryptedValueType may TEXT;
    SubagentStarted SUBAGENT_STARTED OF_RUN StartSubagent, None: subagentRunId must TEXT, name must TEXT, description may TEXT, parentSubagentRunId may TEXT, parentToolCallId may TEXT, parentMessageId may TEXT;
    SubagentFinished SUBAGENT_FINISHED OF_RUN FinishSubagent, Own: subagentRunId must TEXT, result may ANY, outcome may shapes::SUBAGENT_OUTCOME;
    SubagentError SUBAGENT_ERROR OF_RUN FinishSubagent, Own: subagentRunId must TEXT, message must TEXT, code may TEXT;
    Raw RAW OF_ANY Nothing, None: event must ANY, source may TEXT;
    Custom CUSTOM OF_ANY Nothing, Own: name must TEXT, value must ANY;
}

/// The event types of drafts before 1.0, and the types that replaced them. Retired events have no ids, so each entity that they open gets a
/// generated one.
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

    /// The rules of all members after `type`, in written order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static MemberRule> {
        self.own.iter().chain(self.shared)
    }

    pub(crate) fn of_retired(name: &str) -> Option<&'static Self> {
        RETIRED.iter().find(|(retired, _)| *retired == name).map(|(_, kind)| &EVENTS[*kind as usize])
    }

    /// The members of a new event: only its `type`.
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
    /// The rules of the events that start, grow, end and chunk this entity. Only valid for entities that can come in chunks.
    pub(crate) fn rows(self) -> [&'static EventRule; 4] {
        let first = match self {
            Text => EventType::TextMessageStart,
            Call => EventType::ToolCallStart,
            Reasoning | Span | Activity => EventType::ReasoningMessageStart,
        };
        [0, 1, 2, 3].map(|nth| &EVENTS[first as usize + nth])
    }

    /// The event that closes this entity. Only valid for entities that can come in chunks.
    pub(crate) fn end_of(self, id: &str) -> (&'static EventRule, Members<'static>) {
        let [.., end, _] = self.rows();
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
