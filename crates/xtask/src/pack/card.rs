//! The npm package `question-card`, from the crate `question-element`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::names::{CARD, VERSION};
use super::{entries, npm};
use crate::steps::StepLog;
use crate::tools::{self, system};
use crate::{files, page, wasm, workspace};

/// The crate, from the workspace's root.
const CRATE: &str = "crates/question-element";

/// The WebAssembly programs of the package: the card, the repair of malformed arguments, and the agent's side.
const PROGRAMS: [&str; 3] = ["card", "repair", "agent"];
/// The view for hosts of MCP, and its budget: its bytes, and those of Brotli.
pub(super) const VIEW: &str = "card.html";
const MOST: [u64; 2] = [612_000, 157_000];
/// The file with the weights, in the folder of the packages.
pub(super) const WEIGHTS: &str = "weights.txt";
/// The budget of the files that a page loads for the card, in bytes of Brotli.
const CARD_BUDGET: u64 = 113_500;
/// The files loaded with the card's program, and with the agent's. The card loads the repair.
const OF_CARD: [&str; 4] = ["define.js", "question-card.js", "properties.js", "styles.js"];
const OF_AGENT: [&str; 2] = ["agent.js", "agent-calls.js"];

/// Builds the view for hosts of MCP into the folder of a page, where the server looks for it.
pub(super) fn build_view(dist: &Path, log: &StepLog) -> Result<()> {
    let package = workspace::scratch("view/package");
    assemble(&package, &PROGRAMS[..2], log)?;
    files::copy(&package.join(VIEW), &dist.join(VIEW))
}

/// Makes the package, and writes the weight of the files that a page loads.
pub(super) fn build(folder: &Path, log: &StepLog) -> Result<()> {
    let package = npm::content(folder, CARD);
    let languages = assemble(&package, &PROGRAMS, log)?;
    npm::pack(folder, CARD, log)?;
    let mut weights = String::new();
    for (name, own) in PROGRAMS.into_iter().zip([&OF_CARD[..], &[], &OF_AGENT]) {
        let own = own.iter().map(|&file| file.to_owned());
        let loaded: Vec<_> = own.chain([format!("wasm/{name}.js"), format!("wasm/{name}_bg.wasm")]).collect();
        let rows = wasm::with_sum(wasm::weigh(&package, &loaded, log)?);
        let [.., sum] = rows[loaded.len()].1;
        ensure!(name != "card" || sum <= CARD_BUDGET, "the card has {sum} bytes of Brotli; at most {CARD_BUDGET}");
        weights += &wasm::table(name, &rows);
    }
    weights += &wasm::table("each language, beside English", &wasm::weigh(&package, &languages, log)?);
    let plain = wasm::weigh(&package, &["no-wasm.js", VIEW, "no-wasm-repair.js"].map(str::to_owned), log)?;
    let [raw, _, brotli] = plain[1].1;
    ensure!(raw <= MOST[0] && brotli <= MOST[1], "the view has {raw} bytes, {brotli} of Brotli; at most {MOST:?}");
    weights += &wasm::table("without WebAssembly, all languages", &plain);
    files::write(&folder.join(WEIGHTS), weights)
}

/// Writes the files of the package with these programs. Returns the modules of the languages.
fn assemble(package: &Path, programs: &[&str], log: &StepLog) -> Result<Vec<String>> {
    files::remove(package)?;
    copy_files(package)?;
    files::write(&package.join("package.json"), manifest(&workspace::read(&format!("{CRATE}/js/package.json"))?)?)?;
    files::write(&package.join("shadcn.json"), entries::shadcn_item())?;
    let languages = write_languages(package)?;
    let built = workspace::scratch("element");
    for name in programs {
        log.doing(&format!("builds the program {name}"));
        let mut build = wasm::cargo_for(["build", "--release", "--package=question-element", "--lib"], log)?;
        log.run(build.args(["--config", wasm::SMALL_JSON, "--no-default-features", "--features", name]))?;
        let built = built.join(name).with_extension("wasm");
        files::copy(&wasm::built("release/question_element"), &built)?;
        wasm::bind_small(&built, name, &package.join("wasm"), log)?;
    }
    tools::esbuild().folder(log)?;
    let mut node = Command::new(system::node(log)?);
    node.arg(workspace::root().join(CRATE).join("view/build.mjs")).arg(built).arg(package);
    log.run(node.env("PATH", page::path()?))?;
    Ok(languages)
}

/// Copies the files that need no build into the package.
fn copy_files(package: &Path) -> Result<()> {
    let root = workspace::root();
    files::copy(&root.join(CRATE).join("js"), package)?;
    files::copy(&root.join("crates/ask-user-question/schemas"), &package.join("schemas"))?;
    let styles = ["style/question-card.css", "style/shadcn.css", "style/material.css"];
    for file in ["LICENSE-APACHE", "LICENSE-MIT", &format!("{CRATE}/README.md")].into_iter().chain(styles) {
        let from = root.join(file);
        files::copy(&from, &package.join(from.file_name().context("a file has a name")?))?;
    }
    Ok(())
}

/// Writes a module for each language, the list of them, and the type of their words. Returns the names of the modules.
fn write_languages(package: &Path) -> Result<Vec<String>> {
    let (mut modules, mut list, mut words) = (Vec::new(), String::new(), String::new());
    for file in fs::read_dir(workspace::root().join("crates/question-card/languages"))? {
        let mut sheet: serde_json::Value = serde_json::from_slice(&fs::read(file?.path())?)?;
        let members = sheet.as_object_mut().context("a sheet is an object")?;
        members.retain(|name, _| !["frame", "page", "view"].contains(&name.as_str()));
        words = members.keys().map(|name| format!(" | {name:?}")).collect();
        let lang = sheet["lang"].as_str().context("a sheet has a language")?;
        let module = format!("languages/{lang}.js");
        list += &format!("  {lang}: () => import(\"./{module}\"),\n");
        files::write(&package.join(&module), format!("export default {sheet};\n"))?;
        modules.push(module);
    }
    files::write(&package.join("words.d.ts"), format!("export type Word ={words};\n"))?;
    files::write(&package.join("languages.js"), format!("export default {{\n{list}}};\n"))?;
    Ok(modules)
}

/// The package's manifest, with the version and the repository of the workspace.
fn manifest(text: &str) -> Result<String> {
    const NONE: &str = "\"version\": \"0.0.0\"";
    ensure!(text.contains(NONE), "package.json has no {NONE}");
    let here = format!("\"version\": \"{VERSION}\",\n  \"repository\": {}", npm::repository());
    // Replaced in the text, since a `Value` would sort the conditions, whose order matters.
    Ok(text.replacen(NONE, &here, 1))
}

/// Checks what users of the registry see: that every entry point leads to a file with the right types.
pub(super) fn lint(folder: &Path, log: &StepLog) -> Result<()> {
    npm::lint(folder, CARD, log)?;
    let linters = tools::package_linters().folder(log)?.join("node_modules/.bin");
    // The package has only modules, and files that are not JavaScript have no types.
    let types = "--profile esm-only --exclude-entrypoints card.html question-card.css shadcn.css material.css --";
    let mut attw = Command::new(linters.join("attw"));
    log.run(attw.args(types.split(' ')).arg(npm::tarball(folder, CARD)).env("NO_COLOR", "1"))?;
    entries::lint(&npm::content(folder, CARD).join("shadcn.json"), log)
}
