//! The recipes: a folder for each, whose README says how its agent is started. What is known to be wrong with it says their common README.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::table;
use crate::steps::Log;
use crate::tools::{self, system};
use crate::{files, workspace};

/// Where the recipes are.
pub(super) const FOLDER: &str = "crates/agent-chat/recipes";

/// An agent of another framework, as a user would set it up.
#[derive(Debug)]
pub(super) struct Recipe {
    /// The name of its folder.
    pub(super) name: String,
    /// The command that starts it on port 8000, in its folder.
    start: String,
    /// Where it answers.
    pub(super) path: String,
}

impl Recipe {
    /// The recipes, in the order of the table.
    pub(super) fn all() -> Result<Vec<Self>> {
        table::names(&table::read()?).into_iter().map(Self::named).collect()
    }

    fn named(name: &str) -> Result<Self> {
        let readme = workspace::read(&format!("{FOLDER}/{name}/README.md"))?;
        let after = |before| {
            let rest = readme.lines().find_map(|line: &str| line.strip_prefix(before));
            rest.map(str::to_owned).with_context(|| format!("the README of {name} has no line `{before}…`"))
        };
        let start = after("python3 ../scripted_model.py ")?;
        Ok(Self { name: name.into(), start, path: after("cargo xtask serve --agent http://127.0.0.1:8000")? })
    }

    /// A call of its command on another port, behind the scripted model.
    pub(super) fn starting_at(&self, port: u16, log: &Log) -> Result<Command> {
        let packages = self.packages(log)?;
        let mut command = if self.is_node() {
            // Packages are looked for beside the program that names them.
            files::copy(&self.folder().join("agent.mjs"), &packages.join("agent.mjs"))?;
            let mut command = Command::new(system::python(log)?);
            command.current_dir(packages);
            command
        } else {
            let mut command = tools::command("python3", &[packages.join("bin")])?;
            command.current_dir(self.folder());
            command
        };
        command.arg(workspace::root().join(FOLDER).join("scripted_model.py"));
        command.args(self.start.split(' ').map(|word| word.replace("8000", &port.to_string())));
        Ok(command)
    }

    /// The folder in the user's cache with the packages that it pins, brought where it is missing or has other versions.
    pub(super) fn packages(&self, log: &Log) -> Result<PathBuf> {
        let folder = tools::cache()?.join(format!("recipe-{}", self.name));
        let pinned = self.pinned()?;
        let stamp = folder.join("pinned.txt");
        if fs::read_to_string(&stamp).ok().as_ref() != Some(&pinned) {
            match self.is_node() {
                true => self.npm(&folder, log)?,
                false => self.pip(&folder, log)?,
            }
            files::write(&stamp, &pinned)?;
        }
        Ok(folder)
    }

    /// Makes a new virtual environment.
    fn pip(&self, environment: &Path, log: &Log) -> Result<()> {
        let python = system::python(log)?;
        log.doing("pip install");
        log.run(Command::new(python).args(["-m", "venv", "--clear"]).arg(environment))?;
        let mut pip = Command::new(environment.join("bin/python3"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
        log.run(pip.arg(self.folder().join("requirements.txt"))).context("can't install what requirements.txt names")
    }

    /// Makes a new folder with packages of npm.
    fn npm(&self, folder: &Path, log: &Log) -> Result<()> {
        files::remove(folder)?;
        for file in ["package.json", ".npmrc"] {
            files::copy(&self.folder().join(file), &folder.join(file))?;
        }
        tools::npm_install(folder, &[] as &[&str], log).context("can't install what package.json names")
    }

    /// The version of a package that it pins.
    pub(super) fn version(&self, package: &str) -> Result<String> {
        let pinned = self.pinned()?;
        let (before, after) =
            if self.is_node() { (format!("\"{package}\": \""), '"') } else { (format!("\n{package}=="), '\n') };
        let version = pinned.split_once(&before).and_then(|(_, rest)| rest.split(after).next());
        Ok(version.with_context(|| format!("{} does not pin {package}", self.name))?.to_owned())
    }

    /// The versions that it pins.
    fn pinned(&self) -> Result<String> {
        let files = if self.is_node() { ["package.json", ".npmrc"] } else { ["requirements.txt", "constraints.txt"] };
        files.into_iter().map(|file| workspace::read(&format!("{FOLDER}/{}/{file}", self.name))).collect()
    }

    /// Most are written in Python.
    fn is_node(&self) -> bool {
        self.start.starts_with("node ")
    }

    fn folder(&self) -> PathBuf {
        workspace::root().join(FOLDER).join(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_is_a_recipe_of_the_table() {
        let entries = fs::read_dir(workspace::root().join(FOLDER)).unwrap().map(Result::unwrap);
        let folders =
            entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name().into_string().unwrap());
        let mut folders: Vec<_> = folders.filter(|name| !name.starts_with("__")).collect();
        folders.sort();
        let mut names: Vec<_> = Recipe::all().unwrap().into_iter().map(|recipe| recipe.name).collect();
        names.sort();
        assert_eq!(folders, names);
    }
}
