//! Programs that the system or its packages provide: Node, Python, Postgres, nginx, browsers, and parts of the Rust toolchain.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use nix::unistd::geteuid;

use super::version::{Version, version_of};
use super::{NODE_PACKAGE, PinnedTool, ToolSource, geckodriver, node_package, tidy};
use crate::console::say;
use crate::steps::StepLog;
use crate::{children, workspace};

/// The Node that runs tests and measurements. One on the PATH that is too old is reported and not used.
pub(crate) fn node(log: &StepLog) -> Result<PathBuf> {
    static NODE: Mutex<Option<PathBuf>> = Mutex::new(None);
    let mut known = NODE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(node) = &*known {
        return Ok(node.clone());
    }
    let present = first(&["node"]).map(|node| (version_of(&node), node));
    let node = match present {
        Some((version, node)) if version >= Some(OLDEST_NODE) => node,
        other => {
            if let Some((Some([major, minor, patch]), node)) = other {
                let own = format!("{} is Node {major}.{minor}.{patch}", node.display());
                say(&format!("{own}, which is too old for the tests: using Node from npm, in your cache"));
            }
            if !cfg!(target_os = "linux") {
                bail!(
                    "Node.js 20 or later is not on the PATH. Install it (macOS: `brew install node`) and run this again"
                );
            }
            let folder = node_package().folder(log)?.join("node_modules").join(NODE_PACKAGE).join("bin");
            children::prefer(&folder);
            folder.join("node")
        }
    };
    Ok(known.insert(node).clone())
}

/// A call of Node with a script and these arguments.
pub(crate) fn script<const N: usize>(script: &str, arguments: [&Path; N], log: &StepLog) -> Result<Command> {
    let mut node = Command::new(node(log)?);
    node.args(["--input-type=module", "--eval", script]).args(arguments);
    Ok(node)
}

impl PinnedTool {
    /// A call of one of the tool's programs. Missing or broken parts are installed first.
    pub(crate) fn command(&self, program: &str, log: &StepLog) -> Result<Command> {
        if let ToolSource::Npm(_) = self.source {
            node(log)?;
        }
        Ok(Command::new(self.folder(log)?.join(program)))
    }
}

/// The first version that runs the tests. Node 18, which Debian 12 has, does not.
const OLDEST_NODE: Version = [20, 0, 0];

/// A Python for agents of other frameworks, which can make virtual environments.
pub(crate) fn python(log: &StepLog) -> Result<PathBuf> {
    let find = || {
        let python = first(&["python3"]).filter(|python| version_of(python) >= Some([3, 11, 0]))?;
        // Debian has the parts of venv in separate packages.
        children::output_of(Command::new(&python).args(["-c", "import ensurepip, venv"]))?;
        Some(python)
    };
    found("Python 3.11 or later with venv", find, &["python3", "python3-venv"], "`brew install python`", log)
}

/// The folder with the programs of Postgres, which tests start themselves.
pub(crate) fn postgres(log: &StepLog) -> Result<PathBuf> {
    let find = || {
        // Debian does not put them on the PATH. Any version works.
        let debians = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders = env::split_paths(&path).chain(debians.map(|version| version.path().join("bin")));
        folders.find(|folder| ["initdb", "postgres"].iter().all(|program| folder.join(program).is_file()))
    };
    found("Postgres", find, &["postgresql"], "`brew install postgresql`", log)
}

/// The nginx that tests put in front of several servers. Debian's is only on root's PATH.
pub(crate) fn nginx(log: &StepLog) -> Result<PathBuf> {
    found("nginx", || first(&["nginx", "/usr/sbin/nginx"]), &["nginx-light"], "`brew install nginx`", log)
}

/// The C compiler for static Linux programs.
pub(crate) fn musl(log: &StepLog) -> Result<PathBuf> {
    found("musl's C compiler", || first(&["musl-gcc"]), &["musl-tools"], "none", log)
}

/// The `curl` with which tests run the commands of a README. The README's programs run in [`python`].
pub(crate) fn curl(log: &StepLog) -> Result<PathBuf> {
    found("curl", || first(&["curl"]), &["curl"], "part of the system", log)
}

/// A browser and its driver.
pub(crate) struct Browser {
    pub(crate) program: PathBuf,
    pub(crate) driver: PathBuf,
}

