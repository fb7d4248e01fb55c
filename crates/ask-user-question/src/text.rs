//! Text functions that card, agent and server share.

/// A class of characters. A function pointer, so that each search is compiled only once.
pub type CharClass = fn(char) -> bool;

/// Returns true if the text has no visible character: empty, or only whitespace, invisible format characters and fillers.
///
/// ```
/// use ask_user_question::text::is_blank;
/// assert!(is_blank(" \n\u{200B}"));
/// assert!(!is_blank("–"));
/// ```
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_invisible(c))
}

/// Invisible characters that were seen in asks. Covering all of Unicode would need a table.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{AD}'
                | '\u{34F}'
                | '\u{61C}'
                | '\u{115F}'
                | '\u{1160}'
                | '\u{180E}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{FEFF}'
                | '\u{FFA0}'
        )
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
}

/// Joins parts with a separator. The standard library's `join` adds seven times as much code to a page.
#[must_use]
pub fn joined<S: AsRef<str>>(parts: &[S], between: &str) -> String {
    let mut text = String::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        text.push_str(part.as_ref());
    }
    text
}

/// The text in quotation marks, cut at 60 characters, for a message.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("'{}…'", text.get(..end).unwrap_or_default()),
        None => format!("'{text}'"),
    }
}

/// A name in ASCII lower case, without `-`, `_` and spaces, for comparisons.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_') && !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
}

pub(crate) fn is_among(list: &str, word: &str) -> bool {
    list.split('|').any(|known| known == word)
}

/// A number with its noun, such as "1 option" or "3 options".
pub(crate) fn counted(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{plural}")
}
