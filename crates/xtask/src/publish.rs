//! `cargo xtask publish`: whether the crates can be published. Publishing itself is left to a person.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::flags::Publish;
use crate::steps::{self, Lacking, Log, Step};
use crate::test::sum_up;
use crate::{children, tools, workspace};

/// Packages every crate, builds each from its package, and checks licences, advisories and changes of the API.
pub(crate) fn publish(options: &Publish) -> Result<()> {
    let start = Instant::now();
    let steps = [
        Step::builds("packages", &[], |log| {
            // Into cargo's one target folder and with the workspace's profile, so that dependencies are not built again.
            let mut package = package()?;
            log.run(package.env("CARGO_TARGET_DIR", workspace::target_dir()).args(workspace::DEV_PROFILE))
        }),
        Step::runs("licences and sources", &[], |log| deny(&["licenses", "bans", "sources"], log)),
        // After the step that installs the same tool.
        Step::runs("advisories", &["licences and sources"], |log| deny(&["advisories"], log)),
        Step::builds("API changes", &[], |log| api_changes(options.since.as_deref(), log)),
    ];
    sum_up(&steps::run_all(&steps)?, start)
}

/// A call of cargo that makes the packages of all crates that are published, and builds each from its own, as its users do.
pub(crate) fn package() -> Result<Command> {
    let mut package = workspace::cargo(["package", "--allow-dirty"]);
    package.args(published()?.iter().flat_map(|name| ["--package", name]));
    Ok(package)
}

/// The crates that are published.
fn published() -> Result<Vec<String>> {
    let metadata = children::output_of(&mut workspace::cargo(["metadata", "--format-version=1", "--no-deps"]))
        .context("cargo does not describe this workspace")?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo's description is no JSON")?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    // A crate that must not be published has an empty list of registries.
    let published = packages.filter(|package| package["publish"].is_null());
    Ok(published.filter_map(|package| Some(package["name"].as_str()?.to_owned())).collect())
}

fn deny(checks: &[&str], log: &Log) -> Result<()> {
    let mut deny = tools::deny().command("cargo-deny", log)?;
    deny.current_dir(workspace::root()).args(["--all-features", "check", "--hide-inclusion-graph"]);
    log.run(deny.args(checks))
}

fn api_changes(since: Option<&str>, log: &Log) -> Result<()> {
    let Some(revision) = since else {
        return Err(Lacking::never_needed("there is nothing to compare with: name the last release by `--since TAG`"));
    };
    let mut checks = tools::semver_checks().command("cargo-semver-checks", log)?;
    checks.current_dir(workspace::root()).args(["semver-checks", "--workspace", "--baseline-rev", revision]);
    log.run(&mut checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_crate_has_what_its_page_in_a_registry_shows() {
        let published = published().unwrap();
        assert!(published.iter().any(|name| name == "question-card") && !published.iter().any(|name| name == "app"));
        for name in published {
            let manifest = workspace::read(&format!("crates/{name}/Cargo.toml")).unwrap();
            for key in ["description", "documentation", "readme", "keywords", "categories", "include"] {
                assert!(manifest.contains(&format!("\n{key} = ")), "crates/{name}/Cargo.toml has no {key}");
            }
            for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
                assert!(workspace::read(&format!("crates/{name}/{file}")).is_ok(), "crates/{name} has no {file}");
            }
        }
    }

    /// A registry shows the README without the repository around it.
    #[test]
    fn a_published_readme_links_to_nothing_beside_it() {
        // The element's is shown by npm.
        let names = published().unwrap().into_iter().chain(["question-element".to_owned()]);
        for name in names {
            let readme = workspace::read(&format!("crates/{name}/README.md")).unwrap();
            let definitions = readme.lines().filter(|line| line.starts_with('[')).map(|line| line.split("]: ").nth(1));
            let links = readme.split("](").skip(1).map(|rest| rest.split(')').next()).chain(definitions).flatten();
            for link in links {
                assert!(link.starts_with("https://") || link.starts_with('#'), "crates/{name}/README.md: {link}");
            }
        }
    }
}
