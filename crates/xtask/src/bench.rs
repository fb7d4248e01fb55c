//! `cargo xtask bench`: measurements that are reported with their command and never asserted in a test.

mod card;
mod chromium;
mod page;
mod server;
mod stream;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::Bench;

/// Runs one measurement and prints its table.
///
/// # Errors
///
/// A tool is missing and can't be brought, a build fails, or the measured thing does.
pub(crate) fn bench(bench: Bench) -> Result<ExitCode> {
    match bench {
        Bench::Card => card::run(),
        Bench::Page => page::run(),
        Bench::Server => server::run(),
        Bench::Stream => stream::run(),
    }
}
