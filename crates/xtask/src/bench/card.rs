//! The card in Chromium, in the built gallery: fed with large arguments, answered, and a thousand times in one page.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::children;
use crate::console::say;
use crate::page;
use crate::tools::browsers::{self, Browser};
use crate::tools::{self, Toolbox};

/// Builds the page as users get it and measures its cards by the browser's own means, at full speed and at a quarter of it.
///
/// # Errors
///
/// A tool or the browser is missing and can't be brought, or the build fails.
pub(crate) fn run() -> Result<ExitCode> {
    let Browser { program, driver } = browsers::chromium()?;
    let dist = page::build_for_release(&Toolbox::for_page(true)?)?;
    say("Measuring, which takes about three minutes");
    let mut node = Command::new(tools::node()?);
    node.args(["--input-type=module", "--eval", DRIVER]);
    node.arg(dist).arg(program).arg(driver);
    node.args(
        browsers::chromium_arguments()
            .iter()
            .map(|argument| argument.trim_start_matches("--")),
    );
    let measured = children::run(&mut node)?.success();
    Ok(if measured {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

const DRIVER: &str = include_str!("card.mjs");
