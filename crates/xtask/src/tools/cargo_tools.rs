//! Tools that are Rust packages themselves, with their pins.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};

use super::cache;
use super::search::{self, Version};
use crate::children::{self, Child};
use crate::console::{duration, say};
use crate::workspace;

/// A folder with `trunk`, which builds and serves the page.
///
/// # Errors
///
/// It is missing and can't be installed.
pub(crate) fn trunk() -> Result<PathBuf> {
    let pinned = CargoTool {
        package: "trunk",
        version: "0.21.14".to_owned(),
        programs: &["trunk"],
        fit: Fit::SameSeries,
        locked: Locked::Yes,
        does: "builds and serves the page",
        takes: "8 minutes on two cores",
    };
    pinned.folder()
}

/// A folder with `wasm-bindgen`, which makes JavaScript's side of the page, and its test runner.
///
/// # Errors
///
/// It is missing and can't be installed, or Cargo.lock does not say which one.
pub(crate) fn wasm_bindgen() -> Result<PathBuf> {
    let pinned = CargoTool {
        package: "wasm-bindgen-cli",
        // It refuses modules that were made for any other version.
        version: workspace::locked_version("wasm-bindgen")?,
        programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
        fit: Fit::Exact,
        // Its own lock file does not build with today's compilers.
        locked: Locked::No,
        does: "makes JavaScript's side of the page and runs its tests",
        takes: "4 minutes on two cores",
    };
    pinned.folder()
}

/// A folder with `geckodriver`, which drives Firefox.
///
/// # Errors
///
/// It is missing and can't be installed.
pub(crate) fn geckodriver() -> Result<PathBuf> {
    let pinned = CargoTool {
        package: "geckodriver",
        version: "0.37.1".to_owned(),
        programs: &["geckodriver"],
        fit: Fit::Any,
        locked: Locked::Yes,
        does: "drives Firefox in tests",
        takes: "2 minutes on two cores",
    };
    pinned.folder()
}

struct CargoTool {
    package: &'static str,
    version: String,
    programs: &'static [&'static str],
    fit: Fit,
    locked: Locked,
    does: &'static str,
    takes: &'static str,
}

/// Which versions on the `PATH` are used instead of the pinned one.
#[derive(Clone, Copy)]
enum Fit {
    Exact,
    SameSeries,
    Any,
}

/// Whether the package's own lock file is used.
#[derive(Clone, Copy)]
enum Locked {
    Yes,
    No,
}

