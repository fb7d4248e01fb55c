//! The example `ssr-chat`: a page that axum renders and a browser takes over.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use thirtyfour::prelude::*;

use crate::browser::visit;
use crate::processes::{Process, port_after};
use crate::stranger::{answers, answers_once, booked, run, wait_for};
use crate::{given, workspace};

/// The time that the example may take to start.
const START_LIMIT: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_rendered_page_is_taken_over_and_brings_its_conversation_back() {
    let target = given("XTASK_TARGET");
    let program = Path::new(&target).join("xtask/ssr-chat");
    build(Path::new(&target), &program);
    let mut server = Command::new(Path::new(&target).join("debug/ssr-chat"));
    server.arg("127.0.0.1:0").arg(&program);
    let announcement = |line: &str| port_after("listening on http://127.0.0.1:", line);
    let (_server, port) = Process::listening(&mut server, announcement, START_LIMIT);
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
