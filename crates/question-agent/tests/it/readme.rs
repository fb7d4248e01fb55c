//! What the README's table names is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const README: &str = include_str!("../../README.md");

/// The requirements of the tool's origins.
fn requirements() -> BTreeSet<String> {
    let tool = (1..=6).map(|number| format!("REQ-AUQ-{number:03}"));
    let coding = (1..=11).map(|number| format!("FR-{number:03}"));
    tool.chain(coding).collect()
}

struct Row {
    requirement: String,
    code: Vec<Named>,
    tests: Vec<Named>,
}

/// `crate/module::item`, or `module::item` of this crate.
#[derive(Debug)]
struct Named {
    krate: String,
    module: String,
    item: String,
}

impl Named {
    fn read(name: &str) -> Option<Self> {
        let (path, item) = name.split_once("::")?;
        let (krate, module) = path.split_once('/').unwrap_or(("question-agent", path));
        let [krate, module, item] = [krate, module, item].map(str::to_owned);
        Some(Self { krate, module, item })
    }

    /// The module's files below a folder of its crate, as text.
    fn sources(&self, folder: &str) -> Vec<String> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        find(&crates.join(&self.krate).join(folder), &mut files);
        let ending = format!("{}.rs", self.module);
        let sources = files.iter().filter(|file| file.ends_with(&ending));
        sources.map(|file| fs::read_to_string(file).expect("it can be read")).collect()
    }
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn rows() -> Vec<Row> {
    let table = README.split("\n| requirement | code | test |\n|---|---|---|\n");
    let table = table.last().expect("there is a table");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [requirement, code, tests] = cells[..] else {
            panic!("a row has three cells: {row}");
        };
        Row { requirement: requirement.trim().to_owned(), code: names_in(code), tests: names_in(tests) }
    })
    .collect()
}

fn names_in(cell: &str) -> Vec<Named> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.filter_map(Named::read).collect()
}

#[test]
fn every_requirement_has_its_row_its_code_and_its_tests() {
    let rows = rows();
    for row in &rows {
        assert!(!row.code.is_empty(), "{} has no code", row.requirement);
        assert!(!row.tests.is_empty(), "{} has no test", row.requirement);
    }
    let named: BTreeSet<String> = rows
        .iter()
        .filter_map(|row| row.requirement.split(' ').next())
        .filter(|word| word.starts_with("REQ-") || word.starts_with("FR-"))
        .map(str::to_owned)
        .collect();
    assert_eq!(named, requirements());
}

#[test]
fn every_code_that_is_named_is_there() {
    for named in rows().iter().flat_map(|row| &row.code) {
        let sources = named.sources("src");
        let is_there = |source: &String| words(source).any(|word| word == named.item);
        assert!(sources.iter().any(is_there), "{named:?}");
    }
}

#[test]
fn every_test_that_is_named_is_there() {
    for named in rows().iter().flat_map(|row| &row.tests) {
        // A conversation is a test by its name in the list of them.
        let (function, listed) = (format!("fn {}(", named.item), format!("\n    {},\n", named.item));
        let is_there =
            |source: &String| source.contains(&function) || named.module == "conversations" && source.contains(&listed);
        let sources = named.sources("tests");
        assert!(sources.iter().any(is_there), "{named:?}");
    }
}

fn words(source: &str) -> impl Iterator<Item = &str> {
    source.split(|character: char| !character.is_alphanumeric() && character != '_')
}
