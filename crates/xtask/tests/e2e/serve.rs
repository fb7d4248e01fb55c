//! `cargo xtask serve`, from its start to Ctrl+C, and `trunk serve` without it.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::browser::{journey_at, journey_through_trouble};
use crate::processes::{Process, START_LIMIT, TempDir, port_after};
use crate::{given, strangers, workspace};

#[tokio::test]
async fn the_page_works_behind_trunk_and_nothing_is_left_behind() {
    let agent = format!("{}/run", strangers::asking());
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["serve", "--port", "0", "--agent", &agent]);
    let announcement = |line: &str| port_after("Open http://127.0.0.1:", line);
    let (mut serve, port) = Process::listening(&mut command, announcement, BUILD_LIMIT);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/xtask").join(format!("serve-{port}"));
    let server_port = proxied_port(&folder);
    assert!(accepts(port) && accepts(server_port));

    journey_at(&format!("http://127.0.0.1:{port}/"), async |page| {
        page.say("I need my car looked at").await?;
        page.tap("Brake service").await?;
        page.tap("Standard").await?;
        page.answer_otherwise("Yes", "yes please").await?;
        page.hears(&["Booked", "Brake service", "standard"]).await
    })
    .await;

    journey_at(&format!("http://127.0.0.1:{port}/?agent=agent/other"), async |page| {
        page.say("When can I come?").await?;
        page.tap("Friday").await?;
        page.hears(&["Friday it is."]).await
    })
    .await;

    let status = serve.interrupt().expect("it ends by itself");
    assert!(status.success(), "{status}");
    assert!(!accepts(port) && !accepts(server_port), "something still listens");
    assert!(!folder.exists(), "its folder is left");
}

#[tokio::test]
async fn plain_trunk_serve_shows_the_page_and_says_what_to_start() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let (port, dist) = (free.expect("a port is free").port(), TempDir::new());
    // As the README says to those who have no Trunk.
    let mut trunk = Command::new("sh");
    let script = r#"eval "$("$0" tools)"; exec trunk serve --offline --port "$1" --dist "$2""#;
    trunk.args(["-ec", script, env!("CARGO_BIN_EXE_xtask"), &port.to_string()]).arg(&dist.0);
    trunk.env_remove("NO_COLOR").current_dir(workspace());
    let listens = |line: &str| port_after("🏠 http://127.0.0.1:", line);
    let (_trunk, _) = Process::listening(&mut trunk, listens, BUILD_LIMIT);
    let url = format!("http://127.0.0.1:{port}/");
    journey_through_trouble(&url, async |page| {
        page.say("I need my car looked at").await?;
        page.is_told("The agent does not answer").await?;
        page.is_told("cargo run -p question-server").await
    })
    .await;

    let started = |line: &str| port_after("listening on http://127.0.0.1:", line);
    let mut server = Command::new(given("XTASK_SERVER"));
    let (_server, _) = Process::listening(server.args(["--database", "memory"]), started, START_LIMIT);
    journey_at(&url, async |page| {
        page.say("I need my car looked at").await?;
        page.tap("Brake service").await
    })
    .await;
}

/// The port to which the settings it has written proxy the page's requests.
fn proxied_port(folder: &Path) -> u16 {
    let settings = std::fs::read_to_string(folder.join("Trunk.toml")).expect("it has written its settings");
    port_after("backend = \"http://127.0.0.1:", &settings).expect("they name the server")
}

fn accepts(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// It builds the page and the server first.
const BUILD_LIMIT: Duration = Duration::from_secs(15 * 60);
