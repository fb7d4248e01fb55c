//! One name for one type in the whole workspace, and the trade's word for it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{found, packages, place, read, root};

/// Names that need an explanation, and a better one.
const BANNED: [(&str, &str); 24] = [
    ("Anew", "ResetSnapshot"),
    ("Farewell", "FinalFrame"),
    ("Followed", "TrackedAsk"),
    ("Following", "a session, a cursor, a subscription"),
    ("Given", "the event, the entry, the report"),
    ("Growth", "LiveAsk"),
    ("Hears", "a handler, a listener"),
    ("Held", "Entry"),
    ("Impatient", "WriteTimeout"),
    ("Kept", "a snapshot, a stored entry"),
    ("Known", "a cache, an index"),
    ("Live", "Session"),
    ("News", "Notification"),
    ("Patience", "Timeouts"),
    ("Said", "Turn"),
    ("Setup", "RunDefaults"),
    ("Shown", "what it is: a node, an entry"),
    ("Spoken", "Notice"),
    ("Standing", "Status"),
    ("Talk", "SessionState"),
    ("Tell", "Emit"),
    ("Told", "Event, Notification, Report"),
    ("Wish", "StopCause"),
    ("Written", "a draft, a record"),
];

/// Names that several crates or targets have to declare, and why.
const STANDARD: [(&str, &str); 5] = [
    ("ClaimFocus", "the card's, in a browser and on a server"),
    ("Error", "a crate or module names its one error so"),
    ("Readme", "carries the examples of a README as tests"),
    ("Shell", "the card's, in a browser and on a server"),
    ("Writer", "the card's, in a browser and on a server"),
];

/// Types of today that break a rule, one a line: `twice NAME` or `banned NAME`. A line goes when its type is renamed, and none comes.
const STILL: &str = include_str!("names.txt");

#[test]
fn a_name_is_one_type_and_is_the_word_of_the_trade() {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let folders = packages().into_iter().map(|package| package.join("src"));
    for file in folders.flat_map(|folder| found(&folder, ".rs")).filter(|file| !is_test(file)) {
        let source = read(&file);
        let shipped = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (at, line) in shipped.lines().enumerate() {
            if let Some(name) = declared(line) {
                types.entry(name.to_owned()).or_default().push(place(&file, at + 1));
            }
        }
    }
    let is_standard = |name: &str| STANDARD.iter().any(|(standard, _)| *standard == name);
    let twice = types.iter().filter(|(name, places)| places.len() > 1 && !is_standard(name));
    let mut broken: BTreeMap<String, String> =
        twice.map(|(name, places)| (format!("twice {name}"), places.join(" "))).collect();
    for (name, instead) in BANNED.iter().filter(|(name, _)| types.contains_key(*name)) {
        broken.insert(format!("banned {name}"), format!("{}, better: {instead}", types[*name].join(" ")));
    }
    let still: BTreeSet<&str> = STILL.lines().collect();
    let new: Vec<_> = broken.iter().filter(|(rule, _)| !still.contains(rule.as_str())).collect();
    assert!(new.is_empty(), "choose another name: {new:#?}");
    let gone: Vec<_> = still.iter().filter(|rule| !broken.contains_key(**rule)).collect();
    assert!(gone.is_empty(), "take these lines out of names.txt: {gone:#?}");
}

fn is_test(file: &Path) -> bool {
    let inside = file.strip_prefix(root()).unwrap_or(file);
    inside.ends_with("tests.rs") || inside.components().any(|part| part.as_os_str() == "tests")
}

/// The type that a line declares. A `type` with white space before it belongs to a trait.
fn declared(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let code = match code.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ")?.1,
        None => code.strip_prefix("pub ").unwrap_or(code),
    };
    let (keyword, rest) = code.split_once(' ')?;
    let is_type =
        matches!(keyword, "struct" | "enum" | "trait") || (keyword == "type" && line.len() == line.trim_start().len());
    let name = rest.split(|letter: char| !letter.is_alphanumeric()).next()?;
    (is_type && name.starts_with(char::is_uppercase)).then_some(name)
}

#[test]
fn declared_types_are_found() {
    let all = [
        "pub struct A;",
        "    pub(crate) enum A {",
        "trait A<T> {",
        "pub type A = B;",
        "    type A = B;",
        "let A = 1;",
    ];
    assert_eq!(all.map(declared), [Some("A"), Some("A"), Some("A"), Some("A"), None, None]);
}
