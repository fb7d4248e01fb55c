//! What a system has or its packages bring: Node, Python, Postgres, nginx, browsers, and parts of the Rust toolchain.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use nix::unistd::geteuid;

use super::bring::apt;
use super::version::version_of;
use crate::steps::{Lacking, Log};
use crate::{children, workspace};

/// What `find` finds; where that is nothing, again once these packages of Debian's are there.
fn found<T>(find: impl Fn() -> Option<T>, debians: &[&str], log: &Log, lacking: &'static str) -> Result<T> {
    brought(find, debians, log)?.ok_or_else(|| Lacking::needed(lacking))
}

/// The same, for what the checks can do without.
fn brought<T>(find: impl Fn() -> Option<T>, debians: &[&str], log: &Log) -> Result<Option<T>> {
    match find() {
        None => Ok(apt(debians, log)?.then(find).flatten()),
        found => Ok(found),
    }
}

/// The packages of browsers by apt. Ubuntu's of these names only fetch a snap, which a container can't run.
fn on_debian(packages: &'static [&'static str]) -> &'static [&'static str] {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    if release.lines().any(|line| line == "ID=debian") { packages } else { &[] }
}

/// The first of these programs that is there, by name or by path.
fn first(programs: &[&str]) -> Option<PathBuf> {
    programs.iter().find_map(|program| which::which(program).ok())
}

/// The `node` that runs tests and measurements, and packs the page: 18 is the first that has `fetch`.
pub(crate) fn node(log: &Log) -> Result<PathBuf> {
    let find = || first(&["npm"]).and(first(&["node"])).filter(|node| version_of(node) >= Some([18, 0, 0]));
    found(
        find,
        &["nodejs", "npm"],
        log,
        "Node.js 18 or later with npm is not on the PATH. Install both (Debian and Ubuntu: `apt install nodejs npm`; else \
         https://nodejs.org) and run this again",
    )
}

/// The Python that agents of other frameworks run in, which can make virtual environments.
pub(crate) fn python(log: &Log) -> Result<PathBuf> {
    let find = || {
        let python = first(&["python3"]).filter(|python| version_of(python) >= Some([3, 11, 0]))?;
        // Debian has the parts of venv in packages of their own.
        children::output_of(Command::new(&python).args(["-c", "import ensurepip, venv"]))?;
        Some(python)
    };
    found(
        find,
        &["python3", "python3-venv"],
        log,
        "Python 3.11 or later with venv is not on the PATH. Install both (Debian and Ubuntu: `apt install python3-venv`; macOS: \
         `brew install python`) and run this again",
    )
}

/// The folder with the programs of Postgres, of which tests start one for themselves.
pub(crate) fn postgres(log: &Log) -> Result<PathBuf> {
    let find = || {
        // Debian does not put them on the PATH; of several versions any does.
        let debians = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders = env::split_paths(&path).chain(debians.map(|version| version.path().join("bin")));
        folders.find(|folder| ["initdb", "postgres"].iter().all(|program| folder.join(program).is_file()))
    };
    found(
        find,
        &["postgresql"],
        log,
        "there is no Postgres. Install it (Debian and Ubuntu: `apt install postgresql`; macOS: `brew install postgresql`) and run this \
         again",
    )
}

/// Nginx, which tests put in front of several servers. Debian has it where only root's PATH leads.
pub(crate) fn nginx(log: &Log) -> Result<PathBuf> {
    found(
        || first(&["nginx", "/usr/sbin/nginx"]),
        &["nginx-light"],
        log,
        "there is no nginx. Install it (Debian and Ubuntu: `apt install nginx-light`; macOS: `brew install nginx`) and run this again",
    )
}

/// A browser and its driver.
pub(crate) struct Browser {
    pub(crate) program: PathBuf,
    pub(crate) driver: PathBuf,
}

