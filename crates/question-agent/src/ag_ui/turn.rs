//! An answer of the model, from its deltas to AG-UI events and to the stored message.

use super::bounds::{CALL_WEIGHT, MAX_ANSWER_BYTES};
use super::wire::{self, is_the_clients};
use crate::call::ToolCall;
use crate::message::AssistantMessage;
use crate::registry::ToolContext;
use ag_ui_stream::Event;
use json_tree::Json;
use std::collections::BTreeMap;
use thiserror::Error;

/// An answer of the model that grows.
#[derive(Debug)]
pub struct Turn<I> {
    next_id: I,
    events: Vec<Event>,
    context: ToolContext,
    message_id: String,
    text: String,
    text_is_open: bool,
    calls: BTreeMap<usize, StreamedCall>,
    /// Its length so far, in bytes.
    weight: usize,
    origin: Option<Json<'static>>,
    usage: Usage,
    is_rewritten: bool,
    is_cut: bool,
}

/// The tokens used by answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// The tokens of the request.
    pub input: u64,
    /// The tokens of the answer.
    pub output: u64,
}

#[derive(Debug)]
struct StreamedCall {
    id: String,
    name: String,
    arguments: String,
    is_open: bool,
    /// Hidden from clients before it runs: see [`held_back`](crate::wire::held_back).
    is_held_back: bool,
}

impl<I: FnMut() -> String> Turn<I> {
    /// An answer in a conversation with this context; `next_id` makes ids of messages and calls.
    pub fn new(context: ToolContext, mut next_id: I) -> Self {
        Self {
            message_id: next_id(),
            next_id,
            events: Vec::new(),
            context,
            text: String::new(),
            text_is_open: false,
            calls: BTreeMap::new(),
            weight: 0,
            origin: None,
            usage: Usage::default(),
            is_rewritten: false,
            is_cut: false,
        }
    }

