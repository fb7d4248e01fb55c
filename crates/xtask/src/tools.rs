//! What the page's build and the tests need beyond cargo: each tool with its pin, found on the `PATH` or brought.
//!
//! What is brought lies in a cache of the user, by name and version, so that every clone shares it.

mod bring;
pub(crate) mod browsers;
pub(crate) mod rustup;
mod version;

pub(crate) use bring::{cache, tidy};

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::{Lacking, Log};
use crate::{children, workspace};
use version::Version;

/// A program, or packages of Node.js, of one version.
pub(crate) struct Tool {
    /// Its name, which for a package of Rust is also where it comes from.
    name: &'static str,
    pin: String,
    programs: &'static [&'static str],
    /// Whether the first version, which the `PATH` has, does for the second, which is pinned.
    does_for: fn(Version, Version) -> bool,
    source: Source,
}

enum Source {
    /// A package of Rust, with what `cargo install` is told beyond its name and version.
    Cargo(&'static [&'static str]),
    /// Packages of npm: the name of each, and what it is.
    Npm(&'static [(&'static str, &'static str)]),
}

/// Builds and serves the page. Nothing here is served by TLS, and its version is pinned, so it need not look for another.
pub(crate) fn trunk() -> Tool {
    Tool {
        name: "trunk",
        pin: "0.21.14".into(),
        programs: &["trunk"],
        does_for: Version::is_compatible_with,
        // It hashes the whole program at each build.
        source: Source::Cargo(&[
            "--locked",
            "--no-default-features",
            "--config",
            "profile.release.package.sha2.opt-level=3",
        ]),
    }
}

/// Makes JavaScript's side of the page, and runs its tests. It refuses modules that were made for any other version.
pub(crate) fn wasm_bindgen() -> Result<Tool> {
    Ok(Tool {
        name: "wasm-bindgen-cli",
        pin: workspace::locked_version("wasm-bindgen")?,
        programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
        does_for: |present, pinned| present == pinned,
        // Its own lock file does not build with today's compilers. It reads and writes the whole program at each build: without these
        // settings, three times as long.
        source: Source::Cargo(&[
            "--no-default-features",
            "--config=profile.release.package.walrus.opt-level=2",
            "--config=profile.release.package.wasmparser.opt-level=2",
            "--config=profile.release.package.wasm-encoder.opt-level=2",
            "--config=profile.release.package.wasm-bindgen-cli-support.opt-level=2",
            "--config=profile.release.package.id-arena.opt-level=2",
            "--config=profile.release.package.gimli.opt-level=2",
            "--config=profile.release.package.leb128fmt.opt-level=2",
            "--config=profile.release.package.rustc-demangle.opt-level=2",
        ]),
    })
}

/// Drives Firefox in tests.
pub(crate) fn geckodriver() -> Tool {
    Tool {
        name: "geckodriver",
        pin: "0.37.1".into(),
        programs: &["geckodriver"],
        does_for: |_, _| true,
        source: Source::Cargo(&["--locked"]),
    }
}

/// Has `wasm-opt`, which takes a quarter off the page's program. Older ones than 119 refuse what today's compiler emits.
pub(crate) fn binaryen() -> Tool {
    Tool {
        name: "binaryen",
        pin: "132.0.0".into(),
        programs: &["wasm-opt"],
        does_for: |present, _| present >= Version([119, 0, 0]),
        source: Source::Npm(&[("binaryen", "132.0.0")]),
    }
}

/// Judges licences, sources and known weaknesses of what the crates depend on.
pub(crate) fn deny() -> Tool {
    Tool {
        name: "cargo-deny",
        pin: "0.20.2".into(),
        programs: &["cargo-deny"],
        does_for: Version::is_compatible_with,
        source: Source::Cargo(&["--locked"]),
    }
}

/// Finds changes of an API that need a new major version.
pub(crate) fn semver_checks() -> Tool {
    Tool {
        name: "cargo-semver-checks",
        pin: "0.51.0".into(),
        programs: &["cargo-semver-checks"],
        does_for: Version::is_compatible_with,
        source: Source::Cargo(&["--locked"]),
    }
}

/// Looks for barriers in pages.
pub(crate) fn axe() -> Tool {
    packages("axe-core", "4.14.1", &[("axe-core", "4.14.1")])
}

/// The clients that a server meets, each with a way of its own: the newest, the last before 1.0, which `CopilotKit` pins, and one from
/// before interrupts.
pub(crate) fn clients() -> Tool {
    packages(
        "ag-ui-clients",
        "1.0.0-0.0.59-0.0.47",
        &[
            ("client-1.0.0", "npm:@ag-ui/client@1.0.0"),
            ("client-0.0.59", "npm:@ag-ui/client@0.0.59"),
            ("client-0.0.47", "npm:@ag-ui/client@0.0.47"),
        ],
    )
}

