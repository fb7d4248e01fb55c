//! The text of a call's arguments, as producers send it in pieces.
//!
//! Most producers send fragments that add up to one JSON text. Some send everything so far in each piece, as Baidu Qianfan does
//! (<https://github.com/NousResearch/hermes-agent/pull/35718>), the whole once more at the end, or a placeholder first, as Bedrock
//! (<https://github.com/openai/openai-agents-js/pull/712>) and early proxies of Anthropic's API (<https://github.com/BerriAI/litellm/issues/4537>).
//! [`Pieces`] reads these too, and never changes a text that is JSON as it is.

use crate::Json;
use crate::parse::behind_string;

/// Follows the pieces of one call's arguments, which the caller joins. It keeps a position, no text.
///
/// ```
/// use json_tree::pieces::Pieces;
/// let (mut pieces, mut text) = (Pieces::default(), String::new());
/// for piece in [r#"{"city"#, r#"{"city": "Ro"#, r#"{"city": "Rome"}"#] {
///     pieces.push(&text, piece);
///     text.push_str(piece);
/// }
/// assert_eq!(pieces.settle(&text), r#"{"city": "Rome"}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// The start of the last piece.
    last: usize,
    /// A piece did not begin with the one before it.
    are_fragments: bool,
}

/// Placeholders for arguments that are still to come.
const PLACEHOLDERS: [&str; 4] = ["{}", "null", "\"\"", "[]"];

impl Pieces {
    /// Takes the next piece, `before` being all pieces so far.
    pub fn push(&mut self, before: &str, piece: &str) {
        if self.are_fragments || piece.is_empty() {
            return;
        }
        let last = before.get(self.last..).unwrap_or_default();
        if piece.starts_with(last) || PLACEHOLDERS.contains(&last.trim_ascii()) {
            self.last = before.len();
        } else {
            self.are_fragments = true;
        }
    }

    /// Returns the arguments among the joined pieces: the text itself if it is JSON. They are the last piece if each piece begins with the
    /// one before it, and otherwise the result of [`settle`].
    #[must_use]
    pub fn settle<'t>(&self, text: &'t str) -> &'t str {
        if !self.are_fragments
            && let Some(last) = text.get(self.last..).filter(|_| self.last > 0)
            && !is_json(text)
            && is_json(last)
        {
            return last;
        }
        settle(text)
    }
}

/// Returns the one JSON object in a text that has it more than once, or has placeholders or closing brackets too many beside it. Any other
/// text is returned as it is: two different objects are no arguments.
///
/// The cost is one look at each byte, if the text is one object.
#[must_use]
pub fn settle(text: &str) -> &str {
    match sole_value(text) {
        Some(value) if value.len() < text.trim_ascii().len() && !is_json(text) && is_json(value) => value,
        _ => text,
    }
}

fn is_json(text: &str) -> bool {
    Json::parse(text).is_ok()
}

/// The one value of a text, if there are only placeholders, copies of it and stray closing brackets beside it.
fn sole_value(text: &str) -> Option<&str> {
    let (mut sole, mut rest) = (None, text.trim_ascii());
    while !rest.is_empty() {
        let placeholder = PLACEHOLDERS.iter().find_map(|placeholder| rest.strip_prefix(placeholder));
        rest = if let Some(behind) = placeholder {
            behind
        } else if let Some((value, behind)) = first_object(rest) {
            if sole.is_some_and(|sole| !are_equal(sole, value)) {
                return None;
            }
            sole = Some(value);
            behind
        } else if sole.is_some() {
            rest.strip_prefix(['}', ']'])?
        } else {
            return None;
        };
        rest = rest.trim_ascii_start();
    }
    sole
}

fn are_equal(one: &str, other: &str) -> bool {
    one == other || matches!((Json::parse(one), Json::parse(other)), (Ok(one), Ok(other)) if one == other)
}

/// The object that a text begins with, by its brackets, and the text behind it.
fn first_object(text: &str) -> Option<(&str, &str)> {
    let (bytes, mut at, mut depth) = (text.as_bytes(), 0, 0_usize);
    loop {
        match bytes.get(at)? {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => at = behind_string(bytes, at + 1),
            _ if depth == 0 => return None,
            _ => {}
        }
        at += 1;
        // An object ends with a bracket, which is one byte long.
        if depth == 0 {
            return text.split_at_checked(at);
        }
    }
}
