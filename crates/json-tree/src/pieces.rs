//! Recovers the text of a call's arguments from the pieces that a producer sends.
//!
//! Most producers send fragments that form one JSON text. Some repeat everything so far in each piece, as Baidu Qianfan does
//! (<https://github.com/NousResearch/hermes-agent/pull/35718>), repeat the whole text at the end, or send a placeholder first, as Bedrock
//! (<https://github.com/openai/openai-agents-js/pull/712>) and early proxies of Anthropic's API do
//! (<https://github.com/BerriAI/litellm/issues/4537>). [`Pieces`] handles all of these, and never changes a text that is JSON already.

use crate::Json;
use crate::escape::{letter, units};
use crate::parse::behind_string;

/// Observes the pieces of one call's arguments, which the caller concatenates. It stores only positions, no text.
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
    last: usize,
    /// Some piece did not start with the one before it.
    are_fragments: bool,
}

/// Placeholders for arguments that are still to come.
const PLACEHOLDERS: [&str; 4] = ["{}", "null", "\"\"", "[]"];

impl Pieces {
    /// Records the next piece. `before` is the concatenation of all earlier pieces.
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

    /// Returns the arguments within the concatenated pieces: the text itself if it is JSON, the last piece if every piece starts with the one before
    /// it, and otherwise the result of [`settle`].
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

/// Returns the JSON object in a text that contains it more than once, or next to placeholders or surplus closing brackets. Any other text is
/// returned unchanged; in particular, two different objects are not reduced to one.
///
/// Scans each byte once if the text is one object.
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

/// The only value of a text, ignoring placeholders, copies of the value and stray closing brackets.
fn sole_value(text: &str) -> Option<&str> {
    let (mut sole, mut rest) = (None, text.trim_ascii());
    while !rest.is_empty() {
        let placeholder = PLACEHOLDERS.iter().find_map(|placeholder| rest.strip_prefix(placeholder));
        rest = if let Some(behind) = placeholder {
            behind
        } else if let Some((value, behind)) = first_object(rest) {
            if sole.is_some_and(|sole| !is_same(sole, value)) {
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

/// Returns true if two texts are equal, or are the same JSON in two spellings: programs in between parse arguments and write them anew.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    one == other || matches!((Json::parse(one), Json::parse(other)), (Ok(one), Ok(other)) if one == other)
}

/// Compares a text that still arrives with a known one, regardless of white space and of escapes. Returns the lengths that agree, or `None` if the
/// texts differ. A cut escape at the end of `said` is not part of its length.
///
/// ```
/// use json_tree::pieces::follow;
/// assert_eq!(follow(r#"{"café":1}"#, r#"{ "caf\u00e"#), Some((5, 6)));
/// assert_eq!(follow(r#"{"café":1}"#, r#"{ "caf\u00e9": "#), Some((9, 15)));
/// assert_eq!(follow(r#"{"café":1}"#, r#"{"cafés"#), None);
/// ```
#[must_use]
pub fn follow(known: &str, said: &str) -> Option<(usize, usize)> {
    let (mut known_to, mut said_to) = (0, 0);
    while let Some((character, length)) = first_character(said.get(said_to..)?) {
        let (expected, known_length) = first_character(known.get(known_to..)?)?;
        if character != expected {
            return None;
        }
        known_to += known_length;
        said_to += length;
    }
    let rest = said.get(said_to..)?;
    Some((known_to, said_to + rest.len() - rest.trim_ascii_start().len()))
}

/// The first character that is no white space, and the length up to its end. `None` at the end of the text, or in a cut escape.
fn first_character(text: &str) -> Option<(char, usize)> {
    let rest = text.trim_ascii_start();
    let before = text.len() - rest.len();
    let Some(escape) = rest.strip_prefix('\\') else {
        let character = rest.chars().next()?;
        return Some((character, before + character.len_utf8()));
    };
    let escape = escape.as_bytes();
    let (character, length) = letter(escape.first()).map(|letter| (letter, 1)).or_else(|| units(escape).ok())?;
    Some((character, before + 1 + length))
}

/// Splits a text after its first object, found by matching brackets.
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
        // The closing bracket is one byte long.
        if depth == 0 {
            return text.split_at_checked(at);
        }
    }
}
