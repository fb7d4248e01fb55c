//! Word lists in strings, separated by `|`.

use std::iter;

/// The words of a list such as `one|other`. They are short, so scanning byte by byte is faster than a substring search.
pub(crate) fn words(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list;
    iter::from_fn(move || {
        let end = rest.bytes().position(|byte| byte == b'|').unwrap_or(rest.len());
        let (word, behind) = rest.split_at_checked(end)?;
        rest = behind.get(1..).unwrap_or_default();
        (!word.is_empty()).then_some(word)
    })
}

pub(crate) fn place(list: &str, is: &mut dyn FnMut(&str) -> bool) -> Option<usize> {
    words(list).position(is)
}

pub(crate) fn is_among(list: &str, word: &str) -> bool {
    place(list, &mut |known| known == word).is_some()
}
