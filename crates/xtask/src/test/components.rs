//! Tests that run as WebAssembly: in Node, or in a browser by wasm-bindgen's runner.

use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use super::binaries;
use crate::steps::{PageWatch, StepLog};
use crate::tools::system::{self, Browser};
use crate::{files, tools, workspace};

/// The program that runs the tests.
#[derive(Clone, Copy)]
pub(super) enum TestRunner {
    Node,
    Chromium,
    Firefox,
    WebKit,
}

pub(super) fn run(package: &str, runner: TestRunner, log: &StepLog) -> Result<()> {
    let browser = match runner {
        TestRunner::Node => system::node(log).map(|_| None)?,
        TestRunner::Chromium => Some(("CHROMEDRIVER", system::chromium(log)?)),
        TestRunner::Firefox => Some(("GECKODRIVER", system::firefox(log)?)),
        // The runner knows WebKit's driver only under the name of Safari's.
        TestRunner::WebKit => Some(("SAFARIDRIVER", system::webkit(log)?)),
    };
    let (mut passed, mut failed) = (0, Vec::new());
    for binary in binaries::wasm(package)? {
        let mut tests = tools::wasm_bindgen()?.command("wasm-bindgen-test-runner", log)?;
        tests.arg(&binary.program).current_dir(&binary.folder);
        let page = match &browser {
            Some((driver, browser)) => Some(set_browser(&mut tests, driver, browser, package)?),
            None => None,
        };
        match log.run_wasm(&mut tests, page) {
            Ok(count) => passed += count,
            Err(problem) => failed.push(format!("{}: {problem:#}", binary.target)),
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("; "));
    ensure!(passed > 0, "no test of {package} was run");
    Ok(())
}

/// Sets the browser for wasm-bindgen's runner.
fn set_browser(tests: &mut Command, driver: &str, browser: &Browser, package: &str) -> Result<PageWatch> {
    // The runner must find this one driver, whatever the user's environment sets.
    for other in ["GECKODRIVER", "SAFARIDRIVER", "CHROMEDRIVER", "MSEDGEDRIVER"] {
        tests.env_remove(other).env_remove(format!("{other}_REMOTE"));
    }
    let settings = workspace::scratch(&format!("{package}-{driver}.json"));
    let capabilities = json!({
        "goog:chromeOptions": { "binary": browser.program, "args": system::chromium_arguments().split(' ').collect::<Vec<_>>() },
        "moz:firefoxOptions": { "binary": browser.program, "args": ["-headless"] },
    });
    files::write(&settings, capabilities.to_string())?;
    tests.env("SAFARIDRIVER_ARGS", format!("--auto-servernum {}", browser.program.display()));
    tests.env(driver, &browser.driver).env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", settings);
    // Even if a test does not ask for a browser itself.
    tests.env("WASM_BINDGEN_USE_BROWSER", "1").env("WASM_BINDGEN_TEST_TIMEOUT", "300");
    let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    tests.env("WASM_BINDGEN_TEST_ADDRESS", server.to_string());
    // The first line is printed after the link and the load of 30 MB: more than a minute on a machine that also runs journeys.
    Ok(PageWatch { server, silence: Duration::from_secs(150) })
}
