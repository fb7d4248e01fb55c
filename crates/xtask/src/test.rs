//! `cargo xtask test`: every check, or the requested ones.

pub(crate) mod binaries;
mod components;
pub(crate) mod journeys;

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::console::{clock, print, say};
use crate::flags::Test;
use crate::steps::{self, StepLog, StepOutcome, StepReport, StepSpec};
use crate::tools::system;
use crate::{doc, pack, page, size, tools, workspace};
use components::TestRunner;
use journeys::{InBrowser, chromium, firefox, webkit};

/// Every check. Of checks that can start, the first in the list does.
fn every_step<'a>() -> Vec<StepSpec<'a>> {
    use TestRunner::{Chromium, Firefox, Node, WebKit};
    let component = |name, package, runner| {
        let run = move |log: &StepLog| components::run(package, runner, log);
        let needs = &["wasm build", "tools"];
        if let Node = runner { StepSpec::runs(name, needs, run) } else { StepSpec::waits(name, needs, run) }
    };
    let last = |name: &'static str| name.rsplit(' ').next().unwrap_or_default();
    let on_page = |name, browser: InBrowser| {
        let walk = move |log: &StepLog| journeys::walk(browser(log)?, last(name), false, log);
        StepSpec::runs(name, &["native build", "demo for release"], walk)
    };
    let element = |name, browser: InBrowser| {
        let walk = move |log: &StepLog| journeys::walk(browser(log)?, last(name), true, log);
        StepSpec::runs(name, &["native build", "element package"], walk)
    };
    let [tools, page] = size::steps_for_release();
    vec![
        // Builds for development, one at a time. One of the two concurrent steps is always one of these.
        StepSpec::builds("formatting", &[], formatting),
        StepSpec::builds("native build", &["formatting"], binaries::build_native),
        StepSpec::builds("wasm build", &["formatting"], binaries::build_wasm),
        StepSpec::builds("native tests", &["native build"], native_tests),
        StepSpec::builds("documentation tests", &["native build"], |log| {
            log.run(&mut workspace::linting_cargo(["test", "--workspace", "--doc", binaries::FEATURES]))
        }),
        tools,
        page,
        page::gallery_for_release(),
        page::demo_for_release(),
        StepSpec::runs("element package", &["tools"], journeys::element_package),
        // It copies the page into the server's crate, which cargo would then build again for the tests above.
        StepSpec::builds("packages to install", &["page for release", "element package"], pack::program_for_tests),
        StepSpec::builds("serve in Chromium", &["native build", "tools"], journeys::serve),
        StepSpec::builds("stranger's page in Chromium", &["native build", "tools"], journeys::stranger),
        StepSpec::builds("documentation", &["formatting"], doc::reference),
        StepSpec::builds("fuzz targets", &["formatting"], fuzz_targets),
        // Tests in browsers, the longest first.
        on_page("journeys in Chromium", chromium),
        on_page("journeys in Firefox", firefox),
        on_page("journeys in WebKit", webkit),
        element("element in Chromium", chromium),
        element("element in Firefox", firefox),
        element("element in WebKit", webkit),
        StepSpec::runs("barriers in Chromium", &["native build", "gallery for release"], journeys::barriers),
        StepSpec::runs("packages in Chromium", &["native build", "packages to install"], journeys::packages),
        StepSpec::waits("server on Postgres", &["native build"], server_on_postgres),
        component("card in Chromium", "question-card", Chromium),
        component("card in Firefox", "question-card", Firefox),
        component("card in WebKit", "question-card", WebKit),
        component("hook in Chromium", "agent-chat", Chromium),
        component("hook in Firefox", "agent-chat", Firefox),
        component("hook in WebKit", "agent-chat", WebKit),
        component("chat page in Chromium", "app", Chromium),
        component("chat page in Firefox", "app", Firefox),
        component("chat page in WebKit", "app", WebKit),
        // Short checks, which fill the end.
        StepSpec::runs("packages of crates", &["formatting"], packages),
        component("stream in Node", "ag-ui-stream", Node),
        component("types in Node", "ask-user-question", Node),
        component("answers in Node", "question-compat", Node),
        component("forms in Node", "question-form", Node),
        component("agent in Node", "question-agent", Node),
        component("scripts in Node", "scripted-agent", Node),
        component("json in Node", "json-tree", Node),
        StepSpec::runs("released clients", &["native build"], journeys::released_clients),
        StepSpec::runs("page's scripts", &["tools"], journeys::page_scripts),
        StepSpec::runs("book", &["tools"], doc::book),
        StepSpec::runs("workflows", &["formatting"], workflows),
        StepSpec::runs("licences", &["tools"], |log| deny(&["licenses", "bans", "sources"], log)),
        StepSpec::runs("advisories", &["licences"], advisories),
    ]
}

