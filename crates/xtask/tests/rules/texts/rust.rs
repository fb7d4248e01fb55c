//! The texts in a Rust source: comments, strings and the names of tests, each with its line, from 1.

/// The texts of a source for people.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// Comments and documentation; lines that follow one another are one text.
    pub(crate) comments: Vec<(usize, String)>,
    /// Strings, as they are written.
    pub(crate) strings: Vec<(usize, String)>,
    /// The names of functions with an attribute that ends in `test`, with spaces for underscores.
    pub(crate) tests: Vec<(usize, String)>,
}

impl Source {
    /// Reads a source that compiles.
    pub(crate) fn read(source: &str) -> Self {
        let mut texts = Self::default();
        let (mut rest, mut line, mut line_of_comment) = (source, 1, None);
        while let Some(first) = rest.chars().next() {
            let after = if rest.starts_with("//") {
                let (comment, after) = rest.split_at(rest.find('\n').unwrap_or(rest.len()));
                let text = comment.trim_start_matches(['/', '!']);
                let before = &source[..source.len() - rest.len()];
                let fills_line = before.rsplit('\n').next().is_some_and(|code| code.trim().is_empty());
                match texts.comments.last_mut() {
                    Some((_, whole)) if fills_line && line_of_comment == Some(line - 1) => {
                        *whole += &format!("\n{text}");
                    }
                    _ => texts.comments.push((line, text.to_owned())),
                }
                line_of_comment = fills_line.then_some(line);
                after
            } else if let Some((string, after)) = string(rest) {
                texts.strings.push((line, string.to_owned()));
                after
            } else if first == '\'' {
                after_quote(rest)
            } else if first.is_alphanumeric() || first == '_' {
                rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
            } else {
                let after = &rest[first.len_utf8()..];
                if first == '#'
                    && let Some(name) = test_after_attribute(after)
                {
                    texts.tests.push((line + 1, name.replace('_', " ")));
                }
                after
            };
            line += rest[..rest.len() - after.len()].matches('\n').count();
            rest = after;
        }
        texts
    }
}

/// The string that a source begins with, and what follows it.
fn string(source: &str) -> Option<(&str, &str)> {
    let body = source.trim_start_matches(['b', 'c']);
    if source.len() - body.len() > 1 {
        return None;
    }
    if let Some(inside) = body.strip_prefix('"') {
        let mut escaped = false;
        let end = inside.find(|c| {
            let is_end = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            is_end
        })?;
        return Some((&inside[..end], &inside[end + 1..]));
    }
    let inside = body.strip_prefix('r')?;
    let hashes = &inside[..inside.len() - inside.trim_start_matches('#').len()];
    let inside = inside[hashes.len()..].strip_prefix('"')?;
    inside.split_once(&format!("\"{hashes}"))
}

/// The rest after a character, or after the mark of a lifetime or a label.
fn after_quote(source: &str) -> &str {
    let inside = &source[1..];
    match inside.strip_prefix('\\') {
        Some(escape) => escape.get(1..).and_then(|rest| rest.split_once('\'')).map_or("", |(_, after)| after),
        None => {
            let mut after = inside.chars();
            after.next();
            after.as_str().strip_prefix('\'').unwrap_or(inside)
        }
    }
}

/// The name of the test that the rest of an attribute, such as `[tokio::test]`, is before.
fn test_after_attribute(rest: &str) -> Option<&str> {
    let (attribute, function) = rest.strip_prefix('[')?.split_once(']')?;
    let path = attribute.split('(').next()?;
    let function = function.trim_start().trim_start_matches("async ").strip_prefix("fn ")?;
    (path.rsplit("::").next()? == "test" || path == "wasm_bindgen_test").then(|| function.split('(').next())?
}

#[test]
fn comments_strings_and_tests_are_found() {
    let source = r##"//! One.
/// Two,
/// in two lines.
#[tokio::test]
async fn it_works() {
    let b = ("a \" // b", '"', b'\'', 'x', 'label: loop {}); // Three.
    // Four.
    call::<'a>(r#"c "d""#, b"e"); // Five
    // Six.
}
"##;
    let texts = Source::read(source);
    let comments = [(1, " One.\n Two,\n in two lines."), (6, " Three."), (7, " Four."), (8, " Five"), (9, " Six.")];
    assert_eq!(texts.comments, comments.map(|(line, text)| (line, text.to_owned())));
    let strings = [(6, "a \\\" // b"), (8, "c \"d\""), (8, "e")];
    assert_eq!(texts.strings, strings.map(|(line, text)| (line, text.to_owned())));
    assert_eq!(texts.tests, [(5, "it works".to_owned())]);
}
