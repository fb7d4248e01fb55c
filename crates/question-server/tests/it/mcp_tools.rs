//! The tools of an MCP server, over each of its transports, as the model of an agent has them.

use crate::folder::Folder;
use crate::house::server_with;
use crate::http::{messages, post, says, start};
use crate::killed::exchange;
use crate::script::{Line, Script};
use crate::socket::{binary, start as start_binary};
use crate::store::with_causes;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use question_server::mcp_tools::connect;
use serde_json::json;
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;

const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fake_mcp.py");

fn command(folder: &Folder) -> String {
    format!("python3 {FAKE} {}", folder.path().display())
}

/// The text of a note of the fake, which it writes into a named pipe of its folder.
async fn noted(folder: &Folder, name: &str) -> String {
    let pipe = folder.path().join(name);
    std::fs::create_dir_all(folder.path()).expect("it can be made");
    // The first of the two that need it makes it.
    let _ = mkfifo(&pipe, Mode::S_IRWXU);
    let read = spawn_blocking(move || std::fs::read_to_string(pipe));
    read.await.expect("it does not panic").expect("the fake writes text")
}

/// The address of a fake over HTTP, with its process.
async fn over_http(folder: &Folder) -> (Child, String) {
    let mut python = Command::new("python3");
    python.args([FAKE, &folder.path().display().to_string(), "http"]).kill_on_drop(true);
    let child = python.spawn().expect("there is a Python");
    let port = noted(folder, "port").await;
    (child, format!("http://127.0.0.1:{port}/mcp"))
}

/// The header that the fake wants over HTTP.
fn key() -> HeaderMap {
    HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static("Bearer the key"))])
}

async fn agent(server: &str, answers: impl IntoIterator<Item = Vec<Line>>) -> Script {
    let tools = connect(server, key()).await.expect("it is there");
    tools.into_iter().fold(Script::new(answers), Script::with_tool)
}

/// The results of one call after the other for the model.
async fn results(server: &str, calls: &[(&'static str, &'static str)]) -> Vec<String> {
    let answers = calls.iter().map(|(tool, arguments)| vec![Line::Calls(0, tool, arguments)]);
    let script = agent(server, answers.chain([vec![Line::Says("I see.")]])).await;
    let router = server_with(script.clone());
    post(&router, "/agent", says("t", "u", "go")).await;
    let names: Vec<String> = script.asked()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names.iter().filter(|name| *name == "ask_user_question").count(), 1, "{names:?}");
    let said = messages(&router, "t").await;
    let results = said.iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().expect("it is text").to_owned()).collect()
}

