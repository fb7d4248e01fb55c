//! The members of an object by their names.

use crate::{Json, Members};

/// The last member of a name, where that is a string.
#[must_use]
pub fn text<'m>(members: &'m Members<'_>, name: &str) -> Option<&'m str> {
    match members.find(name) {
        Some(Json::Text(text)) => Some(text),
        _ => None,
    }
}

/// The same, empty where there is no such string.
#[must_use]
pub fn text_or_empty<'m>(members: &'m Members<'_>, name: &str) -> &'m str {
    text(members, name).unwrap_or_default()
}

/// Brings the last member of a name from behind the first few to their end. Those before it keep their order, so that the last of each name
/// stays its last.
pub fn bring<'m, 'a>(members: &'m mut Members<'a>, name: &str, first: usize) -> Option<&'m mut Json<'a>> {
    let at = members.position(name).filter(|at| *at >= first)?;
    for place in (first..at).rev() {
        members.swap(place, place + 1);
    }
    members.get_mut(first).map(|(_, member)| member)
}