    /// The tokens used so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns true if clients got content that differs from the stored message.
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        self.is_rewritten
    }

    /// Returns true if it ended before it was complete.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns true if clients have seen a part of it.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        !self.text.is_empty() || !self.calls.is_empty() || self.is_rewritten
    }

    /// The events for clients since the last call.
    pub fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Takes the deltas that arrived together. Clients get as few events as possible: a model may be faster than they are.
    ///
    /// # Errors
    /// The model's own error, or that the answer is longer than allowed.
    pub fn take<E: From<AnswerTooLong>>(
        &mut self,
        arrived: impl IntoIterator<Item = Result<Delta, E>>,
    ) -> Result<(), E> {
        let mut arrived = arrived.into_iter().peekable();
        while let Some(delta) = arrived.next() {
            let mut delta = delta?;
            while arrived.next_if(|next| matches!(next, Ok(next) if delta.grow(next))).is_some() {}
            self.take_one(delta)?;
        }
        Ok(())
    }

    /// Takes a delta. One for a call that is not open is dropped: the model made it up.
    fn take_one(&mut self, delta: Delta) -> Result<(), AnswerTooLong> {
        self.weight += match &delta {
            Delta::Text(text) => text.len(),
            Delta::CallStart { name, .. } => CALL_WEIGHT + name.len(),
            Delta::CallArgs { delta, .. } => delta.len(),
            // Its length was counted as it arrived.
            Delta::CallEnd { .. } | Delta::CallArgsAre { .. } | Delta::Unsaid | Delta::Usage { .. } | Delta::Cut => 0,
            Delta::Origin(origin) => origin.text().len(),
        };
        if self.weight > MAX_ANSWER_BYTES {
            return Err(AnswerTooLong);
        }
        match delta {
            Delta::Text(text) => self.grow_text(text),
            Delta::Unsaid => {
                self.text.clear();
                self.is_rewritten = true;
            }
            Delta::CallStart { call, name } => self.start_call(call, name),
            Delta::CallArgs { call, delta } => {
                if let Some(open) = self.calls.get_mut(&call).filter(|call| call.is_open) {
                    open.arguments.push_str(&delta);
                    if !open.is_held_back {
                        self.events.push(Event::tool_call_args(&*open.id, delta));
                    }
                }
            }
            Delta::CallEnd { call } => self.end_call(call),
            Delta::CallArgsAre { call, arguments } => {
                if let Some(known) = self.calls.get_mut(&call) {
                    known.arguments = arguments;
                    self.is_rewritten = true;
                }
            }
            Delta::Origin(origin) => self.origin = Some(origin),
            Delta::Cut => self.is_cut = true,
            // Some endpoints report the total with every piece.
            Delta::Usage { input, output } => self.usage = Usage { input, output },
        }
        Ok(())
    }

    /// Closes open parts, and returns the message and the last events.
    #[must_use]
    pub fn finish(mut self) -> (AssistantMessage, Vec<Event>) {
        self.end_text();
        let open: Vec<usize> = self.calls.keys().copied().collect();
        for call in open {
            self.end_call(call);
        }
        let message = AssistantMessage {
            id: self.message_id,
            text: self.text,
            tool_calls: self
                .calls
                .into_values()
                .map(|call| ToolCall::new(call.id, call.name, call.arguments))
                .collect(),
            origin: self.origin,
        };
        (message, self.events)
    }

    fn grow_text(&mut self, delta: String) {
        if delta.is_empty() {
            return;
        }
        if !self.text_is_open {
            self.text_is_open = true;
            self.events.push(wire::text_start(&self.message_id));
        }
        self.text.push_str(&delta);
        self.events.push(Event::text_message_content(&*self.message_id, delta));
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.text_is_open) {
            self.events.push(Event::text_message_end(&*self.message_id));
        }
    }

    fn start_call(&mut self, call: usize, name: String) {
        if self.calls.contains_key(&call) {
            return;
        }
        self.end_text();
        let id = format!("call_{}", (self.next_id)());
        let mut before = self.calls.range(..call).map(|(_, call)| &call.name);
        let is_held_back = before.any(|name| is_the_clients(&self.context, name));
        if !is_held_back {
            self.events.push(wire::call_start(&id, &name, &self.message_id));
        }
        let arguments = String::new();
        let is_open = true;
        self.calls.insert(call, StreamedCall { id, name, arguments, is_open, is_held_back });
    }

    fn end_call(&mut self, call: usize) {
        if let Some(open) = self.calls.get_mut(&call).filter(|call| call.is_open) {
            open.is_open = false;
            if !open.is_held_back {
                self.events.push(Event::tool_call_end(&*open.id));
            }
        }
    }
}

/// A piece of a model's answer. A call is identified by its index in the answer: ids are the host's, since providers repeat theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// The text grows.
    Text(String),
    /// The text so far is not meant for the user: what follows is the answer.
    Unsaid,
    /// A call begins.
    CallStart {
        /// The index of the call in the answer.
        call: usize,
        /// The name of the tool.
        name: String,
    },
    /// The arguments of a call grow.
    CallArgs {
        /// The index of the call in the answer.
        call: usize,
        /// The appended part.
        delta: String,
    },
    /// The arguments of a call are complete.
    CallEnd {
        /// The index of the call in the answer.
        call: usize,
    },
    /// The complete arguments of a call, which replace the pieces so far.
    CallArgsAre {
        /// The index of the call in the answer.
        call: usize,
        /// The complete arguments.
        arguments: String,
    },
    /// The answer ends before it is complete, for lack of room. The text so far is kept.
    Cut,
    /// Data that the model's endpoint wants back with the answer, in the format of its adapter: stored with the message and never shown.
    Origin(Json<'static>),
    /// The tokens used by the answer so far.
    Usage {
        /// The tokens of the request.
        input: u64,
        /// The tokens of the answer.
        output: u64,
    },
}

impl Delta {
    /// Appends the next delta if it continues the same text or the same arguments; returns false for any other.
    fn grow(&mut self, next: &Self) -> bool {
        match (self, next) {
            (Self::Text(text), Self::Text(more)) => text.push_str(more),
            (Self::CallArgs { call, delta }, Self::CallArgs { call: same, delta: more }) if call == same => {
                delta.push_str(more);
            }
            _ => return false,
        }
        true
    }
}

/// An answer has become longer than [`MAX_ANSWER_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("The model's answer is longer than {MAX_ANSWER_BYTES} bytes.")]
pub struct AnswerTooLong;
