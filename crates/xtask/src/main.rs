//! Set-up, serve, test: what the commands of the README run, on a machine that has nothing but Rust.
//!
//! `cargo xtask help` lists the commands. Everything that is missing is brought first, pinned, by [`tools`]; every child
//! process is started by [`children`], which leaves none of them behind.

mod args;
mod bench;
mod children;
mod console;
mod page;
mod serve;
mod size;
mod test;
mod tools;
mod workspace;

use std::process::ExitCode;

use args::Command;

fn main() -> ExitCode {
    let command = match args::parse(std::env::args_os().skip(1)) {
        Ok(command) => command,
        Err(problem) => return refuse(&problem, 2),
    };
    if let Err(problem) = children::end_all_when_interrupted() {
        return refuse(&problem, 1);
    }
    let outcome = match command {
        Command::Help(text) => {
            print!("{text}");
            Ok(ExitCode::SUCCESS)
        }
        Command::Serve(options) => serve::serve(&options),
        Command::Test(groups) => test::test(&groups),
        Command::Conformance(path) => test::conformance(&path),
        Command::Size => size::size(),
        Command::Bench(bench) => bench::bench(bench),
    };
    match outcome {
        Ok(code) => code,
        Err(_) if children::interrupted() => ExitCode::from(130),
        Err(problem) => refuse(&problem, 1),
    }
}

/// Says what is wrong in a sentence; a backtrace would help nobody here.
fn refuse(problem: &anyhow::Error, code: u8) -> ExitCode {
    eprintln!("xtask: {problem:#}");
    ExitCode::from(code)
}
