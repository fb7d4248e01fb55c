//! A stranger's page: the README's lines in a crate of their own, outside of this workspace, which takes the kit by git.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::Log;
use crate::{children, files, wasm, workspace};

/// Builds the page and returns its folder.
pub(super) fn build(log: &Log) -> Result<PathBuf> {
    let folder = workspace::scratch("stranger");
    let (repository, page, dist) = (folder.join("kit"), folder.join("page"), folder.join("dist"));
    publish(&repository, log)?;

    let readme = workspace::read("README.md")?;
    files::write(&page.join("Cargo.toml"), &manifest(&readme, &repository)?)?;
    files::write(&page.join("src/main.rs"), block(&readme, "rust", "fn main()")?)?;
    // What is locked here needs no network there.
    files::write(&page.join("Cargo.lock"), &workspace::read("Cargo.lock")?)?;
    // Into cargo's one target folder and with the workspace's profile, so that Leptos is not built again.
    let mut build = wasm::cargo_for(["build"], log)?;
    build.args(workspace::DEV_PROFILE).current_dir(&page).env("CARGO_TARGET_DIR", workspace::target_dir());
    log.run(&mut build)?;
    wasm::bind(&wasm::built("debug/stranger"), "stranger", &dist, log)?;
    files::write(&dist.join("index.html"), INDEX)?;
    files::write(&dist.join("boot.js"), BOOT)?;
    Ok(dist)
}

const INDEX: &str = r#"<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>A stranger's page</title>
    <link rel="icon" href="data:,">
    <script type="module" src="boot.js"></script>
  </head>
  <body></body>
</html>
"#;

const BOOT: &str = r#"import start from "./stranger.js";
await start({ module_or_path: "stranger_bg.wasm" });
"#;

/// Makes a repository with one commit of all that this checkout has under git, as it is now: a shallow clone could not be cloned, and what is
/// not committed yet would not be tested. The commit depends on nothing but its content, so cargo builds only what has changed.
fn publish(repository: &Path, log: &Log) -> Result<()> {
    files::remove(repository)?;
    let listed = children::output_of(git(workspace::root()).args(["ls-files", "-z"]))
        .context("git does not list this checkout")?;
    for name in listed.split_terminator('\0') {
        let from = workspace::root().join(name);
        // What was deleted and not yet committed is listed all the same.
        if from.is_file() {
            files::copy(&from, &repository.join(name))?;
        }
    }
    let commit = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--message", "The kit"];
    for arguments in [&["init", "--quiet"][..], &["add", "--all", "--force"], &commit] {
        log.run(git(repository).args(arguments))?;
    }
    Ok(())
}

/// git, without the settings of this machine.
fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    for who in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{who}_NAME"), "xtask").env(format!("GIT_{who}_EMAIL"), "xtask@localhost");
        git.env(format!("GIT_{who}_DATE"), "2000-01-01T00:00:00Z");
    }
    git
}

/// The README's dependencies, by git instead of by path, in a package that is a workspace of its own, wherever its folder lies.
fn manifest(readme: &str, repository: &Path) -> Result<String> {
    let by_git = format!("git = \"file://{}\" }}", repository.display());
    let lines = block(readme, "toml", "[dependencies]")?.lines().map(|line| match line.split_once(PATH) {
        Some((before, _)) => format!("{before}{by_git}\n"),
        None => format!("{line}\n"),
    });
    let dependencies: String = lines.collect();
    Ok(format!("[package]\nname = \"stranger\"\nedition = \"2024\"\n\n[workspace]\n\n{dependencies}"))
}

/// How the README's dependencies begin to say where this workspace lies.
const PATH: &str = "path = \"../ask-user-question/crates/";

/// The first code block of this language that holds `mark`.
pub(super) fn block<'a>(readme: &'a str, language: &str, mark: &str) -> Result<&'a str> {
    let blocks = readme.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    let mut blocks = blocks.filter(|(name, code)| name.split(',').next() == Some(language) && code.contains(mark));
    Ok(blocks.next().with_context(|| format!("the README has no {language} block with `{mark}`"))?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_what_a_stranger_needs() {
        let readme = workspace::read("README.md").unwrap();
        let manifest = manifest(&readme, Path::new("/kit")).unwrap();
        assert!(
            manifest.contains("question-card = { git = \"file:///kit\" }") && !manifest.contains("path ="),
            "{manifest}"
        );
        let main = block(&readme, "rust", "fn main()").unwrap();
        assert!(main.starts_with("use ") && main.trim_end().ends_with('}'), "{main}");
        assert!(block(&readme, "rust", "fn nothing()").is_err());
    }
}
