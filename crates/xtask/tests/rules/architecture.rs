//! The invariants of ARCHITECTURE.md that Cargo alone does not hold.

mod circles;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{found, read, root};

/// Crates that do no I/O, read no clock, make no ids and spawn nothing.
const CORE: [&str; 8] = [
    "json-tree",
    "live-markdown",
    "ask-user-question",
    "question-compat",
    "question-form",
    "ag-ui-stream",
    "question-agent",
    "scripted-agent",
];

/// The crates of the workspace that each crate may use, as ARCHITECTURE.md's code map has it.
const USES: [(&str, &[&str]); 18] = [
    ("crates/json-tree", &[]),
    ("crates/live-markdown", &[]),
    ("crates/ask-user-question", &["json-tree"]),
    ("crates/question-compat", &["ask-user-question", "json-tree"]),
    ("crates/question-form", &["ask-user-question", "json-tree"]),
    ("crates/ag-ui-stream", &["ask-user-question", "json-tree", "question-form"]),
    ("crates/question-card", &["ask-user-question", "json-tree", "live-markdown"]),
    ("crates/question-element", &["ask-user-question", "json-tree", "question-card", "question-compat"]),
    ("crates/agent-chat", &["ag-ui-stream", "ask-user-question", "json-tree", "question-card", "question-compat"]),
    ("crates/question-agent", &["ag-ui-stream", "ask-user-question", "json-tree", "question-compat"]),
    ("crates/question-models", &["ask-user-question", "json-tree", "question-agent"]),
    ("crates/question-mcp", &["ask-user-question", "json-tree", "question-compat", "question-form"]),
    (
        "crates/question-server",
        &[
            "ag-ui-stream",
            "ask-user-question",
            "question-agent",
            "question-compat",
            "question-mcp",
            "question-models",
            "scripted-agent",
        ],
    ),
    ("crates/scripted-agent", &["ask-user-question", "question-agent", "question-compat"]),
    ("crates/front-desk", &["ag-ui-stream", "question-agent", "scripted-agent"]),
    ("app", &["agent-chat", "json-tree", "live-markdown", "question-card"]),
    ("crates/card-gallery", &["ag-ui-stream", "ask-user-question", "question-card", "question-compat"]),
    ("crates/xtask", &[]),
];

#[test]
fn core_crates_touch_nothing_but_their_arguments() {
    for name in CORE {
        for file in sources(&root().join("crates").join(name).join("src")) {
            let code = code(&file);
            for module in ["fs", "net", "process", "thread", "time", "env", "os"] {
                let reaches = [format!("std::{module}::"), format!("use std::{module};")];
                assert!(!reaches.iter().any(|path| code.contains(path)), "{} uses std::{module}", file.display());
            }
        }
    }
}

#[test]
fn crates_use_only_what_the_code_map_allows() {
    for (folder, allowed) in USES {
        let manifest = read(&root().join(folder).join("Cargo.toml"));
        let mut used: Vec<&str> = dependencies(&manifest)
            .filter(|name| USES.iter().any(|(folder, _)| folder.rsplit('/').next() == Some(*name)))
            .collect();
        used.sort_unstable();
        assert_eq!(used, allowed, "{folder}");
    }
}

#[test]
fn every_dependency_is_used_by_more_than_tests() {
    let mut unused = Vec::new();
    for (folder, _) in USES {
        let mut sources = sources(&root().join(folder).join("src"));
        sources.retain(|file| !file.ends_with("tests.rs"));
        let sources: Vec<String> = sources.iter().map(|file| code(file)).collect();
        let shipped: String = sources.iter().filter_map(|code| code.split("#[cfg(test)]\nmod tests").next()).collect();
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let paths = shipped.split("::").filter_map(|path| path.rsplit(|it| !is_word(it)).next());
        let used: BTreeSet<&str> = paths.collect();
        let manifest = read(&root().join(folder).join("Cargo.toml"));
        let names = dependencies(&manifest).filter(|name| !used.contains(&*name.replace('-', "_")));
        unused.extend(names.map(|name| format!("{folder}: {name}")));
    }
    assert_eq!(unused, Vec::<String>::new());
}

#[test]
fn the_card_is_there_without_leptos() {
    for package in ["question-card", "question-element"] {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut tree = Command::new(cargo);
        tree.args(["tree", "--offline", "--package", package, "--no-default-features"]);
        tree.args(["--edges", "normal", "--prefix", "none"]).current_dir(root());
        let tree = tree.output().expect("cargo starts");
        let said = String::from_utf8_lossy(&tree.stderr);
        assert!(tree.status.success(), "{said}");
        let tree = String::from_utf8_lossy(&tree.stdout);
        let has = |name: &str| tree.lines().any(|line| line.split(' ').next() == Some(name));
        assert!(has("web-sys"), "{tree}");
        let frameworks = ["leptos", "reactive_graph", "tachys"].map(has);
        assert_eq!(frameworks, [false; 3], "{tree}");
    }
}

#[test]
fn the_chat_page_reaches_the_stream_and_the_types_through_its_two_crates() {
    let folder = root().join("app/src");
    for file in sources(&folder) {
        let code = code(&file);
        let reaches = ["ag_ui_stream::", "ask_user_question::"].map(|path| code.contains(path));
        assert_eq!(reaches, [false; 2], "{}", file.display());
    }
}

