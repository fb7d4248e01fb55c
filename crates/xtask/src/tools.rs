//! The programs that the page's build and the tests need beyond cargo: found, or brought.
//!
//! What a suitable `PATH` has is used. What is missing goes into a cache of the user, by name and version, so that every
//! clone shares it: first by `cargo binstall` if that is there, else by `cargo install`. An interrupted installation leaves
//! no broken entry, because an entry is made elsewhere and then renamed.

pub(crate) mod browsers;
mod cache;
mod cargo_tools;
mod debian;
mod node;
mod search;
mod toolchain;

pub(crate) use cargo_tools::{geckodriver, trunk, wasm_bindgen};
pub(crate) use node::{CLIENTS, axe, node, released_clients, stream_peers, wasm_opt};
pub(crate) use toolchain::{lint_components, wasm_target};

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

/// Folders with programs that go before those of `PATH`.
#[derive(Debug, Default, Clone)]
pub(crate) struct Toolbox {
    folders: Vec<PathBuf>,
}

impl Toolbox {
    /// What building the page needs; a release build also needs `wasm-opt`.
    ///
    /// # Errors
    ///
    /// Something is missing and can't be brought.
    pub(crate) fn for_page(release: bool) -> Result<Self> {
        wasm_target()?;
        let mut folders = vec![wasm_bindgen()?, trunk()?];
        if release {
            folders.push(wasm_opt()?);
        }
        Ok(Self { folders })
    }

    /// A call of `program` that finds these tools first.
    ///
    /// # Errors
    ///
    /// A folder's name can't be part of `PATH`.
    pub(crate) fn command(&self, program: &str) -> Result<Command> {
        let present = std::env::var_os("PATH").unwrap_or_default();
        let folders = self.folders.iter().cloned().chain(std::env::split_paths(&present));
        let path =
            std::env::join_paths(folders).context("the cache's folder can't be put on the PATH; set ASK_TOOLS_DIR")?;
        // The program itself is looked up here: a changed PATH counts for the child's own look-ups only, on some systems.
        let program = search::candidates(program, &path).next().unwrap_or_else(|| program.into());
        let mut command = Command::new(program);
        command.env("PATH", path);
        Ok(command)
    }
}
