//! Files and folders, with errors that name them.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};

/// Writes a file, and creates its folder if needed.
pub(crate) fn write(file: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    make(file.parent().context("a file is in a folder")?)?;
    fs::write(file, content).with_context(|| format!("can't write {}", file.display()))
}

pub(crate) fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("can't make the folder {}", folder.display()))
}

/// Copies a file, or the content of a folder into another. An equal copy is left alone, so that it keeps its time.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        let content = fs::read(from).with_context(|| format!("can't read {}", from.display()))?;
        return if fs::read(to).is_ok_and(|present| present == content) { Ok(()) } else { write(to, content) };
    }
    for entry in fs::read_dir(from).with_context(|| format!("can't read {}", from.display()))? {
        let name = entry?.file_name();
        copy(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// Removes what is in `folder`, at any depth, and not in `other`. Files with one of the names in `stays` are kept.
pub(crate) fn remove_others(folder: &Path, other: &Path, stays: &[&OsStr]) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if stays.contains(&&*name) {
            continue;
        }
        match other.join(name) {
            kept if path.is_dir() && kept.is_dir() => remove_others(&path, &kept, stays)?,
            kept if kept.is_file() && path.is_file() => (),
            _ => remove(&path)?,
        }
    }
    Ok(())
}

pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(problem) if problem.kind() != ErrorKind::NotFound => {
            Err(problem).with_context(|| format!("can't remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
