//! Notions of text that card, agent and server must share.

/// A class of characters. All are of one type, so that a program has each search for them once.
pub type CharClass = fn(char) -> bool;

/// Returns true if no character is visible: only white space, invisible format characters and fillers, or an empty text.
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

/// Characters without a glyph: those that were seen in asks. All of Unicode's would need a table.
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

/// The parts with a text between them. `join` of the standard library is seven times the code in a page.
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

/// The text in quotation marks for a message, cut at 60 characters.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("'{}…'", text.get(..end).unwrap_or_default()),
        None => format!("'{text}'"),
    }
}

/// A name without the case of ASCII letters, `-`, `_` and spaces.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_') && !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
}

pub(crate) fn is_among(list: &str, word: &str) -> bool {
    list.split('|').any(|known| known == word)
}

/// `n` of something, such as "1 option" or "3 options".
pub(crate) fn counted(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{plural}")
}
