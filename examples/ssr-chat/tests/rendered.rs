//! The page as a server sends it: whole without a program, and with the conversation still to come.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A child that ends with its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_page_is_whole_before_a_program_runs() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ssr-chat"));
    let mut server = Running(command.arg("127.0.0.1:0").stdout(Stdio::piped()).spawn().expect("the server starts"));
    let mut lines = BufReader::new(server.0.stdout.take().expect("it is piped")).lines();
    let line = lines.next().expect("a line").expect("it is text");
    let address = line.strip_prefix("listening on http://").expect("the first line has the address");
    let page = get(address, "/");
    for part in ["<!DOCTYPE html>", "<h1>Workshop</h1>", "<button disabled", "src=\"/start.js\""] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(get(address, "/question-card.css").contains(".qc"));
    assert!(get(address, "/program/unknown.js").starts_with("HTTP/1.0 404"));
    assert!(get(address, "/conversations/unknown").starts_with("HTTP/1.0 404"));
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n").expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("it answers with text");
    response
}
