//! The protocol on one screen: what each type of event holds, what it does to what is open, and which retired types stand for which.
//!
//! A reader walks the members of an event along its row before anything is typed.

use crate::event::{EncryptedSubtype, JsonPatch, ReasoningRole, TextRole, ToolRole};
use crate::input::RunAgentInput;
use crate::message::{Content, Message};
use crate::outcome::{RunOutcome, SubagentOutcome, TokenUsage};
use crate::wire::{Field, Members, Shape, Wire, may, must, or_null};
use json_tree::Json;

/// One type of event.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) does: Does,
    pub(crate) ends: Ends,
    /// Its own members, in the order in which they are written, behind `type`.
    pub(crate) own: &'static [Field],
    /// Those that it shares with the others, which follow.
    pub(crate) shared: &'static [Field],
}

/// What an event does to what is open in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    StartRun,
    FinishRun,
    FailRun,
    StartStep,
    FinishStep,
    StartSubagent,
    FinishSubagent,
    Open(Thing),
    Grow(Thing),
    Close(Thing),
    /// Opens, grows or does both, by what is open.
    Chunk(Thing),
    Result,
    TellMessages,
    SetActivity,
    ChangeActivity,
    Nothing,
}

/// What is opened, grows and is closed under an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    Text,
    Call,
    Reasoning,
    /// A span of reasoning, which is no message.
    Span,
    /// One that is never closed.
    Activity,
}

/// Which streams of chunks an event ends by arriving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    None,
    /// That of its own agent.
    Own,
    All,
}

use Does::{Chunk, Close, Grow, Open};
use Thing::{Activity, Call, Reasoning, Span, Text};

const TEXT: &Shape = &Shape::Text;
const ANY: &Shape = &Shape::Any;
const USAGE: &Shape = <Vec<TokenUsage>>::SHAPE;
const MESSAGES: &Shape = <Vec<Message>>::SHAPE;
const ENCRYPTED: &Shape = &Shape::OpenChoice(EncryptedSubtype::NAMES);

/// What every event may hold. One that can be a subagent's has all of it, the others all but the first.
static SHARED: [Field; 4] = [
    may("subagentRunId", TEXT),
    may("timestamp", i64::SHAPE),
    or_null("rawEvent", ANY),
    may("metadata", &Shape::OpenObject),
];

/// A row for an event that can be a subagent's.
const fn of_any(name: &'static str, does: Does, ends: Ends, own: &'static [Field]) -> Rule {
    Rule { name, does, ends, own, shared: &SHARED }
}

/// A row for an event that has no such member, or one of its own.
const fn of_run(name: &'static str, does: Does, ends: Ends, own: &'static [Field]) -> Rule {
    Rule { name, does, ends, own, shared: SHARED.split_at(1).1 }
}

