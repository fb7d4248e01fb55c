//! Rules for texts that people read: READMEs, comments, documentation, messages, and the names of tests.
//!
//! A sentence has at most 25 words. Code counts as one word, a cell of a table and an item of a list as a text of its own.

mod markdown;
mod names;
mod openings;
mod paths;
mod recipes;
mod rust;
mod scripts;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::{found, read, root};
use markdown::{paragraphs, sentences, words};
use rust::Source;

const MOST_WORDS: usize = 25;
/// A longer name tells a story; its test has a comment for that.
const MOST_WORDS_OF_A_TEST: usize = 14;

/// Words that say less than they seem to, or that are read twice, and what to say instead.
const BANNED: [(&str, &str); 30] = [
    ("anew", "again"),
    ("begun", "started"),
    ("but for", "except"),
    ("effortlessly", "nothing"),
    ("facilitate", "help"),
    ("for want of", "without"),
    ("gave back", "returned"),
    ("give back", "return"),
    ("given back", "returned"),
    ("gives back", "returns"),
    ("has the last word", "wins"),
    ("heed", "follow"),
    ("hereby", "nothing"),
    ("in the midst of", "during"),
    ("leave it away", "leave it out"),
    ("lest", "so that"),
    ("leverage", "use"),
    ("nobody's", "no one's, or who it is"),
    ("obviously", "nothing"),
    ("of another make", "of another framework or vendor"),
    ("of other makes", "of other frameworks or vendors"),
    ("seamless", "nothing"),
    ("simply", "nothing"),
    ("so many", "the number"),
    ("thereby", "so"),
    ("thereof", "its"),
    ("utilize", "use"),
    ("utils", "what they do"),
    ("whoever", "a client, a user"),
    ("whosoever", "a client, a user"),
];

/// A text is about the program, not about who wrote it.
const FIRST_PERSON: [&str; 8] = ["i", "me", "my", "mine", "we", "us", "our", "ours"];

/// Files whose strings are words of a person or a model, or instructions for a model.
const IN_THE_FIRST_PERSON: [&str; 9] = [
    "/card-gallery/",
    "/ssr-chat/",
    "/words.rs",
    "/labels/",
    "/models/",
    "/guidance.rs",
    "/context.rs",
    "/encode.rs",
    "/other.rs",
];

/// Ids of cases, not sentences.
const LISTS: [&str; 1] = ["SEL-01, "];

#[test]
fn the_help_of_a_command_is_about_that_command() {
    let help = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).arg("--help").output();
        String::from_utf8(output.expect("it runs").stdout).expect("it is text")
    };
    let [all, agents, bench] = [help(&[]), help(&["agents"]), help(&["bench"])];
    assert!(all.contains("xtask serve") && all.contains("xtask agents"), "{all}");
    assert!(agents.starts_with("cargo xtask agents\n") && !agents.contains("xtask serve"), "{agents}");
    assert!(bench.contains("cargo xtask bench card") && !bench.contains("xtask agents"), "{bench}");
}

#[test]
fn a_command_whose_reader_left_ends_without_a_panic() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut help = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = help.arg("--help").stdout(writer).stderr(Stdio::piped()).spawn().and_then(Child::wait_with_output);
    let output = output.expect("it runs");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn documents_are_in_plain_words() {
    accept(documents().iter().flat_map(|file| complaints(file, &read(file), 1)));
}

#[test]
fn the_changelog_has_the_groups_of_keep_a_changelog() {
    const GROUPS: [&str; 6] = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
    let changelog = read(&root().join("CHANGELOG.md"));
    let groups = changelog.lines().filter_map(|line| line.strip_prefix("### "));
    assert_eq!(groups.filter(|group| !GROUPS.contains(group)).collect::<Vec<_>>(), [""; 0]);
    // A list has no gap.
    let gap = |lines: &[&str]| lines[1].is_empty() && lines[2].starts_with("- ") && lines[0].starts_with([' ', '-']);
    let lines: Vec<_> = changelog.lines().collect();
    assert_eq!(lines.windows(3).find(|lines| gap(lines)), None);
}

