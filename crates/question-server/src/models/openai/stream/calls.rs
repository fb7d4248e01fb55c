//! Calls that arrive in pieces. A piece names its call by an index, an id, both or neither.

use super::brackets::Brackets;
use super::names::{known_name, without_namespace};
use crate::models::Delta;
use json_tree::pieces::Pieces;
use serde_json::{Map, Value, json};

/// The calls of an answer, in the order of their first pieces.
#[derive(Debug, Default)]
pub(super) struct PartialCalls(Vec<PartialCall>);

#[derive(Debug, Default)]
struct PartialCall {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
    pieces: Pieces,
    brackets: Brackets,
    /// True once its start was emitted. A name may arrive in pieces, and behind the first arguments.
    is_told: bool,
    /// The arguments that were emitted.
    told: String,
    /// Further members, which go back to the endpoint.
    members: Map<String, Value>,
}

/// The content of a piece.
#[derive(Debug)]
struct CallChunk {
    index: Option<u64>,
    id: Option<String>,
    name: Option<String>,
    arguments: String,
    members: Map<String, Value>,
}

/// The members of a call in the API.
const MEMBERS: [&str; 4] = ["index", "id", "type", "function"];

impl PartialCalls {
    /// Returns true if there is any.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|call| call.name.is_empty())
    }

    /// Takes a piece, and adds its deltas. `tools` are the names that the model may call.
    pub(super) fn take(&mut self, piece: &Value, tools: &[String], deltas: &mut Vec<Delta>) {
        let piece = CallChunk::of(piece);
        let call = self.find(&piece).unwrap_or_else(|| {
            self.0.push(PartialCall { index: piece.index, ..PartialCall::default() });
            self.0.len() - 1
        });
        let known = &mut self.0[call];
        known.id = known.id.take().or(piece.id);
        known.members.extend(piece.members);
        if let Some(name) = &piece.name
            && !known.is_told
        {
            known.name = match name.starts_with(&known.name) {
                // The whole name, with each piece or with the last.
                true => name.clone(),
                false => format!("{}{name}", known.name),
            };
        }
        if piece.arguments.is_empty() {
            return;
        }
        let new = known.grow(&piece.arguments);
        if known.tell(call, tools, deltas) && !new.is_empty() {
            known.tell_arguments(call, new, deltas);
        }
    }

    /// Adds a whole call.
    pub(super) fn push(&mut self, name: String, arguments: String, deltas: &mut Vec<Delta>) {
        let mut call = PartialCall { name, ..PartialCall::default() };
        call.grow(&arguments);
        call.tell(self.0.len(), &[], deltas);
        call.tell_arguments(self.0.len(), arguments, deltas);
        self.0.push(call);
    }

    /// Adds the deltas that are left at the end of the answer: calls without arguments, and arguments whose pieces were no fragments.
    pub(super) fn finish(&mut self, tools: &[String], deltas: &mut Vec<Delta>) {
        for (call, known) in self.0.iter_mut().enumerate() {
            if !known.tell(call, tools, deltas) {
                continue;
            }
            let settled = known.pieces.settle(&known.arguments).to_owned();
            match settled.strip_prefix(&known.told) {
                Some("") => {}
                Some(rest) => known.tell_arguments(call, rest.to_owned(), deltas),
                None => deltas.push(Delta::CallArgsAre { call, arguments: settled }),
            }
        }
    }

    /// The ids and members that go back to the endpoint, in the order of the calls.
    pub(super) fn origins(&self) -> Vec<Value> {
        let told = self.0.iter().filter(|call| call.is_told);
        told.map(|call| json!({"id": call.id, "members": call.members})).collect()
    }

    /// The call that a piece continues; `None` if it begins one.
    fn find(&self, piece: &CallChunk) -> Option<usize> {
        let is_there = |call: &PartialCall| piece.index.is_none() || call.index == piece.index;
        let is_it = |call: &PartialCall| is_there(call) && call.id.is_some() && call.id == piece.id;
        let found = self.0.iter().rposition(is_it);
        let found = found.or_else(|| self.0.iter().rposition(is_there))?;
        (!piece.begins_another_than(&self.0[found])).then_some(found)
    }
}

