//! The commands of the README: they set up, serve and test on a machine that has nothing but Rust.
//!
//! `cargo xtask --help` lists the commands. Each is a list of [`steps`]. [`tools`] installs what is missing, in pinned versions. [`children`] starts
//! every child process and ends it.

#[cfg(not(unix))]
compile_error!("xtask runs on Linux and macOS; on Windows, use it under WSL");

mod agents;
mod bench;
mod children;
mod console;
mod doc;
mod files;
mod flags;
mod pack;
mod page;
mod pages;
mod serve;
mod size;
mod steps;
mod test;
mod tools;
mod wasm;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use flags::{Xtask, XtaskCmd};

fn main() -> ExitCode {
    let flags = match Xtask::from_env() {
        Err(problem) if !problem.is_help() => {
            eprintln!("xtask: {problem}; `cargo xtask --help` lists the commands");
            return ExitCode::from(2);
        }
        Err(help) => {
            console::print(&help_of(&help.to_string(), std::env::args().nth(1).as_deref()));
            return ExitCode::SUCCESS;
        }
        Ok(flags) => flags,
    };
    match run(flags.subcommand) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) if children::interrupted() => {
            eprintln!("xtask: interrupted; the same command continues where it stopped");
            ExitCode::from(130)
        }
        Err(problem) => {
            eprintln!("xtask: {problem:#}");
            ExitCode::FAILURE
        }
    }
}

/// The part of the help about this command, or the whole help.
fn help_of(help: &str, command: Option<&str>) -> String {
    let parts = help.split("\n\nxtask ").skip(1);
    let of_command = parts.filter(|part| part.split_whitespace().next() == command);
    let of_command: Vec<_> = of_command.map(|part| format!("cargo xtask {}", part.trim_end())).collect();
    if of_command.is_empty() { help.to_owned() } else { of_command.join("\n\n") }
}

fn run(command: XtaskCmd) -> Result<()> {
    children::end_all_when_interrupted()?;
    match command {
        XtaskCmd::Serve(options) => serve::serve(&options),
        XtaskCmd::Test(options) => test::test(&options),
        XtaskCmd::Agents(options) => agents::agents(&options),
        XtaskCmd::Build(options) => pack::build(options.demo),
        XtaskCmd::Doc(_) => doc::doc(),
        XtaskCmd::Tools(_) => page::tools(),
        XtaskCmd::Size(_) => size::size(),
        XtaskCmd::Pack(options) => pack::pack(&options),
        XtaskCmd::Pages(options) => pages::pages(&options),
        XtaskCmd::Picture(_) => bench::picture(),
        XtaskCmd::Bench(options) => bench::bench(&options.subcommand),
    }
}
