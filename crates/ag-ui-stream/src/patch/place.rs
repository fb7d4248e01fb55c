//! Locations in a document, addressed by JSON pointers.

use json_tree::{Json, natural};
use std::borrow::Cow;
use std::mem;

/// Puts a value at a location. Returns the replaced value, or the value itself as an error if the location does not exist.
pub(super) fn put(
    document: &mut Json<'static>,
    path: &str,
    value: Json<'static>,
) -> Result<Option<Json<'static>>, Json<'static>> {
    let Some((parent, name)) = split(path) else {
        return Ok(Some(mem::replace(document, value)));
    };
    match find_mut(document, parent) {
        Some(Json::Object(members)) => Ok(members.put(&name, value)),
        Some(Json::List(items)) => match index(&name, items.len() + 1, items.len()) {
            Some(index) => {
                items.insert(index, value);
                Ok(None)
            }
            None => Err(value),
        },
        _ => Err(value),
    }
}

pub(super) fn remove(
    document: &mut Json<'static>,
    path: &str,
    find: fn(&str, usize) -> Option<usize>,
) -> Option<Json<'static>> {
    let (parent, name) = split(path)?;
    match find_mut(document, parent)? {
        Json::Object(members) => members.take(&name),
        Json::List(items) => {
            let index = find(&name, items.len())?;
            Some(items.remove(index))
        }
        _ => None,
    }
}

/// Undoes a [`put`] and returns the value that it had put there.
pub(super) fn take_back(
    document: &mut Json<'static>,
    path: &str,
    before: Option<Json<'static>>,
) -> Option<Json<'static>> {
    match before {
        Some(before) => {
            let place = find_mut(document, path)?;
            Some(mem::replace(place, before))
        }
        None => remove(document, path, newest),
    }
}

pub(super) fn restore(document: &mut Json<'static>, path: &str, value: Option<Json<'static>>) {
    let restored = value.map(|value| put(document, path, value));
    debug_assert!(matches!(restored, Some(Ok(_))), "the place of an undone operation is free");
}

fn split(path: &str) -> Option<(&str, Cow<'_, str>)> {
    let (parent, name) = path.rsplit_once('/')?;
    Some((parent, plain(name)))
}

pub(super) fn find<'d>(document: &'d Json<'static>, path: &str) -> Option<&'d Json<'static>> {
    path.split('/').skip(1).try_fold(document, |value, step| match value {
        Json::Object(members) => members.find(&plain(step)),
        Json::List(items) => items.get(present(step, items.len())?),
        _ => None,
    })
}

pub(super) fn find_mut<'d>(document: &'d mut Json<'static>, path: &str) -> Option<&'d mut Json<'static>> {
    path.split('/').skip(1).try_fold(document, |value, step| match value {
        Json::Object(members) => members.find_mut(&plain(step)),
        Json::List(items) => {
            let index = present(step, items.len())?;
            items.get_mut(index)
        }
        _ => None,
    })
}

/// Unescapes the name in a reference token (RFC 6901, section 4).
fn plain(step: &str) -> Cow<'_, str> {
    if step.contains('~') { step.replace("~1", "/").replace("~0", "~").into() } else { step.into() }
}

pub(super) fn present(name: &str, length: usize) -> Option<usize> {
    index(name, length, usize::MAX).filter(|index| *index < length)
}

/// As [`present`], but `-` is the last item, which an addition that is being undone has appended.
fn newest(name: &str, length: usize) -> Option<usize> {
    index(name, length, length.wrapping_sub(1)).filter(|index| *index < length)
}

/// The array index that a reference token names, if it is below `bound`; `-` means `dash`.
fn index(name: &str, bound: usize, dash: usize) -> Option<usize> {
    if name == "-" {
        return Some(dash);
    }
    let is_plain = name == "0" || !name.starts_with('0');
    let index = usize::try_from(natural(name)?).ok()?;
    (is_plain && index < bound).then_some(index)
}

pub(super) fn levels(path: &str) -> usize {
    path.bytes().filter(|byte| *byte == b'/').count()
}
