//! RFC 6902 operations, open to members that the RFC does not name.

use json_tree::Json;

/// Checks one operation. An error is the name of the wrong member (empty for the whole) and the reason, both empty for an unknown kind.
pub(super) fn check(operation: &Json<'_>) -> Result<(), (&'static str, &'static str)> {
    let Json::Object(members) = operation else {
        return Err(("", "expected a JSON Patch operation"));
    };
    let member = |name: &str| members.find(name);
    let Some(Json::Text(op)) = member("op") else {
        return Err(("op", "expected a string"));
    };
    let (needs_value, needs_from) = match &**op {
        "add" | "replace" | "test" => (true, false),
        "move" | "copy" => (false, true),
        "remove" => (false, false),
        _ => return Err(("", "")),
    };
    if !member("path").is_some_and(is_pointer) {
        return Err(("path", "expected a JSON pointer"));
    }
    if needs_value && member("value").is_none() {
        return Err(("value", "required"));
    }
    if needs_from && !member("from").is_some_and(is_pointer) {
        return Err(("from", "expected a JSON pointer"));
    }
    Ok(())
}

/// True for a string of the form `^(/([^/~]|~[01])*)*$`.
fn is_pointer(tree: &Json<'_>) -> bool {
    let Json::Text(pointer) = tree else {
        return false;
    };
    let starts_well = pointer.is_empty() || pointer.starts_with('/');
    let byte = |at: usize| pointer.as_bytes().get(at);
    starts_well && (0..pointer.len()).all(|at| byte(at) != Some(&b'~') || matches!(byte(at + 1), Some(b'0' | b'1')))
}
