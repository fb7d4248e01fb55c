//! Where links may lead.

/// What a link begins with that may be followed. Nothing else is a link: no script, no data, nothing of this page's own.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// Longer ones are text.
pub(super) const LONGEST: usize = 2048;

/// The address within a link's parentheses, where it may be followed.
pub(super) fn followable(destination: &str) -> Option<&str> {
    let address = destination.split([' ', '\t']).next().unwrap_or_default();
    let address = address.strip_prefix('<').and_then(|address| address.strip_suffix('>')).unwrap_or(address);
    let follows = |scheme: &str| {
        let beginning = address.get(..scheme.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(scheme)) && address.len() > scheme.len()
    };
    (SCHEMES.into_iter().any(follows) && !address.contains(char::is_control)).then_some(address)
}

/// Whether an address that stands in a text may begin so.
pub(super) fn may_begin(held: &str) -> bool {
    SCHEMES[..2].iter().any(|scheme| scheme.starts_with(held))
}

/// Whether an address has started within a text.
pub(super) fn has_begun(held: &str) -> bool {
    SCHEMES[..2].contains(&held)
}

/// Whether a character belongs to an address that stands in a text. What lies beyond ASCII is more often the sentence's own.
pub(super) fn belongs(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"' | '`' | '*' | '|' | '\\' | '^' | '{' | '}' | '[' | ']')
}

/// Whether a character belongs to the address only where more of it follows.
pub(super) fn may_end_the_sentence(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '_' | '~')
}
