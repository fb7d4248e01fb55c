//! The members of an object by their names.

use crate::{Json, Members};

/// Where the last member of a name is, which is the one that counts.
#[must_use]
pub fn position(members: &Members<'_>, name: &str) -> Option<usize> {
    // Names are short: a call for each comparison would take longer than comparing.
    members.iter().rposition(|(key, _)| key.len() == name.len() && key.bytes().eq(name.bytes()))
}

/// The last member of a name.
#[must_use]
pub fn last<'m, 'a>(members: &'m Members<'a>, name: &str) -> Option<&'m Json<'a>> {
    position(members, name).map(|at| &members[at].1)
}

/// The last member of a name, where that is a string.
#[must_use]
pub fn text<'m>(members: &'m Members<'_>, name: &str) -> Option<&'m str> {
    match last(members, name) {
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
    let at = position(members, name).filter(|at| *at >= first)?;
    for place in (first..at).rev() {
        members.swap(place, place + 1);
    }
    members.get_mut(first).map(|(_, member)| member)
}
