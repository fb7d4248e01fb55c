//! The tests that cargo has built, by path: so that they run without cargo, which lets one call work at a time.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::Value;

use super::cargo;
use crate::steps::Log;
use crate::tools::rustup;

/// A built test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binary {
    /// The folder of its package, in which tests expect to run.
    pub(super) folder: PathBuf,
    /// The name of its target.
    pub(super) target: String,
    pub(super) program: PathBuf,
}

/// Crates whose tests run natively and as WebAssembly from one source.
const CORE: [&str; 4] = ["json-tree", "ask-user-question", "ag-ui-stream", "question-agent"];
/// Crates whose tests need a browser.
const COMPONENTS: [&str; 3] = ["question-card", "agent-chat", "app"];

/// Builds all that there is natively, with the journeys, which are no test to cargo, or they would run without a browser: to a pattern,
/// they are one.
pub(super) fn native(log: &Log) -> Result<Vec<Binary>> {
    build(cargo(["test", "--workspace", "--lib", "--bins", "--examples", "--benches", "--test", "*"]), log)
}

/// Builds the journeys, and the server that they need.
pub(crate) fn journeys(log: &Log) -> Result<Vec<Binary>> {
    log.run(cargo(["build", "--package", "question-server"]))?;
    build(cargo(["test", "--package", "xtask", "--test", "e2e"]), log)
}

/// Builds what runs as WebAssembly: each further program costs a run of wasm-bindgen and a start of each browser.
pub(super) fn wasm(log: &Log) -> Result<Vec<Binary>> {
    rustup::wasm_target(log)?;
    let mut core = cargo(["test", "--target", rustup::WASM, "--lib", "--tests"]);
    core.args(CORE.iter().flat_map(|name| ["--package", name]));
    let mut components = cargo(["test", "--target", rustup::WASM, "--test", "web"]);
    components.args(COMPONENTS.iter().flat_map(|name| ["--package", name]));
    Ok([build(core, log)?, build(components, log)?].concat())
}

fn build(mut cargo: Command, log: &Log) -> Result<Vec<Binary>> {
    cargo.args(["--no-run", "--message-format=json-render-diagnostics"]);
    let mut built = Vec::new();
    log.run_reading(cargo, |line| built.extend(test_in(line)))?;
    Ok(built)
}

/// The test that a line of cargo's tells of.
fn test_in(line: &str) -> Option<Binary> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["profile"]["test"] == true && message["target"]["kind"][0] != "bench";
    Some(Binary {
        folder: Path::new(message["manifest_path"].as_str()?).parent()?.to_owned(),
        target: message["target"]["name"].as_str()?.to_owned(),
        program: message["executable"].as_str().filter(|_| is_test)?.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_read_from_what_cargo_tells() {
        let line = |kind: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/kit/app/Cargo.toml","target":{{"kind":["{kind}"],"name":"web"}},"profile":{{"test":true}},"executable":"/kit/target/debug/deps/web-1.wasm"}}"#
            )
        };
        let web = Binary {
            folder: "/kit/app".into(),
            target: "web".into(),
            program: "/kit/target/debug/deps/web-1.wasm".into(),
        };
        assert_eq!(test_in(&line("test")), Some(web));
        assert_eq!(test_in(&line("bench")), None);
        assert_eq!(test_in("   Compiling app v0.1.0"), None);
    }
}
