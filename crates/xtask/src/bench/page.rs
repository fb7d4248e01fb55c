//! A first visit of the chat page in Chromium: what is transferred, and when a person can see, read and write.

use std::process::ExitCode;

use anyhow::Result;

use super::chromium::measure;
use crate::console::say;
use crate::page;
use crate::serve;
use crate::tools::{Toolbox, browsers};

/// Builds the page and its server as users get them and measures first visits, at full speed, at a quarter of it, and that on a slow network.
///
/// # Errors
///
/// A tool or the browser is missing and can't be brought, or a build fails.
pub(crate) fn run() -> Result<ExitCode> {
    let browser = browsers::chromium()?;
    let dist = page::build_for_release(&Toolbox::for_page(true)?)?;
    serve::build_server(true)?;
    say("Measuring, which takes about three minutes");
    let server = page::server_program("server");
    measure(&browser, include_str!("page.mjs"), &[&server, &dist])
}