/// The checks of `--quick`, to run while writing code.
const QUICK: [&str; 2] = ["native tests", "card in Chromium"];

/// Runs all checks, or those whose names contain one of these words, with the checks that they need.
pub(crate) fn test(options: &Test) -> Result<()> {
    let start = Instant::now();
    let mut steps = every_step();
    if options.quick {
        steps = with_needs(steps, |name| QUICK.contains(&name));
    }
    let steps = chosen(steps, &options.word, &options.without)?;
    if options.list {
        for step in steps {
            print(step.name);
        }
        return Ok(());
    }
    let names: Vec<_> = steps.iter().map(|step| step.name).collect();
    say(&format!("To do: {}", names.join(", ")));
    sum_up(&steps::run_all(&steps)?, start)
}

/// Chooses all steps, or those whose names contain one of these words, with the steps that they need. Leaves out those whose names contain a word of
/// `without`, and those that need them.
fn chosen<'a>(mut steps: Vec<StepSpec<'a>>, words: &[String], without: &[String]) -> Result<Vec<StepSpec<'a>>> {
    if let Some(word) = words.iter().chain(without).find(|word| !steps.iter().any(|step| has_word(step.name, word))) {
        bail!("no check has the word `{word}`; `cargo xtask test --list` lists them");
    }
    if !words.is_empty() {
        steps = with_needs(steps, |name| has_any(name, words));
    }
    let mut gone = Vec::new();
    steps.retain(|step| {
        let stays = !has_any(step.name, without) && !step.needs.iter().any(|need| gone.contains(need));
        if !stays {
            gone.push(step.name);
        }
        stays
    });
    Ok(steps)
}

/// The steps with these names, and those that they need.
fn with_needs<'a>(mut steps: Vec<StepSpec<'a>>, is_wanted: impl Fn(&str) -> bool) -> Vec<StepSpec<'a>> {
    let mut wanted: Vec<_> = steps.iter().map(|step| step.name).filter(|name| is_wanted(name)).collect();
    // The list has each step after those that it needs.
    for step in steps.iter().rev() {
        if wanted.contains(&step.name) {
            wanted.extend(step.needs);
        }
    }
    steps.retain(|step| wanted.contains(&step.name));
    steps
}

fn has_any(name: &str, words: &[String]) -> bool {
    words.iter().any(|word| has_word(name, word))
}

fn has_word(name: &str, word: &str) -> bool {
    name.split(' ').any(|part| part.eq_ignore_ascii_case(word))
}