impl CallChunk {
    fn of(piece: &Value) -> Self {
        let text = |value: &Value| {
            let text = value.as_str().filter(|text| !text.is_empty());
            text.map(str::to_owned)
        };
        let function = &piece["function"];
        let arguments = match &function["arguments"] {
            Value::String(arguments) => arguments.clone(),
            object @ Value::Object(_) => json_tree::text(object),
            _ => String::new(),
        };
        let others = piece.as_object().into_iter().flatten();
        let others = others.filter(|(name, value)| !MEMBERS.contains(&name.as_str()) && !value.is_null());
        Self {
            index: piece["index"].as_u64(),
            id: text(&piece["id"]),
            name: text(&function["name"]),
            arguments,
            members: others.map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }

    /// Returns true if this begins a call, though another has its index. Some endpoints give all calls of an answer one index, and some repeat the
    /// name with each piece.
    fn begins_another_than(&self, call: &PartialCall) -> bool {
        let Some(name) = self.name.as_ref().filter(|_| !call.name.is_empty()) else {
            return false;
        };
        match (&call.id, &self.id) {
            (Some(known), Some(id)) => known != id,
            (None, Some(_)) if self.index.is_none() => true,
            // A whole call cannot continue, unless it is repeated or was a placeholder.
            _ => {
                let begins = self.arguments.trim_start().starts_with('{') && call.is_whole();
                let goes_on = *name == call.name && [self.arguments.trim(), "{}"].contains(&call.arguments.trim());
                begins && !goes_on
            }
        }
    }
}

impl PartialCall {
    fn is_whole(&self) -> bool {
        self.arguments.trim_end().ends_with('}') && json_tree::parse(&self.arguments).is_ok()
    }

    /// Takes a piece of the arguments and returns the part to emit now. A repetition or a possible placeholder waits for the end.
    fn grow(&mut self, piece: &str) -> String {
        let has_all = self.arguments.len() > 1 && piece.starts_with(&self.arguments);
        if has_all && !self.brackets.are_closed {
            // The last piece has all arguments.
            self.brackets.feed(&piece.as_bytes()[self.arguments.len()..]);
            (self.arguments, self.pieces) = (piece.to_owned(), Pieces::default());
            return piece.strip_prefix(&self.told).unwrap_or_default().to_owned();
        }
        self.pieces.push(&self.arguments, piece);
        let is_placeholder = |text: &str| ["{}", "null", "\"\"", "[]"].contains(&text.trim());
        let held = self.arguments[self.told.len()..].to_owned();
        self.arguments.push_str(piece);
        if self.told.is_empty() && is_placeholder(&self.arguments) {
            return String::new();
        }
        if is_placeholder(&held) && self.told.is_empty() {
            // It was a placeholder for this piece.
            (self.arguments, self.pieces, self.brackets) = (piece.to_owned(), Pieces::default(), Brackets::default());
            self.pieces.push("", piece);
        } else if self.brackets.are_closed {
            return String::new();
        }
        self.brackets.feed(piece.as_bytes());
        self.arguments[self.told.len()..].to_owned()
    }

    /// Emits its start, once it has a name and arguments or at the end. Returns false if it has not started.
    fn tell(&mut self, call: usize, tools: &[String], deltas: &mut Vec<Delta>) -> bool {
        if !self.is_told && !self.name.is_empty() {
            self.is_told = true;
            let name = known_name(&self.name, tools).unwrap_or_else(|| without_namespace(&self.name)).to_owned();
            deltas.push(Delta::CallStart { call, name });
        }
        self.is_told
    }

    fn tell_arguments(&mut self, call: usize, delta: String, deltas: &mut Vec<Delta>) {
        self.told.push_str(&delta);
        deltas.push(Delta::CallArgs { call, delta });
    }
}
