//! The style sheet and the lists say the same.

mod contrast;

use question_card::STYLESHEET;
use question_card::anatomy::{STATES, StyleState, StyleToken, TOKENS, part};
use std::collections::BTreeSet;

const PAGE_TOKENS: &str = include_str!("../../../../style/tokens.css");

/// The style sheet without its comments.
fn css() -> String {
    let mut rest = STYLESHEET;
    let mut css = String::new();
    while let Some((before, comment)) = rest.split_once("/*") {
        css.push_str(before);
        rest = comment.split_once("*/").expect("comments are closed").1;
    }
    css + rest
}

/// Everything before a `{`, apart from at-rules.
fn selectors(css: &str) -> Vec<String> {
    let heads = css.split('{').map(|piece| piece.rsplit(['}', ';', '{']).next().unwrap_or_default().trim());
    heads.filter(|head| !head.is_empty() && !head.starts_with('@')).map(str::to_owned).collect()
}

/// The names that follow a mark in a text.
fn names_after<'a>(text: &'a str, mark: &str) -> BTreeSet<&'a str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name = |piece: &'a str| &piece[..piece.find(|c| !is_name(c)).unwrap_or(piece.len())];
    text.split(mark).skip(1).map(name).filter(|name| !name.is_empty()).collect()
}

#[track_caller]
fn check_equal(what: &str, in_css: &BTreeSet<&str>, declared: &BTreeSet<&str>) {
    let undeclared: Vec<_> = in_css.difference(declared).collect();
    let unused: Vec<_> = declared.difference(in_css).collect();
    assert!(
        undeclared.is_empty() && unused.is_empty(),
        "{what}: not declared {undeclared:?}, not in the style sheet {unused:?}"
    );
}

#[test]
fn the_style_sheet_selects_on_declared_parts_only() {
    let css = css();
    let selectors = selectors(&css).join("\n");
    let classes = names_after(&selectors, ".");
    let declared: BTreeSet<&str> = part::ALL.iter().copied().collect();
    let undeclared: Vec<_> = classes.difference(&declared).collect();
    assert!(undeclared.is_empty(), "not declared: {undeclared:?}");
    assert!(classes.len() > 20, "the selectors were found: {classes:?}");
}

#[test]
fn the_style_sheet_selects_on_declared_states_only() {
    let css = css();
    let selectors = selectors(&css).join("\n");
    let mut seen = 0;
    for piece in selectors.split('[').skip(1) {
        let condition = piece.split(']').next().unwrap_or_default();
        let (attribute, value) = condition.split_once('=').unwrap_or((condition, ""));
        let value = value.trim_matches('"');
        let declared =
            |state: &StyleState| state.attribute == attribute && (value.is_empty() || state.values.contains(&value));
        assert!(STATES.iter().any(declared), "[{condition}] is not declared");
        seen += 1;
    }
    assert!(seen > 10, "the states were found");
}

/// The names of the custom properties with this prefix that a style sheet sets.
fn set_in<'a>(css: &'a str, prefix: &str) -> BTreeSet<&'a str> {
    let name = |line: &'a str| Some(line.trim().strip_prefix(prefix)?.split_once(':')?.0);
    css.lines().filter_map(name).collect()
}

/// The tokens of the card, without their prefix.
fn tokens() -> BTreeSet<&'static str> {
    TOKENS.iter().filter_map(|token| token.name.strip_prefix("--qc-")).collect()
}

#[test]
fn every_token_is_read_once_and_none_is_set() {
    let css = css();
    check_equal("tokens", &names_after(&css, "var(--qc-"), &tokens());
    for StyleToken { name: token, .. } in TOKENS {
        let reads = css.matches(&["var(", token, ","].concat()).count();
        assert_eq!(reads, 1, "{token} is read once, with its default");
    }
    assert_eq!(set_in(&css, "--qc-"), BTreeSet::new(), "the host's values above would not arrive");
}

