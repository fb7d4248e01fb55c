//! The files of `app/AUTHOR.md` as a page in a crate of its own, outside of this workspace, which takes the kit by git.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use thirtyfour::prelude::*;
use thirtyfour::{Key, WebDriver};

use crate::browser::visit;
use crate::chat_page::{INTERVAL, PATIENCE};
use crate::readme::block;
use crate::server::Server;
use crate::{given, workspace};

#[tokio::test]
async fn the_copied_files_ask_and_take_an_answer() {
    let server = Server::start_with_page(&build().to_string_lossy());
    visit(&["favicon.ico"], async |driver| {
        driver.goto(server.url()).await?;
        for _ in 0..2 {
            answers_once(&driver).await?;
        }
        answers(&driver).await?;
        booked(&driver).await
    })
    .await;
}

/// Waits for the agent's last sentence.
pub(crate) async fn booked(driver: &WebDriver) -> WebDriverResult<()> {
    driver.query(By::XPath("//p[starts-with(., 'Booked: ')]")).wait(PATIENCE, INTERVAL).first().await.map(drop)
}

/// Answers the question that waits, after which the agent has another.
pub(crate) async fn answers_once(driver: &WebDriver) -> WebDriverResult<()> {
    answers(driver).await?;
    wait_for(driver, ".qc[data-state=awaiting]").await.map(drop)
}

pub(crate) async fn answers(driver: &WebDriver) -> WebDriverResult<()> {
    let card = wait_for(driver, ".qc[data-state=awaiting]").await?;
    let border = card.css_value("border-top-style").await?;
    assert_eq!(border, "solid", "the card has its styles");

    let label = wait_for(driver, ".qc-option:first-child > label").await?;
    let label = label.text().await?;
    let option = wait_for(driver, ".qc-option:first-child > input").await?;
    option.send_keys(" ").await?;
    option.send_keys(Key::Control + Key::Enter).await?;
    let receipt = format!("//*[contains(@class, 'qc-receipt') and contains(., '{label}')]");
    driver.query(By::XPath(&receipt)).wait(PATIENCE, INTERVAL).first().await.map(drop)
}

pub(crate) async fn wait_for(driver: &WebDriver, css: &str) -> WebDriverResult<WebElement> {
    driver.query(By::Css(css)).wait(PATIENCE, INTERVAL).first().await
}

/// Builds the page, of the copied files alone, and returns its folder. All of it stays below `target`, so that a second build is short.
fn build() -> PathBuf {
    let folder = workspace().join("target/xtask/stranger");
    let (repository, page, dist) = (folder.join("kit"), folder.join("page"), folder.join("dist"));
    commit_kit(&repository);
    let guide = read("app/AUTHOR.md");
    write(&page.join("Cargo.toml"), manifest(block(&guide, "toml", "[package]"), &repository));
    for (file, language, mark) in [
        ("src/main.rs", "rust", "fn main()"),
        ("index.html", "html", "data-trunk"),
        ("Trunk.toml", "toml", "pattern_script"),
        ("start.js", "js", "script[data-wasm]"),
    ] {
        write(&page.join(file), block(&guide, language, mark));
    }
    // The locked packages need no network there.
    write(&page.join("Cargo.lock"), read("Cargo.lock"));
    let mut trunk = Command::new("trunk");
    trunk.args(["build", "--dist"]).arg(&dist).env("PATH", given("XTASK_TRUNK_PATH"));
    // In the workspace's target folder, where Leptos is built already. For development, as the guide begins: without LTO that takes a minute less.
    trunk.env("CARGO_TARGET_DIR", given("XTASK_TARGET")).env_remove("NO_COLOR").current_dir(&page);
    run(&mut trunk);
    dist
}

/// The guide's manifest with the kit by git instead of by path, as a workspace of its own, since the folder is within this one. By the same profile
/// its packages are those of the page that `cargo xtask serve` builds.
fn manifest(guide: &str, repository: &Path) -> String {
    let ours = read("Cargo.toml");
    let (_, profile) = ours.split_once("\n[profile.dev]\n").expect("it has a profile for development");
    let (profile, _) = profile.split_once("\n\n").expect("others come behind it");
    let mut manifest = format!("[workspace]\n[profile.dev]\n{profile}\n\n");
    for line in guide.lines() {
        manifest += &match line.split_once("path = \"../ask-user-question/crates/") {
            Some((before, _)) => format!("{before}git = \"file://{}\" }}\n", repository.display()),
            None => format!("{line}\n"),
        };
    }
    manifest
}

/// Makes a repository with one commit of all files of this checkout, committed or not. The commit depends on nothing but its content, so cargo
/// builds only what has changed.
fn commit_kit(repository: &Path) {
    let _ = fs::remove_dir_all(repository);
    let listed = run(git(&workspace()).args(["ls-files", "-z"]));
    for name in listed.split_terminator('\0') {
        // A file that was deleted and not yet committed is listed all the same.
        if let Ok(content) = fs::read(workspace().join(name)) {
            write(&repository.join(name), content);
        }
    }
    let commit = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--message", "The kit"];
    for arguments in [&["init", "--quiet"][..], &["add", "--all", "--force"], &commit] {
        run(git(repository).args(arguments));
    }
}

/// A call of git, without the settings of this machine.
fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "xtask").env(format!("GIT_{role}_EMAIL"), "xtask@localhost");
        git.env(format!("GIT_{role}_DATE"), "2000-01-01T00:00:00Z");
    }
    git
}

/// Runs a command to its end and returns its standard output.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|problem| panic!("{command:?}: {problem}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn read(name: &str) -> String {
    fs::read_to_string(workspace().join(name)).expect("it is a file of the workspace")
}

fn write(file: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("there is room on the disk");
    fs::write(file, content).expect("there is room on the disk");
}
