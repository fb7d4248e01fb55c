//! Bringing what is missing: by `cargo binstall` where that is there, by `cargo install`, by npm, by apt.
//!
//! An entry of the cache is filled elsewhere and then renamed, so that it is whole or not there. What cargo has compiled is kept until
//! the tool is there: an interrupted installation goes on where it stopped.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::unistd::geteuid;

use super::{Source, Tool, system};
use crate::steps::Log;
use crate::{children, files, workspace};

/// Fills the entry of `tool`.
pub(super) fn bring(tool: &Tool, entry: &Path, log: &Log) -> Result<()> {
    let cache = cache()?;
    files::make(&cache)?;
    // Another clone may be at the same, or another step.
    log.doing("waits for another tool");
    let _lock = lock(&cache)?;
    if tool.is_whole(entry) {
        return Ok(());
    }

    log.doing(&format!("{} {}", tool.name, tool.pin));
    let unfinished = cache.join(".unfinished");
    for folder in [&unfinished, entry] {
        files::remove(folder)?;
    }
    files::make(&unfinished)?;
    match tool.source {
        Source::Cargo(arguments) => {
            if which::which("cargo-binstall").is_err() || binstall(tool, &unfinished, log).is_err() {
                install(tool, arguments, &unfinished, &cache.join(BUILD), log)?;
            }
        }
        Source::Npm(packages) => {
            let packages: Vec<_> = packages.iter().map(|(name, what)| format!("{name}@{what}")).collect();
            npm_install(&unfinished, &packages, log)?;
        }
    }
    if !tool.is_whole(&unfinished) {
        bail!("{} is installed in {} and does not say that it is {}", tool.name, unfinished.display(), tool.pin);
    }
    fs::rename(&unfinished, entry).with_context(|| format!("can't make {}", entry.display()))
}

/// Locks the cache until the file is dropped. A wait that blocks would not hear of an interrupt.
fn lock(cache: &Path) -> Result<File> {
    let lock = File::create(cache.join(LOCK)).context("can't write into the cache")?;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if children::interrupted() => bail!("interrupted"),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(200)),
            Err(TryLockError::Error(problem)) => return Err(problem).context("can't lock the cache"),
        }
    }
}

/// Takes a ready-made program.
fn binstall(tool: &Tool, root: &Path, log: &Log) -> Result<()> {
    let mut binstall = cargo_in(root);
    binstall.args(["binstall", "--no-confirm", "--disable-strategies", "compile", "--root"]).arg(root);
    log.run(binstall.arg(format!("{}@{}", tool.name, tool.pin)))
}

/// Compiles a tool as a tool: soon there, not fast.
fn install(tool: &Tool, arguments: &[&str], root: &Path, build: &Path, log: &Log) -> Result<()> {
    let mut install = cargo_in(root);
    install.arg("install").args(arguments).arg("--root").arg(root).arg("--target-dir").arg(build);
    for (setting, value) in
        [("LTO", "off"), ("OPT_LEVEL", "0"), ("CODEGEN_UNITS", "16"), ("DEBUG", "0"), ("STRIP", "none")]
    {
        install.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    install.args(tool.programs.iter().flat_map(|program| ["--bin", program]));
    install.arg(format!("{}@{}", tool.name, tool.pin));
    log.run(&mut install).with_context(|| format!("can't install {} {}", tool.name, tool.pin))
}

/// Lets npm install what the folder's package.json names, and these packages.
pub(crate) fn npm_install(folder: &Path, packages: &[impl AsRef<OsStr>], log: &Log) -> Result<()> {
    let mut npm = Command::new(system::npm(log)?);
    log.doing("npm install");
    npm.args(["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(folder);
    log.run(npm.args(packages).current_dir(folder))
}

/// Removes what cargo has compiled for tools, a gigabyte that nobody needs again; not while another call compiles.
pub(crate) fn tidy() -> Result<()> {
    let cache = cache()?;
    match File::open(cache.join(LOCK)) {
        Ok(lock) if lock.try_lock().is_ok() => files::remove(&cache.join(BUILD)),
        _ => Ok(()),
    }
}

/// Installs Debian's packages where that needs no password, and says whether it could.
pub(super) fn apt(packages: &[&str], log: &Log) -> Result<bool> {
    if packages.is_empty() || !geteuid().is_root() || which::which("apt-get").is_err() {
        return Ok(false);
    }
    // Two steps may want it at once.
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

/// A call of cargo that this workspace's settings do not reach.
fn cargo_in(folder: &Path) -> Command {
    let mut cargo = workspace::cargo([]);
    cargo.current_dir(folder);
    for variable in
        ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_BUILD_RUSTFLAGS", "CARGO_TARGET_DIR"]
    {
        cargo.env_remove(variable);
    }
    cargo
}

/// The folder of what was brought.
pub(crate) fn cache() -> Result<PathBuf> {
    let named = |variable| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(chosen) = named("ASK_TOOLS_DIR") {
        return std::path::absolute(&chosen).with_context(|| format!("ASK_TOOLS_DIR={} is no path", chosen.display()));
    }
    let in_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let caches =
        named("XDG_CACHE_HOME").filter(|path| path.is_absolute()).or_else(|| Some(named("HOME")?.join(in_home)));
    let caches = caches
        .context("can't tell where your caches are kept: set HOME, or ASK_TOOLS_DIR to a folder for the tools")?;
    Ok(caches.join("ask-user-question/tools"))
}

const LOCK: &str = ".lock";
const BUILD: &str = ".build";
