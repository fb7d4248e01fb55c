//! Helpers of the repair that inspect values.

use ask_user_question::text::is_blank;
use json_tree::Json;

pub(super) fn says_nothing(value: &Json<'_>) -> bool {
    matches!(value, Json::Null) || value.as_str().is_some_and(is_blank)
}

pub(super) fn is_markup(text: &str) -> bool {
    text.trim_start().starts_with('<') && text.contains("</")
}

/// The last member with this name, which is the one that counts.
pub(super) fn member_mut<'m, 'a>(object: &'m mut Json<'a>, key: &str) -> Option<&'m mut Json<'a>> {
    match object {
        Json::Object(members) => members.find_mut(key),
        _ => None,
    }
}
