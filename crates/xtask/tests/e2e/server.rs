//! `question-server`, with the built page.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;
use std::sync::LazyLock;

use crate::given;
use crate::processes::{Process, START_LIMIT, TempDir, port_after};

/// A server of its own for each journey.
pub(crate) struct Server {
    port: u16,
    process: Process,
    /// The folder of its conversations, if they are not in its memory.
    database: Option<TempDir>,
}

/// The one server of all tests that only want the page.
pub(crate) fn shared() -> &'static Server {
    static SHARED: LazyLock<Server> = LazyLock::new(Server::start);
    &SHARED
}

impl Server {
    /// Starts the server on a free port. It streams slowly enough for a browser to show every step.
    pub(crate) fn start() -> Self {
        Self::start_with_options(&[])
    }

    /// The same, with a model behind this endpoint of chat completions, which gets this key.
    pub(crate) fn start_with_model(endpoint: &str, key: &str) -> Self {
        let settings = [("OPENAI_BASE_URL", endpoint), ("OPENAI_API_KEY", key), ("OPENAI_MODEL", "journey")];
        let (process, port) = start(0, &["--model", "openai"], &settings, None);
        Self { port, process, database: None }
    }

    /// The same, with these options.
    pub(crate) fn start_with_options(options: &[&str]) -> Self {
        let (process, port) = start(0, options, &[], None);
        Self { port, process, database: None }
    }

    /// The same, with another page.
    pub(crate) fn start_with_page(page: &str) -> Self {
        Self::start_with_options(&["--page", page])
    }

    /// The same, with its conversations on the disk.
    pub(crate) fn start_with_database() -> Self {
        let database = TempDir::new();
        let (process, port) = start(0, &[], &[], Some(&database));
        Self { port, process, database: Some(database) }
    }

    /// Lets it do nothing any more: connections are made, and not answered.
    pub(crate) fn freeze(&self) {
        self.process.freeze();
    }

    /// Ends it without asking.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again where it was.
    pub(crate) fn start_again(&mut self) {
        (self.process, _) = start(self.port, &[], &[], self.database.as_ref());
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// The answer to a plain request for `path`: head and body.
    pub(crate) fn fetch(&self, path: &str) -> (String, String) {
        self.request("GET", path, "")
    }

    /// The answer to this JSON.
    pub(crate) fn post(&self, path: &str, body: &str) -> (String, String) {
        self.request("POST", path, body)
    }

    fn request(&self, method: &str, path: &str, body: &str) -> (String, String) {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("the server accepts");
        let (host, length) = (format!("127.0.0.1:{}", self.port), body.len());
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
        let content = format!("Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}");
        write!(stream, "{head}{content}").expect("it takes a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head and a body");
        (head.to_owned(), body.to_owned())
    }
}

fn start(port: u16, options: &[&str], settings: &[(&str, &str)], database: Option<&TempDir>) -> (Process, u16) {
    let mut command = Command::new(given("XTASK_SERVER"));
    command.args(["--port", &port.to_string(), "--log", "warn"]).args(options).envs(settings.iter().copied());
    for (option, usual) in [("--pace", "15"), ("--page", &given("XTASK_PAGE"))] {
        if !options.contains(&option) {
            command.args([option, usual]);
        }
    }
    command.arg("--database");
    match database {
        Some(folder) => command.arg(folder.0.join("conversations.db")),
        None => command.arg("memory"),
    };
    let announcement = |line: &str| port_after("listening on http://127.0.0.1:", line);
    Process::listening(&mut command, announcement, START_LIMIT)
}
