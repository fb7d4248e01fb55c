use json_tree::{Json, Members};
use std::borrow::Cow;

/// The last value of a member, which is the one that counts.
pub(crate) fn last<'t, 'a>(members: &'t Members<'a>, name: &str) -> Option<&'t Json<'a>> {
    let found = members.iter().rfind(|(key, _)| key == name);
    found.map(|(_, member)| member)
}

/// The last value of a member, where that is a string.
pub(crate) fn text<'t>(members: &'t Members<'_>, name: &str) -> Option<&'t str> {
    match last(members, name) {
        Some(Json::Text(text)) => Some(text),
        _ => None,
    }
}

/// The members of an object.
pub(crate) fn members_of<'t, 'a>(json: &'t Json<'a>) -> Option<&'t Members<'a>> {
    match json {
        Json::Object(members) => Some(members),
        _ => None,
    }
}

/// The items of a member, none where that is no list.
pub(crate) fn list<'t, 'a>(members: &'t Members<'a>, name: &str) -> &'t [Json<'a>] {
    match last(members, name) {
        Some(Json::List(items)) => items,
        _ => &[],
    }
}

/// Gives a member its last value, which is the one that counts.
pub(crate) fn set(members: &mut Members<'_>, name: &'static str, text: impl Into<String>) {
    members.push((name.into(), Json::Text(text.into().into())));
}

/// Takes a member out.
pub(crate) fn take<'a>(members: &mut Members<'a>, name: &str) -> Option<(Cow<'a, str>, Json<'a>)> {
    let at = members.iter().rposition(|(key, _)| key == name)?;
    Some(members.remove(at))
}
