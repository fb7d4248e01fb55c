//! Where things are in this workspace, and what its lock file pins.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = xtask.parent().and_then(Path::parent);
    root.expect("crates/xtask lies two folders below the root").to_owned()
}

/// Where cargo puts what it builds.
pub(crate) fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// A folder for what xtask itself makes: generated settings, the built page under test, the conversations of `serve`.
///
/// It lies below the root, whatever `CARGO_TARGET_DIR` says, so that cargo finds the workspace's settings from there.
///
/// # Errors
///
/// The folder can't be made.
pub(crate) fn scratch_dir() -> Result<PathBuf> {
    let dir = root().join("target/xtask");
    std::fs::create_dir_all(&dir).with_context(|| format!("can't make the folder {}", dir.display()))?;
    Ok(dir)
}

/// The cargo that runs us, which is of the right toolchain.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The version of `package` that Cargo.lock pins.
///
/// # Errors
///
/// Cargo.lock can't be read or has no such package.
pub(crate) fn locked_version(package: &str) -> Result<String> {
    let path = root().join("Cargo.lock");
    let lock = std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    find_locked_version(&lock, package).ok_or_else(|| anyhow!("Cargo.lock has no package `{package}`"))
}

fn find_locked_version(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next()?.strip_prefix("version = \"")?;
    Some(version.strip_suffix('"')?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4

[[package]]
name = "wasm-bindgen-futures"
version = "0.4.80"
dependencies = [
 "wasm-bindgen",
]

[[package]]
name = "wasm-bindgen"
version = "0.2.130"
"#;

    #[test]
    fn a_locked_version_is_found_by_the_whole_name() {
        assert_eq!(find_locked_version(LOCK, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(find_locked_version(LOCK, "wasm-bindgen-futures").as_deref(), Some("0.4.80"));
        assert_eq!(find_locked_version(LOCK, "wasm"), None);
    }

    #[test]
    fn the_workspaces_own_lock_pins_the_page() {
        let version = locked_version("wasm-bindgen").expect("the page depends on wasm-bindgen");
        assert_eq!(version.split('.').count(), 3, "{version}");
    }
}
