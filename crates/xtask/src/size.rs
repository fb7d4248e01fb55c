//! The weight of the page against its budget, and, for `cargo xtask size`, of each part in a page of its own.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use crate::console::{print, say};
use crate::steps::{self, StepLog, StepSpec};
use crate::{files, page, wasm, workspace};

/// The budget of the page in bytes of Brotli: for all files, and for those that are loaded before a person can write. Raise it only for a feature
/// that is worth its weight.
const PAGE: u64 = 361_500;
const FRAME: u64 = 15_000;

/// The steps that build the page as users get it, in [`page::dist`].
pub(crate) fn steps_for_release<'a>() -> [StepSpec<'a>; 2] {
    // Built in cargo's folder for releases, which builds for development do not lock.
    let page = StepSpec::runs("page for release", &["tools"], |log| {
        page::build_for_release(&page::dist(), log)?;
        weigh_page(&page::dist(), log)
    });
    [StepSpec::runs("tools", &[], page::bring_tools), page]
}

/// Weighs a built page, and prints the table. Fails if the page exceeds the budget.
pub(crate) fn weigh_page(dist: &Path, log: &StepLog) -> Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dist)? {
        let file = entry?.path();
        // Translations, which only some visitors load, are in a folder of their own.
        if file.is_file() && !file.extension().is_some_and(|ending| ending == "br" || ending == "gz") {
            names.push(file.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    let rows = wasm::with_sum(wasm::weigh(dist, &names, log)?);
    say(&wasm::table("file", &rows));
    let before_program = rows.iter().filter(|(name, _)| name != "together" && !name.starts_with("app-"));
    let [page, frame] = [rows[names.len()].1[2], before_program.map(|(_, [.., brotli])| brotli).sum()];
    ensure!(page <= PAGE, "the page weighs {page} bytes of Brotli, and its budget is {PAGE}");
    ensure!(frame <= FRAME, "{frame} bytes of Brotli come before one can write, and the budget is {FRAME}");
    Ok(())
}

/// The examples that have one part each: package and features, name, and what the part does in a page.
const PARTS: [(&str, &str, &str); 7] = [
    ("ag-ui-stream --no-default-features", "events", "reads events"),
    ("ag-ui-stream --no-default-features", "thread", "and keeps messages and state"),
    ("ag-ui-stream --no-default-features --features asks", "asks", "and asks, and the way back"),
    ("question-card", "card", "card in English, no extras"),
    ("question-card", "card_languages", "card in every language"),
    ("question-card", "card_json", "card in English, reads JSON"),
    ("question-card", "card_extras", "all of that, and all extras"),
];

/// Builds each part for release, and prints the weight of its program.
pub(crate) fn size() -> Result<()> {
    steps::run_or_fail(&[
        StepSpec::runs("tools", &[], page::bring_tools),
        StepSpec::runs("parts", &["tools"], weigh_parts),
    ])?;
    print(&fs::read_to_string(workspace::scratch("parts.txt"))?);
    Ok(())
}

fn weigh_parts(log: &StepLog) -> Result<()> {
    let folder = workspace::scratch("parts");
    for (package, name, _) in PARTS {
        let mut build = wasm::cargo_for(["build", "--release", "--example", name], log)?;
        if package == "question-card" {
            build.args(["--config", wasm::SMALL_JSON]);
        }
        log.run(build.arg("--package").args(package.split(' ')))?;
        wasm::bind_small(&wasm::built(&format!("release/examples/{name}")), name, &folder, log)?;
    }
    let mut rows = wasm::weigh(&folder, &PARTS.map(|(_, name, _)| format!("{name}_bg.wasm")), log)?;
    for ((name, _), (_, _, title)) in rows.iter_mut().zip(PARTS) {
        title.clone_into(name);
    }
    files::write(&workspace::scratch("parts.txt"), wasm::table("page that", &rows))
}
