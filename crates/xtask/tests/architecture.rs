//! The invariants of ARCHITECTURE.md that Cargo alone does not hold.

use std::fs;
use std::path::{Path, PathBuf};

/// Crates that do no I/O, read no clock, make no ids and spawn nothing.
const CORE: [&str; 3] = ["ask-user-question", "ag-ui-stream", "question-agent"];

/// Who may use whom of the workspace, as ARCHITECTURE.md's code map has it.
const USES: [(&str, &[&str]); 8] = [
    ("crates/ask-user-question", &[]),
    ("crates/ag-ui-stream", &["ask-user-question"]),
    ("crates/question-card", &["ask-user-question"]),
    ("crates/agent-chat", &["ag-ui-stream", "ask-user-question"]),
    ("crates/question-agent", &["ask-user-question"]),
    (
        "crates/question-server",
        &["ag-ui-stream", "ask-user-question", "question-agent"],
    ),
    ("app", &["agent-chat", "question-card"]),
    ("crates/xtask", &[]),
];

#[test]
fn core_crates_touch_nothing_but_their_arguments() {
    for name in CORE {
        for file in sources(&root().join("crates").join(name).join("src")) {
            let code = code(&file);
            for module in ["fs", "net", "process", "thread", "time", "env", "os"] {
                let reaches = [format!("std::{module}::"), format!("use std::{module};")];
                assert!(
                    !reaches.iter().any(|path| code.contains(path)),
                    "{} uses std::{module}",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn crates_use_only_what_the_code_map_allows() {
    for (folder, allowed) in USES {
        let manifest = read(&root().join(folder).join("Cargo.toml"));
        let dependencies = manifest
            .split("\n[dependencies]\n")
            .nth(1)
            .unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        let mut used: Vec<&str> = dependencies
            .lines()
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|name| {
                USES.iter()
                    .any(|(folder, _)| folder.rsplit('/').next() == Some(*name))
            })
            .collect();
        used.sort_unstable();
        assert_eq!(used, allowed, "{folder}");
    }
}

#[test]
fn one_crate_fetches_in_the_browser_and_one_binds_a_socket() {
    for (folder, _) in USES {
        let manifest = read(&root().join(folder).join("Cargo.toml"));
        assert_eq!(
            manifest.contains("\ngloo-net"),
            folder == "crates/agent-chat",
            "{folder}"
        );
        assert_eq!(
            manifest.contains("\naxum"),
            folder == "crates/question-server",
            "{folder}"
        );
    }
}

#[test]
fn no_text_becomes_markup() {
    for (folder, _) in USES {
        for file in sources(&root().join(folder).join("src")) {
            let code = code(&file);
            let markup = [
                "inner_html",
                "innerHTML",
                "insert_adjacent_html",
                "document.write",
            ];
            assert!(
                !markup.iter().any(|way| code.contains(way)),
                "{}",
                file.display()
            );
        }
    }
}

#[test]
fn the_stream_knows_asks_in_two_places_only() {
    let folder = root().join("crates/ag-ui-stream/src");
    for file in sources(&folder) {
        let inside = file
            .strip_prefix(&folder)
            .expect("a source lies in its folder");
        let code = code(&file);
        let foreign = code
            .replace("ask_user_question::json", "")
            .contains("ask_user_question");
        assert!(
            !foreign || inside.starts_with("asks") || inside == Path::new("asks.rs"),
            "{}",
            file.display()
        );
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|problem| panic!("{}: {problem}", file.display()))
}

/// A source without its comments, which may name what the code must not.
fn code(file: &Path) -> String {
    let source = read(file);
    let code = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// All Rust files in a folder and below.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|problem| panic!("{}: {problem}", folder.display()));
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.expect("the folder can be read").path();
        match path.is_dir() {
            true => files.extend(sources(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => {
                files.push(path);
            }
            false => {}
        }
    }
    files
}
