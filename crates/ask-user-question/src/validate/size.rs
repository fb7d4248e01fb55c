//! The bounds of asks, replies and reports.

use json_tree::Json;

/// The most bytes an ask may have: 1 MiB, counted over its texts and keys with a little for each value. A larger one is not
/// even shown, since laying it out would freeze the page.
pub const MAX_ASK_BYTES: usize = 1 << 20;

/// The most bytes of the text of arguments. Escapes make it longer than what it says, six bytes for one at most.
pub const MAX_ARGUMENTS_BYTES: usize = 6 * MAX_ASK_BYTES;

/// The most bytes that one reply's typed texts may have together, and the most that a reply on the wire may have beyond its ask: 1 MiB.
pub const MAX_REPLY_BYTES: usize = 1 << 20;

/// The most violations, and the most repairs, that one verdict lists.
pub const MAX_REPORTED: usize = 256;

/// Returns true if a value takes more bytes than allowed. It stops at the limit.
#[must_use]
pub fn exceeds(value: &Json<'_>, limit: usize) -> bool {
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
