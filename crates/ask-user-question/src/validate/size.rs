use json_tree::Json;

/// Returns true if a value takes more bytes than allowed. It stops at the limit.
pub(crate) fn exceeds(value: &Json<'_>, limit: usize) -> bool {
    rest(value, limit).is_none()
}

/// The bytes that are left of the allowed ones after a value; `None` if it takes more.
fn rest(value: &Json<'_>, allowed: usize) -> Option<usize> {
    // One byte stands for a comma, a bracket or a number.
    let allowed = allowed.checked_sub(1)?;
    match value {
        Json::Text(text) => allowed.checked_sub(text.len()),
        Json::List(items) => items.iter().try_fold(allowed, |allowed, item| rest(item, allowed)),
        Json::Object(members) => {
            members.iter().try_fold(allowed, |allowed, (key, member)| rest(member, allowed.checked_sub(key.len())?))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => Some(allowed),
    }
}
