//! Addresses of links.

/// The schemes that may be followed. No other address becomes a link: no script, no data, no part of this page.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// The longest address, in bytes; a longer one is text.
pub(crate) const LONGEST: usize = 2048;

/// The address in a link's parentheses, if it may be followed.
pub(crate) fn followable(destination: &str) -> Option<&str> {
    let address = destination.split([' ', '\t']).next().unwrap_or_default();
    let address = address.strip_prefix('<').and_then(|address| address.strip_suffix('>')).unwrap_or(address);
    let follows = |scheme: &str| {
        let beginning = address.get(..scheme.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(scheme)) && address.len() > scheme.len()
    };
    (SCHEMES.into_iter().any(follows) && !address.contains(char::is_control)).then_some(address)
}

/// Returns true if `held` may be the beginning of an address within a text.
pub(crate) fn may_begin(held: &str) -> bool {
    SCHEMES[..2].iter().any(|scheme| scheme.starts_with(held))
}

/// Returns true if `held` is the beginning of an address within a text.
pub(crate) fn has_begun(held: &str) -> bool {
    SCHEMES[..2].contains(&held)
}

/// Returns true if a character belongs to an address within a text. Characters beyond ASCII are more often the sentence's own.
pub(crate) fn belongs(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"' | '`' | '*' | '|' | '\\' | '^' | '{' | '}' | '[' | ']')
}

/// Returns true if a character belongs to the address only if more of it follows.
pub(crate) fn may_end_the_sentence(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '_' | '~')
}
