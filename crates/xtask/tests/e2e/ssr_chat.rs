//! The example `ssr-chat`: a page that axum renders and a browser takes over.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use thirtyfour::prelude::*;

use crate::browser::visit;
use crate::processes::{Process, TempDir, port_after};
use crate::stranger::{answers, answers_once, booked, run, wait_for};
use crate::{given, workspace};

/// The time that the example may take to start.
const START_LIMIT: Duration = Duration::from_secs(30);

/// An agent that has a tool of its page carried out, and says what came of it.
const SCRIPT: &str = r#"{
  "profile": "chat",
  "opening": {"go": "name"},
  "begin": [{"go": "name"}],
  "steps": {
    "name": {"say": "I name the page.", "call": {"tool": "set_title", "arguments": {"title": "Your car"}}},
    "named": {"say": "Booked: {result}"}
  },
  "tools": [{"name": "set_title", "description": "Sets the title.", "parameters": {"type": "object"}, "go": "named"}]
}"#;

/// The folder of the program, which is built once.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = given("XTASK_TARGET");
    let program = Path::new(&target).join("xtask/ssr-chat");
    build(Path::new(&target), &program);
    program
});

/// The example with these further arguments, and its port.
fn started(more: &[&Path]) -> (Process, u16) {
    let mut server = Command::new(Path::new(&given("XTASK_TARGET")).join("debug/ssr-chat"));
    server.arg("127.0.0.1:0").arg(&*PROGRAM).args(more);
    let announcement = |line: &str| port_after("listening on http://127.0.0.1:", line);
    Process::listening(&mut server, announcement, START_LIMIT)
}

#[tokio::test]
async fn a_rendered_page_is_taken_over_and_brings_its_conversation_back() {
    let (_server, port) = started(&[]);
    // A browser that finds other nodes than the server rendered complains, which fails the visit.
    visit(&[], async |driver| {
        driver.goto(format!("http://127.0.0.1:{port}/")).await?;
        wait_for(&driver, "button:enabled").await?.click().await?;
        for _ in 0..2 {
            answers_once(&driver).await?;
        }
        answers(&driver).await?;
        assert_eq!(receipts(&driver).await?, 3);
        driver.refresh().await?;
        assert_eq!(receipts(&driver).await?, 3, "after a reload");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_server_has_a_tool_of_its_page_carried_out_once() {
    let folder = TempDir::new();
    let script = folder.0.join("script.json");
    fs::write(&script, SCRIPT).expect("there is room on the disk");
    let (_server, port) = started(&[&script]);
    visit(&[], async |driver| {
        driver.goto(format!("http://127.0.0.1:{port}/")).await?;
        wait_for(&driver, "button:enabled").await?.click().await?;
        booked(&driver).await?;
        assert_eq!(driver.title().await?, "Your car");
        driver.refresh().await?;
        booked(&driver).await?;
        assert_eq!(driver.title().await?, "Workshop", "no call is carried out again");
        let texts = driver.find_all(By::Tag("p")).await?;
        let mut told = Vec::new();
        for text in texts {
            told.push(text.text().await?);
        }
        assert!(told.contains(&r#"Booked: {"title":"Your car"}"#.to_owned()), "{told:?}");
        Ok(())
    })
    .await;
}

/// The number of receipts, once the agent has said its last sentence.
async fn receipts(driver: &WebDriver) -> WebDriverResult<usize> {
    booked(driver).await?;
    Ok(driver.find_all(By::ClassName("qc-receipt")).await?.len())
}

/// Builds the browser's side by the commands of the example's README.
fn build(target: &Path, folder: &Path) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "ssr-chat", "--target", "wasm32-unknown-unknown"]);
    run(cargo.current_dir(workspace()).env("CARGO_TARGET_DIR", target));
    let mut bindgen = Command::new("wasm-bindgen");
    bindgen.args(["--target", "web", "--no-typescript", "--out-dir"]).arg(folder);
    bindgen.arg(target.join("wasm32-unknown-unknown/debug/ssr-chat.wasm"));
    run(bindgen.env("PATH", given("XTASK_TRUNK_PATH")));
}
