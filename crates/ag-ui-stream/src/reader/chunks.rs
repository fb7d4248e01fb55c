//! Chunk expansion: `*_CHUNK` events become start, content and end. Each agent, the parent or a subagent, has one lane, and a lane holds
//! at most one open stream.

use super::error::{ErrorCode, StreamError, Verdict};
use crate::event::{
    Event, ReasoningMessageContent, ReasoningMessageEnd, ReasoningMessageStart, ReasoningRole, TextMessageContent,
    TextMessageEnd, TextMessageStart, TextRole, ToolCallArgs, ToolCallEnd, ToolCallStart,
};
use crate::message::Metadata;
use serde_json::Value;

/// The open chunk streams.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    open: Vec<Lane>,
}

#[derive(Debug)]
struct Lane {
    /// The subagent; absent means the parent agent.
    owner: Option<String>,
    id: String,
    opening: Opening,
}

/// What the first chunk of a stream said, which later ones may repeat but not change.
#[derive(Debug)]
struct Opening {
    kind: Kind,
    /// A text's.
    role: Option<TextRole>,
    /// A tool's, or that of who speaks a text.
    name: Option<String>,
    /// A call's.
    parent: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Tool,
    Reasoning,
}

/// What a chunk of any kind says.
struct Chunk {
    id: Option<String>,
    owner: Option<String>,
    says: Opening,
    content: Content,
}

/// What a chunk adds to its stream.
struct Content {
    delta: Option<String>,
    metadata: Option<Metadata>,
    raw_event: Option<Value>,
}

type Sink<'a> = &'a mut dyn FnMut(Event) -> Verdict;

impl Lanes {
    /// Whether an event stands for itself and ends nothing.
    pub(super) fn pass(&self, event: &Event) -> bool {
        let is_chunk =
            matches!(event, Event::TextMessageChunk(_) | Event::ToolCallChunk(_) | Event::ReasoningMessageChunk(_));
        self.open.is_empty() && !is_chunk
    }

    /// Gives the events that an event stands for, in order, until the sink refuses one.
    pub(super) fn handle_event(&mut self, event: Event, sink: Sink<'_>) -> Verdict {
        match Chunk::of(event) {
            Ok(chunk) => self.handle_chunk(chunk, sink),
            Err(event) => {
                self.close_before(&event, sink)?;
                sink(*event)
            }
        }
    }

    fn handle_chunk(&mut self, chunk: Chunk, sink: Sink<'_>) -> Verdict {
        let lane = self.find(&chunk)?;
        let continues = lane.is_some();
        let Chunk { id, owner, says, mut content } = chunk;
        let lane = match lane {
            Some(lane) => {
                self.open[lane].opening.check(&says)?;
                lane
            }
            None => {
                let opening = says.into_first();
                let kind = opening.kind;
                let id = id.ok_or_else(|| missing(kind, kind.id_name()))?;
                if kind == Kind::Tool && opening.name.is_none() {
                    return Err(missing(kind, "toolCallName"));
                }
                self.close_lane(owner.as_deref(), sink)?;
                let lane = Lane { owner, id, opening };
                sink(lane.start(content.metadata.take()))?;
                self.open.push(lane);
                self.open.len() - 1
            }
        };
        // A chunk that carries nothing but metadata still continues its stream; the first one gave them to the start.
        let has_content =
            content.delta.is_some() || content.raw_event.is_some() || (continues && content.metadata.is_some());
        if has_content { sink(self.open[lane].content(content)) } else { Ok(()) }
    }

    /// The lane whose stream a chunk continues; `None` where it opens one.
    fn find(&self, chunk: &Chunk) -> Verdict<Option<usize>> {
        let kind = chunk.says.kind;
        let of_kind = |lane: &Lane| lane.opening.kind == kind;
        if let Some(id) = &chunk.id {
            let found = self.open.iter().position(|lane| of_kind(lane) && lane.id == *id);
            if let Some(lane) = found
                && chunk.owner.is_some()
                && chunk.owner != self.open[lane].owner
            {
                return Err(error(format!("{} for '{id}' names another subagent than the open stream", kind.name())));
            }
            return Ok(found);
        }
        let mut candidates = self.open.iter().enumerate().filter(|(_, lane)| of_kind(lane));
        if chunk.owner.is_some() {
            return Ok(candidates.find(|(_, lane)| lane.owner == chunk.owner).map(|(index, _)| index));
        }
        let candidates: Vec<(usize, &Lane)> = candidates.collect();
        match candidates.as_slice() {
            [] => Ok(None),
            [(only, _)] => Ok(Some(*only)),
            several => match several.iter().find(|(_, lane)| lane.owner.is_none()) {
                Some((parents, _)) => Ok(Some(*parents)),
                None => Err(error(format!("Ambiguous {}: several streams are open and it names none", kind.name()))),
            },
        }
    }

    /// Ends the streams that an event, which is no chunk, ends by arriving.
    fn close_before(&mut self, event: &Event, sink: Sink<'_>) -> Verdict {
        match event {
            Event::RunStarted(_) | Event::RunFinished(_) | Event::RunError(_) | Event::MessagesSnapshot(_) => {
                while !self.open.is_empty() {
                    sink(self.open.remove(0).end())?;
                }
                Ok(())
            }
            Event::Raw(_)
            | Event::ActivitySnapshot(_)
            | Event::ActivityDelta(_)
            | Event::ReasoningEncryptedValue(_)
            | Event::SubagentStarted(_) => Ok(()),
            event => self.close_lane(event.subagent_run_id(), sink),
        }
    }

