//! Halves of characters. UTF-16 has many characters in two halves, and JSON may escape them: `\ud83d\ude00`. A producer that cuts its text
//! at UTF-16 units sends the halves in two deltas. No string here can hold a half, so the first one waits for the second; one that stays
//! alone becomes U+FFFD, wherever in an event it is.

use crate::event::{Event, ReasoningMessageContent, TextMessageContent, ToolCallArgs};
use crate::index::Index;
use ask_user_question::json::Tree;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::collections::VecDeque;
use std::{fmt, mem};

const ALONE: char = char::REPLACEMENT_CHARACTER;

/// The halves at the ends of a delta, where U+FFFD stands for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// A second half at its start.
    second: Option<u16>,
    /// A first half at its end.
    first: Option<u16>,
}

/// Reads a JSON text, which may have halves of characters, and tells those at the ends of its `delta`.
pub(super) fn parse(text: &str) -> serde_json::Result<(Tree<'_>, Edges)> {
    let error = match Tree::parse(text) {
        Ok(tree) => return Ok((tree, Edges::default())),
        Err(error) => error,
    };
    let Some(mended) = mend(text) else {
        return Err(error);
    };
    let tree = owned(Tree::parse(&mended)?);
    let edges = serde_json::from_str(text).map(|Frame(edges)| edges);
    Ok((tree, edges.unwrap_or_default()))
}

/// The text with `\ufffd` for each half that stands alone; `None` where there is none.
fn mend(text: &str) -> Option<String> {
    let mut mended = String::new();
    let (mut copied, mut at) = (0, 0);
    // Within JSON, a backslash is always the start of an escape.
    while let Some(found) = memchr::memchr(b'\\', text.as_bytes().get(at..)?) {
        let escape = at + found;
        at = match unit(text, escape) {
            None => escape + 2,
            Some(0xD800..0xDC00) if matches!(unit(text, escape + 6), Some(0xDC00..0xE000)) => escape + 12,
            Some(0xD800..0xE000) => {
                mended += &text[copied..escape];
                mended += "\\ufffd";
                copied = escape + 6;
                copied
            }
            Some(_) => escape + 6,
        }
        .min(text.len());
    }
    (copied > 0).then(|| mended + &text[copied..])
}

/// The UTF-16 unit of the escape `\uXXXX` that begins there.
fn unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
}

fn owned(tree: Tree<'_>) -> Tree<'static> {
    match tree {
        Tree::Null => Tree::Null,
        Tree::Bool(value) => Tree::Bool(value),
        Tree::Number(number) => Tree::Number(number),
        Tree::Text(text) => Tree::Text(text.into_owned().into()),
        Tree::List(items) => Tree::List(items.into_iter().map(owned).collect()),
        Tree::Object(members) => {
            let members = members.into_iter();
            let owned = members.map(|(key, member)| (key.into_owned().into(), owned(member)));
            Tree::Object(owned.collect())
        }
    }
}

/// What a frame's `delta` has at its ends. Strings are read as bytes, in which `serde_json` leaves halves as they are.
struct Frame(Edges);

impl<'de> Deserialize<'de> for Frame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FrameVisitor)
    }
}

struct FrameVisitor;

impl<'de> Visitor<'de> for FrameVisitor {
    type Value = Frame;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Frame, A::Error> {
        let mut edges = Edges::default();
        while let Some(Text { is_delta, .. }) = members.next_key()? {
            if is_delta {
                edges = members.next_value::<Text>()?.edges;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Frame(edges))
    }
}

/// What matters of a string.
struct Text {
    is_delta: bool,
    edges: Edges,
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text, E> {
        let second = bytes.first_chunk().and_then(half);
        let first = bytes.last_chunk().and_then(half);
        Ok(Text {
            is_delta: bytes == b"delta",
            edges: Edges { second: second.filter(|unit| *unit >= 0xDC00), first: first.filter(|unit| *unit < 0xDC00) },
        })
    }
}

/// The half that three bytes stand for, written as UTF-8 writes characters.
fn half(&[lead, middle, last]: &[u8; 3]) -> Option<u16> {
    let is_half = lead == 0xED && middle >= 0xA0;
    is_half.then(|| 0xD000 | u16::from(middle & 0x3F) << 6 | u16::from(last & 0x3F))
}

/// Joins halves over the deltas of each message and call.
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// Those of the present event.
    edges: Edges,
    /// First halves, by what they are part of.
    waiting: [Index; 3],
}