const CALLS: [(&str, &str); 5] = [
    ("look", r#"{"what": "The shop"}"#),
    ("picture", "{}"),
    ("fail", "{}"),
    ("much", "{}"),
    ("look", r#"{"what": "The café"}"#),
];

fn check(results: &[String]) {
    let [shop, picture, fail, much, after] = results else { panic!("{results:?}") };
    assert_eq!(shop, "The shop is there.");
    assert_eq!(picture, "See:\n\n[An image (image/png) that cannot be shown here.]");
    assert_eq!(fail, "It is closed.");
    assert!(much.starts_with("The call of the tool's server failed"), "{}", &much[..much.len().min(200)]);
    assert_eq!(after, "The café is there.", "a call that failed ends no other");
}

#[tokio::test]
async fn a_model_calls_the_tools_of_an_mcp_server_over_stdio() {
    let folder = Folder::new();
    check(&results(&command(&folder), &CALLS).await);
}

#[tokio::test]
async fn a_model_calls_the_tools_of_an_mcp_server_over_http() {
    let folder = Folder::new();
    let (_child, url) = over_http(&folder).await;
    check(&results(&url, &CALLS).await);
}

#[tokio::test]
async fn a_call_that_fails_at_an_mcp_server_ends_no_other_that_is_under_way() {
    let folder = Folder::new();
    let (_child, url) = over_http(&folder).await;
    let calls = [("wait", "{}"), ("much", "{}")].map(|(tool, arguments)| vec![Line::Calls(0, tool, arguments)]);
    let says_so = || vec![Line::Says("I see.")];
    let router = server_with(agent(&url, calls.into_iter().chain([says_so(), says_so()])).await);
    let result = async |conversation: &str| {
        let said = messages(&router, conversation).await;
        let result = said.iter().find(|message| message["role"] == "tool").expect("it has one");
        result["content"].as_str().expect("it is text").to_owned()
    };
    let waits = start(&router, "/agent", says("waits", "u", "go"));
    noted(&folder, "waits").await;
    post(&router, "/agent", says("fails", "u", "go")).await.events();
    assert!(result("fails").await.starts_with("The call of the tool's server failed"));
    noted(&folder, "goes on").await;
    waits.await.expect("it ends").events();
    assert_eq!(result("waits").await, "It was worth it.");
}

#[tokio::test]
async fn an_mcp_server_that_has_ended_is_started_again() {
    let folder = Folder::new();
    let results = results(&command(&folder), &[("die", "{}"), ("look", r#"{"what": "It"}"#)]).await;
    assert!(results[0].starts_with("The call of the tool's server failed"), "{results:?}");
    assert_eq!(results[1], "It is there.");
}

#[tokio::test]
async fn stop_cancels_the_call_at_the_mcp_server() {
    for is_http in [false, true] {
        let folder = Folder::new();
        let (_child, server) = match is_http {
            true => over_http(&folder).await,
            false => {
                let command = command(&folder);
                (Command::new("true").spawn().expect("it starts"), command)
            }
        };
        let router = server_with(agent(&server, [vec![Line::Calls(0, "hang", "{}")]]).await);
        let run = start(&router, "/agent", says("t", "u", "go"));
        noted(&folder, "hangs").await;
        let stopped = post(&router, "/conversations/t/cancel", json!({})).await;
        assert_eq!(stopped.json()["state"]["type"], "idle");
        run.await.expect("it ends");
        noted(&folder, "cancelled").await;
    }
}

#[tokio::test]
async fn a_server_is_told_which_of_its_mcp_servers_is_not_there() {
    for (server, expected) in [
        ("no-such-program secret", "the MCP server no-such-program: it does not start"),
        (
            "http://user:secret@127.0.0.1:9/mcp?key=secret",
            "the MCP server http://127.0.0.1:9/mcp: error sending request",
        ),
        ("http://tools.example/mcp", "the MCP server http://tools.example/mcp: "),
        (" ", "the MCP server : it has no name"),
    ] {
        let error = with_causes(connect(server, key()).await.expect_err("it is not there"));
        assert!(error.starts_with(expected) && !error.contains("secret") && !error.contains("Bearer"), "{error}");
    }
    let ended = binary(&["--port", "0", "--mcp-server", "no-such-program"]).output().await.expect("it starts");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && said.contains("the MCP server no-such-program: it does not start"), "{said}");
}

#[tokio::test]
async fn the_program_has_the_tools_of_its_option() {
    let folder = Folder::new();
    let (_server, address) = start_binary(&["--port", "0", "--mcp-server", &command(&folder)]).await;
    assert!(exchange(address, "GET", "/readyz", None).await.contains(" 200 "));
    let folder = Folder::new();
    let (_child, url) = over_http(&folder).await;
    let header = format!("{url} Authorization: Bearer the key");
    let (_server, address) = start_binary(&["--port", "0", "--mcp-server", &header]).await;
    assert!(exchange(address, "GET", "/readyz", None).await.contains(" 200 "));
    for (args, expected) in
        [(&["--mcp-server", &url][..], "401"), (&["--mcp-server", &format!("{url} Bearer the key")], "NAME:VALUE")]
    {
        let ended = binary(&[&["--port", "0"], args].concat()).output().await.expect("it starts");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && said.contains(expected) && !said.contains("Bearer"), "{said}");
    }
}
