//! `cargo xtask test`: every check, or those that are asked for.

pub(crate) mod binaries;
mod components;
mod element;
pub(crate) mod journeys;
mod postgres;
mod stranger;

use std::process::Command;
use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::console::{clock, say};
use crate::flags::Test;
use crate::publish::{Build, package};
use crate::steps::{self, Ended, Log, Outcome, Step};
use crate::tools::rustup;
use crate::{page, workspace};
pub(crate) use binaries::Binary;
use components::Platform;

/// Every check. Where nothing else decides, the first goes first: what others need, then what takes long.
fn every_step(made: &Made) -> Vec<Step<'_>> {
    use Platform::{Chromium, Firefox, Node};
    let component = |name, package, platform| {
        let work = move |log: &Log| components::run(package, platform, made.wasm.get()?, log);
        Step::runs(name, &["wasm build", "tools"], work)
    };
    let journeys = |name, walk: fn(&[Binary], &Log) -> Result<()>| {
        let work = move |log: &Log| walk(made.native.get()?, log);
        Step::runs(name, &["native build", "gallery for release"], work)
    };
    let on_elements = |name, walk: fn(&[Binary], &Log) -> Result<()>| {
        let work = move |log: &Log| walk(made.native.get()?, log);
        Step::runs(name, &["native build", "element package"], work)
    };
    let [tools, page] = page::steps_for_release();
    vec![
        Step::builds("formatting", &[], formatting),
        tools,
        Step::builds("native build", &["formatting"], |log| made.native.keep(binaries::native(log)?)),
        page,
        page::gallery_for_release(),
        Step::builds("native tests", &["native build"], native_tests),
        Step::builds("wasm build", &["formatting"], |log| made.wasm.keep(binaries::wasm(log)?)),
        journeys("journeys in Chromium", journeys::in_chromium),
        journeys("journeys in Firefox", journeys::in_firefox),
        component("card in Chromium", "question-card", Chromium),
        component("card in Firefox", "question-card", Firefox),
        component("hook in Chromium", "agent-chat", Chromium),
        component("hook in Firefox", "agent-chat", Firefox),
        component("chat page in Chromium", "app", Chromium),
        component("chat page in Firefox", "app", Firefox),
        journeys("barriers in Chromium", journeys::barriers),
        component("types in Node", "ask-user-question", Node),
        component("stream in Node", "ag-ui-stream", Node),
        component("agent in Node", "question-agent", Node),
        component("json in Node", "json-tree", Node),
        Step::runs("server on Postgres", &["native build"], |log| postgres::run(made.native.get()?, log)),
        Step::runs("released clients", &["native build"], journeys::released_clients),
        Step::builds("serve in Chromium", &["native build", "tools"], |log| journeys::serve(made.native.get()?, log)),
        Step::builds("stranger's page in Chromium", &["native build", "tools"], |log| {
            journeys::stranger(made.native.get()?, log)
        }),
        Step::runs("packages", &["formatting"], |log| package(Build::Nothing, log)),
        Step::runs("element package", &["tools"], element::build),
        on_elements("element in Chromium", journeys::element_in_chromium),
        on_elements("element in Firefox", journeys::element_in_firefox),
        on_elements("element in WebKit", journeys::element_in_webkit),
        Step::builds("documentation", &["formatting"], documentation),
        Step::builds("documentation tests", &["native build"], |log| log.run(cargo(["test", "--workspace", "--doc"]))),
    ]
}

/// What steps make for one another.
#[derive(Default)]
struct Made {
    native: Kept,
    wasm: Kept,
}

#[derive(Default)]
struct Kept(OnceLock<Vec<Binary>>);

impl Kept {
    fn keep(&self, binaries: Vec<Binary>) -> Result<()> {
        self.0.set(binaries).ok().context("a step runs once")
    }

    fn get(&self) -> Result<&[Binary]> {
        Ok(self.0.get().context("the step that builds this has passed")?)
    }
}

