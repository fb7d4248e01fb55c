//! Places in a document, as JSON pointers name them.

use serde_json::Value;
use std::borrow::Cow;
use std::mem;

/// Puts a value where it is to be and gives what it replaced; gives the value back where there is no such place.
pub(super) fn put(document: &mut Value, path: &str, value: Value) -> Result<Option<Value>, Value> {
    let Some((parent, name)) = split(path) else {
        return Ok(Some(mem::replace(document, value)));
    };
    match document.pointer_mut(parent) {
        Some(Value::Object(members)) => Ok(members.insert(name.into_owned(), value)),
        Some(Value::Array(items)) => match index(&name, items.len() + 1, items.len()) {
            Some(index) => {
                items.insert(index, value);
                Ok(None)
            }
            None => Err(value),
        },
        _ => Err(value),
    }
}

/// Removes a value; the root can't be.
pub(super) fn remove(document: &mut Value, path: &str, find: fn(&str, usize) -> Option<usize>) -> Option<Value> {
    let (parent, name) = split(path)?;
    match document.pointer_mut(parent)? {
        Value::Object(members) => members.remove(&*name),
        Value::Array(items) => {
            let index = find(&name, items.len())?;
            Some(items.remove(index))
        }
        _ => None,
    }
}

/// Takes back what [`put`] put, and gives it.
pub(super) fn take_back(document: &mut Value, path: &str, before: Option<Value>) -> Option<Value> {
    match before {
        Some(before) => {
            let place = document.pointer_mut(path)?;
            Some(mem::replace(place, before))
        }
        None => remove(document, path, newest),
    }
}

/// Puts back what [`remove`] took.
pub(super) fn restore(document: &mut Value, path: &str, value: Option<Value>) {
    let restored = value.map(|value| put(document, path, value));
    debug_assert!(matches!(restored, Some(Ok(_))), "what was undone before left its place");
}

/// A path's parent and its last step.
fn split(path: &str) -> Option<(&str, Cow<'_, str>)> {
    let (parent, name) = path.rsplit_once('/')?;
    let name = if name.contains('~') { name.replace("~1", "/").replace("~0", "~").into() } else { name.into() };
    Some((parent, name))
}

/// The index of an item that is there, for [`remove`].
pub(super) fn present(name: &str, length: usize) -> Option<usize> {
    index(name, length, usize::MAX).filter(|index| *index < length)
}

/// As [`present`], where `-` is what was appended last.
fn newest(name: &str, length: usize) -> Option<usize> {
    index(name, length, length.wrapping_sub(1)).filter(|index| *index < length)
}

/// The index, below a bound, that a step names; and what `-` stands for.
fn index(name: &str, bound: usize, dash: usize) -> Option<usize> {
    if name == "-" {
        return Some(dash);
    }
    let is_plain = name == "0" || !name.starts_with(['0', '+']);
    let index = name.parse().ok().filter(|index| *index < bound);
    index.filter(|_| is_plain)
}

/// How deep a place is.
pub(super) fn levels(path: &str) -> usize {
    path.bytes().filter(|byte| *byte == b'/').count()
}
