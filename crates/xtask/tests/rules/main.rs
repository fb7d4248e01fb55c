//! Rules for what the repository has: its documents, its crates, its commands, and what is published of it.

mod architecture;
mod commands;
mod documents;
mod published;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|problem| panic!("{}: {problem}", file.display()))
}

/// All files in a folder and below whose names end so, in their order, except in what a package manager has installed.
fn found(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("the folder can be read").path();
        let is_installed = ["/.venv", "/node_modules"].iter().any(|name| path.to_string_lossy().ends_with(name));
        if path.is_dir() && !is_installed {
            files.extend(found(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The paths of all files of the repository, from its root.
fn tracked() -> Vec<String> {
    let listed = Command::new("git").current_dir(root()).args(["ls-files", "-z"]).output().expect("git runs");
    let files = String::from_utf8(listed.stdout).expect("paths are text");
    files.split_terminator('\0').filter(|file| root().join(file).is_file()).map(str::to_owned).collect()
}
