//! Tests that run as WebAssembly: in Node, or in a browser by wasm-bindgen's runner.

use std::process::Command;

use anyhow::{Result, bail, ensure};
use serde_json::json;

use super::binaries::Binary;
use crate::files;
use crate::steps::Log;
use crate::tools;
use crate::tools::browsers::{self, Browser};
use crate::workspace;

/// What runs the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Platform {
    Node,
    Chromium,
    Firefox,
}

/// Runs the tests of `package`.
pub(super) fn run(package: &str, platform: Platform, binaries: &[Binary], log: &Log) -> Result<()> {
    let runner = tools::wasm_bindgen()?.folder(log)?.join("wasm-bindgen-test-runner");
    let browser = match platform {
        Platform::Node => {
            tools::node(log)?;
            None
        }
        Platform::Chromium => Some(("CHROMEDRIVER", browsers::chromium(log)?)),
        Platform::Firefox => Some(("GECKODRIVER", browsers::firefox(log)?)),
    };
    let (mut passed, mut failed) = (0, Vec::new());
    for binary in binaries.iter().filter(|binary| binary.folder.ends_with(package)) {
        let mut tests = Command::new(&runner);
        tests.arg(&binary.program).current_dir(&binary.folder);
        if let Some((driver, browser)) = &browser {
            run_in_browser(&mut tests, driver, browser, package)?;
        }
        match log.run_tests(tests) {
            Ok(count) => passed += count,
            Err(problem) => failed.push(format!("{}: {problem:#}", binary.target)),
        }
    }
    if !failed.is_empty() {
        bail!("{}", failed.join("; "));
    }
    ensure!(passed > 0, "no test of {package} was run");
    Ok(())
}

/// Tells wasm-bindgen's runner which browser to take.
fn run_in_browser(tests: &mut Command, driver: &str, browser: &Browser, package: &str) -> Result<()> {
    // Whatever the user's environment asks for, the runner shall find this one driver.
    for other in ["GECKODRIVER", "SAFARIDRIVER", "CHROMEDRIVER", "MSEDGEDRIVER"] {
        tests.env_remove(other).env_remove(format!("{other}_REMOTE"));
    }
    let settings = workspace::scratch_dir()?.join(format!("{package}-{driver}.json"));
    let capabilities = json!({
        "goog:chromeOptions": { "binary": browser.program, "args": browsers::chromium_arguments() },
        "moz:firefoxOptions": { "binary": browser.program, "args": ["-headless"] },
    });
    files::write(&settings, capabilities.to_string())?;
    tests.env(driver, &browser.driver).env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", settings);
    // Also for tests that do not say so themselves.
    tests.env("WASM_BINDGEN_USE_BROWSER", "1").env("WASM_BINDGEN_TEST_TIMEOUT", "120");
    Ok(())
}
