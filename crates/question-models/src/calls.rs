//! Repairs calls whose streamed pieces are not fragments of their arguments. It filters the calls that the vendors' library reads.
//!
//! Some endpoints send a placeholder first, repeat all arguments so far with each piece or once more at the end, or send two calls as one.

use crate::brackets::Brackets;
use json_tree::pieces::Pieces;
use question_agent::ag_ui::Delta;
use serde_json::{Deserializer, Value, json};
use std::collections::HashMap;

/// The calls of an answer, in the order of their starts.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    calls: Vec<PartialCall>,
    /// The indexes of calls by those of the library's parts.
    parts: HashMap<usize, usize>,
}

#[derive(Debug, Default)]
struct PartialCall {
    arguments: String,
    pieces: Pieces,
    brackets: Brackets,
    /// The name, once its start was emitted. A name may arrive in pieces, so one that no tool has waits for the end.
    name: Option<String>,
    /// The arguments that were emitted.
    told: String,
}

impl Calls {
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Begins a call. `tools` are the names that the model may call.
    pub(crate) fn start(&mut self, part: usize, name: &str, tools: &[String], deltas: &mut Vec<Delta>) {
        let call = self.calls.len();
        self.parts.insert(part, call);
        self.calls.push(PartialCall::default());
        let name = known_name(name, tools);
        if tools.contains(&name) {
            self.calls[call].begin(call, name, deltas);
        }
    }

    pub(crate) fn arguments(&mut self, part: usize, piece: &str, deltas: &mut Vec<Delta>) {
        if let Some(call) = self.parts.get(&part).copied() {
            let known = &mut self.calls[call];
            let new = known.grow(piece);
            if known.name.is_some() {
                known.tell(call, new, deltas);
            }
        }
    }

    /// Ends a call, with its whole name and with the calls that were glued to it.
    pub(crate) fn end(&mut self, part: usize, name: &str, tools: &[String], deltas: &mut Vec<Delta>) {
        let Some(call) = self.parts.remove(&part) else {
            return;
        };
        let known = &mut self.calls[call];
        if known.name.is_none() {
            known.begin(call, known_name(name, tools), deltas);
        }
        let glued = known.finish(call, deltas);
        deltas.push(Delta::CallEnd { call });
        let name = known.name.clone().unwrap_or_default();
        for arguments in glued {
            self.push(name.clone(), arguments, deltas);
        }
    }

    pub(crate) fn push(&mut self, name: String, arguments: String, deltas: &mut Vec<Delta>) {
        let call = self.calls.len();
        let mut other = PartialCall::default();
        other.begin(call, name, deltas);
        other.tell(call, arguments, deltas);
        deltas.push(Delta::CallEnd { call });
        self.calls.push(other);
    }
}

impl PartialCall {
    fn begin(&mut self, call: usize, name: String, deltas: &mut Vec<Delta>) {
        self.name = Some(name.clone());
        deltas.push(Delta::CallStart { call, name });
    }

    /// Takes a piece of the arguments and returns the part to emit now. A repetition or a possible placeholder waits for the end.
    fn grow(&mut self, piece: &str) -> String {
        let has_all = self.arguments.len() > 1 && piece.starts_with(&self.arguments);
        if has_all && !self.brackets.are_closed {
            // This piece repeats all arguments so far.
            self.brackets.feed(&piece.as_bytes()[self.arguments.len()..]);
            (self.arguments, self.pieces) = (piece.to_owned(), Pieces::default());
            return piece.strip_prefix(&self.told).unwrap_or_default().to_owned();
        }
        self.pieces.push(&self.arguments, piece);
        let is_placeholder = |text: &str| ["{}", "null", "\"\"", "[]"].contains(&text.trim());
        let was_placeholder = self.told.is_empty() && is_placeholder(&self.arguments);
        self.arguments.push_str(piece);
        if self.told.is_empty() && is_placeholder(&self.arguments) {
            return String::new();
        }
        if was_placeholder {
            (self.arguments, self.pieces, self.brackets) = (piece.to_owned(), Pieces::default(), Brackets::default());
            self.pieces.push("", piece);
        } else if self.brackets.are_closed {
            return String::new();
        }
        self.brackets.feed(piece.as_bytes());
        self.arguments[self.told.len()..].to_owned()
    }

    fn tell(&mut self, call: usize, delta: String, deltas: &mut Vec<Delta>) {
        if !delta.is_empty() {
            self.told.push_str(&delta);
            deltas.push(Delta::CallArgs { call, delta });
        }
    }

    /// Emits the arguments that are left, and returns those of the calls behind it.
    fn finish(&mut self, call: usize, deltas: &mut Vec<Delta>) -> Vec<String> {
        let objects = Deserializer::from_str(&self.arguments).into_iter::<Value>();
        let mut objects: Vec<Value> = objects.map_while(Result::ok).filter(Value::is_object).collect();
        let are_several = objects.len() > 1;
        objects.dedup();
        // An empty object beside others is a placeholder.
        objects.retain(|object| !are_several || *object != json!({}));
        if are_several && self.brackets.are_closed && !objects.is_empty() {
            let first = objects[0].to_string();
            if self.told.is_empty() {
                self.tell(call, first, deltas);
            } else if serde_json::from_str(&self.told).ok().as_ref() != Some(&objects[0]) {
                // The emitted arguments were a placeholder, or their last piece also began the next call.
                deltas.push(Delta::CallArgsAre { call, arguments: first });
            }
            return objects[1..].iter().map(Value::to_string).collect();
        }
        let settled = self.pieces.settle(&self.arguments).to_owned();
        match settled.strip_prefix(&self.told) {
            Some(rest) => self.tell(call, rest.to_owned(), deltas),
            None => deltas.push(Delta::CallArgsAre { call, arguments: settled }),
        }
        Vec::new()
    }
}

/// The tool that a name means: an equal name except for case and punctuation, or else the longest one that stands in it as a word. Any other
/// name is kept, but without a namespace: no tool has a dot in its name, and endpoints refuse a history with one.
fn known_name(name: &str, tools: &[String]) -> String {
    let letters = |name: &str| name.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "");
    let is_in_it = |tool: &str| {
        let is_set_off = |next: Option<char>| !next.is_some_and(char::is_alphanumeric);
        let mut places = name.match_indices(tool).map(|(at, _)| (&name[..at], &name[at + tool.len()..]));
        places.any(|(before, behind)| is_set_off(before.chars().next_back()) && is_set_off(behind.chars().next()))
    };
    if tools.iter().any(|tool| tool == name) {
        return name.to_owned();
    }
    let like = tools.iter().find(|tool| letters(tool) == letters(name));
    let known = like.or_else(|| tools.iter().filter(|tool| is_in_it(tool)).max_by_key(|tool| tool.len()));
    known.map_or_else(|| name.strip_prefix("functions.").unwrap_or(name).to_owned(), Clone::clone)
}
