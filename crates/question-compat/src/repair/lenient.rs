//! Parses JSON in strings, and text that is almost JSON as small models write it.

use ask_user_question::text::CharClass;
use json_tree::pieces::settle;
use json_tree::{Json, NotUnique};

/// Parses a text that is not valid JSON but has a single interpretation as JSON. It may have a byte order mark, a code fence with words around it,
/// surrounding tags, surplus commas, or repetitions that [`settle`] removes. It may use Python's `True`, `False`, `None` and single quotes.
///
/// Strings may contain raw control characters, `\'` and `\$`, and literal backslashes as in `\d` or `C:\users`. Surrogate halves become U+FFFD.
///
/// Returns `None` for anything else. An unescaped quotation mark within a string may be its end, and a truncated text may continue in any way. In a
/// text with literal backslashes, `\n` before a lower-case letter may be a line break or part of a path.
fn read(text: &str) -> Option<Json<'static>> {
    let strict = strict(settle(unwrapped(text.trim_start_matches('\u{FEFF}').trim())));
    json_tree::parse_unique(&strict).ok().map(Json::into_static)
}

/// The text within a code fence, even an unclosed one, or within tags, if there are any.
fn unwrapped(text: &str) -> &str {
    const IS_NAME: CharClass = |c| c.is_ascii_alphanumeric();
    let behind = match text.as_bytes().first() {
        Some(b'{' | b'[' | b'"' | b'\'') => None,
        Some(b'<') => text.split_once(">").map(|(_, inner)| inner),
        _ => text.split_once("```").map(|(_, inner)| inner.trim_start_matches(IS_NAME)),
    };
    let inner = behind.unwrap_or(text).trim();
    let end = inner.bytes().rposition(|byte| matches!(byte, b'}' | b']')).map_or(0, |at| at + 1);
    let (value, rest) = inner.split_at_checked(end).unwrap_or_default();
    if matches!(rest.trim_start().bytes().next(), Some(b'<' | b'`')) { value } else { inner }
}

/// The text with each of these faults corrected. A text with other faults stays invalid.
fn strict(text: &str) -> String {
    const LITERALS: [(&str, &str); 3] = [("True", "true"), ("False", "false"), ("None", "null")];
    let closes = |rest: &str| rest.trim_start().starts_with([']', '}']);
    let mut strict = String::with_capacity(text.len());
    let mut rest = text;
    let has_own = has_own_backslash(text);
    while let Some(c) = rest.chars().next() {
        let behind = rest.get(c.len_utf8()..).unwrap_or_default();
        let literal = || LITERALS.iter().find_map(|(python, json)| Some((json, rest.strip_prefix(python)?)));
        match c {
            '"' | '\'' => rest = string(behind, c, has_own, &mut strict),
            'T' | 'F' | 'N' if let Some((json, behind)) = literal() => {
                strict.push_str(json);
                rest = behind;
            }
            _ => {
                if c != ',' || !closes(behind) {
                    strict.push(c);
                }
                rest = behind;
            }
        }
    }
    strict
}

/// Writes a string up to its closing quotation mark, and returns the rest of the text.
fn string<'t>(text: &'t str, quote: char, has_own: bool, strict: &mut String) -> &'t str {
    strict.push('"');
    let mut escaped_to = 0;
    for (at, c) in text.char_indices() {
        if at < escaped_to {
            continue;
        }
        match c {
            '\\' => escaped_to = at + escape(text.get(at..).unwrap_or_default(), has_own, strict),
            _ if c == quote => {
                strict.push('"');
                return text.get(at + 1..).unwrap_or_default();
            }
            '"' => strict.push_str("\\\""),
            '\0'..' ' => {
                strict.push_str(if c < '\u{10}' { "\\u000" } else { "\\u001" });
                strict.push(char::from_digit(u32::from(c) % 16, 16).unwrap_or_default());
            }
            _ => strict.push(c),
        }
    }
    ""
}

/// Writes the escape at the start of a text, and returns its length.
fn escape(text: &str, has_own: bool, strict: &mut String) -> usize {
    let mut next = text.chars().skip(1);
    let (Some(c), after) = (next.next(), next.next()) else {
        return 1;
    };
    let length = 1 + c.len_utf8();
    let written = text.get(..length).unwrap_or_default();
    match (c, unit(text)) {
        ('\'' | '$', _) => strict.push(c),
        // The line feed that follows is written instead.
        ('\r', _) if after == Some('\n') => {}
        ('\n' | '\r', _) => strict.push_str("\\n"),
        // A JSON escape, but in a text with literal backslashes it may be a literal one before a letter.
        ('b' | 'f', _) if has_own => *strict += &(String::from("\\") + written),
        ('n' | 'r' | 't', _) if has_own && after.is_some_and(|after| after.is_ascii_lowercase()) => *strict += "\\ ",
        ('u', Some(first)) => {
            const UNIT: usize = 6;
            let second = text.get(UNIT..).filter(|rest| rest.starts_with('\\')).and_then(unit);
            let is_whole = |units: &[u16]| char::decode_utf16(units.iter().copied()).all(|it| it.is_ok());
            let length = match second {
                _ if is_whole(&[first]) => UNIT,
                Some(second) if is_whole(&[first, second]) => 2 * UNIT,
                _ => {
                    strict.push(char::REPLACEMENT_CHARACTER);
                    return UNIT;
                }
            };
            strict.push_str(text.get(..length).unwrap_or_default());
            return length;
        }
        ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't', _) => strict.push_str(written),
        _ => *strict += &(String::from("\\") + written),
    }
    length
}

/// The UTF-16 unit of an escape such as `\u00e9`.
fn unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

/// Returns true if a text has a backslash that starts no JSON escape.
fn has_own_backslash(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let escape = rest.get(at..).unwrap_or_default();
        match escape.chars().nth(1) {
            Some('u') if unit(escape).is_none() => return true,
            Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u' | '\'' | '$' | '\n' | '\r') => {}
            Some(_) => return true,
            None => return false,
        }
        rest = escape.get(2..).unwrap_or_default();
    }
    false
}

pub(super) fn may_be_json(text: &str) -> bool {
    matches!(text.bytes().next(), Some(b'{' | b'[' | b'"')) || text.starts_with(['`', '\u{FEFF}'])
}

/// Parses a text as JSON, or if that fails, as almost JSON [with a single interpretation](read). Also returns whether the text was valid JSON.
pub(crate) fn parsed(text: &str) -> Result<(Json<'_>, bool), NotUnique> {
    json_tree::parse_unique(text).map(|json| (json, true)).or_else(|error| match error {
        NotUnique::NotJson(_) => read(text).map(|json| (json, false)).ok_or(error),
        NotUnique::RepeatedKey(_) => Err(error),
    })
}

/// The object or list in a JSON string, which may be packed several times. [Repair](super::repair()) replaces such a string by it where an object or
/// list is expected.
pub(super) fn unpacked(text: &str) -> Option<(Json<'static>, bool)> {
    const MOST_LAYERS: usize = 3;
    let mut layer = text.trim().to_owned();
    let mut all_strict = true;
    for _ in 0..MOST_LAYERS {
        if !may_be_json(&layer) {
            return None;
        }
        let (value, is_strict) = parsed(&layer).ok()?;
        all_strict &= is_strict;
        let inner = match value {
            Json::Text(inner) => inner.trim().to_owned(),
            Json::List(_) | Json::Object(_) => return Some((value.into_static(), all_strict)),
            _ => return None,
        };
        layer = inner;
    }
    None
}