/// Chromium (or Chrome) and its driver.
pub(crate) fn chromium(log: &Log) -> Result<Browser> {
    const NAMES: [&str; 5] = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ];
    let named = |variable| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let find = || {
        let program = named("CHROME").or_else(|| first(&NAMES))?;
        Some(Browser { program, driver: named("CHROMEDRIVER").or_else(|| first(&["chromedriver"]))? })
    };
    let Browser { program, driver } = found(
        find,
        on_debian(&["chromium", "chromium-driver"]),
        log,
        "Chromium and chromedriver are not on the PATH. Install both (Debian: `apt install chromium chromium-driver`; Ubuntu: Google \
         Chrome and its chromedriver; macOS: `brew install --cask google-chrome chromedriver`) and run this again",
    )?;
    // A driver refuses a browser of another generation, in words that help nobody.
    if let (Some([browser, ..]), Some([own, ..])) = (version_of(&program), version_of(&driver))
        && browser != own
    {
        let (program, driver) = (program.display(), driver.display());
        bail!(
            "{driver} is of generation {own}, but {program} is of {browser}: install the driver of the browser's version"
        );
    }
    Ok(Browser { program, driver })
}

/// What Chromium is told on every start: to be quiet, and where it must, to do without its sandbox.
pub(crate) fn chromium_arguments() -> [&'static str; 8] {
    [
        if geteuid().is_root() { "--no-sandbox" } else { "--no-default-browser-check" },
        "--headless=new",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ]
}

/// Firefox and its driver.
pub(crate) fn firefox(log: &Log) -> Result<Browser> {
    let find = || first(&["firefox", "firefox-esr", "/Applications/Firefox.app/Contents/MacOS/firefox"]);
    let program = brought(find, on_debian(&["firefox-esr"]), log)?
        .ok_or_else(|| Lacking::never_needed("there is no Firefox on the PATH"))?;
    let driver = super::geckodriver().folder(log)?.join("geckodriver");
    super::tidy()?;
    Ok(Browser { program, driver })
}

/// The driver of WebKit, which has its browser with it, where that and a display without a screen are there.
pub(crate) fn webkit_here() -> Result<PathBuf> {
    find_webkit().ok_or_else(|| Lacking::never_needed("WebKitWebDriver and xvfb-run are not both on the PATH"))
}

/// The same, brought where it is missing.
pub(crate) fn webkit(log: &Log) -> Result<PathBuf> {
    found(
        find_webkit,
        &["webkit2gtk-driver", "xvfb", "xauth"],
        log,
        "WebKitWebDriver and xvfb-run are not both on the PATH. Install both (Debian, Ubuntu: `apt install webkit2gtk-driver xvfb \
         xauth`) and run this again",
    )
}

fn find_webkit() -> Option<PathBuf> {
    first(&["xvfb-run"]).and(first(&["WebKitWebDriver"]))
}

/// Makes sure that the compiler can build for this target.
pub(crate) fn rust_target(target: &str, log: &Log) -> Result<()> {
    let libraries = children::output_of(Command::new("rustc").args(["--print", "target-libdir", "--target", target]));
    if libraries.is_some_and(|folder| Path::new(&folder).is_dir()) {
        return Ok(());
    }
    rustup(&["target", "add", target], log)
}

/// Makes sure that rustfmt and clippy are there; rustup's minimal profile leaves them out.
pub(crate) fn rust_lints(log: &Log) -> Result<()> {
    let has = |command| children::output_of(&mut workspace::cargo([command, "--version"])).is_some();
    if has("fmt") && has("clippy") { Ok(()) } else { rustup(&["component", "add", "rustfmt", "clippy"], log) }
}

fn rustup(arguments: &[&str], log: &Log) -> Result<()> {
    let line = format!("rustup {}", arguments.join(" "));
    log.doing(&line);
    log.run(Command::new("rustup").args(arguments)).with_context(|| format!(
        "the Rust toolchain lacks a part, and `{line}` fails. Check the network, or install Rust by https://rustup.rs, and run this again"
    ))
}
