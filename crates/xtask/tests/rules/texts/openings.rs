//! Openings that make a sentence be read twice: a relative clause for a noun, a condition that is not called one, a fragment.

use std::fs;
use std::path::Path;

use super::markdown::{paragraphs, sentences, words};
use super::scripts::comments;
use super::{IN_THE_FIRST_PERSON, accept, documents, is_message, place, sources, spoken};
use crate::{read, root, tracked};

/// Each with a better one.
const OPENINGS: [(&str, &str); 16] = [
    ("As good as", "the plain statement"),
    ("Gives", "`Returns`, or what it sets"),
    ("How", "the noun: the number, the way, the size"),
    ("Nobody", "the one who acts, or `No client`"),
    ("Nothing", "`No` with a noun, or `Does nothing`"),
    ("Of", "the noun first: `The owner of`"),
    ("Says", "`Returns whether`, or what it announces, shows or logs"),
    ("Tells", "`Returns`, `Notifies`, `Emits`"),
    ("Told", "the one who says it first"),
    ("What", "the noun"),
    ("When", "`The time of`; as a condition it has a comma"),
    ("Where", "`The place of`, or `If`"),
    ("Whether", "`True if`, `Returns whether`"),
    ("Who", "the noun: the user, the client"),
    ("Whoever", "the noun: the user, the client"),
    ("Whose", "the noun: the owner of"),
];

/// Words that say less than the trade's, in any place of a sentence. Tests may have them, and `stands for` may stay.
const WITHIN: [(&str, &str); 5] = [
    ("as good as", "the plain statement"),
    ("hears", "`is notified`, `receives`"),
    ("lies", "`is`"),
    ("nobody", "`no client`, `no user`, or the passive"),
    ("stands", "`is`, `has`"),
];

#[test]
fn sentences_open_with_a_noun_or_a_verb() {
    let mut found = Vec::new();
    for (file, source) in sources(&["src", "tests", "benches", "examples", "fuzz"]) {
        let comments = source.comments.iter().flat_map(|(line, text)| complaints(&file, text, *line));
        // Other strings are the words of a person or a model, or of a test.
        let path = file.to_string_lossy();
        let speaks = !path.contains("/src/") || IN_THE_FIRST_PERSON.iter().any(|part| path.contains(part));
        let messages = source.strings.iter().filter(|(_, text)| !speaks && is_message(text));
        let messages = messages.flat_map(|(line, text)| complaints(&file, &capitalized(&spoken(text)), *line));
        found.extend(comments.chain(messages));
    }
    found.extend(documents().iter().flat_map(|file| complaints(file, &without_headings(&read(file)), 1)));
    for path in tracked() {
        let file = root().join(&path);
        // Fixtures need not be text.
        let content = fs::read_to_string(&file).unwrap_or_default();
        found.extend(comments(&path, &content).iter().flat_map(|(line, text)| complaints(&file, text, *line)));
    }
    accept(found.into_iter());
}

/// The sentences of a text with a banned opening. A question may have any.
fn complaints(file: &Path, text: &str, first_line: usize) -> Vec<String> {
    let mut complaints = Vec::new();
    for (line, text) in paragraphs(text) {
        for sentence in sentences(&text).into_iter().filter(|it| !it.trim_end_matches(['"', ')']).ends_with('?')) {
            let is_opening = |word: &str| {
                let rest = sentence.trim_start_matches(['"', '(', '*']).strip_prefix(word);
                rest.is_some_and(|rest| rest.starts_with([' ', ',']) && (word != "When" || !rest.contains(',')))
            };
            for (opening, instead) in OPENINGS.iter().filter(|(opening, _)| is_opening(opening)) {
                let place = place(file, first_line + line);
                complaints.push(format!("{place}: not `{opening}` but {instead}: {sentence}"));
            }
            let spoken = format!(" {} ", words(&sentence).collect::<Vec<_>>().join(" ").to_lowercase());
            let spoken = spoken.replace(" stands for ", " ");
            let path = file.to_string_lossy();
            let may = ["/tests/", "/benches/", "/examples/"].iter().any(|part| path.contains(part));
            for (word, instead) in WITHIN.iter().filter(|(word, _)| !may && spoken.contains(&format!(" {word} "))) {
                complaints.push(format!("{}: not `{word}` but {instead}: {sentence}", place(file, first_line + line)));
            }
        }
    }
    complaints
}

/// A document with empty lines for its headings, which are no sentences.
fn without_headings(document: &str) -> String {
    let lines = document.lines().map(|line| if line.starts_with('#') { "" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

/// A message with a capital, which most log lines and errors lack.
fn capitalized(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[test]
fn banned_openings_are_found() {
    let file = Path::new("a.rs");
    for text in [
        "What is read.",
        "It ends. Says whether it did.",
        "- Whether it ends",
        "When it began.",
        "One that nobody reads.",
        "It is as good as read.",
    ] {
        assert_eq!(complaints(file, text, 1).len(), 1, "{text}");
    }
    for text in [
        "What is read?",
        "When it ends, the reader stops.",
        "Offline.",
        "Whatever comes is read: how, it knows.",
        "It stands for one.",
    ] {
        assert_eq!(complaints(file, text, 1), [""; 0], "{text}");
    }
    assert_eq!(capitalized("what is left"), "What is left");
}
