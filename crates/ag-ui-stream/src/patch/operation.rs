//! RFC 6902 operations, open to members that the RFC does not name.

use json_tree::Json;

/// One operation.
#[derive(Clone, Copy)]
pub(crate) enum Operation<'p> {
    Add { path: &'p str, value: &'p Json<'p> },
    Remove { path: &'p str },
    Replace { path: &'p str, value: &'p Json<'p> },
    Move { path: &'p str, from: &'p str },
    Copy { path: &'p str, from: &'p str },
    Test { path: &'p str, value: &'p Json<'p> },
}

impl<'p> Operation<'p> {
    /// Reads an operation. An error is the name of the wrong member (empty for the whole) and the reason, both empty for an unknown kind.
    pub(crate) fn read(operation: &'p Json<'_>) -> Result<Self, (&'static str, &'static str)> {
        let Json::Object(members) = operation else {
            return Err(("", "expected a JSON Patch operation"));
        };
        let text = |name: &str| members.find(name).and_then(Json::as_str);
        let pointer = |name| text(name).filter(|it| is_pointer(it)).ok_or((name, "expected a JSON pointer"));
        let value = || members.find("value").ok_or(("value", "required"));
        let path = || pointer("path");
        Ok(match text("op").ok_or(("op", "expected a string"))? {
            "add" => Self::Add { path: path()?, value: value()? },
            "remove" => Self::Remove { path: path()? },
            "replace" => Self::Replace { path: path()?, value: value()? },
            "move" => Self::Move { path: path()?, from: pointer("from")? },
            "copy" => Self::Copy { path: path()?, from: pointer("from")? },
            "test" => Self::Test { path: path()?, value: value()? },
            _ => return Err(("", "")),
        })
    }
}

/// True for a string of the form `^(/([^/~]|~[01])*)*$`.
fn is_pointer(pointer: &str) -> bool {
    let starts_well = pointer.is_empty() || pointer.starts_with('/');
    let byte = |at: usize| pointer.as_bytes().get(at);
    starts_well && (0..pointer.len()).all(|at| byte(at) != Some(&b'~') || matches!(byte(at + 1), Some(b'0' | b'1')))
}
