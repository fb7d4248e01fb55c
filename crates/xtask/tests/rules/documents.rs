//! Documents lead to what is there: the files and commands that they name, and the targets of their links.

mod recipes;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{found, read, root, tracked};

/// Documents about the repository, in which a path is the end of one path alone, so that an editor's search finds it.
const MAPS: [&str; 3] = ["ARCHITECTURE.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"];

#[test]
fn each_path_on_a_map_leads_to_one_file_or_folder() {
    let there = all_paths();
    accept(MAPS.iter().map(|map| root().join(map)).flat_map(|map| {
        let text = read(&map);
        let prose = text.lines().enumerate().scan(false, |in_block, (at, line)| {
            *in_block ^= line.trim_start().starts_with("```");
            Some((at + 1, if *in_block { "" } else { line }))
        });
        let spans = prose.flat_map(|(line, text)| text.split('`').skip(1).step_by(2).map(move |span| (line, span)));
        let lost = spans.filter(|(_, span)| is_path(span)).filter_map(|(line, path)| Some((line, lost(path, &there)?)));
        lost.map(|(line, why)| format!("{}: {why}", place(&map, line))).collect::<Vec<_>>()
    }));
}

#[test]
fn each_link_leads_to_a_file_and_a_heading() {
    accept(documents().iter().flat_map(|document| {
        let text = read(document);
        let lost = links(&text).into_iter().filter(|link| !link.contains("://")).filter(|link| {
            let (file, heading) = link.split_once('#').map_or((*link, None), |(file, heading)| (file, Some(heading)));
            let target = if file.is_empty() { document.clone() } else { document.with_file_name(file) };
            let has = |heading: &str| read(&target).lines().any(|line| anchor(line).as_deref() == Some(heading));
            !target.exists() || heading.is_some_and(|heading| !has(heading))
        });
        lost.map(|link| format!("{}: {link} leads nowhere", place(document, 1))).collect::<Vec<_>>()
    }));
}

#[test]
fn each_package_has_a_readme() {
    accept(packages().iter().filter(|package| !package.join("README.md").is_file()).map(|package| place(package, 1)));
}

#[test]
fn each_command_names_what_cargo_finds() {
    let help = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("--help").output().expect("it runs").stdout;
    let help = String::from_utf8(help).expect("it is text");
    let there = all_paths();
    let is_there = |package: &str, target: &str| {
        ["crates/", "examples/", ""].iter().any(|folder| there.contains(&format!("{folder}{package}{target}")))
    };
    // The changelog has commands of before.
    accept(documents().iter().filter(|document| !document.ends_with("CHANGELOG.md")).flat_map(|document| {
        let text = read(document);
        let lines = text.lines().enumerate().flat_map(|(at, line)| line.split('`').map(move |code| (at + 1, code)));
        let commands = lines.filter_map(|(line, code)| Some((line, code.split_once("cargo ")?.1)));
        let lost = commands.filter_map(|(line, command)| {
            let words: Vec<&str> = command.split_whitespace().take_while(|word| *word != "#").collect();
            let after = |flag: &str| words.iter().skip_while(|word| **word != flag).nth(1).copied();
            let package =
                after("-p").filter(|name| name.bytes().all(|byte| byte == b'-' || byte.is_ascii_lowercase()))?;
            let targets = [("--test", "/tests/"), ("--example", "/examples/"), ("--bench", "/benches/")];
            let targets = targets.iter().filter_map(|(flag, folder)| Some(format!("{folder}{}", after(flag)?)));
            let is_found = |target: &String| is_there(package, target) || is_there(package, &format!("{target}.rs"));
            let is_whole = is_there(package, "/Cargo.toml") && targets.collect::<Vec<_>>().iter().all(is_found);
            (!is_whole).then(|| format!("{}: `cargo {command}`", place(document, line)))
        });
        let commands = text.split("cargo xtask ").skip(1);
        let unknown = commands.filter_map(|rest| rest.split(|letter: char| !letter.is_ascii_lowercase()).next());
        let unknown = unknown.filter(|name| !name.is_empty() && !help.contains(&format!("\nxtask {name}")));
        lost.chain(unknown.map(|name| format!("{}: no `cargo xtask {name}`", place(document, 1)))).collect::<Vec<_>>()
    }));
}

/// Every path of the repository, and each folder above it.
fn all_paths() -> BTreeSet<String> {
    let ends = |file: &str| file.match_indices('/').map(|(end, _)| end).chain([file.len()]).collect::<Vec<_>>();
    let paths = |file: String| ends(&file).into_iter().map(move |end| file[..end].to_owned());
    tracked().into_iter().flat_map(paths).collect()
}

/// True for code that is a path of the repository, not a command, a type or a file that a build makes.
fn is_path(code: &str) -> bool {
    let is_name = code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte));
    let ending = code.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_file = ["css", "html", "js", "json", "md", "rs", "toml", "txt", "yml"].contains(&ending);
    is_name && (is_file || code.contains('/')) && !code.starts_with("target/")
}

/// Returns the reason why a path is not the end of exactly one. A whole path may be the end of others, too.
fn lost(path: &str, there: &BTreeSet<String>) -> Option<String> {
    let end = format!("/{}", path.trim_end_matches('/'));
    let found: Vec<_> = there.iter().filter(|path| path.ends_with(&end)).map(String::as_str).collect();
    match found[..] {
        _ if there.contains(&end[1..]) => None,
        [_] => None,
        [] => Some(format!("`{path}` is not there")),
        _ => Some(format!("`{path}` may be any of {}", found.join(", "))),
    }
}

/// The name under which a line is linked to, if it is a heading.
fn anchor(line: &str) -> Option<String> {
    let heading = line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))?;
    let letters = heading.to_lowercase().replace(' ', "-");
    Some(letters.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect())
}

/// The targets of all links, also of those that are defined below the text.
fn links(markdown: &str) -> Vec<&str> {
    let text = markdown.split("```").step_by(2);
    let inline = text.flat_map(|text| text.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
    let defined = markdown.lines().filter(|line| line.starts_with('[')).filter_map(|line| line.split("]: ").nth(1));
    inline.chain(defined).collect()
}

/// Fails with all complaints, one a line.
#[track_caller]
fn accept(complaints: impl Iterator<Item = String>) {
    let complaints: Vec<_> = complaints.collect();
    assert!(complaints.is_empty(), "{} places\n{}", complaints.len(), complaints.join("\n"));
}

fn place(file: &Path, line: usize) -> String {
    format!("{}:{line}", file.strip_prefix(root()).unwrap_or(file).display())
}

/// Every document for people, without test data and the guidance for models.
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

#[test]
fn lost_paths_are_found() {
    let there = ["a/src", "a/src/sse.rs", "b/src/sse.rs", "Cargo.toml", "b/Cargo.toml"].map(str::to_owned).into();
    for path in ["a/src/sse.rs", "src/sse.rs", "Cargo.toml", "a/src/"].into_iter().filter(|path| is_path(path)) {
        assert_eq!(lost(path, &there).is_some(), path == "src/sse.rs", "{path}");
    }
    assert!(lost("c.rs", &there).is_some());
    assert!(!is_path("cargo xtask") && !is_path("Reply::of") && !is_path("view!"));
    assert_eq!(anchor("## I’d try, it").as_deref(), Some("id-try-it"));
    assert_eq!(anchor("#[test]"), None);
}
