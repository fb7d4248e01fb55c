//! `cargo xtask pack`: the npm package `question-card`, from the crate `question-element`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::files;
use crate::flags::Pack;
use crate::page::{self, wasm_opt_arguments};
use crate::steps::{self, Log, Step};
use crate::tools::{self, rustup};
use crate::workspace::{self, cargo};

/// The crate, from the workspace's root.
const CRATE: &str = "crates/question-element";

/// A program of the package: its name there, and the features of the crate with which it is built.
#[derive(Clone, Copy)]
struct Program(&'static str, &'static [&'static str]);

/// What a user of the package loads, one of them: a language of the card, or the agent's side.
const PROGRAMS: [Program; 6] = [
    Program("en", &["card"]),
    Program("de", &["card", "german"]),
    Program("es", &["card", "spanish"]),
    Program("ar", &["card", "arabic"]),
    Program("ja", &["card", "japanese"]),
    Program("agent", &["agent"]),
];

/// Builds the package, lets two linters of the registry look at it, and prints what a page loads of it.
pub(crate) fn pack(options: &Pack) -> Result<()> {
    let mut wanted = Vec::from(steps());
    if !options.no_lint {
        wanted.push(Step::runs("linters", &["package"], lint));
    }
    steps::run_or_fail(&wanted)?;
    print!("{}", fs::read_to_string(folder()?.join("weights.txt")).unwrap_or_default());
    println!("{}", tarball()?.display());
    Ok(())
}

/// The steps to the whole package, the last of which is "package".
pub(crate) fn steps<'a>() -> [Step<'a>; 2] {
    [Step::runs("tools", &[], page::bring_tools), Step::runs("package", &["tools"], |log| build(&PROGRAMS, log))]
}

/// Builds as much of the package as tests of the element itself need: two languages, and the agent's side.
pub(crate) fn build_for_tests(log: &Log) -> Result<()> {
    build(&[PROGRAMS[0], PROGRAMS[1], PROGRAMS[5]], log)
}

/// Where the package's files are.
pub(crate) fn package() -> Result<PathBuf> {
    Ok(folder()?.join("package"))
}

/// The package as npm takes it.
pub(crate) fn tarball() -> Result<PathBuf> {
    Ok(folder()?.join(format!("question-card-{}.tgz", version()?)))
}

fn folder() -> Result<PathBuf> {
    Ok(workspace::scratch_dir()?.join("pack"))
}

fn build(programs: &[Program], log: &Log) -> Result<()> {
    rustup::wasm_target(log)?;
    let package = package()?;
    files::remove(&package)?;
    for &Program(name, features) in programs {
        log.doing(name);
        let built = compile(features, log)?;
        bind(name, &built, &package.join("wasm"), log)?;
    }
    copy_files(&package)?;
    write_styles(&package)?;
    for folder in [&package, &package.join("wasm")] {
        minify(folder, log)?;
    }
    files::write(&package.join("package.json"), manifest(&workspace::read(&format!("{CRATE}/js/package.json"))?)?)?;
    let mut npm = Command::new("npm");
    tools::node(log)?;
    npm.args(["pack", "--silent", "--pack-destination"]).arg(folder()?).current_dir(&package);
    log.run(npm)?;
    files::write(&folder()?.join("weights.txt"), tools::run_script(WEIGH, &package, log)?)
}

/// Builds the program with these features.
fn compile(features: &[&str], log: &Log) -> Result<PathBuf> {
    let mut build = cargo(["build", "--profile", "pack", "--target", rustup::WASM, "--package", "question-element"]);
    build.args(["--lib", "--no-default-features", "--features", &features.join(",")]);
    log.run(build)?;
    Ok(workspace::target_dir().join(rustup::WASM).join("pack/question_element.wasm"))
}

/// Makes the program of this name in a folder: its JavaScript, and its WebAssembly as small as it gets.
fn bind(name: &str, built: &Path, folder: &Path, log: &Log) -> Result<()> {
    let mut bindgen = Command::new(tools::wasm_bindgen()?.folder(log)?.join("wasm-bindgen"));
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", name, "--out-dir"]).arg(folder).arg(built);
    log.run(bindgen)?;
    let wasm = folder.join(format!("{name}_bg.wasm"));
    let wasm_opt = tools::binaryen().folder(log)?.join("wasm-opt");
    // Functions of one name stand together before the names go: Brotli finds more that is alike.
    for pass in [&["-g"][..], &["-g", "--reorder-functions-by-name"], &["--strip-debug", "--strip-producers"]] {
        let mut opt = Command::new(&wasm_opt);
        let arguments = wasm_opt_arguments()?;
        let arguments = arguments.into_iter().filter(|argument| pass == ["-g"] || !argument.starts_with("-O"));
        opt.args(arguments).args(pass).arg(&wasm).arg("--output").arg(&wasm);
        log.run(opt)?;
    }
    Ok(())
}

/// Puts into the package what nobody has to build.
fn copy_files(package: &Path) -> Result<()> {
    let root = workspace::root();
    files::copy(&root.join(CRATE).join("js"), package)?;
    files::copy(&root.join("crates/ask-user-question/schemas"), &package.join("schemas"))?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "style/question-card.css", &format!("{CRATE}/README.md")] {
        let from = root.join(file);
        files::copy(&from, &package.join(from.file_name().context("a file has a name")?))?;
    }
    Ok(())
}