/// What JavaScript's pages read AG-UI streams and growing JSON with, each as it is measured.
pub(crate) fn stream_peers() -> Tool {
    packages(
        "stream-peers",
        "1.0.0-4.1.3-1.1.1-7.8.1",
        &[
            ("@ag-ui/client", "1.0.0"),
            ("eventsource-parser", "4.1.3"),
            ("jsonriver", "1.1.1"),
            ("rxjs", "7.8.1"), // What `@ag-ui/client` is made of.
        ],
    )
}

/// Look at a package as the registry's users will.
pub(crate) fn package_linters() -> Tool {
    packages("package-linters", "0.3.25-0.18.5", &[("publint", "0.3.25"), ("@arethetypeswrong/cli", "0.18.5")])
}

/// Takes out of JavaScript what only its readers need.
pub(crate) fn terser() -> Tool {
    packages("terser", "5.51.2", &[("terser", "5.51.2")])
}

fn packages(name: &'static str, pin: &str, packages: &'static [(&'static str, &'static str)]) -> Tool {
    Tool { name, pin: pin.into(), programs: &[], does_for: |_, _| false, source: Source::Npm(packages) }
}

impl Tool {
    /// The folder with the tool's programs, or with the `node_modules` of its packages. What is missing or broken is brought.
    pub(crate) fn folder(&self, log: &Log) -> Result<PathBuf> {
        match self.folder_here()? {
            Some(folder) => Ok(folder),
            None => {
                bring::bring(self, &self.entry()?, log)?;
                self.folder_here()?.with_context(|| format!("{} is not where it was installed", self.name))
            }
        }
    }

    /// The folder as it is, if all of the tool is there.
    pub(crate) fn folder_here(&self) -> Result<Option<PathBuf>> {
        if let Some(folder) = self.folder_on_path() {
            return Ok(Some(folder));
        }
        let entry = self.entry()?;
        Ok(self.is_whole(&entry).then(|| match self.source {
            Source::Cargo(_) => entry.join("bin"),
            Source::Npm(_) if self.programs.is_empty() => entry,
            Source::Npm(_) => entry.join("node_modules/.bin"),
        }))
    }

    fn entry(&self) -> Result<PathBuf> {
        Ok(cache()?.join(format!("{}-{}", self.name, self.pin)))
    }

    fn folder_on_path(&self) -> Option<PathBuf> {
        let programs = which::which_all(self.programs.first()?).ok()?;
        let pinned = Version::first_in(&self.pin)?;
        let does = |program: &PathBuf| version_of(program).is_some_and(|present| (self.does_for)(present, pinned));
        let mut folders = programs.filter(does).filter_map(|program| Some(program.parent()?.to_owned()));
        folders.find(|folder| self.programs.iter().all(|program| folder.join(program).is_file()))
    }

    /// True if all that belongs to this entry of the cache is there and of the pinned version.
    fn is_whole(&self, entry: &Path) -> bool {
        match self.source {
            Source::Cargo(_) => {
                let pinned = Version::first_in(&self.pin);
                self.programs.iter().all(|program| version_of(&entry.join("bin").join(program)) == pinned)
            }
            Source::Npm(packages) => packages.iter().all(|(name, what)| {
                let manifest = entry.join("node_modules").join(name).join("package.json");
                let version = what.rsplit('@').next().unwrap_or(what);
                std::fs::read_to_string(manifest)
                    .is_ok_and(|text| text.contains(&format!("\"version\": \"{version}\"")))
            }),
        }
    }
}

/// The `node` that runs tests and measurements, and packs the page. Debian's comes by apt.
pub(crate) fn node(log: &Log) -> Result<PathBuf> {
    let here = || which::which("node").ok().filter(|_| which::which("npm").is_ok());
    let node = match here() {
        Some(node) => Some(node),
        None => bring::apt(&["nodejs", "npm"], log)?.then(here).flatten(),
    };
    // The first that has `fetch`.
    node.filter(|node| version_of(node) >= Some(Version([18, 0, 0]))).ok_or_else(|| {
        Lacking::needed(
            "Node.js 18 or later with npm is not on the PATH. Install both (Debian and Ubuntu: `apt install nodejs npm`; else \
             https://nodejs.org) and run this again",
        )
        .into()
    })
}

/// Runs a script in Node, which gets the folder as its argument, and returns what it prints.
pub(crate) fn run_script(script: &str, folder: &Path, log: &Log) -> Result<String> {
    let mut node = Command::new(node(log)?);
    node.arg("--eval").arg(script).arg(folder);
    let mut printed = String::new();
    log.run_reading(node, |line| printed.extend([line, "\n"]))?;
    Ok(printed)
}

