//! One answer of the model, from its deltas to AG-UI events and to the message that is kept.

use crate::limits::{CALL_WEIGHT, MAX_ANSWER_BYTES};
use crate::log::Log;
use crate::models::{Delta, ModelError};
use crate::wire::{self, is_the_clients};
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use json_tree::JsonText;
use question_agent::call::ToolCall;
use question_agent::message::AssistantMessage;
use question_agent::registry::ToolContext;
use std::collections::BTreeMap;
use uuid::Uuid;

/// One answer of the model, growing.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    log: &'a Log,
    context: ToolContext,
    message_id: String,
    text: String,
    text_is_open: bool,
    calls: BTreeMap<usize, Call>,
    /// Its length so far, in bytes.
    weight: usize,
    origin: Option<JsonText>,
    usage: Usage,
    /// True if clients were told something else than what is kept.
    is_rewritten: bool,
    is_cut: bool,
}

/// The tokens that answers have cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    arguments: String,
    is_open: bool,
    /// Not told to clients before it runs: see [`held_back`](crate::wire::held_back).
    is_held_back: bool,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(log: &'a Log, context: ToolContext) -> Self {
        Self {
            log,
            context,
            message_id: Uuid::new_v4().to_string(),
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

    /// The tokens that it has cost so far.
    pub(crate) fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns true if clients were told something else than what is kept.
    pub(crate) fn is_rewritten(&self) -> bool {
        self.is_rewritten
    }

    /// Returns true if it ended before it was whole.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns true if clients have seen anything of it.
    pub(crate) fn has_begun(&self) -> bool {
        !self.text.is_empty() || !self.calls.is_empty()
    }

    /// Takes what has arrived at the same time. Clients are told of it in as few events as can be: a model may be faster than they are.
    ///
    /// # Errors
    /// The model's own, or where the answer has become longer than it may be.
    pub(crate) fn take(&mut self, arrived: Vec<Result<Delta, ModelError>>) -> Result<(), ModelError> {
        let mut arrived = arrived.into_iter().peekable();
        while let Some(delta) = arrived.next() {
            let mut delta = delta?;
            while arrived.next_if(|next| matches!(next, Ok(next) if delta.grow(next))).is_some() {}
            self.take_one(delta)?;
        }
        Ok(())
    }

    /// What belongs to no open call is dropped: the model made it up.
    fn take_one(&mut self, delta: Delta) -> Result<(), ModelError> {
        self.weight += match &delta {
            Delta::Text(text) => text.len(),
            Delta::CallStart { name, .. } => CALL_WEIGHT + name.len(),
            Delta::CallArgs { delta, .. } => delta.len(),
            // It is counted as it arrived.
            Delta::CallEnd { .. } | Delta::CallArgsAre { .. } | Delta::Usage { .. } | Delta::Cut => 0,
            Delta::Origin(origin) => origin.as_str().len(),
        };
        if self.weight > MAX_ANSWER_BYTES {
            return Err(ModelError {
                reason: format!("The model's answer is longer than {MAX_ANSWER_BYTES} bytes."),
                retry_after: None,
            });
        }
        match delta {
            Delta::Text(text) => self.grow_text(text),
            Delta::CallStart { call, name } => self.start_call(call, name),
            Delta::CallArgs { call, delta } => {
                if let Some(open) = self.calls.get_mut(&call).filter(|call| call.is_open) {
                    open.arguments.push_str(&delta);
                    if !open.is_held_back {
                        self.log.push_event(&wire::call_args(&open.id, &delta));
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
            // Some endpoints say it with every piece.
            Delta::Usage { input, output } => self.usage = Usage { input, output },
        }
        Ok(())
    }

    /// Closes what is open and gives the message.
    pub(crate) fn finish(mut self) -> AssistantMessage {
        self.end_text();
        let open: Vec<usize> = self.calls.keys().copied().collect();
        for call in open {
            self.end_call(call);
        }
        AssistantMessage {
            id: self.message_id,
            text: self.text,
            tool_calls: self
                .calls
                .into_values()
                .map(|call| ToolCall::new(call.id, call.name, call.arguments))
                .collect(),
            origin: self.origin,
        }
    }

    fn grow_text(&mut self, delta: String) {
        if delta.is_empty() {
            return;
        }
        if !self.text_is_open {
            self.text_is_open = true;
            // Nobody else speaks here, but the first clients want it said.
            let members = [("messageId", self.message_id.as_str().into()), ("role", "assistant".into())];
            self.log.push_event(&Event::new(EventType::TextMessageStart, members));
        }
        self.text.push_str(&delta);
        let members = [("messageId", self.message_id.as_str().into()), ("delta", delta.into())];
        self.log.push_event(&Event::new(EventType::TextMessageContent, members));
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.text_is_open) {
            let members = [("messageId", self.message_id.as_str().into())];
            self.log.push_event(&Event::new(EventType::TextMessageEnd, members));
        }
    }

    fn start_call(&mut self, call: usize, name: String) {
        if self.calls.contains_key(&call) {
            return;
        }
        self.end_text();
        let id = format!("call_{}", Uuid::new_v4().simple());
        let mut before = self.calls.range(..call).map(|(_, call)| &call.name);
        let is_held_back = before.any(|name| is_the_clients(&self.context, name));
        if !is_held_back {
            self.log.push_event(&wire::call_start(&id, &name, &self.message_id));
        }
        let arguments = String::new();
        let is_open = true;
        self.calls.insert(call, Call { id, name, arguments, is_open, is_held_back });
    }

    fn end_call(&mut self, call: usize) {
        if let Some(open) = self.calls.get_mut(&call).filter(|call| call.is_open) {
            open.is_open = false;
            if !open.is_held_back {
                self.log.push_event(&wire::call_end(&open.id));
            }
        }
    }
}