/// Chromium (or Chrome) and its driver.
pub(crate) fn chromium(log: &StepLog) -> Result<Browser> {
    const ON_MACOS: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
    let programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", ON_MACOS];
    let named = |variable| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let find = || {
        let program = named("CHROME").or_else(|| first(&programs))?;
        Some(Browser { program, driver: named("CHROMEDRIVER").or_else(|| first(&["chromedriver"]))? })
    };
    let macos = "`brew install --cask google-chrome chromedriver`";
    let Browser { program, driver } =
        found("Chromium or Chrome with chromedriver", find, &["chromium", "chromium-driver"], macos, log)?;
    // The driver's own message about a browser of another version does not help.
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

/// The arguments with which Chromium is always started. Root can't have its sandbox.
pub(crate) fn chromium_arguments() -> String {
    let first = if geteuid().is_root() { "--no-sandbox" } else { "--no-default-browser-check" };
    let others = " --headless=new --disable-gpu --disable-dev-shm-usage --disable-background-networking";
    [first, others, " --disable-component-update --disable-sync --no-first-run"].concat()
}

/// Firefox and its driver.
pub(crate) fn firefox(log: &StepLog) -> Result<Browser> {
    let find = || first(&["firefox", "firefox-esr", "/Applications/Firefox.app/Contents/MacOS/firefox"]);
    let program = found("Firefox", find, &["firefox-esr"], "`brew install --cask firefox`", log)?;
    let driver = geckodriver().folder(log)?.join("geckodriver");
    tidy()?;
    Ok(Browser { program, driver })
}

/// WebKit's driver, which has its own browser, and the program that runs it on a virtual display.
pub(crate) fn webkit(log: &StepLog) -> Result<Browser> {
    let find = || Some(Browser { program: first(&["WebKitWebDriver"])?, driver: first(&["xvfb-run"])? });
    let packages = ["webkit2gtk-driver", "xvfb", "xauth"];
    found("WebKitWebDriver with xvfb-run", find, &packages, "none", log)
}

/// Installs the standard library of this target if it is missing.
pub(crate) fn rust_target(target: &str, log: &StepLog) -> Result<()> {
    let libraries = children::output_of(Command::new("rustc").args(["--print", "target-libdir", "--target", target]));
    if libraries.is_some_and(|folder| Path::new(&folder).is_dir()) {
        return Ok(());
    }
    rustup(&["target", "add", target], log)
}

/// Installs rustfmt and clippy if they are missing, as after an installation with rustup's minimal profile.
pub(crate) fn rust_lints(log: &StepLog) -> Result<()> {
    let has = |command| children::output_of(&mut workspace::cargo([command, "--version"])).is_some();
    if has("fmt") && has("clippy") { Ok(()) } else { rustup(&["component", "add", "rustfmt", "clippy"], log) }
}

fn rustup(arguments: &[&str], log: &StepLog) -> Result<()> {
    let line = format!("rustup {}", arguments.join(" "));
    log.doing(&line);
    log.run(Command::new("rustup").args(arguments)).with_context(|| format!(
        "the Rust toolchain lacks a part, and `{line}` fails. Check the network, or install Rust by https://rustup.rs, and run this again"
    ))
}

/// The result of `find`. If it is `None`, apt installs these packages and `find` is called again. The error says how to install it on macOS.
fn found<T>(what: &str, find: impl Fn() -> Option<T>, packages: &[&str], macos: &str, log: &StepLog) -> Result<T> {
    // Ubuntu's packages of browsers install a snap, which a container can't run.
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

/// The first of these programs that exists, by name or by path.
fn first(programs: &[&str]) -> Option<PathBuf> {
    programs.iter().find_map(|program| which::which(program).ok())
}

/// Npm, for which any Node will do.
pub(crate) fn npm(log: &StepLog) -> Result<PathBuf> {
    found("Node.js with npm", || first(&["npm"]), &["nodejs", "npm"], "`brew install node`", log)
}

/// Installs Debian's packages if that needs no password. Returns true if it did.
fn apt(packages: &[&str], log: &StepLog) -> Result<bool> {
    if packages.is_empty() || !geteuid().is_root() || which::which("apt-get").is_err() {
        return Ok(false);
    }
    // Two steps may call apt at once.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    log.doing(&format!("apt-get install {}", packages.join(" ")));
    let apt_get = |arguments: &[&str]| {
        let mut apt_get = Command::new("apt-get");
        apt_get.args(["-y", "-qq", "-o", "DPkg::Lock::Timeout=600"]).args(arguments);
        log.run(apt_get.env("DEBIAN_FRONTEND", "noninteractive"))
    };
    // Completes an installation that was interrupted.
    log.run(Command::new("dpkg").args(["--configure", "-a"]).env("DEBIAN_FRONTEND", "noninteractive"))?;
    // A fresh container has no package lists. If this fails, so does the next call.
    let _ = apt_get(&["update"]);
    apt_get(&[&["install", "--no-install-recommends"], packages].concat())?;
    log.doing("");
    Ok(true)
}
