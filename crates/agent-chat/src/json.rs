//! Lenient reading of JSON from outside.

use json_tree::Json;

/// The value of a text; `null` if it is no JSON.
pub(crate) fn parse(text: &str) -> Json<'_> {
    Json::parse(text).unwrap_or(Json::Null)
}

/// The string of this name, if there is one.
pub(crate) fn text<'a>(of: &'a Json<'_>, name: &str) -> Option<&'a str> {
    of.get(name)?.as_str()
}

/// The items of the list of this name; none if there is no list.
pub(crate) fn items<'a, 't>(of: &'a Json<'t>, name: &str) -> &'a [Json<'t>] {
    of.get(name).and_then(Json::as_list).unwrap_or_default()
}