/// What deltas make grow.
#[derive(Clone, Copy)]
enum Growing {
    Text,
    Arguments,
    Reasoning,
}

impl Halves {
    /// The next event begins, with these halves.
    pub(super) fn begin(&mut self, edges: Edges) {
        self.edges = edges;
    }

    /// Whether an event goes on as it is.
    pub(super) fn is_idle(&self) -> bool {
        self.edges == Edges::default() && self.waiting.iter().all(Index::is_empty)
    }

    /// Passes a verified event on. A half that waits goes into the next delta, or into one of its own before the end.
    pub(super) fn pass(&mut self, mut event: Event, events: &mut VecDeque<Event>) {
        match &mut event {
            Event::TextMessageContent(e) => {
                self.join(Growing::Text, &e.message_id, &mut e.delta);
            }
            Event::ToolCallArgs(e) => self.join(Growing::Arguments, &e.tool_call_id, &mut e.delta),
            Event::ReasoningMessageContent(e) => {
                self.join(Growing::Reasoning, &e.message_id, &mut e.delta);
            }
            Event::TextMessageEnd(e) => {
                self.end(Growing::Text, &e.message_id, &e.subagent_run_id, events);
            }
            Event::ToolCallEnd(e) => {
                self.end(Growing::Arguments, &e.tool_call_id, &e.subagent_run_id, events);
            }
            Event::ReasoningMessageEnd(e) => {
                self.end(Growing::Reasoning, &e.message_id, &e.subagent_run_id, events);
            }
            Event::RunError(_) => self.end_all(events),
            _ => {}
        }
        events.push_back(event);
    }

    fn join(&mut self, growing: Growing, id: &str, delta: &mut String) {
        if delta.is_empty() {
            return;
        }
        let waiting = &mut self.waiting[growing as usize];
        let edges = mem::take(&mut self.edges);
        let (mut joined, mut rest) = (String::new(), &**delta);
        if let Some(first) = waiting.get(id).and_then(|first| u16::try_from(first).ok()) {
            waiting.remove(id);
            let units = [Some(first), edges.second].into_iter().flatten();
            joined.extend(char::decode_utf16(units).map(|it| it.unwrap_or(ALONE)));
            if edges.second.is_some() {
                rest = rest.strip_prefix(ALONE).unwrap_or(rest);
            }
        }
        if let Some(first) = edges.first {
            waiting.insert(id, first.into());
            rest = rest.strip_suffix(ALONE).unwrap_or(rest);
        }
        joined += rest;
        *delta = joined;
    }

    fn end(&mut self, growing: Growing, id: &str, subagent: &Option<String>, events: &mut VecDeque<Event>) {
        if self.waiting[growing as usize].remove(id) {
            events.push_back(growing.by_half(id, subagent.clone()));
        }
    }

    /// What grows when a run fails is not ended, but grows no more.
    fn end_all(&mut self, events: &mut VecDeque<Event>) {
        for growing in [Growing::Text, Growing::Arguments, Growing::Reasoning] {
            let waiting = mem::take(&mut self.waiting[growing as usize]);
            events.extend(waiting.ids().map(|id| growing.by_half(id, None)));
        }
    }
}

impl Growing {
    /// The event by which something grows by a half that stayed alone.
    fn by_half(self, id: &str, subagent_run_id: Option<String>) -> Event {
        match self {
            Self::Text => TextMessageContent { subagent_run_id, ..TextMessageContent::new(id, ALONE) }.into(),
            Self::Arguments => ToolCallArgs { subagent_run_id, ..ToolCallArgs::new(id, ALONE) }.into(),
            Self::Reasoning => {
                ReasoningMessageContent { subagent_run_id, ..ReasoningMessageContent::new(id, ALONE) }.into()
            }
        }
    }
}