#[rustfmt::skip]
pub(crate) static EVENTS: [Rule; 31] = [
    of_run("RUN_STARTED", Does::StartRun, Ends::All, &[must("threadId", TEXT), must("runId", TEXT), may("protocolVersion", TEXT), may("parentRunId", TEXT), may("input", RunAgentInput::SHAPE)]),
    of_run("RUN_FINISHED", Does::FinishRun, Ends::All, &[must("threadId", TEXT), must("runId", TEXT), or_null("result", ANY), or_null("outcome", RunOutcome::SHAPE), may("usage", USAGE)]),
    of_run("RUN_ERROR", Does::FailRun, Ends::All, &[must("message", TEXT), may("code", TEXT), may("usage", USAGE)]),
    of_any("STEP_STARTED", Does::StartStep, Ends::Own, &[must("stepName", TEXT)]),
    of_any("STEP_FINISHED", Does::FinishStep, Ends::Own, &[must("stepName", TEXT)]),
    of_any("TEXT_MESSAGE_START", Open(Text), Ends::Own, &[must("messageId", TEXT), may("role", TextRole::SHAPE), may("name", TEXT)]),
    of_any("TEXT_MESSAGE_CONTENT", Grow(Text), Ends::Own, &[must("messageId", TEXT), must("delta", TEXT)]),
    of_any("TEXT_MESSAGE_END", Close(Text), Ends::Own, &[must("messageId", TEXT)]),
    of_any("TEXT_MESSAGE_CHUNK", Chunk(Text), Ends::Own, &[may("messageId", TEXT), may("role", TextRole::SHAPE), may("delta", TEXT), may("name", TEXT)]),
    of_any("TOOL_CALL_START", Open(Call), Ends::Own, &[must("toolCallId", TEXT), must("toolCallName", TEXT), or_null("parentMessageId", TEXT)]),
    of_any("TOOL_CALL_ARGS", Grow(Call), Ends::Own, &[must("toolCallId", TEXT), must("delta", TEXT)]),
    of_any("TOOL_CALL_END", Close(Call), Ends::Own, &[must("toolCallId", TEXT)]),
    of_any("TOOL_CALL_CHUNK", Chunk(Call), Ends::Own, &[may("toolCallId", TEXT), may("toolCallName", TEXT), or_null("parentMessageId", TEXT), may("delta", TEXT)]),
    of_any("TOOL_CALL_RESULT", Does::Result, Ends::Own, &[must("messageId", TEXT), must("toolCallId", TEXT), must("content", Content::SHAPE), may("role", ToolRole::SHAPE)]),
    of_any("STATE_SNAPSHOT", Does::Nothing, Ends::Own, &[must("snapshot", ANY)]),
    of_any("STATE_DELTA", Does::Nothing, Ends::Own, &[must("delta", JsonPatch::SHAPE)]),
    of_run("MESSAGES_SNAPSHOT", Does::TellMessages, Ends::All, &[must("messages", MESSAGES)]),
    of_any("ACTIVITY_SNAPSHOT", Does::SetActivity, Ends::None, &[must("messageId", TEXT), must("activityType", TEXT), must("content", &Shape::OpenObject), may("replace", &Shape::Flag)]),
    of_any("ACTIVITY_DELTA", Does::ChangeActivity, Ends::None, &[must("messageId", TEXT), must("activityType", TEXT), must("patch", JsonPatch::SHAPE)]),
    of_any("REASONING_START", Open(Span), Ends::Own, &[must("messageId", TEXT)]),
    of_any("REASONING_MESSAGE_START", Open(Reasoning), Ends::Own, &[must("messageId", TEXT), must("role", ReasoningRole::SHAPE)]),
    of_any("REASONING_MESSAGE_CONTENT", Grow(Reasoning), Ends::Own, &[must("messageId", TEXT), must("delta", TEXT)]),
    of_any("REASONING_MESSAGE_END", Close(Reasoning), Ends::Own, &[must("messageId", TEXT)]),
    of_any("REASONING_MESSAGE_CHUNK", Chunk(Reasoning), Ends::Own, &[may("messageId", TEXT), may("delta", TEXT)]),
    of_any("REASONING_END", Close(Span), Ends::Own, &[must("messageId", TEXT)]),
    of_any("REASONING_ENCRYPTED_VALUE", Does::Nothing, Ends::None, &[must("subtype", ENCRYPTED), must("entityId", TEXT), must("encryptedValue", TEXT)]),
    of_run("SUBAGENT_STARTED", Does::StartSubagent, Ends::None, &[must("subagentRunId", TEXT), must("name", TEXT), may("description", TEXT), may("parentSubagentRunId", TEXT), may("parentToolCallId", TEXT), may("parentMessageId", TEXT)]),
    of_run("SUBAGENT_FINISHED", Does::FinishSubagent, Ends::Own, &[must("subagentRunId", TEXT), or_null("result", ANY), may("outcome", SubagentOutcome::SHAPE)]),
    of_run("SUBAGENT_ERROR", Does::FinishSubagent, Ends::Own, &[must("subagentRunId", TEXT), must("message", TEXT), may("code", TEXT)]),
    of_any("RAW", Does::Nothing, Ends::None, &[must("event", ANY), may("source", TEXT)]),
    of_any("CUSTOM", Does::Nothing, Ends::Own, &[must("name", TEXT), must("value", ANY)]),
];

/// The retired types, each with the row that it stands for. They have no ids, so what they open gets one.
static RETIRED: [(&str, &Rule); 5] = [
    ("THINKING_START", &EVENTS[19]),
    ("THINKING_TEXT_MESSAGE_START", &EVENTS[20]),
    ("THINKING_TEXT_MESSAGE_CONTENT", &EVENTS[21]),
    ("THINKING_TEXT_MESSAGE_END", &EVENTS[22]),
    ("THINKING_END", &EVENTS[24]),
];

impl Rule {
    /// The row of a type.
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        EVENTS.iter().find(|rule| rule.name == name)
    }

    /// Which row it is, by where it stands in the table.
    pub(crate) fn index(&self) -> usize {
        let begin = EVENTS.as_ptr().addr();
        std::ptr::from_ref(self).addr().wrapping_sub(begin) / size_of::<Self>()
    }

    /// The row that a retired type stands for.
    pub(crate) fn of_retired(name: &str) -> Option<&'static Self> {
        RETIRED.iter().find(|(retired, _)| *retired == name).map(|(_, rule)| *rule)
    }

    /// An event of this type, so far with its type alone.
    pub(crate) fn members<'a>(&'static self) -> Members<'a> {
        vec![("type".into(), Json::Text(self.name.into()))]
    }

    /// What its event opens, grows or closes.
    pub(crate) fn thing(&self) -> Option<Thing> {
        match self.does {
            Open(thing) | Grow(thing) | Close(thing) | Chunk(thing) => Some(thing),
            _ => None,
        }
    }
}

impl Thing {
    /// The rows that open, grow and close it, where something of it comes in chunks.
    pub(crate) fn rows(self) -> &'static [Rule] {
        let first = match self {
            Text => 5,
            Call => 9,
            Reasoning | Span | Activity => 20,
        };
        &EVENTS[first..first + 4]
    }

    /// The member that has its id.
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

    pub(crate) fn plural(self) -> &'static str {
        match self {
            Text => "text messages",
            Reasoning => "reasoning messages",
            Span => "reasoning",
            Call => "tool calls",
            Activity => "activities",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_belong_together_stand_together() {
        for thing in [Text, Call, Reasoning] {
            let does: Vec<Does> = thing.rows().iter().map(|rule| rule.does).collect();
            assert_eq!(does, [Open(thing), Grow(thing), Close(thing), Chunk(thing)]);
        }
        assert!(EVENTS.iter().enumerate().all(|(index, rule)| rule.index() == index));
        let stand_for: Vec<Does> = RETIRED.iter().map(|(_, rule)| rule.does).collect();
        assert_eq!(stand_for, [Open(Span), Open(Reasoning), Grow(Reasoning), Close(Reasoning), Close(Span)]);
    }
}
