//! How wasm-bindgen's test runner is told which browser to use and how.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::tools::browsers::{Browser, chromium_arguments};
use crate::workspace;

/// The browsers that component tests know.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Chromium,
    Firefox,
}

/// Makes the tests of `command` run in this browser.
///
/// # Errors
///
/// The browser's settings can't be written.
pub(super) fn run_in(command: &mut Command, kind: Kind, browser: &Browser) -> Result<()> {
    // Whatever the user's environment asks for, the runner shall find this one driver.
    for driver in ["GECKODRIVER", "SAFARIDRIVER", "CHROMEDRIVER", "MSEDGEDRIVER"] {
        command.env_remove(driver).env_remove(format!("{driver}_REMOTE"));
    }
    let (driver, file) = match kind {
        Kind::Chromium => ("CHROMEDRIVER", "chromium.json"),
        Kind::Firefox => ("GECKODRIVER", "firefox.json"),
    };
    let settings = workspace::scratch_dir()?.join(file);
    let program = browser.program.to_string_lossy();
    fs::write(&settings, capabilities(kind, &program))
        .with_context(|| format!("can't write {}", settings.display()))?;
    command.env(driver, &browser.driver);
    command.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", settings);
    // Also for tests that do not say so themselves.
    command.env("WASM_BINDGEN_USE_BROWSER", "1");
    command.env("WASM_BINDGEN_TEST_TIMEOUT", "120");
    Ok(())
}

fn capabilities(kind: Kind, program: &str) -> String {
    let (key, arguments) = match kind {
        Kind::Chromium => ("goog:chromeOptions", chromium_arguments()),
        Kind::Firefox => ("moz:firefoxOptions", vec!["-headless"]),
    };
    let arguments: Vec<_> = arguments.into_iter().map(json_string).collect();
    let (key, program, arguments) = (json_string(key), json_string(program), arguments.join(","));
    format!("{{{key}:{{\"binary\":{program},\"args\":[{arguments}]}}}}")
}

fn json_string(text: &str) -> String {
    let mut json = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c.is_control() => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn settings_are_json_whatever_the_path() {
        let path = "C:\\Program Files\\a \"b\"\tc\\chromium.exe";
        let settings: Value = serde_json::from_str(&capabilities(Kind::Chromium, path)).unwrap();
        assert_eq!(settings["goog:chromeOptions"]["binary"], path);
        assert_eq!(settings["goog:chromeOptions"]["args"][0], "--headless=new");

        let settings: Value = serde_json::from_str(&capabilities(Kind::Firefox, "/usr/bin/firefox")).unwrap();
        assert_eq!(settings["moz:firefoxOptions"]["args"][0], "-headless");
    }
}
