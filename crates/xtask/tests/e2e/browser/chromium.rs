//! Chromium, by what its driver offers beyond WebDriver: the `DevTools` protocol.

use std::process::Command;

use serde_json::{Value, json};
use thirtyfour::prelude::*;
use thirtyfour::{Capabilities, LoggingPrefsLogLevel};

use super::{Colours, has_size};
use crate::given;
use crate::processes::port_after;

pub(super) fn driver() -> (Command, fn(&str) -> Option<u16>) {
    let mut command = Command::new(given("XTASK_CHROMEDRIVER"));
    command.arg("--port=0");
    (command, |line| port_after("started successfully on port ", line))
}

pub(super) fn capabilities() -> WebDriverResult<Capabilities> {
    let mut capabilities = DesiredCapabilities::chrome();
    capabilities.set_binary(&given("XTASK_CHROMIUM"))?;
    for argument in given("XTASK_CHROMIUM_ARGUMENTS").split_whitespace() {
        capabilities.add_arg(argument)?;
    }
    // In a kiosk there is nothing to draw beside the page.
    for argument in ["--window-size=1280,900", "--kiosk"] {
        capabilities.add_arg(argument)?;
    }
    capabilities.set_browser_log_level(LoggingPrefsLogLevel::All)?;
    Ok(capabilities.into())
}

pub(super) async fn forget(driver: &WebDriver) -> WebDriverResult<()> {
    let everything = json!({"origin": "*", "storageTypes": "all"});
    devtools(driver, "Storage.clearDataForOrigin", everything).await?;
    driver.browser_log().await?;
    Ok(())
}

pub(super) async fn runs_first(driver: &WebDriver, script: &str) -> WebDriverResult<()> {
    let source = json!({"source": script});
    devtools(driver, "Page.enable", json!({})).await?;
    devtools(driver, "Page.addScriptToEvaluateOnNewDocument", source).await?;
    Ok(())
}

pub(super) async fn errors(driver: &WebDriver) -> WebDriverResult<Vec<String>> {
    let console = driver.browser_log().await?;
    let errors = console.into_iter().filter(|entry| entry.level == "SEVERE");
    Ok(errors.map(|entry| entry.message).collect())
}

pub(crate) async fn resize(driver: &WebDriver, width: u32, height: u32) -> WebDriverResult<()> {
    let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
    devtools(driver, "Emulation.setDeviceMetricsOverride", size).await?;
    has_size(driver, width, height).await
}

pub(super) async fn prefers(driver: &WebDriver, colours: Colours) -> WebDriverResult<()> {
    let features = json!([
        {"name": "prefers-color-scheme", "value": colours.scheme()},
        {"name": "forced-colors", "value": if colours.are_forced() { "active" } else { "none" }},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]);
    devtools(driver, "Emulation.setEmulatedMedia", json!({"features": features})).await?;
    Ok(())
}

pub(super) async fn prints(driver: &WebDriver) -> WebDriverResult<()> {
    let media = json!({"media": "print"});
    devtools(driver, "Emulation.setEmulatedMedia", media).await?;
    Ok(())
}

/// Asks the browser itself. A test that does so is for Chromium alone: `cargo xtask` lists those, with why.
pub(crate) async fn devtools(driver: &WebDriver, method: &str, parameters: Value) -> WebDriverResult<Value> {
    driver.cdp().send_raw(method, parameters).await
}

/// Bytes: less than a kibibyte for each of a thousand cards. Freed memory is in pieces, so that the same cards do not always fit into what
/// the last ones had.
pub(crate) const LITTLE: u64 = 1_000 << 10;

/// What the browser holds for a page once all garbage is gone: listeners, nodes, and bytes of JavaScript's heap.
pub(crate) async fn held(driver: &WebDriver) -> WebDriverResult<[u64; 3]> {
    // Objects that one round frees may have held those of the next.
    for _ in 0..3 {
        devtools(driver, "HeapProfiler.collectGarbage", json!({})).await?;
    }
    let counters = devtools(driver, "Memory.getDOMCounters", json!({})).await?;
    let heap = devtools(driver, "Runtime.getHeapUsage", json!({})).await?;
    let held = [&counters["jsEventListeners"], &counters["nodes"], &heap["usedSize"]];
    Ok(held.map(|count| count.as_f64().expect("the browser counts") as u64))
}
