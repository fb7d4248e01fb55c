//! A stranger's page: the README's lines in a crate of their own, outside of this workspace, which takes the kit by git.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

use crate::children;
use crate::workspace;

/// Builds the page and gives its folder.
///
/// # Errors
///
/// The README has no such lines, git is missing, or the crate does not build.
pub(super) fn build(wasm_bindgen: &Path) -> Result<PathBuf> {
    let folder = workspace::scratch_dir()?.join("stranger");
    let repository = folder.join("kit");
    publish(&repository)?;
    let page = folder.join("page");
    write_crate(&page, &repository)?;
    run(cargo_build(&page), "the README's lines do not build")?;

    let dist = folder.join("dist");
    let mut bind = Command::new(wasm_bindgen);
    bind.args(["--target", "web", "--no-typescript", "--out-dir"])
        .arg(&dist)
        .arg(workspace::target_dir().join("wasm32-unknown-unknown/debug/stranger.wasm"));
    run(bind, "wasm-bindgen does not take the stranger's page")?;
    write(&dist.join("index.html"), INDEX)?;
    write(&dist.join("boot.js"), BOOT)?;
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
fn publish(repository: &Path) -> Result<()> {
    match fs::remove_dir_all(repository) {
        Err(problem) if problem.kind() != std::io::ErrorKind::NotFound => {
            return Err(problem).with_context(|| format!("can't remove {}", repository.display()));
        }
        _ => {}
    }
    let listed = git(&workspace::root()).args(["ls-files", "-z"]).output();
    let listed = listed.context("can't start git")?;
    if !listed.status.success() {
        bail!("git does not list this checkout: {}", String::from_utf8_lossy(&listed.stderr));
    }
    for name in String::from_utf8(listed.stdout)?.split_terminator('\0') {
        let (from, to) = (workspace::root().join(name), repository.join(name));
        // What was deleted and not yet committed is listed all the same.
        if from.is_file() {
            make_folder(to.parent().unwrap_or(repository))?;
            fs::copy(&from, &to).with_context(|| format!("can't copy {}", from.display()))?;
        }
    }
    let commit = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--message", "The kit"];
    for arguments in [&["init", "--quiet"][..], &["add", "--all", "--force"], &commit] {
        let mut git = git(repository);
        run_quietly(git.args(arguments), "git makes no repository of the kit")?;
    }
    Ok(())
}

/// git, by nobody's settings but ours.
fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    for who in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{who}_NAME"), "xtask")
            .env(format!("GIT_{who}_EMAIL"), "xtask@localhost")
            .env(format!("GIT_{who}_DATE"), "2000-01-01T00:00:00Z");
    }
    git
}

fn write_crate(page: &Path, repository: &Path) -> Result<()> {
    let readme = workspace::root().join("README.md");
    let readme = fs::read_to_string(&readme).with_context(|| format!("can't read {}", readme.display()))?;
    make_folder(&page.join("src"))?;
    write(&page.join("Cargo.toml"), &manifest(&readme, repository)?)?;
    write(&page.join("src/main.rs"), block(&readme, "rust", "fn main()")?)?;
    // What is locked here needs no network there.
    let lock = workspace::root().join("Cargo.lock");
    fs::copy(&lock, page.join("Cargo.lock")).with_context(|| format!("can't copy {}", lock.display()))?;
    Ok(())
}

fn manifest(readme: &str, repository: &Path) -> Result<String> {
    let dependencies = block(readme, "toml", "[dependencies]")?;
    let url = format!("\"file://{}\"", repository.display());
    let dependencies = dependencies.replace("\"…\"", &url);
    // A workspace of its own, wherever this folder lies.
    let package = "[package]\nname = \"stranger\"\nedition = \"2024\"\n\n[workspace]\n\n";
    Ok([package, &dependencies].concat())
}

/// The first code block of this language that holds `mark`.
fn block<'a>(readme: &'a str, language: &str, mark: &str) -> Result<&'a str> {
    let blocks = readme.split("\n```").skip(1).step_by(2);
    blocks
        .filter_map(|block| block.split_once('\n'))
        .find(|(name, code)| name.split(',').next() == Some(language) && code.contains(mark))
        .map(|(_, code)| code)
        .ok_or_else(|| anyhow!("the README has no {language} block with `{mark}`"))
}

/// Into cargo's one target folder and with the workspace's profile, so that Leptos is not built again.
fn cargo_build(page: &Path) -> Command {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(page);
    cargo.args(["build", "--target", "wasm32-unknown-unknown"]);
    for setting in ["debug=\"line-tables-only\"", "package.\"*\".debug=false"] {
        cargo.arg("--config").arg(format!("profile.dev.{setting}"));
    }
    cargo.env("CARGO_TARGET_DIR", workspace::target_dir());
    cargo
}

fn run(mut command: Command, otherwise: &str) -> Result<()> {
    if !children::run(&mut command)?.success() {
        bail!("{otherwise}; its output above says why");
    }
    Ok(())
}

fn run_quietly(command: &mut Command, otherwise: &str) -> Result<()> {
    let output = command.output().context("can't start git")?;
    if !output.status.success() {
        bail!("{otherwise}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("can't make the folder {}", folder.display()))
}

fn write(file: &Path, content: &str) -> Result<()> {
    fs::write(file, content).with_context(|| format!("can't write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_what_a_stranger_needs() {
        let readme = fs::read_to_string(workspace::root().join("README.md")).unwrap();
        let manifest = manifest(&readme, Path::new("/kit")).unwrap();
        assert!(manifest.contains("question-card = { git = \"file:///kit\" }"), "{manifest}");
        assert!(!manifest.contains('…'), "{manifest}");
        let main = block(&readme, "rust", "fn main()").unwrap();
        assert!(main.starts_with("use ") && main.trim_end().ends_with('}'), "{main}");
    }

    #[test]
    fn a_block_is_found_by_its_language_and_what_it_holds() {
        let readme = "\n```sh\nfn main()\n```\ntext\n```rust,no_run\nfn main() {}\n```\n";
        assert_eq!(block(readme, "rust", "fn main()").unwrap(), "fn main() {}");
        assert!(block(readme, "toml", "fn main()").is_err());
    }
}