#[test]
fn comments_and_documentation_are_in_plain_words() {
    accept(sources(&["src", "tests", "benches", "examples"]).flat_map(|(file, source)| {
        let comments = source.comments.into_iter();
        comments
            .flat_map(move |(line, text)| [complaints(&file, &text, line), first_person(&file, &text, line)].concat())
    }));
}

#[test]
fn messages_are_in_plain_words() {
    accept(sources(&["src"]).flat_map(|(file, source)| {
        let strings = source.strings.into_iter().filter(|(_, text)| is_message(text));
        strings.flat_map(move |(line, text)| {
            let text = spoken(&text);
            let path = file.to_string_lossy();
            let speaks = IN_THE_FIRST_PERSON.iter().any(|part| path.contains(part));
            let of_author = if speaks { Vec::new() } else { first_person(&file, &text, line) };
            [complaints(&file, &text, line), of_author].concat()
        })
    }));
}

#[test]
fn names_of_tests_are_in_plain_words() {
    accept(sources(&["src", "tests"]).flat_map(|(file, source)| {
        source.tests.into_iter().flat_map(move |(line, name)| {
            let count = words(without_id(&name)).count();
            let long = (count > MOST_WORDS_OF_A_TEST).then(|| format!("{}: {count} words: {name}", place(&file, line)));
            long.into_iter().chain(complaints(&file, &name, line)).collect::<Vec<_>>()
        })
    }));
}

#[test]
fn a_long_sentence_is_found_wherever_it_stands() {
    let long = "word ".repeat(26);
    let short = "word ".repeat(25);
    for text in
        [long.clone(), format!("- {long}"), format!("| a | {long} |"), format!("# {long}"), format!("A.\n{long}")]
    {
        assert_eq!(complaints(Path::new("a.md"), &text, 1).len(), 1, "{text}");
    }
    for text in [short.clone(), format!("{short}. {short}"), format!("```\n{long}\n```"), format!("`{long}`")] {
        assert_eq!(complaints(Path::new("a.md"), &text, 1), [""; 0], "{text}");
    }
}

#[test]
fn banned_words_and_the_first_person_are_found() {
    let file = Path::new("a.rs");
    for text in ["They leverage it.", "It is put\nanew.", "Whoever comes, waits."] {
        assert_eq!(complaints(file, text, 1).len(), 1, "{text}");
    }
    assert_eq!(complaints(file, "It is sent once. More follows.", 1), [""; 0]);
    assert_eq!(first_person(file, "We keep it, and our server does.", 1).len(), 2);
    assert_eq!(first_person(file, "It is kept.", 1), [""; 0]);
    for (name, told) in [("req auq 003 a reply", "a reply"), ("sel 01 a tap", "a tap"), ("a tap sends", "a tap sends")]
    {
        assert_eq!(without_id(name), told);
    }
}

#[test]
fn messages_are_told_from_code() {
    for text in ["the port {port} is taken", "Open {address} to see it", "{name} has no file:\\n{list}"] {
        assert!(is_message(text), "{text}");
    }
    for text in ["--package", "select id from asks where id = ?", "const a = () => 1;", "[data-part] > button", "a.b"] {
        assert!(!is_message(text), "{text}");
    }
    assert_eq!(spoken("no \"file\":\\n  {name:?} \\\n     at all"), "no \"file\":\n  value at all");
}

/// The name of a test without the id of a requirement or a case that it begins with, such as `req auq 003` or `sel 01`.
fn without_id(name: &str) -> &str {
    let id = name.split(' ').take(3).position(|word| word.parse::<u16>().is_ok());
    id.and_then(|place| name.splitn(place + 2, ' ').last()).unwrap_or(name)
}

/// Fails with all complaints, one a line.
#[track_caller]
fn accept(complaints: impl Iterator<Item = String>) {
    let complaints: Vec<_> = complaints.collect();
    assert!(complaints.is_empty(), "{} texts\n{}", complaints.len(), complaints.join("\n"));
}

