//! Size limits of asks, replies and reports.

use json_tree::Json;

/// The maximum size of an ask: 1 MiB of texts and keys, with some overhead per value. A larger ask is not even shown, since laying it out would
/// freeze the page.
pub const MAX_ASK_BYTES: usize = 1 << 20;

/// The maximum size of the text of arguments in bytes. An escape takes at most six bytes for one byte of text.
pub const MAX_ARGUMENTS_BYTES: usize = 6 * MAX_ASK_BYTES;

/// The maximum size of all typed texts in one reply, and of what a reply on the wire may have beyond its ask: 1 MiB.
pub const MAX_REPLY_BYTES: usize = 1 << 20;

/// The maximum number of violations, and of repairs, in one verdict.
pub const MAX_REPORTED: usize = 256;

/// Returns true if a value is larger than `limit` bytes. Stops counting at the limit.
#[must_use]
pub fn exceeds(value: &Json<'_>, limit: usize) -> bool {
    rest(value, limit).is_none()
}

/// The bytes of `allowed` that remain after a value; `None` if the value takes more.
fn rest(value: &Json<'_>, allowed: usize) -> Option<usize> {
    // One byte for a comma, bracket or number.
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
