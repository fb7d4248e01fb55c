//! The virtual environments of agents in Python, one each in the user's cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::recipe::Recipe;
use crate::steps::Log;
use crate::tools;

/// A call of the Python that has the packages of `recipe`, at the versions that it pins, and runs their commands.
///
/// # Errors
///
/// There is no Python with venv, or the packages can't be brought.
pub(super) fn with_packages(recipe: &Recipe, log: &Log) -> Result<Command> {
    let environment = tools::cache()?.join(format!("recipe-{}", recipe.name));
    let pinned = recipe.read("requirements.txt")? + &recipe.read("constraints.txt")?;
    let stamp = environment.join("pinned.txt");
    if fs::read_to_string(&stamp).ok().as_ref() != Some(&pinned) {
        let requirements = recipe.folder().join("requirements.txt");
        make(&environment, &requirements, log)?;
        fs::write(&stamp, pinned).context("can't write into the cache")?;
    }
    tools::command("python3", &[environment.join("bin")])
}

/// Makes the environment anew.
fn make(environment: &Path, requirements: &Path, log: &Log) -> Result<()> {
    let python: PathBuf = tools::python(log)?;
    log.doing("pip install");
    let mut venv = Command::new(python);
    venv.args(["-m", "venv", "--clear"]).arg(environment);
    log.run(venv)?;
    let mut pip = Command::new(environment.join("bin/python3"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(requirements);
    log.run(pip).context("can't install what requirements.txt names")
}
