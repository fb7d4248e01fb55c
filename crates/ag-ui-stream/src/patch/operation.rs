//! RFC 6902 operations, open to members that the RFC does not name.

use json_tree::Json;

/// One operation. Members that its kind does not use are empty.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'p> {
    pub(crate) kind: OperationKind,
    pub(crate) path: &'p str,
    pub(crate) from: &'p str,
    pub(crate) value: &'p Json<'p>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperationKind {
    Add,
    Remove,
    Replace,
    Move,
    Copy,
    Test,
}

static NULL: Json<'static> = Json::Null;

impl<'p> Operation<'p> {
    /// Reads an operation. The error is the name of the wrong member (empty for the whole operation) and the reason; both are empty for an unknown
    /// kind.
    pub(crate) fn read(operation: &'p Json<'_>) -> Result<Self, (&'static str, &'static str)> {
        use OperationKind::{Add, Copy, Move, Remove, Replace, Test};
        let Json::Object(members) = operation else {
            return Err(("", "expected a JSON Patch operation"));
        };
        let kind = match members.string("op").ok_or(("op", "expected a string"))? {
            "add" => Add,
            "remove" => Remove,
            "replace" => Replace,
            "move" => Move,
            "copy" => Copy,
            "test" => Test,
            _ => return Err(("", "")),
        };
        let mut read = Self { kind, path: "", from: "", value: &NULL };
        for (name, place, is_needed) in
            [("path", &mut read.path, true), ("from", &mut read.from, matches!(kind, Move | Copy))]
        {
            if is_needed {
                *place = members.string(name).filter(|it| is_pointer(it)).ok_or((name, "expected a JSON pointer"))?;
            }
        }
        if matches!(kind, Add | Replace | Test) {
            read.value = members.find("value").ok_or(("value", "required"))?;
        }
        Ok(read)
    }
}

/// Returns true for a JSON pointer (RFC 6901, section 3): `^(/([^/~]|~[01])*)*$`.
fn is_pointer(pointer: &str) -> bool {
    let starts_well = pointer.is_empty() || pointer.starts_with('/');
    let byte = |at: usize| pointer.as_bytes().get(at);
    starts_well && (0..pointer.len()).all(|at| byte(at) != Some(&b'~') || matches!(byte(at + 1), Some(b'0' | b'1')))
}