#[test]
fn what_the_card_uses_it_has_read() {
    let css = css();
    check_equal("values", &names_after(&css, "var(--_qc-"), &set_in(&css, "--_qc-"));
    assert_eq!(names_after(&css, "var(--ui-"), BTreeSet::new(), "the page's own names are the page's");
}

#[test]
fn the_page_gives_tokens_that_exist_what_it_has() {
    let (given, tokens) = (set_in(PAGE_TOKENS, "--qc-"), tokens());
    let unknown: Vec<_> = given.difference(&tokens).collect();
    assert!(unknown.is_empty() && given.len() > 20, "{unknown:?} of {given:?}");
    let has = set_in(PAGE_TOKENS, "--ui-");
    for token in names_after(PAGE_TOKENS, "var(--ui-") {
        assert!(has.contains(token), "--ui-{token} is not in tokens.css");
    }
}

/// The value of a token if no page sets it, by the style sheet, and the token that it follows.
fn default_of(css: &str, token: &str) -> (String, Option<String>) {
    let (_, rest) = css.split_once(&["var(", token, ", "].concat()).expect("the card reads it");
    let mut depth = 1;
    let is_end = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    };
    let value = &rest[..rest.find(is_end).expect("it is closed")];
    match value.strip_prefix("var(--_qc-").and_then(|inner| inner.split_once(", ")) {
        Some((own, default)) => (default.strip_suffix(')').expect("it is closed").to_owned(), Some(followed(css, own))),
        None => match value.strip_prefix("var(--_qc-").and_then(|inner| inner.strip_suffix(')')) {
            Some(own) => (format!("that of `--qc-{own}`"), Some(format!("--qc-{own}"))),
            None => (value.to_owned(), None),
        },
    }
}

/// The token from which a value of the card's own is made.
fn followed(css: &str, own: &str) -> String {
    let (_, value) = css.split_once(&["--_qc-", own, ": "].concat()).expect("it is set");
    let value = value.split(';').next().expect("a text has a first part");
    match value.split_once("var(--qc-") {
        Some((_, token)) => format!("--qc-{}", token.split([')', ',']).next().expect("it has a name")),
        None => {
            let (_, inner) = value.split_once("var(--_qc-").expect("it is made of something");
            followed(css, inner.split([')', ',']).next().expect("it has a name"))
        }
    }
}

/// The README's table of tokens: `UPDATE_FILES=1` writes it again.
#[test]
fn the_readme_lists_the_tokens_with_their_defaults() {
    let css = css();
    let mut table = "| token | of | default | follows |\n|---|---|---|---|\n".to_owned();
    for StyleToken { name, of } in TOKENS {
        let (default, follows) = default_of(&css, name);
        let default = if default.contains('`') { default } else { format!("`{default}`") };
        let follows = follows.map_or(String::new(), |token| format!("`{token}`"));
        table += &format!("| `{name}` | {of} | {default} | {follows} |\n");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).expect("it is there");
    let (before, rest) = readme.split_once("| token | of |").expect("it has the table");
    let (_, after) = rest.split_once("\n\n").expect("the table ends");
    let wanted = [before, table.as_str(), "\n", after].concat();
    if std::env::var_os("UPDATE_FILES").is_some() {
        std::fs::write(path, &wanted).expect("there is room on the disk");
    } else {
        assert!(readme == wanted, "the table of tokens is not what UPDATE_FILES=1 writes:\n{table}");
    }
}

#[test]
fn the_mappings_of_other_pages_set_tokens_that_exist() {
    for mapping in [include_str!("../../../../style/shadcn.css"), include_str!("../../../../style/material.css")] {
        let given = set_in(mapping, "--qc-");
        let unknown: Vec<_> = given.difference(&tokens()).copied().collect();
        assert!(unknown.is_empty() && given.len() > 10, "{unknown:?} of {given:?}");
    }
}

#[test]
fn parts_are_named_once() {
    let distinct: BTreeSet<&str> = part::ALL.iter().copied().collect();
    assert_eq!(distinct.len(), part::ALL.len());
}
