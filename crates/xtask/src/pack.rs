//! `cargo xtask pack`: the npm package `question-card`, from the crate `question-element`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, ensure};

use crate::flags::Pack;
use crate::steps::{self, Log, Step};
use crate::tools::{self, system};
use crate::{files, page, wasm, workspace};

/// The crate, from the workspace's root.
const CRATE: &str = "crates/question-element";

/// A program of the package: its name there, and the features of the crate with which it is built.
type Program = (&'static str, &'static str);

/// What a user of the package loads, one of them: a language of the card, or the agent's side.
const PROGRAMS: [Program; 6] = [
    ("en", "card"),
    ("de", "card,german"),
    ("es", "card,spanish"),
    ("ar", "card,arabic"),
    ("ja", "card,japanese"),
    ("agent", "agent"),
];
/// The folders of the whole package, and of what the tests of the element need.
const WHOLE: &str = "pack";
const FOR_TESTS: &str = "pack-for-tests";
/// What is loaded beside the program of the card, and beside the agent's.
const CARD: [&str; 4] = ["define.js", "question-card.js", "properties.js", "styles.js"];
const AGENT: [&str; 2] = ["agent.js", "agent-calls.js"];

/// Builds the package, lets two linters of the registry look at it, and prints what a page loads of it.
pub(crate) fn pack(options: &Pack) -> Result<()> {
    let mut wanted = Vec::from(steps());
    if !options.no_lint {
        wanted.push(Step::runs("linters", &["package"], lint));
    }
    steps::run_or_fail(&wanted)?;
    print!("{}", fs::read_to_string(workspace::scratch(WHOLE).join("weights.txt")).unwrap_or_default());
    println!("{}", tarball()?.display());
    Ok(())
}

/// The steps to the whole package, the last of which is "package".
pub(crate) fn steps<'a>() -> [Step<'a>; 2] {
    [Step::runs("tools", &[], page::bring_tools), Step::runs("package", &["tools"], |log| build(&PROGRAMS, WHOLE, log))]
}

/// Builds as much of the package as tests of the element itself need: two languages, and the agent's side.
pub(crate) fn build_for_tests(log: &Log) -> Result<()> {
    build(&[PROGRAMS[0], PROGRAMS[1], PROGRAMS[5]], FOR_TESTS, log)
}

/// The folder of the files for the element's tests.
pub(crate) fn package_for_tests() -> PathBuf {
    workspace::scratch(FOR_TESTS).join("package")
}

/// The package as npm takes it.
pub(crate) fn tarball() -> Result<PathBuf> {
    Ok(workspace::scratch(WHOLE).join(format!("question-card-{}.tgz", version()?)))
}

fn build(programs: &[Program], folder: &str, log: &Log) -> Result<()> {
    let folder = &workspace::scratch(folder);
    let package = folder.join("package");
    files::remove(&package)?;
    let mut weights = String::new();
    copy_files(&package)?;
    // Cargo builds one after the other, and meanwhile those that are built are made small.
    thread::scope(|scope| {
        let mut begun = Vec::new();
        for (at, &(name, features)) in programs.iter().enumerate() {
            log.doing(&format!("builds {name}, {} of {}", at + 1, programs.len()));
            let mut build = wasm::cargo_for(["build", "--profile=pack", "--package=question-element", "--lib"], log)?;
            build.args(["--no-default-features", "--features", features]);
            // What all of them need is built by then, and cargo would count to its last crate each time.
            log.run(build.args((at > 0).then_some("--quiet")))?;
            let program = wasm::bind("web", &wasm::built("pack/question_element"), name, &package.join("wasm"), log)?;
            begun.push(scope.spawn(move || wasm::optimize(&program, log)));
        }
        for (at, program) in begun.into_iter().enumerate() {
            log.doing(&format!("makes the programs small, {} of {}", at + 1, programs.len()));
            program.join().expect("making it small does not panic")?;
        }
        anyhow::Ok(())
    })?;
    files::write(&package.join("package.json"), manifest(&workspace::read(&format!("{CRATE}/js/package.json"))?)?)?;
    let mut npm = Command::new(system::npm(log)?);
    npm.args(["pack", "--silent", "--pack-destination"]).arg(folder).current_dir(&package);
    log.run(&mut npm)?;
    for (name, _) in programs {
        let (title, own) = match *name {
            "agent" => ("agent".to_owned(), &AGENT[..]),
            language => (format!("card ({language})"), &CARD[..]),
        };
        let own = own.iter().map(|&file| file.to_owned());
        let loaded: Vec<_> = own.chain([format!("wasm/{name}.js"), format!("wasm/{name}_bg.wasm")]).collect();
        weights += &wasm::table(&title, &wasm::with_sum(wasm::weigh(&package, &loaded, log)?));
    }
    files::write(&folder.join("weights.txt"), weights)
}

/// Puts into the package what nobody has to build.
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
    log.run(Command::new(linters.join("publint")).arg("--strict").arg(workspace::scratch(WHOLE).join("package")))?;
    // It is a package of modules alone, and what is not JavaScript has no types.
    let types = "--profile esm-only --exclude-entrypoints question-card.css shadcn.css material.css --";
    log.run(Command::new(linters.join("attw")).args(types.split(' ')).arg(tarball()?).env("NO_COLOR", "1"))
}