/// Writes the card's styles as the module that every element takes them from: one for all languages, and without remarks.
fn write_styles(package: &Path) -> Result<()> {
    let styles = without_remarks(&workspace::read("style/question-card.css")?);
    let module = format!("export default {};\n", serde_json::Value::from(styles));
    files::write(&package.join("styles.js"), module)
}

/// A style sheet without its comments, and without the space at both ends of its lines.
fn without_remarks(css: &str) -> String {
    let mut rest = css;
    let mut plain = String::new();
    while let Some((before, after)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    plain.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Takes out of the JavaScript in a folder what only its readers need.
fn minify(folder: &Path, log: &Log) -> Result<()> {
    let terser = tools::terser().folder(log)?.join("node_modules/.bin/terser");
    let entries = fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    for entry in entries {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "js") {
            let mut minify = Command::new(&terser);
            minify
                .args(["--module", "--compress", "passes=3,ecma=2022", "--mangle", "--output"])
                .arg(&file)
                .arg("--")
                .arg(&file);
            log.run(minify)?;
        }
    }
    Ok(())
}

/// The package's manifest, with the version of the workspace.
fn manifest(text: &str) -> Result<String> {
    const NONE: &str = "\"version\": \"0.0.0\"";
    ensure!(text.contains(NONE), "package.json has no {NONE}");
    // In the text: the order of its conditions counts, and a `Value` would sort them.
    Ok(text.replacen(NONE, &format!("\"version\": \"{}\"", version()?), 1))
}

fn version() -> Result<String> {
    workspace::locked_version("question-element")
}

/// What the registry's users look at first: whether every way in leads somewhere, with the right types.
fn lint(log: &Log) -> Result<()> {
    let linters = tools::package_linters().folder(log)?.join("node_modules/.bin");
    let mut publint = Command::new(linters.join("publint"));
    publint.arg("--strict").arg(package()?);
    log.run(publint)?;
    let mut types = Command::new(linters.join("attw"));
    // It is a package of modules alone, and what is not JavaScript has no types.
    types.args(["--profile", "esm-only", "--exclude-entrypoints", "question-card.css", "--"]).arg(tarball()?);
    types.env("NO_COLOR", "1");
    log.run(types)?;
    ensure!(tarball()?.is_file(), "npm made no tarball");
    Ok(())
}

/// Prints what a page loads that shows cards in English, and what an agent loads, by Brotli.
const WEIGH: &str = r#"
const fs = require("node:fs"), path = require("node:path"), zlib = require("node:zlib");
const folder = process.argv[1];
const best = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 } };
const weigh = (file) => zlib.brotliCompressSync(fs.readFileSync(path.join(folder, file)), best).length;
const row = (name, bytes) => console.log(name.padEnd(28) + String(bytes).padStart(8));
const together = (title, files) => {
  const weights = files.filter((file) => fs.existsSync(path.join(folder, file))).map((file) => [file, weigh(file)]);
  console.log(title);
  for (const [file, bytes] of weights) row("  " + file, bytes);
  row("  together", weights.reduce((sum, [, bytes]) => sum + bytes, 0));
};
for (const language of ["en", "de", "es", "ar", "ja"]) {
  if (fs.existsSync(path.join(folder, "wasm", language + ".js"))) {
    together(`card (${language})`, ["define.js", "question-card.js", "styles.js", `wasm/${language}.js`, `wasm/${language}_bg.wasm`]);
  }
}
together("agent", ["agent.js", "agent-calls.js", "wasm/agent.js", "wasm/agent_bg.wasm"]);
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn a_style_sheet_loses_its_remarks_and_nothing_else() {
        assert_eq!(without_remarks("/* a */\n.b { /* c\n d */\n  e: \"f g\";\n}\n"), ".b {\ne: \"f g\";\n}");
        let styles = workspace::read("style/question-card.css").unwrap();
        // A text or an address that looks like a remark would be cut.
        assert_eq!(styles.matches("/*").count(), styles.matches("*/").count());
        assert!(!styles.contains("url(") && !styles.contains("content: \"/*"));
    }

    #[test]
    fn the_manifest_has_the_version_of_the_workspace_and_names_files_that_are_there() {
        let text = workspace::read(&format!("{CRATE}/js/package.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest(&text).unwrap()).unwrap();
        assert_eq!(manifest["version"], version().unwrap());
        let js = workspace::root().join(CRATE).join("js");
        let named = |value: &Value| value.as_str().map(str::to_owned);
        let mut files = Vec::new();
        for target in manifest["exports"].as_object().unwrap().values() {
            files.extend(named(target));
            files.extend(target.as_object().into_iter().flat_map(|ways| ways.values().filter_map(named)));
        }
        for file in files.iter().filter(|file| !file.contains('*') && !file.ends_with(".css")) {
            assert!(js.join(file).is_file(), "{file} is named and not there");
        }
    }
}
