//! The table of requirements is made from the names of tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const README: &str = include_str!("../README.md");

/// The prefixes of tests that hold a requirement, and the form of the requirement's id.
const KINDS: [(&str, &str); 4] =
    [("req_auq_", "REQ-AUQ-"), ("fr_", "FR-"), ("contract_", "contract "), ("flow_", "flow ")];

/// The requirements of the tool's origins.
fn requirements() -> BTreeSet<String> {
    let tool = (1..=6).map(|number| format!("REQ-AUQ-{number:03}"));
    let coding = (1..=11).map(|number| format!("FR-{number:03}"));
    let others = ["contract 004", "flow 003"].map(str::to_owned);
    tool.chain(coding).chain(others).collect()
}

/// A requirement, what its test says of it, and where the test is.
type Row = (String, String, String);

/// All tests whose names begin with a requirement's number.
fn rows() -> BTreeSet<Row> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut rows = BTreeSet::new();
    for folder in fs::read_dir(&crates).expect("it is there").flatten() {
        let mut files = Vec::new();
        find(&folder.path().join("tests"), &mut files);
        for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
            let module = file.file_stem().and_then(|name| name.to_str()).expect("a module's name is text");
            let place = format!("`{}/{module}`", folder.file_name().to_string_lossy());
            let source = fs::read_to_string(file).expect("it can be read");
            let names = source.split("fn ").skip(1).filter_map(|function| function.split('(').next());
            rows.extend(names.filter_map(requirement).map(|(number, says)| (number, says, place.clone())));
        }
    }
    rows
}

/// The requirement that a test's name begins with, and the rest as words.
fn requirement(name: &str) -> Option<(String, String)> {
    KINDS.into_iter().find_map(|(beginning, kind)| {
        let (number, says) = name.strip_prefix(beginning)?.split_once('_')?;
        let is_number = number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| (format!("{kind}{number}"), says.replace('_', " ")))
    })
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

#[test]
fn every_requirement_has_a_test_whose_name_begins_with_its_number() {
    let named: BTreeSet<String> = rows().into_iter().map(|(number, ..)| number).collect();
    assert_eq!(named, requirements());
}

#[test]
fn the_readme_has_the_table_of_these_tests() {
    let rows = rows().into_iter().map(|(number, says, place)| format!("| {number} | {says} | {place} |\n"));
    let table = format!("| requirement | its test says | in |\n|---|---|---|\n{}", rows.collect::<String>());
    assert!(README.contains(&table) && README.matches("\n| requirement |").count() == 1, "the README needs\n{table}");
    let last = table.lines().last().expect("there are rows");
    assert!(!README.contains(&format!("{last}\n|")), "nothing else is in the table");
}
