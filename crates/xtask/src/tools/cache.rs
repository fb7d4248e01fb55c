//! The per-user cache of tools: `NAME-VERSION` folders that are whole or not there.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// The folder that holds `name` in this version, if it has been made.
///
/// # Errors
///
/// The system does not say where this user keeps caches.
pub(crate) fn entry(name: &str, version: &str) -> Result<Option<PathBuf>> {
    let entry = home()?.join(format!("{name}-{version}"));
    Ok(entry.is_dir().then_some(entry))
}

/// Makes the entry for `name` in this version: `fill` puts into the folder it is given what the entry is to hold.
///
/// # Errors
///
/// What `fill` refuses, or the file system. No half-filled entry is left in either case.
pub(crate) fn fill_entry(name: &str, version: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let home = home()?;
    let entry = home.join(format!("{name}-{version}"));
    let unfinished = Scratch::new(&home, name)?;
    fill(&unfinished.0)?;
    match fs::rename(&unfinished.0, &entry) {
        Ok(()) => Ok(entry),
        // Somebody else was quicker; theirs is as good.
        Err(_) if entry.is_dir() => Ok(entry),
        Err(problem) => Err(problem).with_context(|| format!("can't make {}", entry.display())),
    }
}

/// A folder in the cache that is removed when this is dropped.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    /// Makes a folder for work on `name`, and clears away what a killed run has left.
    pub(crate) fn new(home: &Path, name: &str) -> Result<Self> {
        fs::create_dir_all(home).with_context(|| format!("can't make the folder {}", home.display()))?;
        remove_old_scratch(home);
        let path = home.join(format!("{UNFINISHED}{name}-{}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| format!("can't make the folder {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Renamed, in the good case; and a leftover is cleared away by a later run.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The folder of all entries.
pub(crate) fn home() -> Result<PathBuf> {
    if let Some(chosen) = non_empty("ASK_TOOLS_DIR") {
        return std::path::absolute(&chosen).with_context(|| format!("ASK_TOOLS_DIR={} is no path", chosen.display()));
    }
    match user_cache() {
        Some(cache) => Ok(cache.join("ask-user-question").join("tools")),
        None => bail!("can't tell where your caches are kept: set HOME, or ASK_TOOLS_DIR to a folder for the tools"),
    }
}

fn user_cache() -> Option<PathBuf> {
    if cfg!(windows) {
        return non_empty("LOCALAPPDATA");
    }
    let in_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let absolute = |path: &PathBuf| path.is_absolute();
    non_empty("XDG_CACHE_HOME").filter(absolute).or_else(|| Some(non_empty("HOME")?.join(in_home)))
}

fn non_empty(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn remove_old_scratch(home: &Path) {
    let Ok(entries) = fs::read_dir(home) else {
        return;
    };
    for entry in entries.flatten() {
        let unfinished = entry.file_name().to_string_lossy().starts_with(UNFINISHED);
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        if unfinished && age.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

const UNFINISHED: &str = ".unfinished-";

/// No installation takes this long.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_folder_goes_with_its_guard() {
        let home = std::env::temp_dir().join(format!("xtask-cache-test-{}", std::process::id()));
        let scratch = Scratch::new(&home, "tool").unwrap();
        fs::write(scratch.0.join("half"), "").unwrap();
        assert!(scratch.0.is_dir());
        drop(scratch);
        assert_eq!(fs::read_dir(&home).unwrap().count(), 0);
        fs::remove_dir(&home).unwrap();
    }
}
