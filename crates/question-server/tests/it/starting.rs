//! The program as a newcomer starts it: without settings, or with ones that do not fit.
#![cfg(unix)]

use crate::folder::Folder;
use crate::socket::{binary, get, say_hello, stops};
use std::fs::Permissions;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Output, Stdio};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

/// The program of a user with this home, and without settings in the environment.
fn started_by(home: &Path, args: &[&str]) -> Command {
    let mut command = binary(args);
    command.env_remove("QUESTION_SERVER_DATABASE").env_remove("XDG_DATA_HOME").env("HOME", home);
    command
}

/// Starts it and reads the three lines that it prints once it is ready.
async fn announced(mut command: Command) -> (Child, SocketAddr, [String; 2]) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let mut next = async || lines.next_line().await.expect("stdout is text").expect("it prints three lines");
    let first = next().await;
    let address = first.strip_prefix("listening on http://").unwrap_or_else(|| panic!("{first}"));
    (child, address.parse().expect("it is an address"), [next().await, next().await])
}

async fn refused(mut command: Command) -> String {
    let Output { status, stdout, stderr } = command.output().await.expect("the binary starts");
    let said = String::from_utf8(stderr).expect("it is text");
    assert!(matches!(status.code(), Some(1 | 2)) && stdout.is_empty() && !said.contains("panicked"), "{said}");
    said.lines().last().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn without_settings_conversations_are_kept_in_the_users_folder() {
    let home = Folder::new();
    let (child, address, [kept, open]) = announced(started_by(home.path(), &["--port", "0", "--pace", "0"])).await;
    let file = kept.strip_prefix("Conversations are kept in ").and_then(|file| file.strip_suffix('.'));
    let file = Path::new(file.unwrap_or_else(|| panic!("{kept}")));
    assert!(file.starts_with(home.path()) && file.is_file(), "{kept}");
    assert!(open.ends_with("Ctrl+C ends the server."), "{open}");
    say_hello(address).await;
    stops(child).await;

    let (child, address, _) = announced(started_by(home.path(), &["--port", "0"])).await;
    let known = get(address, "/conversations/7f1d0e6c-conversation").await;
    assert!(known.starts_with("HTTP/1.0 200"), "{known}");
    stops(child).await;

    let (child, _, [kept, _]) = announced(started_by(home.path(), &["--port", "0", "--database", "memory"])).await;
    assert!(kept.contains("memory"), "{kept}");
    stops(child).await;
}

#[tokio::test]
async fn a_home_that_takes_no_file_is_a_sentence_with_a_way_out() {
    let folder = Folder::made();
    let home = folder.path().join("home");
    std::fs::write(&home, "no folder").expect("it can be written");
    let said = refused(started_by(&home, &["--port", "0"])).await;
    assert!(said.contains("conversations.sqlite: ") && said.contains("--database memory"), "{said}");
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_a_sentence_with_a_way_out() {
    let home = Folder::new();
    let quick = ["--port", "0"];
    let (child, ..) = announced(started_by(home.path(), &quick)).await;
    let said = refused(started_by(home.path(), &quick)).await;
    assert!(said.contains("another server is using it") && said.contains("--database memory"), "{said}");
    stops(child).await;

    let other = home.path().join("other.sqlite");
    let text = "no database at all, but a file with a text in it. ".repeat(1_000);
    std::fs::write(&other, &text).expect("it can be written");
    let other = other.to_str().expect("it is text");
    let said = refused(started_by(home.path(), &["--port", "0", "--database", other])).await;
    assert!(said.contains("it is no database") && said.contains("--database"), "{said}");
    assert_eq!(std::fs::read_to_string(other).ok(), Some(text), "it is left alone");
}

#[tokio::test]
async fn a_taken_port_names_who_has_it() {
    let home = Folder::new();
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let port = taken.local_addr().expect("it is bound").port().to_string();
    let said = refused(started_by(home.path(), &["--port", &port])).await;
    let (taken, process) = (format!("port {port} is in use"), format!("(process {})", std::process::id()));
    assert!(said.contains(&taken) && said.contains(&process) && said.contains("0 for any free one"), "{said}");
}

#[tokio::test]
async fn a_folder_without_a_page_is_a_sentence() {
    let home = Folder::made();
    let said = refused(started_by(home.path(), &["--port", "0", "--page", home.path().to_str().expect("text")])).await;
    for part in ["--page ", "holds no index.html", "`trunk build`"] {
        assert!(said.contains(part), "{said}");
    }
}

#[tokio::test]
async fn open_shows_the_page_in_the_users_browser() {
    let home = Folder::new();
    let page = home.path().join("page");
    std::fs::create_dir_all(&page).expect("it can be made");
    std::fs::write(page.join("index.html"), "<!doctype html><title>Chat</title>").expect("it can be written");
    let opened = home.path().join("opened");
    nix::unistd::mkfifo(&opened, nix::sys::stat::Mode::S_IRWXU).expect("it can be made");
    for launcher in ["xdg-open", "open"] {
        let launcher = home.path().join(launcher);
        std::fs::write(&launcher, format!("#!/bin/sh\necho \"$1\" >'{}'\n", opened.display())).expect("it is written");
        std::fs::set_permissions(&launcher, Permissions::from_mode(0o700)).expect("it is ours");
    }
    let mut command = started_by(home.path(), &["--port", "0", "--open", "--page", page.to_str().expect("it is text")]);
    let path = std::env::var("PATH").expect("there is one");
    command.env("PATH", format!("{}:{path}", home.path().display()));
    let (child, address, [_, open]) = announced(command).await;
    assert_eq!(open, format!("Open http://{address}/ in a browser. Ctrl+C ends the server."));
    // The other end opens it once the launcher runs.
    let shown = tokio::task::spawn_blocking(|| std::fs::read_to_string(opened)).await.expect("it does not panic");
    let shown = shown.expect("it is text");
    assert_eq!(shown, format!("http://{address}/\n"));
    stops(child).await;
}
