//! What recipes need of pip and npm: for each, a folder in the user's cache with the versions that it pins.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::recipe::{Language, Recipe};
use crate::steps::Log;
use crate::{files, tools, workspace};

/// The folder with the packages of `recipe`, brought where it is missing or pins other versions by now.
pub(super) fn folder(recipe: &Recipe, log: &Log) -> Result<PathBuf> {
    let folder = tools::cache()?.join(format!("recipe-{}", recipe.name));
    let pinned = recipe.pinned()?;
    let stamp = folder.join("pinned.txt");
    if fs::read_to_string(&stamp).ok().as_ref() != Some(&pinned) {
        match recipe.language() {
            Language::Python => pip(&folder, &recipe.folder().join("requirements.txt"), log)?,
            Language::Node => npm(&folder, recipe, log)?,
        }
        files::write(&stamp, &pinned)?;
    }
    Ok(folder)
}

/// A call of Python that has the packages of `recipe` and their commands, where its files are found.
pub(super) fn python(recipe: &Recipe, log: &Log) -> Result<Command> {
    let folder = folder(recipe, log)?;
    match recipe.language() {
        Language::Python => {
            let mut command = tools::command("python3", &[folder.join("bin")])?;
            command.current_dir(recipe.folder());
            Ok(command)
        }
        Language::Node => {
            // Packages are looked for beside the program that names them.
            files::write(&folder.join("agent.mjs"), &recipe.read("agent.mjs")?)?;
            let mut command = Command::new(tools::python(log)?);
            command.current_dir(folder);
            Ok(command)
        }
    }
}

/// Makes a new virtual environment.
fn pip(environment: &Path, requirements: &Path, log: &Log) -> Result<()> {
    let python = tools::python(log)?;
    log.doing("pip install");
    let mut venv = Command::new(python);
    venv.args(["-m", "venv", "--clear"]).arg(environment);
    log.run(venv)?;
    let mut pip = Command::new(environment.join("bin/python3"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(requirements);
    log.run(pip).context("can't install what requirements.txt names")
}

/// Makes a new folder with packages of npm.
fn npm(environment: &Path, recipe: &Recipe, log: &Log) -> Result<()> {
    tools::node(log)?;
    log.doing("npm install");
    files::remove(environment)?;
    for file in ["package.json", ".npmrc"] {
        files::write(&environment.join(file), recipe.read(file)?)?;
    }
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(environment);
    log.run(npm).context("can't install what package.json names")
}

/// The model that agents have in tests.
pub(super) fn scripted_model() -> PathBuf {
    workspace::root().join(super::recipe::FOLDER).join("scripted_model.py")
}