/// Prints the failed and the skipped steps, and the numbers of each. A step that was left out counts as a failure.
pub(crate) fn sum_up(ended: &[StepReport<'_>], start: Instant) -> Result<()> {
    say("");
    let mut counts = [0; 3];
    for StepReport { name, outcome, without } in ended {
        let (kind, reason) = match outcome {
            StepOutcome::Passed => (0, None),
            StepOutcome::Failed(reason) => (1, Some(reason.clone())),
            StepOutcome::LeftOut(reason) => (2, Some(format!("not run, since {reason}"))),
        };
        counts[kind] += 1;
        if let Some(reason) = reason {
            say(&format!("FAILED {name}: {reason}"));
        }
        for part in without {
            say(&format!("{name}, without {part}"));
        }
    }
    let [passed, failed, left_out] = counts;
    // On standard output, where programs read it.
    print(&format!("After {}:\n{passed} passed, {failed} failed, {left_out} skipped", clock(start.elapsed())));
    if passed < ended.len() {
        bail!("{} of {} steps did not pass", ended.len() - passed, ended.len());
    }
    Ok(())
}

fn formatting(log: &StepLog) -> Result<()> {
    system::rust_lints(log)?;
    log.run(&mut workspace::cargo(["fmt", "--all", "--check"]))
}

fn native_tests(log: &StepLog) -> Result<()> {
    system::curl(log).and(system::python(log))?;
    // The server's tests take longest and mostly wait. With eight threads they take half the time on two processors.
    let run = |mut tests: Command| log.run(tests.env("RUST_TEST_THREADS", "8"));
    let features = binaries::FEATURES;
    run(workspace::linting_cargo(["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests", features]))?;
    // The stream without the features for malformed streams.
    let canonical =
        ["test", "--package", "ag-ui-stream", "--test", "it", "--no-default-features", "--features", "asks"];
    run(workspace::linting_cargo(canonical))
}

/// Packages all published crates, as before their upload.
fn packages(log: &StepLog) -> Result<()> {
    // The page within the server's crate is not in git, so cargo would refuse the folder as dirty.
    log.run(&mut workspace::cargo(["publish", "--workspace", "--dry-run", "--no-verify", "--allow-dirty"]))
}

/// Checks the workflows of GitHub. Actionlint's checkers for scripts are not used, since the scripts have one line each.
fn workflows(log: &StepLog) -> Result<()> {
    let mut lint = tools::actionlint().command("actionlint", log)?;
    log.run(lint.args(["-no-color", "-shellcheck=", "-pyflakes="]).current_dir(workspace::root()))
}

/// Checks all dependencies by the rules of `.cargo/deny.toml`.
fn deny(checks: &[&str], log: &StepLog) -> Result<()> {
    let mut deny = tools::deny().command("cargo-deny", log)?;
    deny.current_dir(workspace::root()).args(["--all-features", "check", "--hide-inclusion-graph"]);
    log.run(deny.args(checks))
}

/// Checks all dependencies against the advisories of `RustSec`. Their database is in a repository that not every network reaches.
fn advisories(log: &StepLog) -> Result<()> {
    let checked = deny(&["advisories"], log);
    if checked.is_err() && log.failure().contains("failed to fetch advisory database") {
        log.without("the advisories themselves: RustSec's database can't be reached from here".to_owned());
        return Ok(());
    }
    checked
}

/// Runs the server's tests of its store on a Postgres that they start themselves.
fn server_on_postgres(log: &StepLog) -> Result<()> {
    let mut tests = binaries::native("it", "question-server")?;
    // Tests that take minutes run on request: see the server's tests/README.md. The others mostly wait for leases, so they run concurrently.
    tests.args(["--ignored", "--test-threads", "8", "--skip", "endurance"]);
    tests.env("POSTGRES_PROGRAMS", system::postgres(log)?).env("NGINX_PROGRAM", system::nginx(log)?);
    log.run_some(&mut tests)
}

/// Checks that the fuzz targets compile. They are not in the workspace.
fn fuzz_targets(log: &StepLog) -> Result<()> {
    let mut check = workspace::cargo(["check", "--locked", "--manifest-path", "crates/ag-ui-stream/fuzz/Cargo.toml"]);
    log.run(check.arg("--target-dir").arg(workspace::scratch("fuzz")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_stands_behind_what_it_needs() {
        let all = every_step();
        for (place, step) in all.iter().enumerate() {
            for need in step.needs {
                assert!(all[..place].iter().any(|before| before.name == *need), "{} needs {need}", step.name);
            }
        }
    }

    #[test]
    fn a_word_chooses_steps_with_what_they_need() {
        let names = |word: &str, without: &[String]| -> Result<Vec<_>> {
            Ok(chosen(every_step(), &[word.to_owned()], without)?.iter().map(|step| step.name).collect())
        };
        let card = ["formatting", "wasm build", "tools", "card in Chromium", "card in Firefox", "card in WebKit"];
        assert_eq!(names("CARD", &[]).unwrap(), card);
        assert_eq!(names("card", &["Chromium".to_owned()]).unwrap(), [&card[..3], &card[4..]].concat());
        assert!(!names("element", &["package".to_owned()]).unwrap().contains(&"element in Firefox"));
        assert!(names("everything", &[]).is_err());
        let quick: Vec<_> =
            with_needs(every_step(), |name| QUICK.contains(&name)).iter().map(|step| step.name).collect();
        assert_eq!(quick, ["formatting", "native build", "wasm build", "native tests", "tools", "card in Chromium"]);
    }
}
