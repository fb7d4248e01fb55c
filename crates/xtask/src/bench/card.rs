//! The card in Chromium, in the built gallery: fed with large arguments, answered, and a thousand times in one page.

use std::process::ExitCode;

use anyhow::Result;

use super::chromium::measure;
use crate::console::say;
use crate::page;
use crate::tools::{Toolbox, browsers};

/// Builds the page as users get it and measures its cards by the browser's own means, at full speed and at a quarter of it.
///
/// # Errors
///
/// A tool or the browser is missing and can't be brought, or the build fails.
pub(crate) fn run() -> Result<ExitCode> {
    let browser = browsers::chromium()?;
    let dist = page::build_for_release(&Toolbox::for_page(true)?)?;
    say("Measuring, which takes about three minutes");
    measure(&browser, include_str!("card.mjs"), &[&dist])
}
