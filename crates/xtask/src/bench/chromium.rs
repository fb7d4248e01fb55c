//! Measurements in Chromium: what each has in common.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::children;
use crate::tools;
use crate::tools::browsers::{self, Browser};

/// Runs a measurement in Node, behind what starts the browser and writes tables, with the paths that it wants.
///
/// # Errors
///
/// Node can't be started.
pub(super) fn measure(browser: &Browser, measurement: &str, given: &[&Path]) -> Result<ExitCode> {
    let arguments: Vec<_> =
        browsers::chromium_arguments().iter().map(|argument| argument.trim_start_matches("--")).collect();
    let mut node = Command::new(tools::node()?);
    node.args(["--input-type=module", "--eval"]);
    node.arg(format!("{CHROMIUM}\n{measurement}"));
    node.arg(&browser.program).arg(&browser.driver);
    node.arg(arguments.join(" ")).args(given);
    let measured = children::run(&mut node)?.success();
    Ok(if measured { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

const CHROMIUM: &str = include_str!("chromium.mjs");
