//! The commands of xtask as a person calls them.

use std::process::{Child, Command, Stdio};

#[test]
fn the_help_of_a_command_is_about_that_command() {
    let help = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).arg("--help").output();
        String::from_utf8(output.expect("it runs").stdout).expect("it is text")
    };
    let [all, agents, bench] = [help(&[]), help(&["agents"]), help(&["bench"])];
    assert!(all.contains("xtask serve") && all.contains("xtask agents"), "{all}");
    assert!(agents.starts_with("cargo xtask agents\n") && !agents.contains("xtask serve"), "{agents}");
    assert!(bench.contains("cargo xtask bench card") && !bench.contains("xtask agents"), "{bench}");
}

#[test]
fn a_command_whose_reader_left_ends_without_a_panic() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut help = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = help.arg("--help").stdout(writer).stderr(Stdio::piped()).spawn().and_then(Child::wait_with_output);
    let output = output.expect("it runs");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