/// Runs the checks whose names have one of these words, or all, with what they need.
pub(crate) fn test(options: &Test) -> Result<()> {
    let start = Instant::now();
    let made = Made::default();
    let steps = chosen(every_step(&made), &options.word)?;
    if options.list {
        for step in steps {
            println!("{}", step.name);
        }
        return Ok(());
    }
    let names: Vec<_> = steps.iter().map(|step| step.name).collect();
    say(&format!("To do: {}", names.join(", ")));
    let ended = steps::run_all(&steps)?;
    sum_up(&ended, start)
}

/// The steps whose names have one of these words, and those that they need.
fn chosen<'a>(mut steps: Vec<Step<'a>>, words: &[String]) -> Result<Vec<Step<'a>>> {
    if words.is_empty() {
        return Ok(steps);
    }
    let mut wanted: Vec<&str> = Vec::new();
    for word in words {
        let has_word = |step: &&Step<'_>| step.name.split(' ').any(|part| part.eq_ignore_ascii_case(word));
        let before = wanted.len();
        wanted.extend(steps.iter().filter(has_word).map(|step| step.name));
        if wanted.len() == before {
            bail!("no check has the word `{word}`; `cargo xtask test --list` lists them");
        }
    }
    // What a step needs stands before it.
    for step in steps.iter().rev() {
        if wanted.contains(&step.name) {
            wanted.extend(step.needs);
        }
    }
    let wanted: Vec<_> = wanted.into_iter().map(str::to_owned).collect();
    steps.retain(|step| wanted.iter().any(|name| name == step.name));
    Ok(steps)
}

/// Tells what failed and what was left out, and counts.
pub(crate) fn sum_up(ended: &[Ended], start: Instant) -> Result<()> {
    let mut counts = [0; 3];
    say("");
    for Ended { name, outcome, without } in ended {
        match outcome {
            Outcome::Passed => counts[0] += 1,
            Outcome::Failed(reason) => {
                counts[1] += 1;
                say(&format!("FAILED {name}: {reason}"));
            }
            Outcome::LeftOut(reason) => {
                counts[2] += 1;
                say(&format!("Left out {name}: {reason}"));
            }
        }
        for part in without {
            say(&format!("{name}, without {part}"));
        }
    }
    let [passed, failed, left_out] = counts;
    // For programs, so it goes where output is read from.
    println!("{passed} passed, {failed} failed, {left_out} left out, after {}", clock(start.elapsed()).trim());
    if failed > 0 {
        bail!("{failed} of {} steps failed", ended.len());
    }
    Ok(())
}

fn formatting(log: &Log) -> Result<()> {
    rustup::lints(log)?;
    log.run(workspace::cargo(["fmt", "--all", "--check"]))
}

fn native_tests(log: &Log) -> Result<()> {
    log.run(cargo(["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"]))
}

fn documentation(log: &Log) -> Result<()> {
    let mut doc = cargo(["doc", "--workspace", "--lib", "--no-deps"]);
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    log.run(doc)
}

/// A call of cargo that lints what it builds of this workspace, as `cargo clippy` does, which only would have built all of it once more.
fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut cargo = workspace::cargo(arguments);
    linting(&mut cargo);
    cargo
}

fn linting(command: &mut Command) {
    if workspace::is_ci() {
        // Nothing is built a second time there.
        command.env("CARGO_INCREMENTAL", "0");
    }
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    command.env("CLIPPY_ARGS", "--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        let made = Made::default();
        chosen(every_step(&made), &words).unwrap().iter().map(|step| step.name).collect()
    }

    #[test]
    fn every_step_stands_behind_what_it_needs() {
        let made = Made::default();
        let all = every_step(&made);
        for (place, step) in all.iter().enumerate() {
            for need in step.needs {
                assert!(all[..place].iter().any(|before| before.name == *need), "{} needs {need}", step.name);
            }
        }
    }

    #[test]
    fn a_word_chooses_steps_with_what_they_need() {
        assert_eq!(names(&["formatting"]), ["formatting"]);
        let card = names(&["CARD"]);
        assert_eq!(card, ["formatting", "tools", "wasm build", "card in Chromium", "card in Firefox"]);
        assert!(chosen(every_step(&Made::default()), &["everything".into()]).is_err());
    }
}
