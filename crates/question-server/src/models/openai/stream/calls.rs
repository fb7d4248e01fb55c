//! Which call a piece of a call belongs to: endpoints tell by an index, an id, both, or neither.

use crate::models::Delta;
use serde_json::Value;

/// The calls of an answer, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Call>);

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: Option<String>,
    is_named: bool,
    arguments: String,
}

/// What one piece says.
#[derive(Debug)]
struct Piece {
    index: Option<u64>,
    id: Option<String>,
    name: Option<String>,
    arguments: String,
}

impl Calls {
    /// Takes a piece, and gives what it brings.
    pub(super) fn take(&mut self, piece: &Value, deltas: &mut Vec<Delta>) {
        let piece = Piece::of(piece);
        let call = self.find(&piece).unwrap_or_else(|| {
            self.0.push(Call { index: piece.index, ..Call::default() });
            self.0.len() - 1
        });
        let known = &mut self.0[call];
        known.id = known.id.take().or(piece.id);
        if let Some(name) = piece.name.filter(|_| !known.is_named) {
            known.is_named = true;
            deltas.push(Delta::CallStart { call, name });
        }
        if !piece.arguments.is_empty() {
            known.arguments.push_str(&piece.arguments);
            let delta = piece.arguments;
            deltas.push(Delta::CallArgs { call, delta });
        }
    }

    /// The call that a piece goes on with; `None` where it begins one.
    fn find(&self, piece: &Piece) -> Option<usize> {
        let is_there = |call: &Call| piece.index.is_none() || call.index == piece.index;
        let is_it = |call: &Call| is_there(call) && call.id.is_some() && call.id == piece.id;
        let found = self.0.iter().rposition(is_it);
        let found = found.or_else(|| self.0.iter().rposition(is_there))?;
        (!piece.begins_another_than(&self.0[found])).then_some(found)
    }
}

impl Piece {
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
        Self {
            index: piece["index"].as_u64(),
            id: text(&piece["id"]),
            name: text(&function["name"]).map(without_namespace),
            arguments,
        }
    }

    /// Whether this begins a call, though it comes where another is. Some endpoints give all calls of an answer one index, and some repeat the name
    /// with each piece.
    fn begins_another_than(&self, call: &Call) -> bool {
        if self.name.is_none() || !call.is_named {
            return false;
        }
        let has_other_id = match (&call.id, &self.id) {
            (Some(known), Some(id)) => known != id,
            (None, Some(_)) => self.index.is_none(),
            (_, None) => false,
        };
        // What is whole cannot go on.
        has_other_id || (self.arguments.trim_start().starts_with('{') && call.is_whole())
    }
}

impl Call {
    fn is_whole(&self) -> bool {
        self.arguments.trim_end().ends_with('}') && json_tree::parse(&self.arguments).is_ok()
    }
}

/// Some models put the namespace before the name by which they were shown their tools. No tool has a dot in its name, and endpoints refuse a history
/// in which one has.
fn without_namespace(name: String) -> String {
    match name.strip_prefix("functions.") {
        Some(name) => name.to_owned(),
        None => name,
    }
}
