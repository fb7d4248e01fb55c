//! Agents as files, started by the binary.

use crate::folder::Folder;
use crate::http::says;
use crate::socket::{binary, check_run, get, post, start};
use std::net::SocketAddr;

const LIBRARY: &str = include_str!("../../../scripted-agent/scripts/library.json");

/// Sends a message and returns the text of the run that follows, its pieces put together.
async fn say(address: SocketAddr, id: &str, text: &str) -> String {
    let run = post(address, "/agent", &says("reader", id, text)).await;
    check_run(&run).iter().map(|event| event.delta()).collect()
}

#[tokio::test]
async fn a_user_books_with_an_agent_of_the_operators_own_up_to_the_receipt() {
    let folder = Folder::made();
    let file = folder.path().join("library.json");
    std::fs::write(&file, LIBRARY).expect("the folder takes it");
    let model = format!("script:{}", file.display());
    let (_server, address) = start(&["--port", "0", "--pace", "0", "--model", &model]).await;
    let settings = get(address, "/settings.json").await;
    assert!(settings.contains(r#""name":"Library""#) && settings.contains(r#""profile":"chat""#), "{settings}");
    let asked = say(address, "u1", "Hello!").await;
    assert!(asked.contains("Welcome to the library.") && asked.contains("What can I do for you?"), "{asked}");
    let asked = say(address, "u2", "Are you open on Sundays?").await;
    assert!(asked.contains("Our librarians know that.") && asked.contains("What can I do for you?"), "{asked}");
    let asked = say(address, "u3", "reserve a book").await;
    assert!(asked.contains("For how many weeks shall it be reserved?"), "{asked}");
    let asked = say(address, "u4", "A year").await;
    assert!(asked.contains("“A year” is not to be had.") && asked.contains("For how many weeks"), "{asked}");
    let done = say(address, "u5", "four").await;
    assert_eq!(done, "Your book is reserved for four weeks. The fee is $1.50.");
}

#[tokio::test]
async fn a_script_with_a_mistake_ends_the_start_with_its_place() {
    let folder = Folder::made();
    let file = folder.path().join("mistaken.json");
    std::fs::write(&file, LIBRARY.replace(r#""go": "weeks""#, r#""go": "months""#)).expect("the folder takes it");
    for (model, told) in [
        (format!("script:{}", file.display()).as_str(), "mistaken.json: begin[0].go: there is no step months"),
        ("script:no-such.json", "--model script:no-such.json: "),
    ] {
        let ran = binary(&["--model", model]).output().await.expect("the binary starts");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(!ran.status.success() && said.contains(told), "{said}");
    }
}
