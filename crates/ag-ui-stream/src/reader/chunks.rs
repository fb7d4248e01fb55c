//! Chunk expansion: `*_CHUNK` events become start, content and end. Each agent, the parent or a subagent, has one lane, and a lane holds
//! at most one open stream.

use super::error::{ErrorCode, StreamError};
use crate::event::{
    Event, ReasoningMessageChunk, ReasoningMessageContent, ReasoningMessageEnd,
    ReasoningMessageStart, ReasoningRole, TextMessageChunk, TextMessageContent, TextMessageEnd,
    TextMessageStart, TextRole, ToolCallArgs, ToolCallChunk, ToolCallEnd, ToolCallStart,
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
    opened_as: Opening,
}

/// What the first chunk of a stream said, which later ones may repeat but not change.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Opening {
    Text {
        role: TextRole,
        name: Option<String>,
    },
    Tool {
        name: String,
        parent: Option<String>,
    },
    Reasoning,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Tool,
    Reasoning,
}

/// What all chunks have.
struct Chunk {
    kind: Kind,
    id: Option<String>,
    owner: Option<String>,
    delta: Option<String>,
    metadata: Option<Metadata>,
    raw_event: Option<Value>,
}

type Sink<'a> = &'a mut dyn FnMut(Event) -> Result<(), StreamError>;

impl Lanes {
    /// Whether an event stands for itself and ends nothing.
    pub(super) fn pass(&self, event: &Event) -> bool {
        let is_chunk = matches!(
            event,
            Event::TextMessageChunk(_) | Event::ToolCallChunk(_) | Event::ReasoningMessageChunk(_)
        );
        self.open.is_empty() && !is_chunk
    }

    /// Gives the events that an event stands for, in order, until the sink refuses one.
    pub(super) fn handle_event(&mut self, event: Event, sink: Sink<'_>) -> Result<(), StreamError> {
        match event {
            Event::TextMessageChunk(chunk) => self.handle_text(chunk, sink),
            Event::ToolCallChunk(chunk) => self.handle_tool(chunk, sink),
            Event::ReasoningMessageChunk(chunk) => self.handle_reasoning(chunk, sink),
            event => {
                self.close_before(&event, sink)?;
                sink(event)
            }
        }
    }

    fn handle_text(&mut self, chunk: TextMessageChunk, sink: Sink<'_>) -> Result<(), StreamError> {
        let (role, name) = (chunk.role, chunk.name);
        let common = Chunk {
            kind: Kind::Text,
            id: chunk.message_id,
            owner: chunk.subagent_run_id,
            delta: chunk.delta,
            metadata: chunk.metadata,
            raw_event: chunk.raw_event,
        };
        let lane = self.find(&common)?;
        if let Some(Opening::Text {
            role: open_role,
            name: open_name,
        }) = lane.map(|lane| &self.open[lane].opened_as)
        {
            agrees(
                common.kind,
                "role",
                role.map(TextRole::as_str),
                Some(open_role.as_str()),
            )?;
            agrees(common.kind, "name", name.as_deref(), open_name.as_deref())?;
        }
        self.take(
            lane,
            common,
            || {
                Ok(Opening::Text {
                    role: role.unwrap_or(TextRole::Assistant),
                    name,
                })
            },
            sink,
        )
    }

    fn handle_tool(&mut self, chunk: ToolCallChunk, sink: Sink<'_>) -> Result<(), StreamError> {
        let (name, parent) = (chunk.tool_call_name, chunk.parent_message_id);
        let common = Chunk {
            kind: Kind::Tool,
            id: chunk.tool_call_id,
            owner: chunk.subagent_run_id,
            delta: chunk.delta,
            metadata: chunk.metadata,
            raw_event: chunk.raw_event,
        };
        let lane = self.find(&common)?;
        if let Some(Opening::Tool {
            name: open_name,
            parent: open_parent,
        }) = lane.map(|lane| &self.open[lane].opened_as)
        {
            agrees(
                common.kind,
                "toolCallName",
                name.as_deref(),
                Some(open_name),
            )?;
            agrees(
                common.kind,
                "parentMessageId",
                parent.as_deref(),
                open_parent.as_deref(),
            )?;
        }
        let opening = || {
            let name =
                name.ok_or_else(|| error("First TOOL_CALL_CHUNK must have a toolCallName"))?;
            Ok(Opening::Tool { name, parent })
        };
        self.take(lane, common, opening, sink)
    }

    fn handle_reasoning(
        &mut self,
        chunk: ReasoningMessageChunk,
        sink: Sink<'_>,
    ) -> Result<(), StreamError> {
        let common = Chunk {
            kind: Kind::Reasoning,
            id: chunk.message_id,
            owner: chunk.subagent_run_id,
            delta: chunk.delta,
            metadata: chunk.metadata,
            raw_event: chunk.raw_event,
        };
        let lane = self.find(&common)?;
        self.take(lane, common, || Ok(Opening::Reasoning), sink)
    }

