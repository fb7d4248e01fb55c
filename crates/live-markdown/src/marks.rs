//! The marks of a label or a question, read at once: code, strong and emphasized words, bullets, and links as their words with the host.
//!
//! Models write them into nearly every text. They become a few elements around text, never markup of the model's, and any other mark stays
//! as it was written.

/// The pieces of a text, each with its element; none for plain text. No two plain pieces are neighbours.
#[must_use]
pub fn pieces(text: &str) -> Vec<(&'static str, String)> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let (mut rest, mut before) = (text, '\n');
    while let Some(next) = rest.chars().next() {
        let found = mark(before, rest);
        let length = found.as_ref().map_or(next.len_utf8(), |(_, _, length)| *length);
        match found {
            Some(("", words, _)) => plain += &words,
            Some((element, words, _)) => {
                if !plain.is_empty() {
                    pieces.push(("", std::mem::take(&mut plain)));
                }
                pieces.push((element, words));
            }
            None => plain.push(next),
        }
        before = if length > next.len_utf8() { 'a' } else { next };
        rest = rest.get(length..).unwrap_or_default();
    }
    if !plain.is_empty() {
        pieces.push(("", plain));
    }
    pieces
}

/// Returns true if a text may have marks.
#[must_use]
pub fn may_have(text: &str) -> bool {
    text.contains(['`', '*', '[']) || text.split('\n').any(|line| line.starts_with("- "))
}

/// A text without its marks, as it is spoken.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (_, words) in pieces(text) {
        plain += &words;
    }
    plain
}

/// The marked words at the start of a text: their element, the words without marks of their own, and the length with all marks.
fn mark(before: char, text: &str) -> Option<(&'static str, String, usize)> {
    match text.as_bytes().first()? {
        b'-' | b'*' if before == '\n' && text.get(1..)?.starts_with(' ') => Some(("", "\u{2022}".to_owned(), 1)),
        b'`' => code(text),
        b'*' if text.starts_with("**") => {
            let mark = if text.starts_with("***") { "***" } else { "**" };
            between(text, mark).map(|words| ("strong", plain(words), words.len() + mark.len() * 2))
        }
        b'*' if !is_of_word(before) => {
            let words = between(text, "*")?;
            let ends = !text.get(words.len() + 2..)?.starts_with(is_of_word);
            ends.then(|| ("em", plain(words), words.len() + 2))
        }
        b'[' => link(text),
        _ => None,
    }
}

/// Returns true for letters and digits, approximately: Unicode's table of them is larger than this file.
fn is_of_word(c: char) -> bool {
    let is_sign =
        matches!(c, '\u{80}'..='\u{BF}' | '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FF0F}');
    c.is_ascii_alphanumeric() || !c.is_ascii() && !is_sign
}

/// Code between two runs of as many backticks, or the run itself. The first line of a block is the name of its language.
fn code(text: &str) -> Option<(&'static str, String, usize)> {
    let run = text.bytes().take_while(|byte| *byte == b'`').count();
    let (ticks, rest) = text.split_at_checked(run)?;
    // The standard library's search for a text takes 3 KB of a program.
    let closes = |end: &usize| rest.get(*end..).is_some_and(|rest| rest.starts_with(ticks));
    let Some(mut words) = (0..rest.len()).find(closes).and_then(|end| rest.get(..end)) else {
        return Some(("", ticks.to_owned(), run));
    };
    let length = run * 2 + words.len();
    if run > 2 {
        words = words.split_once('\n').map_or(words, |(_, lines)| lines);
    }
    let words = words.trim();
    if words.is_empty() { Some(("", ticks.to_owned(), run)) } else { Some(("code", words.to_owned(), length)) }
}

/// The words between two marks in one line, which touch both. The search ends at the next star, so that a text of unclosed marks is read
/// only once.
fn between<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let rest = text.get(mark.len()..)?;
    let (words, end) = rest.split_at_checked(rest.find(['*', '\n'])?)?;
    (end.starts_with(mark) && !words.is_empty() && words.trim() == words).then_some(words)
}

/// A link: its words, and the host of its address. No link of a question is followed. The search ends at the next bracket.
fn link(text: &str) -> Option<(&'static str, String, usize)> {
    let inside = text.get(1..)?;
    let (words, rest) = inside.split_at_checked(inside.find(['[', ']', '\n'])?)?;
    let rest = rest.strip_prefix("](")?;
    let (address, end) = rest.split_at_checked(rest.find([')', '[', '\n'])?)?;
    let host =
        address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?.split(['/', '?', '#']).next()?;
    let is_it = end.starts_with(')') && !words.is_empty();
    is_it.then(|| ("", plain(words) + " (" + host + ")", words.len() + address.len() + 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let pieces = pieces(text);
        let pieces: Vec<_> = pieces.iter().map(|(element, words)| (*element, words.as_str())).collect();
        assert_eq!(pieces, expected, "{text:?}");
    }

    #[test]
    fn marks_become_elements() {
        check("Run `npm ci` now", &[("", "Run "), ("code", "npm ci"), ("", " now")]);
        check("**Delete** it, *really*?", &[("strong", "Delete"), ("", " it, "), ("em", "really"), ("", "?")]);
        check("***Now***: **use `npm ci`**", &[("strong", "Now"), ("", ": "), ("strong", "use npm ci")]);
        check("**see [`a`](https://b.c)**", &[("strong", "see a (b.c)")]);
        check("``a`b``", &[("code", "a`b")]);
        check("So:\n```sh\nls -l\n```", &[("", "So:\n"), ("code", "ls -l")]);
        check("- one\n* two", &[("", "\u{2022} one\n\u{2022} two")]);
        check("See [the docs](https://example.com/a?b)", &[("", "See the docs (example.com)")]);
        check("[x] [a](https://b.c)", &[("", "[x] a (b.c)")]);
    }

    #[test]
    fn other_signs_stay_as_they_were_written() {
        for text in [
            "",
            "2 * 3 * 4",
            "2*3*4",
            "a ** b ** c",
            "**open",
            "`open",
            "``",
            "****",
            "snake_case_name",
            "a - b",
            "[x]",
            "[click](javascript:alert(1))",
            "[](https://example.com)",
            "<b>x</b>",
            "*a\nb*",
        ] {
            let whole = [("", text)];
            check(text, if text.is_empty() { &[] } else { &whole });
        }
    }

    #[test]
    fn a_text_is_spoken_without_marks() {
        assert_eq!(plain("Run `a*b` in **é**?"), "Run a*b in é?");
        assert!(may_have("x\n- y") && !may_have("a - b"));
    }

    #[test]
    fn a_long_text_of_open_marks_is_passed_once() {
        for open in ["[", "*", "**a ", "[a](https://", "[a](https://b ", "- ", "a* ", "`", "``a"] {
            let text = open.repeat(400_000);
            assert!(plain(&text).len() <= text.len() * 2, "{open}");
        }
    }

    #[test]
    fn any_prefix_of_any_text_can_be_shown() {
        let text = "**ä** `b` *c* [d](https://e/f) ```g\nh``` - ** ` [";
        for (end, _) in text.char_indices() {
            assert!(plain(&text[..end]).len() <= end + 2);
        }
    }
}
