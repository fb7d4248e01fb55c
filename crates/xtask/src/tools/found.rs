//! Programs on the `PATH`, or of Debian's packages.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use nix::unistd::geteuid;

use crate::steps::StepLog;

/// The result of `find`; if there is none, again after apt has installed these packages. The error says how to install it on macOS.
pub(super) fn found<T>(
    what: &str,
    find: impl Fn() -> Option<T>,
    packages: &[&str],
    macos: &str,
    log: &StepLog,
) -> Result<T> {
    // Ubuntu's packages of browsers fetch a snap, which a container can't run.
    let is_ubuntu = || fs::read_to_string("/etc/os-release").is_ok_and(|release| release.contains("ID=ubuntu\n"));
    let is_snap = packages.iter().any(|name| ["chromium", "firefox-esr"].contains(name)) && is_ubuntu();
    let found = match find() {
        None if !is_snap => apt(packages, log)?.then(&find).flatten(),
        found => found,
    };
    let packages = packages.join(" ");
    found.with_context(|| {
        format!(
            "{what} is not on the PATH. Install it (Debian: `apt install {packages}`; macOS: {macos}) and run this again, or \
             leave its checks out by `--without`"
        )
    })
}

/// The first of these programs that is there, by name or by path.
pub(super) fn first(programs: &[&str]) -> Option<PathBuf> {
    programs.iter().find_map(|program| which::which(program).ok())
}

/// Npm, which any Node runs.
pub(crate) fn npm(log: &StepLog) -> Result<PathBuf> {
    found("Node.js with npm", || first(&["npm"]), &["nodejs", "npm"], "`brew install node`", log)
}

/// Installs Debian's packages if that needs no password, and returns true if it could.
fn apt(packages: &[&str], log: &StepLog) -> Result<bool> {
    if packages.is_empty() || !geteuid().is_root() || which::which("apt-get").is_err() {
        return Ok(false);
    }
    // Two steps may need it at once.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    log.doing(&format!("apt-get install {}", packages.join(" ")));
    let apt_get = |arguments: &[&str]| {
        let mut apt_get = Command::new("apt-get");
        apt_get.args(["-y", "-qq", "-o", "DPkg::Lock::Timeout=600"]).args(arguments);
        log.run(apt_get.env("DEBIAN_FRONTEND", "noninteractive"))
    };
    // An installation that was interrupted is completed first.
    log.run(Command::new("dpkg").args(["--configure", "-a"]).env("DEBIAN_FRONTEND", "noninteractive"))?;
    // A fresh container has no lists; if that fails, so does the next call.
    let _ = apt_get(&["update"]);
    apt_get(&[&["install", "--no-install-recommends"], packages].concat())?;
    log.doing("");
    Ok(true)
}