/// The violations of rules for every text, each with its file and line.
fn complaints(file: &Path, text: &str, first_line: usize) -> Vec<String> {
    let mut complaints = Vec::new();
    for (line, text) in paragraphs(text) {
        let place = place(file, first_line + line);
        for sentence in sentences(&text) {
            let count = words(&sentence).count();
            if count > MOST_WORDS && !LISTS.iter().any(|list| sentence.starts_with(list)) {
                complaints.push(format!("{place}: {count} words: {sentence}"));
            }
            let spoken = format!(" {} ", words(&sentence).collect::<Vec<_>>().join(" ").to_lowercase());
            for (banned, instead) in BANNED.iter().filter(|(banned, _)| spoken.contains(&format!(" {banned} "))) {
                complaints.push(format!("{place}: not `{banned}` but {instead}: {sentence}"));
            }
        }
    }
    complaints
}

/// The places where a text speaks of its author, except in quotes.
fn first_person(file: &Path, text: &str, first_line: usize) -> Vec<String> {
    let mut complaints = Vec::new();
    let text = text.replace("I/O", "input").replace(['“', '”'], "\"");
    let text: String = text.split('"').step_by(2).collect();
    for (line, text) in paragraphs(&text) {
        for sentence in sentences(&text) {
            let found = words(&sentence).filter(|word| FIRST_PERSON.contains(&word.to_lowercase().as_str()));
            complaints.extend(found.map(|word| format!("{}: `{word}`: {sentence}", place(file, first_line + line))));
        }
    }
    complaints
}

/// True for a string that tells somebody something: at least four words, and nothing that code has.
fn is_message(string: &str) -> bool {
    let text = spoken(string);
    let is_code = ["{", "}", ";\n", "=>", "();", "</", " = ", "[data", "::", "INSERT INTO", "SELECT "]
        .iter()
        .any(|mark| text.contains(mark));
    let is_word = |word: &&str| word.trim_matches(['.', ',', ':', '"', '`']).chars().all(char::is_alphabetic);
    !is_code && !text.ends_with(';') && text.split_whitespace().filter(is_word).count() >= 4
}

/// A string as it is printed, with a word for each value.
fn spoken(string: &str) -> String {
    let mut text = string.replace("\\n", "\n").replace("\\\"", "\"");
    while let Some(at) = text.find("\\\n") {
        let after = text[at + 2..].trim_start().to_owned();
        text.replace_range(at.., &after);
    }
    while let Some((before, rest)) = text.split_once('{')
        && let Some((_, after)) = rest.split_once('}')
    {
        text = format!("{before}value{after}");
    }
    text
}

fn place(file: &Path, line: usize) -> String {
    format!("{}:{line}", file.strip_prefix(root()).unwrap_or(file).display())
}

/// The Rust sources in these folders of every package.
fn sources(folders: &'static [&str]) -> impl Iterator<Item = (PathBuf, Source)> {
    let folders = packages().into_iter().flat_map(|package| folders.iter().map(move |folder| package.join(folder)));
    folders.flat_map(|folder| found(&folder, ".rs")).map(|file| {
        let source = Source::read(&read(&file));
        (file, source)
    })
}

/// Every document for people. Test data is of none, and guidance is for models.
fn documents() -> Vec<PathBuf> {
    let beside = ["", ".github"].map(|folder| fs::read_dir(root().join(folder)).expect("the folder can be read"));
    let beside = beside.into_iter().flatten().flatten().map(|entry| entry.path());
    let within = packages().into_iter().flat_map(|package| found(&package, ".md"));
    let is_for_people = |file: &PathBuf| {
        let path = file.to_string_lossy();
        path.ends_with(".md") && !["/test_data/", "/guidance/"].iter().any(|part| path.contains(part))
    };
    beside.chain(within).filter(is_for_people).collect()
}

/// The folders of all packages.
fn packages() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).expect("there are crates");
    let mut folders: Vec<_> = crates.map(|entry| entry.expect("the folder can be read").path()).collect();
    folders.push(root().join("app"));
    folders.extend(fs::read_dir(root().join("examples")).into_iter().flatten().flatten().map(|entry| entry.path()));
    folders.sort();
    folders
}