#[test]
fn one_crate_fetches_in_the_browser_and_one_binds_a_socket() {
    for (folder, _) in USES {
        let manifest = read(&root().join(folder).join("Cargo.toml"));
        let fetches = sources(&root().join(folder).join("src")).iter().any(|file| {
            let code = code(file);
            code.contains("gloo_net") || code.contains("fetch_with_")
        });
        assert_eq!(fetches, folder == "crates/agent-chat", "{folder}");
        assert_eq!(dependencies(&manifest).any(|name| name == "axum"), folder == "crates/question-server", "{folder}");
    }
}

#[test]
fn every_case_of_the_card_has_the_test_that_the_table_tells_of() {
    let readme = read(&root().join("crates/question-card/tests/README.md"));
    let mut folders = 0;
    for line in readme.lines().filter(|line| line.starts_with("| `crates/")) {
        let folder = line.split('`').nth(1).expect("a line names a folder");
        let told = line.rsplit('|').nth(1).unwrap_or_default();
        let told: BTreeSet<String> = told.split(',').map(|id| id.trim().to_owned()).collect();
        let tests = sources(&root().join(folder));
        let tested: BTreeSet<String> = tests.iter().flat_map(|file| cases(&read(file))).collect();
        assert_eq!(tested, told, "{folder}");
        folders += 1;
    }
    assert_eq!(folders, 2, "tests in the page and tests from outside");
}

/// The ids of the cases that the names of these tests begin with, as the contract writes them: `SEL-01` for `sel_01_`.
fn cases(code: &str) -> Vec<String> {
    let mut cases = Vec::new();
    for name in code.lines().filter_map(|line| line.strip_prefix("async fn ")) {
        let mut words = name.split('_');
        while let (Some(area), Some(number)) = (words.next(), words.next()) {
            let is_area =
                ["sel", "oth", "ime", "key", "val", "sub", "str", "his", "a11y", "i18n", "csp"].contains(&area);
            if !is_area || number.parse::<u8>().is_err() {
                break;
            }
            cases.push(format!("{}-{number}", area.to_uppercase()));
        }
    }
    cases
}

#[test]
fn every_journey_that_a_browser_leaves_out_exists() {
    let journeys = root().join("crates/xtask/tests/e2e");
    for line in read(&journeys.join("left_out.txt")).lines() {
        let parts: Vec<_> = line.split(" | ").collect();
        let [browsers, journey, _] = parts[..] else { panic!("`{line}` has three parts") };
        let known = ["Firefox", "WebKit", "Firefox, WebKit", "Chromium alone"];
        assert!(known.contains(&browsers), "{line}");
        let (module, name) = journey.rsplit_once("::").expect("a module and a test");
        let file = journeys.join(module.replace("::", "/")).with_extension("rs");
        assert!(read(&file).contains(&format!("async fn {name}")), "{} has no test {name}…", file.display());
    }
}

#[test]
fn no_text_becomes_markup() {
    for (folder, _) in USES {
        for file in sources(&root().join(folder).join("src")) {
            let code = code(&file);
            let markup = ["inner_html", "innerHTML", "insert_adjacent_html", "document.write"];
            assert!(!markup.iter().any(|way| code.contains(way)), "{}", file.display());
        }
    }
}

#[test]
fn the_cards_own_view_reads_nothing_of_the_machine_that_a_strangers_cannot() {
    let card = root().join("crates/question-card/src/card");
    let mut machine = sources(&card.join("machine"));
    machine.push(card.join("machine.rs"));
    let code: String = machine.iter().map(|file| code(file)).collect();
    // The store of drafts keeps it, and hands it back as it was.
    assert_eq!(code.matches("pub(crate)").count(), code.matches("pub(crate) struct Unsettled").count());
    let public = read(&root().join("crates/question-card/src/machine.rs"));
    let views = sources(&card.join("view"));
    for line in views.iter().flat_map(|file| read(file).lines().map(str::to_owned).collect::<Vec<_>>()) {
        let modules = ["use crate::card::machine::", "use crate::draft::"];
        if let Some(names) = modules.iter().find_map(|module| line.strip_prefix(module)) {
            let names = names.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|name| !name.is_empty());
            let hidden: Vec<&str> = names.filter(|name| !public.contains(name)).collect();
            assert_eq!(hidden, Vec::<&str>::new());
        }
    }
}

#[test]
fn the_stream_knows_asks_in_its_module_for_them_only() {
    let folder = root().join("crates/ag-ui-stream/src");
    for file in sources(&folder) {
        let inside = file.strip_prefix(&folder).expect("a source lies in its folder");
        let code = code(&file);
        let foreign = code.contains("ask_user_question");
        assert!(!foreign || inside.starts_with("asks") || inside == Path::new("asks.rs"), "{}", file.display());
    }
}

/// The names in a manifest's tables of dependencies, except those of tests.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let tables = manifest.split("\n[").filter_map(|table| table.split_once("]\n"));
    let tables = tables.filter(|(name, _)| *name == "dependencies" || name.ends_with(".dependencies"));
    let lines = tables.flat_map(|(_, table)| table.lines());
    let entries = lines.filter(|line| line.starts_with(|it: char| it.is_ascii_alphanumeric()));
    entries.filter_map(|entry| entry.split(['.', ' ', '=']).next())
}

/// A source without its comments, which may name what the code must not.
fn code(file: &Path) -> String {
    let source = read(file);
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// All Rust files in a folder and below.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let files = found(folder, ".rs");
    assert!(!files.is_empty(), "{} has no sources", folder.display());
    files
}