    /// The lane whose stream a chunk continues; `None` where it opens one.
    fn find(&self, chunk: &Chunk) -> Result<Option<usize>, StreamError> {
        let of_kind = |lane: &Lane| lane.kind() == chunk.kind;
        if let Some(id) = &chunk.id {
            let found = self
                .open
                .iter()
                .position(|lane| of_kind(lane) && lane.id == *id);
            if let Some(lane) = found
                && chunk.owner.is_some()
                && chunk.owner != self.open[lane].owner
            {
                return Err(error(format!(
                    "{} for '{id}' names another subagent than the open stream",
                    chunk.kind.name()
                )));
            }
            return Ok(found);
        }
        let mut candidates = self
            .open
            .iter()
            .enumerate()
            .filter(|(_, lane)| of_kind(lane));
        if chunk.owner.is_some() {
            return Ok(candidates
                .find(|(_, lane)| lane.owner == chunk.owner)
                .map(|(index, _)| index));
        }
        let candidates: Vec<(usize, &Lane)> = candidates.collect();
        match candidates.as_slice() {
            [] => Ok(None),
            [(only, _)] => Ok(Some(*only)),
            several => match several.iter().find(|(_, lane)| lane.owner.is_none()) {
                Some((parents, _)) => Ok(Some(*parents)),
                None => Err(error(format!(
                    "Ambiguous {}: several streams are open and it names none",
                    chunk.kind.name()
                ))),
            },
        }
    }

    fn take(
        &mut self,
        lane: Option<usize>,
        chunk: Chunk,
        opening: impl FnOnce() -> Result<Opening, StreamError>,
        sink: Sink<'_>,
    ) -> Result<(), StreamError> {
        let Chunk {
            kind,
            id,
            owner,
            delta,
            mut metadata,
            raw_event,
        } = chunk;
        let (lane, continues) = match lane {
            Some(lane) => (lane, true),
            None => {
                let id = id.ok_or_else(|| {
                    error(format!(
                        "First {} must have a {}",
                        kind.name(),
                        kind.id_name()
                    ))
                })?;
                let opened_as = opening()?;
                self.close_lane(owner.as_deref(), sink)?;
                self.open.push(Lane {
                    owner,
                    id,
                    opened_as,
                });
                let lane = self.open.len() - 1;
                sink(self.open[lane].start(metadata.take()))?;
                (lane, false)
            }
        };
        // A chunk that carries nothing but metadata still continues its stream; the first one gave them to the start.
        let has_content =
            delta.is_some() || raw_event.is_some() || (continues && metadata.is_some());
        if has_content {
            sink(self.open[lane].content(delta.unwrap_or_default(), metadata, raw_event))
        } else {
            Ok(())
        }
    }

    /// Ends the streams that an event, which is no chunk, ends by arriving.
    fn close_before(&mut self, event: &Event, sink: Sink<'_>) -> Result<(), StreamError> {
        match event {
            Event::RunStarted(_)
            | Event::RunFinished(_)
            | Event::RunError(_)
            | Event::MessagesSnapshot(_) => {
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

    fn close_lane(&mut self, owner: Option<&str>, sink: Sink<'_>) -> Result<(), StreamError> {
        match self
            .open
            .iter()
            .position(|lane| lane.owner.as_deref() == owner)
        {
            Some(lane) => sink(self.open.remove(lane).end()),
            None => Ok(()),
        }
    }
}

impl Lane {
    fn kind(&self) -> Kind {
        match self.opened_as {
            Opening::Text { .. } => Kind::Text,
            Opening::Tool { .. } => Kind::Tool,
            Opening::Reasoning => Kind::Reasoning,
        }
    }

    fn start(&self, metadata: Option<Metadata>) -> Event {
        let (id, subagent_run_id) = (self.id.clone(), self.owner.clone());
        match &self.opened_as {
            Opening::Text { role, name } => TextMessageStart {
                role: Some(*role),
                name: name.clone(),
                subagent_run_id,
                metadata,
                ..TextMessageStart::new(id)
            }
            .into(),
            Opening::Tool { name, parent } => {
                let start = ToolCallStart::new(id, name.clone());
                ToolCallStart {
                    parent_message_id: parent.clone(),
                    subagent_run_id,
                    metadata,
                    ..start
                }
                .into()
            }
            Opening::Reasoning => {
                let start = ReasoningMessageStart::new(id, ReasoningRole::Reasoning);
                ReasoningMessageStart {
                    subagent_run_id,
                    metadata,
                    ..start
                }
                .into()
            }
        }
    }

    fn content(
        &self,
        delta: String,
        metadata: Option<Metadata>,
        raw_event: Option<Value>,
    ) -> Event {
        let (id, subagent_run_id) = (self.id.clone(), self.owner.clone());
        match self.opened_as {
            Opening::Text { .. } => TextMessageContent {
                subagent_run_id,
                metadata,
                raw_event,
                ..TextMessageContent::new(id, delta)
            }
            .into(),
            Opening::Tool { .. } => ToolCallArgs {
                subagent_run_id,
                metadata,
                raw_event,
                ..ToolCallArgs::new(id, delta)
            }
            .into(),
            Opening::Reasoning => ReasoningMessageContent {
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
        match self.opened_as {
            Opening::Text { .. } => TextMessageEnd {
                subagent_run_id,
                ..TextMessageEnd::new(self.id)
            }
            .into(),
            Opening::Tool { .. } => ToolCallEnd {
                subagent_run_id,
                ..ToolCallEnd::new(self.id)
            }
            .into(),
            Opening::Reasoning => ReasoningMessageEnd {
                subagent_run_id,
                ..ReasoningMessageEnd::new(self.id)
            }
            .into(),
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

fn agrees(
    kind: Kind,
    field: &str,
    given: Option<&str>,
    open: Option<&str>,
) -> Result<(), StreamError> {
    match given {
        Some(given) if open != Some(given) => {
            let kind = kind.name();
            Err(error(format!(
                "{kind}: the {field} '{given}' does not match the open stream's {field} '{}'",
                open.unwrap_or_default()
            )))
        }
        _ => Ok(()),
    }
}

fn error(message: impl Into<String>) -> StreamError {
    StreamError::new(ErrorCode::Chunk, message)
}
