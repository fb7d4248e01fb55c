//! One name for one type in the whole workspace, and the trade's word for it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{packages, place};
use crate::{found, read, root};

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

/// The names that are a type in several crates, one a line with its reason. A line leaves with its second type.
const EXCEPTIONS: &str = include_str!("names.txt");

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
    for (name, instead) in BANNED {
        assert!(!types.contains_key(name), "{}: not `{name}` but {instead}", types[name].join(" "));
    }
    types.retain(|_, places| places.len() > 1);
    let lines = EXCEPTIONS.lines().filter(|line| !line.starts_with('#'));
    let exceptions: BTreeSet<&str> = lines.map(|line| line.split_once(": ").expect("each has a reason").0).collect();
    let new: Vec<_> = types.iter().filter(|(name, _)| !exceptions.contains(name.as_str())).collect();
    assert!(new.is_empty(), "choose another name: {new:#?}");
    let gone: Vec<_> = exceptions.iter().filter(|name| !types.contains_key(**name)).collect();
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