impl CargoTool {
    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = self.folder_on_path() {
            return Ok(folder);
        }
        let entry = match cache::entry(self.package, &self.version)? {
            Some(entry) => entry,
            None => self.install()?,
        };
        Ok(entry.join("bin"))
    }

    fn folder_on_path(&self) -> Option<PathBuf> {
        let (first, others) = self.programs.split_first().expect("a tool has a program");
        let folders = search::on_path(first).into_iter().filter(|program| self.fits(program));
        let mut folders = folders.filter_map(|program| Some(program.parent()?.to_owned()));
        folders.find(|folder| {
            let here = |program: &&str| search::candidates(program, folder.as_os_str()).next().is_some();
            others.iter().all(here)
        })
    }

    fn fits(&self, program: &Path) -> bool {
        let present = search::version_of(program);
        let pinned = Version::first_in(&self.version).expect("pins are versions");
        match self.fit {
            Fit::Any => present.is_some(),
            Fit::Exact => present == Some(pinned),
            Fit::SameSeries => present.is_some_and(|present| present.can_stand_for(pinned)),
        }
    }

    fn install(&self) -> Result<PathBuf> {
        let Self { package, version, .. } = self;
        say(&format!(
            "Installing {package} {version}, which {}, into {}; this takes about {}, once",
            self.does,
            cache::home()?.display(),
            self.takes
        ));
        let start = Instant::now();
        let entry = cache::fill_entry(package, version, |root| {
            if self.binstall(root)? {
                return Ok(());
            }
            self.build(root)
        })?;
        say(&format!("{package} {version} is there after {}", duration(start.elapsed())));
        Ok(entry)
    }

    /// Takes a ready-made program where `cargo binstall` is there and knows one; says whether that worked.
    fn binstall(&self, root: &Path) -> Result<bool> {
        if search::on_path("cargo-binstall").is_empty() {
            return Ok(false);
        }
        let mut command = cargo_outside_of_workspaces(root);
        command.args(["binstall", "--no-confirm", "--disable-strategies", "compile", "--root"]).arg(root);
        command.arg(format!("{}@{}", self.package, self.version));
        let installed = children::run(&mut command)?.success();
        if !installed {
            say(&format!("`cargo binstall` has no {} {}; building it", self.package, self.version));
        }
        Ok(installed)
    }

    fn build(&self, root: &Path) -> Result<()> {
        // Beside the entry and gone with the guard: a tool's build takes a gigabyte that nobody needs again.
        let build = cache::Scratch::new(&cache::home()?, &format!("build-{}", self.package))?;
        let mut command = cargo_outside_of_workspaces(root);
        command.args(["install", "--root"]).arg(root).env("CARGO_TARGET_DIR", &build.0);
        if matches!(self.locked, Locked::Yes) {
            command.arg("--locked");
        }
        command.arg(format!("{}@{}", self.package, self.version));
        let said = run_showing_progress(&mut command, self.package)?;
        match said {
            None => Ok(()),
            Some(said) => Err(self.explain(&said)),
        }
    }

    fn explain(&self, said: &str) -> anyhow::Error {
        let Self { package, version, .. } = self;
        match cause_in(said) {
            Some(Cause::Network) => anyhow!(
                "can't download {package} {version}: the package registry does not answer. Check the network, or put {package} \
                 {version} on the PATH, and run this again"
            ),
            Some(Cause::Compiler) => anyhow!(
                "can't build {package} {version}: there is no C compiler. Install one (Debian, Ubuntu: `apt install \
                 build-essential`; macOS: `xcode-select --install`) and run this again"
            ),
            Some(Cause::Space) => anyhow!(
                "can't build {package} {version}: the disk is full. It needs about 2 GB in {}",
                cache::home().unwrap_or_default().display()
            ),
            None => anyhow!("can't build {package} {version}; cargo says:\n{}", last_lines(said)),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Cause {
    Network,
    Compiler,
    Space,
}

/// The everyday reason for a failed installation, read from what cargo said.
fn cause_in(said: &str) -> Option<Cause> {
    let says_any = |signs: &[&str]| signs.iter().any(|sign| said.contains(sign));
    if says_any(&["No space left on device"]) {
        return Some(Cause::Space);
    }
    if says_any(&["linker `cc` not found", "linker `link.exe` not found", "failed to find tool", "is `cc` installed"]) {
        return Some(Cause::Compiler);
    }
    let network = [
        "Could not resolve host",
        "Couldn't resolve host",
        "failed to download",
        "download of ",
        "Could not connect",
        "Couldn't connect",
        "Connection refused",
        "Timeout was reached",
        "spurious network error",
        "network failure",
    ];
    says_any(&network).then_some(Cause::Network)
}

/// Enough of a failed build to see why, without the packages that did compile.
fn last_lines(said: &str) -> String {
    let telling = |line: &&str| !line.trim_start().starts_with("Compiling ") && !line.trim().is_empty();
    let lines: Vec<_> = said.lines().filter(telling).collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

/// A call of cargo that this workspace's settings do not reach.
fn cargo_outside_of_workspaces(cwd: &Path) -> Command {
    let mut command = Command::new(workspace::cargo());
    command.current_dir(cwd);
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_BUILD_RUSTFLAGS"] {
        command.env_remove(variable);
    }
    command
}

/// Runs cargo with its progress on the terminal, or with a line now and then where there is none. Gives what it said if it
/// failed.
fn run_showing_progress(command: &mut Command, package: &str) -> Result<Option<String>> {
    let terminal = std::io::stderr().is_terminal();
    if terminal {
        command.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "100");
        command.env("CARGO_TERM_COLOR", if crate::console::colours() { "always" } else { "never" });
    }
    let mut child = Child::start(command.stdout(Stdio::null()).stderr(Stdio::piped()))?;
    let Some(mut stderr) = child.take_stderr() else {
        bail!("cargo has no standard error");
    };
    let mut progress = Progress::new(package);
    let mut said = Vec::new();
    let mut chunk = [0; 4096];
    // A read that fails means that cargo is gone, which the wait below tells.
    while let Ok(count @ 1..) = stderr.read(&mut chunk) {
        said.extend_from_slice(&chunk[..count]);
        if terminal {
            let _ = std::io::stderr().write_all(&chunk[..count]);
        } else {
            progress.tell(&said);
        }
    }
    let status = child.wait()?;
    Ok((!status.success()).then(|| String::from_utf8_lossy(&said).into_owned()))
}

/// One line now and then, for logs, where cargo's own line for every package would drown the rest.
struct Progress<'a> {
    package: &'a str,
    start: Instant,
    told: Instant,
}

impl<'a> Progress<'a> {
    fn new(package: &'a str) -> Self {
        let start = Instant::now();
        Self { package, start, told: start }
    }

    fn tell(&mut self, said: &[u8]) {
        if self.told.elapsed() < INTERVAL {
            return;
        }
        self.told = Instant::now();
        let compiled = String::from_utf8_lossy(said).matches("Compiling ").count();
        let elapsed = duration(self.start.elapsed());
        say(&format!("  {}: {compiled} packages compiled after {elapsed}", self.package));
    }
}

const INTERVAL: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_everyday_causes_are_recognised() {
        let offline = "error: failed to download from `https://…`\n  [6] Couldn't resolve host name";
        assert_eq!(cause_in(offline), Some(Cause::Network));
        assert_eq!(cause_in("error: linker `cc` not found\n"), Some(Cause::Compiler));
        assert_eq!(cause_in("error: failed to write: No space left on device (os error 28)"), Some(Cause::Space));
        assert_eq!(cause_in("error[E0308]: mismatched types"), None);
    }

    #[test]
    fn a_failed_build_is_quoted_from_its_end() {
        let said =
            "   Compiling one v1.0.0\n\nerror: broken\n   Compiling two v2.0.0\nerror: could not compile `one`\n";
        assert_eq!(last_lines(said), "error: broken\nerror: could not compile `one`");
    }
}
