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
    put_json(members, name, text.into());
}

/// Adds a text that is borrowed.
pub(crate) fn put<'a>(members: &mut Members<'a>, name: &'static str, text: &'a str) {
    put_json(members, name, Json::Text(text.into()));
}

/// Adds a text that is borrowed, if there is one.
pub(crate) fn put_some<'a>(members: &mut Members<'a>, name: &'static str, text: Option<&'a String>) {
    if let Some(text) = text {
        put(members, name, text);
    }
}

/// Adds any value.
pub(crate) fn put_json<'a>(members: &mut Members<'a>, name: &'static str, json: Json<'a>) {
    members.push((name.into(), json));
}

/// Takes a member out.
pub(crate) fn take<'a>(members: &mut Members<'a>, name: &str) -> Option<(Cow<'a, str>, Json<'a>)> {
    let at = members.position(name)?;
    Some(members.remove(at))
}