    fn close_lane(&mut self, owner: Option<&str>, sink: Sink<'_>) -> Verdict {
        match self.open.iter().position(|lane| lane.owner.as_deref() == owner) {
            Some(lane) => sink(self.open.remove(lane).end()),
            None => Ok(()),
        }
    }
}

impl Chunk {
    /// What a chunk says; any other event as it is.
    fn of(event: Event) -> Result<Self, Box<Event>> {
        let says = |kind| Opening { kind, role: None, name: None, parent: None };
        Ok(match event {
            Event::TextMessageChunk(it) => Self {
                id: it.message_id,
                owner: it.subagent_run_id,
                says: Opening { role: it.role, name: it.name, ..says(Kind::Text) },
                content: Content { delta: it.delta, metadata: it.metadata, raw_event: it.raw_event },
            },
            Event::ToolCallChunk(it) => Self {
                id: it.tool_call_id,
                owner: it.subagent_run_id,
                says: Opening { name: it.tool_call_name, parent: it.parent_message_id, ..says(Kind::Tool) },
                content: Content { delta: it.delta, metadata: it.metadata, raw_event: it.raw_event },
            },
            Event::ReasoningMessageChunk(it) => Self {
                id: it.message_id,
                owner: it.subagent_run_id,
                says: says(Kind::Reasoning),
                content: Content { delta: it.delta, metadata: it.metadata, raw_event: it.raw_event },
            },
            event => return Err(Box::new(event)),
        })
    }
}

impl Opening {
    /// Refuses a later chunk that says something else.
    fn check(&self, later: &Self) -> Verdict {
        let role = |it: &Self| it.role.map(TextRole::as_str);
        let name = if self.kind == Kind::Tool { "toolCallName" } else { "name" };
        for (field, given, open) in [
            ("role", role(later), role(self)),
            (name, later.name.as_deref(), self.name.as_deref()),
            ("parentMessageId", later.parent.as_deref(), self.parent.as_deref()),
        ] {
            if let Some(given) = given
                && open != Some(given)
            {
                let (kind, open) = (self.kind.name(), open.unwrap_or_default());
                return Err(error(format!(
                    "{kind}: the {field} '{given}' does not match the open stream's {field} '{open}'"
                )));
            }
        }
        Ok(())
    }

    /// As that of a stream's first chunk, in which an absent role is the assistant's.
    fn into_first(self) -> Self {
        Self { role: self.role.or(Some(TextRole::Assistant)), ..self }
    }
}

impl Lane {
    fn start(&self, metadata: Option<Metadata>) -> Event {
        let (id, subagent_run_id) = (self.id.clone(), self.owner.clone());
        let name = self.opening.name.clone();
        match self.opening.kind {
            Kind::Text => TextMessageStart {
                role: self.opening.role,
                name,
                subagent_run_id,
                metadata,
                ..TextMessageStart::new(id)
            }
            .into(),
            Kind::Tool => ToolCallStart {
                parent_message_id: self.opening.parent.clone(),
                subagent_run_id,
                metadata,
                ..ToolCallStart::new(id, name.unwrap_or_default())
            }
            .into(),
            Kind::Reasoning => ReasoningMessageStart {
                subagent_run_id,
                metadata,
                ..ReasoningMessageStart::new(id, ReasoningRole::Reasoning)
            }
            .into(),
        }
    }

    fn content(&self, content: Content) -> Event {
        let (id, subagent_run_id) = (self.id.clone(), self.owner.clone());
        let delta = content.delta.unwrap_or_default();
        let (metadata, raw_event) = (content.metadata, content.raw_event);
        match self.opening.kind {
            Kind::Text => {
                TextMessageContent { subagent_run_id, metadata, raw_event, ..TextMessageContent::new(id, delta) }.into()
            }
            Kind::Tool => ToolCallArgs { subagent_run_id, metadata, raw_event, ..ToolCallArgs::new(id, delta) }.into(),
            Kind::Reasoning => ReasoningMessageContent {
                subagent_run_id,
                metadata,
                raw_event,
                ..ReasoningMessageContent::new(id, delta)
            }
            .into(),
        }
    }

    fn end(self) -> Event {
        let subagent_run_id = self.owner;
        match self.opening.kind {
            Kind::Text => TextMessageEnd { subagent_run_id, ..TextMessageEnd::new(self.id) }.into(),
            Kind::Tool => ToolCallEnd { subagent_run_id, ..ToolCallEnd::new(self.id) }.into(),
            Kind::Reasoning => ReasoningMessageEnd { subagent_run_id, ..ReasoningMessageEnd::new(self.id) }.into(),
        }
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "TEXT_MESSAGE_CHUNK",
            Self::Tool => "TOOL_CALL_CHUNK",
            Self::Reasoning => "REASONING_MESSAGE_CHUNK",
        }
    }

    fn id_name(self) -> &'static str {
        match self {
            Self::Text | Self::Reasoning => "messageId",
            Self::Tool => "toolCallId",
        }
    }
}

fn missing(kind: Kind, field: &str) -> Box<StreamError> {
    error(format!("First {} must have a {field}", kind.name()))
}

fn error(message: impl Into<String>) -> Box<StreamError> {
    StreamError::new(ErrorCode::Chunk, message)
}
