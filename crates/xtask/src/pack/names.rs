//! The names under which the kit is published, and the platforms that it is built for. No other file has them.

use std::env::consts::{ARCH, OS};

use anyhow::{Context, Result};

/// The card: the custom element, and the agent's side of the tool.
pub(crate) const CARD: &str = "question-card";
/// The program: the name of its crate, of npm's launcher, of the wheel, of the archives and of the image.
pub(crate) const PROGRAM: &str = "question-server";

/// A platform that the program is built for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Platform {
    /// The target of rustc. Linux's are static, so that they need no libc of the system.
    pub(crate) target: &'static str,
    /// Node's `process.platform` and `process.arch` there.
    pub(crate) os: &'static str,
    pub(crate) cpu: &'static str,
    /// The platform tag of its wheel. A static program runs on any system with that kernel.
    pub(crate) wheel: &'static str,
}

pub(crate) const PLATFORMS: [Platform; 5] = [
    platform(
        ["x86_64-unknown-linux-musl", "linux", "x64"],
        "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    ),
    platform(
        ["aarch64-unknown-linux-musl", "linux", "arm64"],
        "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    ),
    platform(["aarch64-apple-darwin", "darwin", "arm64"], "macosx_11_0_arm64"),
    platform(["x86_64-apple-darwin", "darwin", "x64"], "macosx_10_12_x86_64"),
    platform(["x86_64-pc-windows-msvc", "win32", "x64"], "win_amd64"),
];

const fn platform([target, os, cpu]: [&'static str; 3], wheel: &'static str) -> Platform {
    Platform { target, os, cpu, wheel }
}

impl Platform {
    /// This machine's platform.
    pub(crate) fn here() -> Result<&'static Self> {
        let os = if OS == "macos" { "darwin" } else { OS };
        let here = PLATFORMS.iter().find(|platform| platform.os == os && platform.target.starts_with(ARCH));
        here.with_context(|| format!("there are no packages for {OS} on {ARCH}"))
    }

    /// True if its program needs no library of the system.
    pub(crate) fn is_static(&self) -> bool {
        self.target.ends_with("-musl")
    }

    /// The npm package with the program inside.
    pub(crate) fn npm_package(&self) -> String {
        format!("{PROGRAM}-{}-{}", self.os, self.cpu)
    }

    /// The archive of a release, as `dist` names it.
    pub(crate) fn archive(&self) -> String {
        format!("{PROGRAM}-{}.{}", self.target, if self.os == "win32" { "zip" } else { "tar.xz" })
    }

    pub(crate) fn program(&self) -> String {
        format!("{PROGRAM}{}", if self.os == "win32" { ".exe" } else { "" })
    }
}

/// The version of all packages.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The address of the repository, which npm's provenance and the registry of MCP compare with the workflow's.
pub(crate) const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

pub(crate) fn owner() -> &'static str {
    REPOSITORY.rsplit('/').nth(1).unwrap_or_default()
}

/// The server's name in the registry of MCP, which lets a repository's owner use the names with this prefix.
pub(crate) fn mcp_name() -> String {
    format!("io.github.{}/{PROGRAM}", owner())
}

/// The image, without its tag. Registries of images allow only lower case.
pub(crate) fn image() -> String {
    format!("ghcr.io/{}/{PROGRAM}", owner().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn a_release_builds_and_publishes_the_platforms_of_the_packages() {
        let manifest = workspace::read("Cargo.toml").unwrap();
        let (_, list) = manifest.split_once("\ntargets = [").unwrap();
        let targets: Vec<_> = list.split(']').next().unwrap_or_default().split('"').skip(1).step_by(2).collect();
        assert_eq!(targets, PLATFORMS.map(|platform| platform.target));
        let publish = workspace::read(".github/workflows/publish.yml").unwrap();
        let named = PLATFORMS.map(|platform| format!("{}-{}", platform.os, platform.cpu)).join(",");
        assert!(publish.contains(&format!("{PROGRAM}-{{{named}}} {PROGRAM} {CARD};")), "{named}");
    }

    #[test]
    fn names_of_registries_follow_from_the_repository() {
        let owner = owner();
        assert!(REPOSITORY.starts_with(&format!("https://github.com/{owner}/")), "{REPOSITORY}");
        assert_eq!(mcp_name(), format!("io.github.{owner}/question-server"));
        assert!(image().chars().all(|c| !c.is_uppercase()));
    }
}