/// The Python that agents of other makes run in, which can make virtual environments. Debian's comes by apt.
pub(crate) fn python(log: &Log) -> Result<PathBuf> {
    let here = || {
        let python = which::which("python3").ok()?;
        // Debian has the parts of venv in packages of their own.
        children::output_of(Command::new(&python).args(["-c", "import ensurepip, venv"]))?;
        Some(python)
    };
    let python = match here() {
        Some(python) => Some(python),
        None => bring::apt(&["python3", "python3-venv"], log)?.then(here).flatten(),
    };
    python.filter(|python| version_of(python) >= Some(Version([3, 11, 0]))).ok_or_else(|| {
        Lacking::needed(
            "Python 3.11 or later with venv is not on the PATH. Install both (Debian and Ubuntu: `apt install python3-venv`; macOS: \
             `brew install python`) and run this again",
        )
        .into()
    })
}

/// The folder with the programs of Postgres, of which tests start one for themselves. Debian's come by apt.
pub(crate) fn postgres(log: &Log) -> Result<PathBuf> {
    let here = || {
        // Debian does not put them on the PATH; of several versions any does.
        let debians = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let debians = debians.map(|version| version.path().join("bin"));
        let on_path = std::env::var_os("PATH").unwrap_or_default();
        let on_path: Vec<PathBuf> = std::env::split_paths(&on_path).collect();
        on_path.into_iter().chain(debians).find(|folder| {
            let has = |program: &str| folder.join(program).is_file();
            has("initdb") && has("postgres")
        })
    };
    let postgres = match here() {
        Some(postgres) => Some(postgres),
        None => bring::apt(&["postgresql"], log)?.then(here).flatten(),
    };
    postgres.ok_or_else(|| {
        Lacking::needed(
            "there is no Postgres. Install it (Debian and Ubuntu: `apt install postgresql`; macOS: `brew install postgresql`) and \
             run this again",
        )
        .into()
    })
}

/// Nginx, which tests put in front of several servers. Debian's comes by apt.
///
/// # Errors
///
/// There is none.
pub(crate) fn nginx(log: &Log) -> Result<PathBuf> {
    // Debian has it where only root's PATH leads.
    let here =
        || which::which("nginx").ok().or_else(|| Some(PathBuf::from("/usr/sbin/nginx")).filter(|path| path.is_file()));
    let nginx = match here() {
        Some(nginx) => Some(nginx),
        None => bring::apt(&["nginx-light"], log)?.then(here).flatten(),
    };
    nginx.ok_or_else(|| {
        Lacking::needed(
            "there is no nginx. Install it (Debian and Ubuntu: `apt install nginx-light`; macOS: `brew install nginx`) and run this again",
        )
        .into()
    })
}

/// A call of `program` that finds these folders' programs first.
pub(crate) fn command(program: &str, folders: &[PathBuf]) -> Result<Command> {
    let present = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.iter().cloned().chain(std::env::split_paths(&present)))
        .context("the cache's folder can't be put on the PATH; set ASK_TOOLS_DIR")?;
    let program =
        which::which_in_global(program, Some(&path))?.next().with_context(|| format!("there is no `{program}`"))?;
    let mut command = Command::new(program);
    command.env("PATH", path);
    Ok(command)
}

/// The version that a program says it has.
pub(crate) fn version_of(program: &Path) -> Option<Version> {
    Version::first_in(&children::output_of(Command::new(program).arg("--version"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pin_is_a_version() {
        let rust = [trunk(), wasm_bindgen().unwrap(), geckodriver(), deny(), semver_checks()];
        let tools = rust.into_iter().chain([binaryen(), axe(), clients(), stream_peers(), package_linters(), terser()]);
        for tool in tools {
            assert!(Version::first_in(&tool.pin).is_some(), "{}", tool.name);
        }
    }

    #[test]
    fn a_package_that_was_brought_by_halves_is_not_whole() {
        let entry = std::env::temp_dir().join(format!("xtask-tools-test-{}", std::process::id()));
        let package = entry.join("node_modules/axe-core");
        assert!(!axe().is_whole(&entry));
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("package.json"), "{\n  \"version\": \"4.14.1\"\n}").unwrap();
        assert!(axe().is_whole(&entry));
        std::fs::write(package.join("package.json"), "{\n  \"version\": \"4.9.0\"\n}").unwrap();
        assert!(!axe().is_whole(&entry));
        std::fs::remove_dir_all(&entry).unwrap();
    }
}
