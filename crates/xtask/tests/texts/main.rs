//! Rules for texts that people read: READMEs and the documentation of public items.
//!
//! A sentence has at most 25 words. Code counts as one word, a cell of a table and an item of a list as a text of its own.

use std::fs;
use std::path::{Path, PathBuf};

const MOST_WORDS: usize = 25;

/// Words that hide who does what, or that say less than they seem to.
const BANNED: [&str; 9] =
    ["utils", "whosoever", "thereof", "hereby", "leverage", "utilize", "facilitate", "seamless", "effortlessly"];

/// Ids of cases, not sentences.
const LISTS: [&str; 1] = ["SEL-01, "];

#[test]
fn readmes_are_in_plain_words() {
    let mut files = vec![root().join("README.md"), root().join("ARCHITECTURE.md"), root().join(".github/SECURITY.md")];
    files.extend(packages().iter().map(|folder| folder.join("README.md")).filter(|file| file.is_file()));
    files.extend(found(&root().join("crates/agent-chat/recipes"), "README.md"));
    let complaints: Vec<_> = files.iter().flat_map(|file| complaints(file, &read(file), 1)).collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn documentation_of_public_items_is_in_plain_words() {
    let mut all = Vec::new();
    for package in packages() {
        for file in found(&package.join("src"), ".rs") {
            for (line, text) in documentation(&read(&file)) {
                all.extend(complaints(&file, &text, line));
            }
        }
    }
    assert!(all.is_empty(), "\n{}", all.join("\n"));
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
    assert_eq!(complaints(Path::new("a.md"), "They leverage it.", 1).len(), 1);
    let source = format!("/// {long}\npub fn a() {{}}\n/// {long}\nfn b() {{}}\n//! {long}\n");
    assert_eq!(documentation(&source).len(), 2, "a private item's is not public");
}

/// What breaks a rule, each with its file and line.
fn complaints(file: &Path, text: &str, first_line: usize) -> Vec<String> {
    let mut complaints = Vec::new();
    let name = file.strip_prefix(root()).unwrap_or(file).display();
    for (line, text) in paragraphs(text) {
        let place = format!("{name}:{}", first_line + line);
        for sentence in sentences(&text) {
            let count = words(&sentence).count();
            if count > MOST_WORDS && !LISTS.iter().any(|list| sentence.starts_with(list)) {
                complaints.push(format!("{place}: {count} words: {sentence}"));
            }
            for word in words(&sentence).map(str::to_lowercase).filter(|word| BANNED.contains(&word.as_str())) {
                complaints.push(format!("{place}: `{word}`: {sentence}"));
            }
        }
    }
    complaints
}

/// The texts of a piece of Markdown, each with its line, from 0: paragraphs, items, cells and headings, without blocks of code.
fn paragraphs(markdown: &str) -> Vec<(usize, String)> {
    let mut texts: Vec<(usize, String)> = Vec::new();
    let (mut in_code, mut continues) = (false, false);
    for (number, line) in markdown.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("```") {
            in_code = !in_code;
            continues = false;
        } else if in_code || line.is_empty() || line.starts_with("<!--") {
            continues = false;
        } else if let Some(row) = line.strip_prefix('|') {
            texts.extend(row.split('|').map(|cell| (number, cell.trim().to_owned())));
            continues = false;
        } else if let Some(text) = item(line) {
            texts.push((number, text.to_owned()));
            // A heading ends with its line.
            continues = !line.starts_with('#');
        } else if continues && let Some((_, text)) = texts.last_mut() {
            text.push(' ');
            text.push_str(line);
        } else {
            texts.push((number, line.to_owned()));
            continues = true;
        }
    }
    texts
}

/// What stands behind the mark of a heading or an item.
fn item(line: &str) -> Option<&str> {
    let (mark, text) = line.split_once(' ')?;
    let is_number = mark.strip_suffix('.').is_some_and(|number| number.parse::<u8>().is_ok());
    (matches!(mark, "-" | "*") || mark.bytes().all(|byte| byte == b'#') || is_number).then_some(text)
}

/// The sentences of a text. A colon ends one, since what it announces is read by itself.
fn sentences(text: &str) -> Vec<String> {
    let (mut sentences, mut sentence) = (Vec::new(), String::new());
    for word in plain(text).split_whitespace() {
        sentence.push_str(word);
        if word.trim_end_matches(['"', '”', ')', ']', '*']).ends_with(['.', '!', '?', ':']) {
            sentences.push(std::mem::take(&mut sentence));
        } else {
            sentence.push(' ');
        }
    }
    sentences.push(sentence);
    sentences
}

/// A text whose pieces of code are one word each, and whose links have no targets.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (number, part) in text.split('`').enumerate() {
        plain.push_str(if number % 2 == 0 { part } else { "code" });
    }
    while let Some(start) = plain.find("](") {
        let end = plain[start..].find(')').map_or(plain.len(), |length| start + length + 1);
        plain.replace_range(start..end, "]");
    }
    plain
}

fn words(sentence: &str) -> impl Iterator<Item = &str> {
    let parts = sentence.split(|c: char| c.is_whitespace() || matches!(c, '–' | '—' | '/'));
    parts.map(|part| part.trim_matches(|c: char| !c.is_alphanumeric())).filter(|part| !part.is_empty())
}

/// The documentation of modules and public items, each with its first line, from 1.
fn documentation(source: &str) -> Vec<(usize, String)> {
    let mut texts = Vec::new();
    let (mut text, mut first, mut of_module) = (String::new(), 0, false);
    for (number, line) in source.lines().enumerate() {
        let line = line.trim_start();
        let inner = line.strip_prefix("//!");
        let outer = line.strip_prefix("///").filter(|rest| !rest.starts_with('/'));
        if let Some(rest) = inner.or(outer) {
            if text.is_empty() {
                first = number + 1;
            }
            of_module = inner.is_some();
            text.push_str(rest);
            text.push('\n');
        } else if !line.starts_with("#[") && !text.is_empty() {
            let text = std::mem::take(&mut text);
            if of_module || line.starts_with("pub ") {
                texts.push((first, text));
            }
        }
    }
    texts.extend((!text.is_empty()).then_some((first, text)));
    texts
}

/// The folders of all packages.
fn packages() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).expect("there are crates");
    let mut folders: Vec<_> = crates.map(|entry| entry.expect("the folder can be read").path()).collect();
    folders.push(root().join("app"));
    folders.sort();
    folders
}

/// All files in a folder and below whose names end so.
fn found(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            files.extend(found(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|problem| panic!("{}: {problem}", file.display()))
}
