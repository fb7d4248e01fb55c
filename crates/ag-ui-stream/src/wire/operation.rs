//! RFC 6902 operations, open to members that the RFC does not name.

use crate::error::OperationFault;
use json_tree::Json;

/// Checks one operation; says which member is wrong, or none for the whole, and why.
pub(super) fn check(operation: &Json<'_>) -> Result<(), (&'static str, OperationFault)> {
    let Json::Object(members) = operation else {
        return Err(("", OperationFault::NoOperation));
    };
    let member = |name: &str| members.find(name);
    let Some(Json::Text(op)) = member("op") else {
        return Err(("op", OperationFault::NoText));
    };
    let (needs_value, needs_from) = match &**op {
        "add" | "replace" | "test" => (true, false),
        "move" | "copy" => (false, true),
        "remove" => (false, false),
        _ => return Err(("", OperationFault::Unknown)),
    };
    if !member("path").is_some_and(is_pointer) {
        return Err(("path", OperationFault::NoPointer));
    }
    if needs_value && member("value").is_none() {
        return Err(("value", OperationFault::Missing));
    }
    if needs_from && !member("from").is_some_and(is_pointer) {
        return Err(("from", OperationFault::NoPointer));
    }
    Ok(())
}

/// Whether it is a string of the form `^(/([^/~]|~[01])*)*$`.
fn is_pointer(tree: &Json<'_>) -> bool {
    let Json::Text(pointer) = tree else {
        return false;
    };
    let starts_well = pointer.is_empty() || pointer.starts_with('/');
    starts_well && pointer.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}
