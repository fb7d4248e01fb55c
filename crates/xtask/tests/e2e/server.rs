//! `question-server`, with the built page.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;

use crate::given;
use crate::processes::{Process, START_LIMIT, port_after};

/// A server of its own for each journey.
pub(crate) struct Server {
    port: u16,
    _process: Process,
}

impl Server {
    /// Starts the server on a free port. It streams slowly enough for a browser to show every step.
    pub(crate) fn start() -> Self {
        let mut command = Command::new(given("XTASK_SERVER"));
        command.args([
            "--port",
            "0",
            "--pace",
            "15",
            "--log",
            "warn",
            "--page",
            &given("XTASK_PAGE"),
        ]);
        let announcement = |line: &str| port_after("listening on http://127.0.0.1:", line);
        let (process, port) = Process::listening(&mut command, announcement, START_LIMIT);
        Self {
            port,
            _process: process,
        }
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// The answer to a plain request for `path`: head and body.
    pub(crate) fn fetch(&self, path: &str) -> (String, String) {
        let mut stream =
            TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("the server accepts");
        let host = format!("127.0.0.1:{}", self.port);
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .expect("it takes a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer
            .split_once("\r\n\r\n")
            .expect("an answer has a head and a body");
        (head.to_owned(), body.to_owned())
    }
}
