use json_tree::{Json, Members};
use std::borrow::Cow;

pub(crate) use json_tree::members::{text, text_or_empty};

/// The items of a member; none if it is no list.
pub(crate) fn list<'t, 'a>(members: &'t Members<'a>, name: &str) -> &'t [Json<'a>] {
    match members.find(name) {
        Some(Json::List(items)) => items,
        _ => &[],
    }
}

/// Appends a text. The last value of a member counts.
pub(crate) fn set(members: &mut Members<'_>, name: &'static str, text: &str) {
    members.push((name.into(), text.into()));
}

pub(crate) fn take<'a>(members: &mut Members<'a>, name: &str) -> Option<(Cow<'a, str>, Json<'a>)> {
    let at = members.position(name)?;
    Some(members.remove(at))
}
