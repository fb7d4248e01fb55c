//! Clients of MCP: the binary that one starts, and the endpoint of a server.

use crate::clock::HandClock;
use crate::folder::Folder;
use crate::http::{Answer, call, request, with_headers};
use crate::metrics::check_counted;
use crate::socket::{binary, exchange, raw};
use crate::store::{Behind, Calls};
use ask_user_question::limits::ExtraMember;
use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderValue, Method, Request, header};
use axum::middleware::map_request;
use futures_util::{StreamExt as _, stream};
use question_server::limits::Bounds;
use question_server::mcp::McpKey;
use question_server::store::{SqliteStore, Store};
use question_server::{Config, Drain, Server};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::{Instant, timeout};
use tower::ServiceExt as _;

fn which() -> Value {
    json!({"questions": [{"question": "Which?", "options": [{"label": "One"}, {"label": "Two"}]}]})
}

/// The folder of a page, which may have a card for clients.
fn page(card: Option<&str>) -> Folder {
    let folder = Folder::made();
    for (name, text) in [("index.html", Some("<!doctype html>")), ("card.html", card)] {
        let _ = text.map(|text| std::fs::write(folder.path().join(name), text).expect("it can be written"));
    }
    folder
}

/// The binary, as a client starts it that shows nothing itself.
struct Started {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Started {
    async fn new(args: &[&str]) -> Self {
        Self::with_log("off", args).await
    }

    async fn with_log(level: &str, args: &[&str]) -> Self {
        // This build may have the card inside.
        let bare = page(None);
        let usual = ["mcp", "--no-open", "--log", level, "--page", bare.path().to_str().expect("it is text")];
        let mut command = binary(&[usual.as_slice(), args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let stdin = child.stdin.take().expect("it is piped");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut started = Self { child, stdin, lines };
        let client =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        started.send(0, "initialize", client).await;
        assert_eq!(started.response(0).await["result"]["serverInfo"]["name"], "question-server");
        started
    }

    async fn send(&mut self, id: u64, method: &str, params: Value) {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n";
        self.stdin.write_all(line.as_bytes()).await.expect("it reads");
    }

    async fn ask(&mut self, id: u64) {
        let meta = json!({"progressToken": id});
        self.send(id, "tools/call", json!({"name": "ask_user_question", "arguments": which(), "_meta": meta})).await;
    }

    async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.expect("it is text").expect("there is a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    async fn response(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The page of the question, from the message to the client.
    async fn page(&mut self) -> Page {
        let told = self.next().await;
        let text = told["params"]["data"].as_str().unwrap_or_else(|| panic!("{told}"));
        let (_, address) = text.split_once("http://").expect("it has an address");
        let (host, path) = address.split_once('/').expect("it has a path");
        Page { address: host.parse().expect("it is an address"), path: format!("/{path}") }
    }
}

struct Page {
    address: SocketAddr,
    path: String,
}

impl Page {
    async fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        exchange(self.address, &raw(self.address, method, path, headers, body)).await
    }

    async fn shown(&self) -> String {
        self.request("GET", &self.path, "", "").await
    }

    async fn posts(&self, body: &str) -> String {
        self.request("POST", &self.path, "Content-Type: application/x-www-form-urlencoded\r\n", body).await
    }
}

#[tokio::test]
async fn a_client_that_shows_nothing_gets_a_page_and_its_answer() {
    let mut client = Started::new(&[]).await;
    client.ask(1).await;
    let page = client.page().await;
    let shown = page.shown().await;
    assert!(shown.starts_with("HTTP/1.0 200") && shown.contains("<legend dir=\"auto\">Which?</legend>"), "{shown}");
    assert!(
        shown.contains("content-security-policy: default-src 'none'") && shown.contains("form-action 'self'"),
        "{shown}"
    );
    // Browsers send a form of a page without a referrer with `Origin: null`.
    assert!(shown.contains("referrer-policy: same-origin"), "{shown}");
    for file in ["/ask/style.css", "/ask/script.js"] {
        assert!(page.request("GET", file, "", "").await.starts_with("HTTP/1.0 200"), "{file}");
    }
    let empty = page.posts("question_1_custom=").await;
    assert!(empty.starts_with("HTTP/1.0 400") && empty.contains("No option was chosen"), "{empty}");
    let sent = page.posts("question_1=Two&question_1_custom=").await;
    assert!(sent.starts_with("HTTP/1.0 200") && sent.contains("The agent has your answer"), "{sent}");
    let mut result = client.response(1).await["result"].take();
    let answered_at = result["structuredContent"]["answered_at"].take();
    assert!(answered_at.as_str().is_some_and(|time| time.starts_with("20") && time.ends_with('Z')), "{answered_at}");
    assert_eq!(
        result["structuredContent"],
        json!({"outcome": "answered", "answers": {"Which?": "Two"}, "answered_at": null})
    );
    assert_eq!(result["content"][0]["text"], r#"{"answers":{"Which?":"Two"}}"#);
    // It was handed over.
    assert!(page.posts("question_1=One").await.starts_with("HTTP/1.0 404"));
    assert!(page.shown().await.contains("This question is closed"));
}

impl Page {
    /// Sends a file, as the page's script does. Returns its address, or why it is not taken.
    async fn sends(&self, query: &str, bytes: &str) -> Result<String, String> {
        let path = format!("{}/files?{query}", self.path);
        let sent = self.request("POST", &path, "Content-Type: application/octet-stream\r\n", bytes).await;
        let (head, body) = sent.split_once("\r\n\r\n").expect("it has a head");
        let said: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {sent}"));
        let of = |name: &str| said[name].as_str().unwrap_or_else(|| panic!("{sent}")).to_owned();
        if head.starts_with("HTTP/1.0 201") { Ok(of("url")) } else { Err(of("message")) }
    }
}

#[tokio::test]
async fn files_of_a_page_go_to_the_client_with_the_answer() {
    let folder = Folder::new();
    let database = folder.file_name();
    let mut client = Started::new(&["--attachments", "files", "--database", &database]).await;
    client.ask(1).await;
    let page = client.page().await;
    let shown = page.shown().await;
    for said in ["data-kept=\"question_1_kept\" multiple", "At most 4 files are taken.", "at most 5 MiB", "image/png,"]
    {
        assert!(shown.contains(said), "{said} in {shown}");
    }
    let words = "words that are in no other file";
    let note = page.sends("name=a%2Fnote.txt&type=text/plain", words).await.expect("it is taken");
    let dot = page.sends("name=dot", DOT).await.expect("it is known by its bytes");
    assert!(is_in(&database, words), "its bytes are in the store");
    let typed = "question_1_custom=As+in+the+file+%26+%22more%22";
    let foreign = "question_1_kept=https://evil.example/x";
    let refused = page.posts(&format!("{typed}&question_1_kept={note}&{foreign}")).await;
    assert!(refused.starts_with("HTTP/1.0 400") && refused.contains("no such file"), "{refused}");
    assert!(refused.contains("As in the file &amp; &quot;more&quot;</textarea>"), "{refused}");
    let kept = format!("name=\"question_1_kept\" checked value=\"{note}\"> <span dir=\"auto\">note.txt</span>");
    assert!(refused.contains(&kept), "{refused}");

    let sent = page.posts(&format!("{typed}&question_1_kept={note}&question_1_kept={dot}")).await;
    assert!(sent.starts_with("HTTP/1.0 200"), "{sent}");
    let result = client.response(1).await["result"].take();
    let [note, dot] = &result["structuredContent"]["details"][0]["attachments"].as_array().expect("files")[..] else {
        panic!("there are two: {result}")
    };
    let about = json!({"name": "note.txt", "type": "text/plain", "size": words.len()});
    assert_eq!(*note, about, "its address would have the secret of the page");
    assert_eq!((&dot["name"], &dot["type"]), (&json!("dot"), &json!("image/gif")));
    let block = &result["content"][1]["resource"];
    assert_eq!((&block["mimeType"], &block["text"]), (&json!("text/plain"), &json!(words)), "{result}");
    let picture = &result["content"][2];
    assert_eq!((&picture["type"], &picture["mimeType"]), (&json!("image"), &json!("image/gif")), "{result}");
    assert_eq!(picture["data"], "R0lGODlhAQABAAAAAA==", "{result}");
    assert!(!result.to_string().contains("/files/"), "{result}");
    assert!(!is_in(&database, words), "it is deleted with its question");
    assert_eq!(page.sends("name=late", DOT).await.expect_err("it is over"), "There is no such question.");
}

/// A picture of one pixel, as far as its head tells.
const DOT: &str = "GIF89a\x01\0\x01\0\0\0\0";

/// Returns true if these words are in a database.
fn is_in(database: &str, words: &str) -> bool {
    [String::new(), "-wal".to_owned()].iter().any(|end| {
        let bytes = std::fs::read(format!("{database}{end}")).unwrap_or_default();
        bytes.windows(words.len()).any(|window| window == words.as_bytes())
    })
}

#[tokio::test]
async fn a_page_takes_the_files_that_its_server_takes() {
    let mut client = Started::new(&["--attachments", "pictures"]).await;
    client.ask(1).await;
    let page = client.page().await;
    let svg = page.sends("name=a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>").await;
    assert!(svg.expect_err("it may run scripts").contains("The type of the file is not known"));
    let form = page.request("POST", &format!("{}/files", page.path), "Content-Type: text/plain\r\n", DOT).await;
    assert!(form.starts_with("HTTP/1.0 415"), "{form}");
    let dot = page.sends("name=dot", DOT).await.expect("it is a picture");
    let many = page.posts(&format!("question_1=One{}", format!("&question_1_kept={dot}").repeat(5))).await;
    assert!(many.starts_with("HTTP/1.0 400") && many.contains("At most 4 files are taken."), "{many}");
    let foreign = json!({"url": "https://evil.example/x", "name": "x", "type": "image/png", "size": 1});
    let details = json!([{"index": 0, "selected": [{"index": 1, "label": "Two"}], "attachments": [foreign]}]);
    let reply = json!({"outcome": "answered", "answers": {"Which?": "Two"}, "details": details});
    let card = page.request("POST", &page.path, "Content-Type: application/json\r\n", &reply.to_string()).await;
    assert!(card.starts_with("HTTP/1.0 400") && card.contains("no such file"), "{card}");
    assert!(page.shown().await.contains("Which?"), "it is still open");
    let mut off = Started::new(&[]).await;
    off.ask(1).await;
    let page = off.page().await;
    assert!(!page.shown().await.contains("type=\"file\""));
    let unknown = Page { address: page.address, path: "/ask/unknown".to_owned() };
    for page in [&page, &unknown] {
        assert!(page.sends("name=dot", DOT).await.expect_err("it takes none").contains("No files are taken here"));
    }
    assert!(page.posts(&format!("question_1=One&question_1_kept={dot}")).await.starts_with("HTTP/1.0 400"));
}

#[tokio::test]
async fn a_page_has_the_card_itself_where_the_server_has_it() {
    let folder = page(Some("<!doctype html><p>the card"));
    let folder = folder.path().to_str().expect("it is text");
    let mut client = Started::new(&["--page", folder]).await;
    client.ask(1).await;
    let page = client.page().await;
    let shown = page.shown().await;
    assert!(shown.contains("sandbox=\"allow-scripts\"") && shown.contains("frame-src 'self'"), "{shown}");
    assert!(!shown.contains("?form"), "no files are taken: {shown}");
    let mut takes = Started::new(&["--page", folder, "--attachments", "pictures"]).await;
    takes.ask(1).await;
    let mut other = takes.page().await;
    assert!(other.shown().await.contains("<a href=\"?form\" target=\"_blank\">Answer with files</a>"));
    other.path += "?form";
    let form = other.shown().await;
    assert!(form.contains("type=\"file\"") && !form.contains("<iframe"), "{form}");
    let card = page.request("GET", "/ask/card.html", "", "").await;
    assert!(card.contains("sandbox allow-scripts; default-src 'none'") && card.contains("the card"), "{card}");
    assert!(page.request("GET", "/ask/card.js", "", "").await.starts_with("HTTP/1.0 200"));
    let misfit = page.posts(r#"{"outcome": "answered", "answers": {"Whose?": "Two"}}"#).await;
    assert!(misfit.starts_with("HTTP/1.0 400"), "{misfit}");
    let details =
        json!([{"index": 0, "selected": [{"index": 1, "label": "Two"}], "note": "soon", "status": "answered"}]);
    let reply = json!({"outcome": "answered", "answers": {"Which?": "Two"}, "details": details});
    let json = "Content-Type: application/json\r\n";
    let sent = page.request("POST", &page.path, json, &reply.to_string()).await;
    assert!(sent.starts_with("HTTP/1.0 200"), "{sent}");
    let result = client.response(1).await["result"].take();
    assert_eq!(result["structuredContent"]["details"][0]["note"], "soon", "{result}");
}

#[tokio::test]
async fn declining_typing_and_two_answers_at_once_have_one_outcome_each() {
    let mut client = Started::new(&[]).await;
    for (id, body, outcome) in [
        (1, "decline=1", "declined"),
        (2, "question_1_custom=Three%2C+please", "answered"),
        (3, "question_1=One", "answered"),
    ] {
        client.ask(id).await;
        let page = client.page().await;
        let (one, other) = tokio::join!(page.posts(body), page.posts(body));
        let codes = [one, other].map(|answer| answer[9..12].to_owned());
        assert!(
            codes.contains(&"200".to_owned()) && codes.iter().any(|code| ["404", "409"].contains(&code.as_str())),
            "{codes:?}"
        );
        let result = client.response(id).await["result"].take();
        assert_eq!(result["structuredContent"]["outcome"], outcome, "{result}");
    }
}

#[tokio::test]
async fn other_pages_and_other_programs_do_not_get_to_the_question() {
    let mut client = Started::new(&[]).await;
    client.ask(1).await;
    let page = client.page().await;
    assert!(page.address.ip().is_loopback());
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost:3000"] {
        let headers = format!("Origin: {origin}\r\n{form}");
        let foreign = page.request("POST", &page.path, &headers, "question_1=One").await;
        assert!(foreign.starts_with("HTTP/1.0 403"), "{origin} {foreign}");
    }
    let rebound = format!("GET {} HTTP/1.0\r\nHost: evil.example\r\n\r\n", page.path);
    assert!(exchange(page.address, &rebound).await.starts_with("HTTP/1.0 403"));
    for path in ["/ask/", "/ask/0", "/ask/../mcp", "/mcp", "/agent", "/conversations", "/"] {
        let answer = page.request("GET", path, "", "").await;
        assert!(answer.starts_with("HTTP/1.0 404"), "{path} {answer}");
    }
    // The name that the model knows opens no page.
    client.send(2, "notifications/x", json!({})).await;
    client.response(2).await;
    assert!(page.shown().await.starts_with("HTTP/1.0 200"));
}

#[tokio::test]
async fn a_cancelled_call_closes_its_page() {
    let mut client = Started::new(&[]).await;
    client.ask(1).await;
    let page = client.page().await;
    let watched = tokio::spawn({
        let page = Page { address: page.address, path: format!("{}/open", page.path) };
        async move { page.shown().await }
    });
    let mut shown = page.shown().await;
    while shown.starts_with("HTTP/1.0 200") {
        let line =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}).to_string();
        client.stdin.write_all((line + "\n").as_bytes()).await.expect("it reads");
        shown = page.shown().await;
    }
    assert!(shown.starts_with("HTTP/1.0 404"), "{shown}");
    let watched = watched.await.expect("it answers");
    assert!(watched.starts_with("HTTP/1.0 410"), "{watched}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_question_outlives_its_server_and_its_answer_is_handed_over() {
    let folder = Folder::new();
    let file = folder.file_name();
    let args = ["--database", &file];
    let mut client = Started::new(&args).await;
    client.ask(1).await;
    let page = client.page().await;
    client.child.kill().await.expect("it runs");

    // The next one takes the same question up, on the same page.
    let mut client = Started::new(&args).await;
    client.ask(1).await;
    let again = client.page().await;
    assert_eq!((again.address, &again.path), (page.address, &page.path));
    client.child.kill().await.expect("it runs");

    // It is answered while no call waits for it.
    let mut client = Started::new(&args).await;
    assert!(page.posts("question_1=Two").await.starts_with("HTTP/1.0 200"));
    assert!(page.shown().await.contains("The agent has your answer"));
    client.child.kill().await.expect("it runs");

    let mut client = Started::new(&args).await;
    client.ask(1).await;
    client.page().await;
    assert_eq!(client.response(1).await["result"]["structuredContent"]["answers"], json!({"Which?": "Two"}));
    // And not a second time.
    client.ask(2).await;
    assert_ne!(client.page().await.path, page.path);
    drop(client.stdin);
    assert!(client.child.wait().await.expect("it ends").success());
}

#[tokio::test]
async fn the_address_of_a_page_is_in_no_log() {
    for level in ["info", "trace"] {
        let mut client = Started::with_log(level, &[]).await;
        client.ask(1).await;
        let page = client.page().await;
        assert!(page.shown().await.starts_with("HTTP/1.0 200"));
        assert!(page.posts("question_1=Two").await.starts_with("HTTP/1.0 200"));
        client.response(1).await;
        drop(client.stdin);
        let log = client.child.wait_with_output().await.expect("it ends").stderr;
        let log = String::from_utf8(log).expect("it is text");
        let secret = page.path.rsplit('/').next().expect("it has a last part");
        assert!(log.contains("program_asked") && !log.contains(secret), "{secret}: {log}");
    }
}

#[tokio::test]
async fn a_page_takes_no_more_text_than_any_answer_may_have() {
    let mut config = at_once();
    config.bounds.message = 100;
    let server = endpoint(&config);
    let (_, page) = InSession::new(&server).await.asks(which()).await;
    for (length, status) in [(101, 400), (100, 200)] {
        let mut request = answering(&page);
        *request.body_mut() = format!("question_1_custom={}", "x".repeat(length)).into();
        let answer = call(&server, request).await;
        assert_eq!(answer.status, status, "{answer:?}");
        let told = String::from_utf8_lossy(&answer.body).contains("Shorten your text to 100 bytes.");
        assert_eq!(told, status == 400, "{answer:?}");
    }
}

/// The settings of a server whose calls don't wait for an answer.
fn at_once() -> Config {
    Config { wait: Duration::ZERO, ..Config::default() }
}

const TOKEN: &str = "correct-horse-battery-staple";

fn endpoint(config: &Config) -> Router {
    let key = McpKey([7; 32]);
    assert!(!format!("{key:?}").contains('7'), "a key is in no log");
    Server::builder().config(config.clone()).mcp(key).checks_hosts().build()
}

/// The media types of responses.
const EITHER: &str = "application/json, text/event-stream";

/// A request of the generation without sessions.
fn stateless(method: &str, mut params: Value, capabilities: Value, headers: &[(&'static str, &str)]) -> Request<Body> {
    for (name, value) in [
        ("protocolVersion", json!("2026-07-28")),
        ("clientInfo", json!({"name": "t", "version": "1"})),
        ("clientCapabilities", capabilities),
    ] {
        params["_meta"][format!("io.modelcontextprotocol/{name}")] = value;
    }
    let named = params["name"].as_str().map(str::to_owned);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let own = [("accept", EITHER), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    let name = named.as_deref().map(|name| ("mcp-name", name));
    let headers: Vec<_> = own.into_iter().chain(name).chain(headers.iter().copied()).collect();
    with_headers(request(Method::POST, "/mcp", Some(body)), &headers)
}

/// Sends such a request, and returns the whole answer.
async fn post(
    server: &Router,
    method: &str,
    params: Value,
    capabilities: Value,
    headers: &[(&'static str, &str)],
) -> Answer {
    call(server, stateless(method, params, capabilities, headers)).await
}

/// The path of the page in a text.
fn page_in(text: &str) -> String {
    let (_, path) = text.split_once("/ask/").expect("it has the address");
    let end = path.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(path.len());
    format!("/ask/{}", &path[..end])
}

/// The message in a response.
fn message(answer: &Answer) -> Value {
    let text = String::from_utf8_lossy(&answer.body);
    let data = text.lines().filter_map(|line| line.strip_prefix("data: ")).find(|data| data.starts_with('{'));
    serde_json::from_str(data.unwrap_or(&text)).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

#[tokio::test]
async fn the_endpoint_asks_by_a_form_and_knows_its_state_after_a_restart() {
    let config = Config::default();
    let forms = json!({"elicitation": {"form": {}}});
    let mut params = json!({"name": "ask_user_question", "arguments": which()});
    let asked = post(&endpoint(&config), "tools/call", params.clone(), forms.clone(), &[]).await;
    let wanted = message(&asked)["result"].take();
    assert_eq!(wanted["resultType"], "input_required", "{wanted}");
    params["requestState"] = wanted["requestState"].clone();
    params["inputResponses"] = json!({"question": {"action": "accept", "content": {"question_1": "One"}}});
    let answered = post(&endpoint(&config), "tools/call", params, forms, &[]).await;
    assert_eq!(message(&answered)["result"]["structuredContent"]["answers"], json!({"Which?": "One"}));
}

#[tokio::test]
async fn the_endpoint_is_behind_the_guard_and_the_tokens() {
    let forms = json!({"elicitation": {}});
    let open = endpoint(&Config::default());
    let listed = async |server: &Router, headers: &[(&'static str, &str)]| {
        post(server, "tools/list", json!({}), forms.clone(), headers).await.status.as_u16()
    };
    assert_eq!(listed(&open, &[]).await, 200);
    assert_eq!(listed(&open, &[("origin", "https://evil.example")]).await, 403);
    assert_eq!(listed(&open, &[("host", "evil.example")]).await, 403);
    let tokens = vec![TOKEN.parse().expect("it is long enough")];
    let closed = endpoint(&Config { tokens, ..Config::default() });
    assert_eq!(listed(&closed, &[]).await, 401);
    assert_eq!(listed(&closed, &[("authorization", &format!("Bearer {TOKEN}"))]).await, 200);
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_too_much_as_well() {
    let server = endpoint(&Config::default());
    for (body, content_type, status, code) in [
        ("{", "application/json", 400, -32700),
        ("[]", "application/json", 400, -32600),
        (r#"{"jsonrpc": "2.0", "id": 1, "method": 7}"#, "application/json", 400, -32600),
        (r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}"#, "application/json", 400, -32602),
        (r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#, "application/json", 400, -32600),
        ("hello", "text/plain", 415, -32600),
    ] {
        let mut request = request(Method::POST, "/mcp", Some(Value::Null));
        *request.body_mut() = body.to_owned().into();
        let answer = call(&server, with_headers(request, &[("content-type", content_type), ("accept", EITHER)])).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json()["error"]["code"]),
            (status, &json!(code)),
            "{body} {answer:?}"
        );
    }
    let mut long = which();
    long["questions"][0]["question"] = "q".repeat(5 << 20).into();
    let params = json!({"name": "ask_user_question", "arguments": long});
    let answer = post(&server, "tools/call", params, json!({}), &[]).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["error"]["code"]), (413, &json!(-32600)), "{answer:?}");
}

#[tokio::test]
async fn a_client_that_takes_streams_is_served_whatever_else_it_accepts() {
    let server = endpoint(&Config::default());
    for (accept, status) in [
        (Some("text/event-stream, application/json"), 200),
        (Some("text/event-stream"), 200),
        (Some("*/*"), 200),
        (None, 200),
        (Some("application/json"), 406),
    ] {
        let accept: Vec<_> = accept.into_iter().map(|types| ("accept", types)).collect();
        let opened = call(&server, with_headers(request(Method::POST, "/mcp", Some(opening())), &accept)).await;
        assert_eq!(opened.status, status, "{accept:?} {opened:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_ask_of_the_endpoint_is_its_owners_alone() {
    let server = endpoint(&Config::default());
    let asks = async |token: &str, name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        let bearer = format!("Bearer {token}");
        message(&post(&server, "tools/call", params, json!({}), &[("authorization", &bearer)]).await)["result"].take()
    };
    let mine = asks("0123456789abcdef-mine", "ask_user_question", which()).await;
    let id = mine["structuredContent"]["ask_id"].clone();
    assert_eq!(mine["structuredContent"]["outcome"], "open", "{mine}");
    let again = asks("0123456789abcdef-mine", "wait_for_answer", json!({"ask_id": id})).await;
    assert_eq!(again["structuredContent"]["outcome"], "open", "{again}");
    // Several clients may have one token.
    let other = asks("0123456789abcdef-mine", "ask_user_question", which()).await;
    assert_ne!(other["structuredContent"]["ask_id"], id);
    let theirs = asks("0123456789abcdef-theirs", "ask_user_question", which()).await;
    assert_ne!(theirs["structuredContent"]["ask_id"], id);
    let stolen = asks("0123456789abcdef-theirs", "wait_for_answer", json!({"ask_id": id})).await;
    assert_eq!(stolen["_meta"]["code"], "unknown_ask", "{stolen}");
    // The page needs no token: its address is one.
    let path = page_in(mine["content"][0]["text"].as_str().expect("it is text"));
    let shown = call(&server, request(Method::GET, &path, None)).await;
    assert_eq!(shown.status, 200, "{shown:?}");
    let listed = call(&server, request(Method::GET, &format!("/conversations/{}", &path[5..]), None)).await;
    assert_eq!(listed.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_client_without_a_session_cancels_its_call_by_hanging_up() {
    let server = endpoint(&Config::default());
    let params = json!({"name": "ask_user_question", "arguments": which(), "_meta": {"progressToken": 1}});
    let asked = server.clone().oneshot(stateless("tools/call", params.clone(), json!({}), &[])).await;
    let (page, stream) = page_of(asked.expect("it answers").into_body().into_data_stream()).await;
    assert_eq!(call(&server, request(Method::GET, &page, None)).await.status, 200);
    drop(stream);
    // The clock is paused: it moves once every task is idle, so this waits for them and takes no time.
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(call(&server, request(Method::GET, &page, None)).await.status, 404, "its page is closed");
    assert_eq!(call(&server, answering(&page)).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_connection_broke_gets_the_answer_by_asking_again() {
    let server = endpoint(&Config::default());
    let client = InSession::new(&server).await;
    let params = json!({"name": "ask_user_question", "arguments": which(), "_meta": {"progressToken": 1}});
    let body = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    let asked = server.clone().oneshot(of_session(Method::POST, Some(&client.id), Some(body))).await;
    let (page, stream) = page_of(asked.expect("it answers").into_body().into_data_stream()).await;
    drop(stream);
    assert_eq!(call(&server, answering(&page)).await.status, 200);
    // The clock is paused: it moves once every task is idle, so this waits for them and takes no time.
    tokio::time::sleep(Duration::from_millis(1)).await;
    let answered = client.calls("ask_user_question", which()).await["structuredContent"].take();
    assert_eq!(answered["answers"], json!({"Which?": "One"}), "{answered}");
    assert_eq!(call(&server, request(Method::GET, &page, None)).await.status, 404, "it was handed over");
}

/// Reads a stream up to the address of the page.
async fn page_of(mut stream: BodyDataStream) -> (String, BodyDataStream) {
    loop {
        let piece = stream.next().await.expect("it goes on").expect("it can be read");
        let text = String::from_utf8_lossy(&piece).into_owned();
        if text.contains("/ask/") {
            return (page_in(&text), stream);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_without_a_session_goes_on_waiting_by_the_id() {
    let server = endpoint(&Config::default());
    let asks = async |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        message(&post(&server, "tools/call", params, json!({}), &[]).await)["result"].take()
    };
    let open = asks("ask_user_question", which()).await;
    let page = page_in(open["content"][0]["text"].as_str().expect("it is text"));
    assert_eq!(call(&server, answering(&page)).await.status, 200);
    let other = asks("ask_user_question", which()).await;
    assert_eq!(other["structuredContent"]["outcome"], "open", "nobody has said that it is the same client");
    let id = &open["structuredContent"]["ask_id"];
    let over = asks("wait_for_answer", json!({"ask_id": id})).await;
    assert_eq!(over["structuredContent"]["answers"], json!({"Which?": "One"}), "{over}");
    let twice = asks("wait_for_answer", json!({"ask_id": id})).await;
    assert_eq!(twice["_meta"]["code"], "unknown_ask", "{twice}");
}

/// A client with a session of the endpoint.
struct InSession<'s> {
    server: &'s Router,
    id: HeaderValue,
}

impl<'s> InSession<'s> {
    async fn new(server: &'s Router) -> Self {
        let answer = call(server, of_session(Method::POST, None, Some(opening()))).await;
        let id = answer.headers.get("mcp-session-id").cloned().expect("there is room");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(call(server, of_session(Method::POST, Some(&id), Some(ready))).await.status, 202);
        Self { server, id }
    }

    async fn calls(&self, name: &str, arguments: Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
        message(&call(self.server, of_session(Method::POST, Some(&self.id), Some(body))).await)["result"].take()
    }

    /// Asks, and returns the id of the question and its page; the call returns since it takes no notifications of progress.
    async fn asks(&self, arguments: Value) -> (Value, String) {
        let mut open = self.calls("ask_user_question", arguments).await;
        let content = open["structuredContent"].take();
        assert_eq!(content["outcome"], "open", "{content} {open}");
        (content["ask_id"].clone(), page_in(open["content"][0]["text"].as_str().expect("it is text")))
    }
}

#[tokio::test]
async fn equal_words_of_another_client_are_another_question() {
    let tokens = vec![TOKEN.parse().expect("it is long enough")];
    let bearer = HeaderValue::try_from(format!("Bearer {TOKEN}")).expect("it is legal");
    let behind_token = endpoint(&Config { tokens, ..at_once() });
    let with_token = behind_token.layer(map_request(move |mut request: Request<Body>| {
        request.headers_mut().insert(header::AUTHORIZATION, bearer.clone());
        std::future::ready(request)
    }));
    for server in [endpoint(&at_once()), with_token] {
        let (one, other) = (InSession::new(&server).await, InSession::new(&server).await);
        let (id, page) = one.asks(which()).await;
        let theirs = other.asks(which()).await;
        assert!(theirs.0 != id && theirs.1 != page);
        assert_eq!(one.asks(which()).await, (id.clone(), page.clone()), "its client is not asked twice");
        assert_eq!(call(&server, answering(&page)).await.status, 200);
        assert_eq!(other.asks(which()).await, theirs);
        // The answer is handed out once, with its time.
        let answered = one.calls("ask_user_question", which()).await["structuredContent"].take();
        assert_eq!((&answered["outcome"], &answered["answers"]), (&json!("answered"), &json!({"Which?": "One"})));
        assert!(answered["answered_at"].is_string(), "{answered}");
        assert_ne!(one.asks(which()).await.0, id);
    }
}

#[tokio::test]
async fn an_ask_costs_no_look_at_old_ones_that_are_still_open() {
    const OLD: usize = 20;
    let (store, clock) = (Arc::new(Behind::new(Calls::of("load"))), HandClock::new());
    let server = Server::builder().config(at_once()).mcp(McpKey([7; 32])).clock(Arc::new(clock.clone()));
    let server = server.store(Arc::clone(&store) as Arc<dyn Store>).build();
    let client = InSession::new(&server).await;
    let asks = async |number: usize| {
        let mut question = which();
        question["questions"][0]["question"] = format!("Which of {number}?").into();
        client.asks(question).await
    };
    for number in 0..OLD {
        asks(number).await;
    }
    clock.advance(Duration::from_secs(10 * 60 + 1));
    let before = store.first.count();
    asks(OLD).await;
    let loads = store.first.count() - before;
    assert!(loads < OLD / 2, "{loads}");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_waits_for_its_end_does_not_keep_a_server_that_stops() {
    let drain = Drain::default();
    let server = Server::builder().config(at_once()).mcp(McpKey([7; 32])).drain(drain.clone()).build();
    let (_, page) = InSession::new(&server).await.asks(which()).await;
    let begun = Instant::now();
    let watch = request(Method::GET, &format!("{page}/open"), None);
    let (watched, ()) = tokio::join!(call(&server, watch), drain.run(Duration::ZERO));
    assert_eq!((watched.status.as_u16(), begun.elapsed()), (204, Duration::ZERO));
}

#[tokio::test]
async fn a_question_that_does_not_block_is_asked_once() {
    let server = endpoint(&Config { offers: vec![ExtraMember::Blocking], ..Config::default() });
    let client = InSession::new(&server).await;
    let mut question = which();
    question["blocking"] = false.into();
    let asked = client.asks(question.clone()).await;
    assert_eq!(client.asks(question).await, asked);
}

#[tokio::test]
async fn an_ask_is_taken_up_for_ten_minutes_and_by_its_id_later() {
    let clock = HandClock::new();
    let server = Server::builder().config(at_once()).mcp(McpKey([7; 32])).clock(Arc::new(clock.clone())).build();
    let client = InSession::new(&server).await;
    let (id, page) = client.asks(which()).await;
    clock.advance(Duration::from_secs(10 * 60));
    assert_eq!(client.asks(which()).await.0, id);
    assert_eq!(call(&server, answering(&page)).await.status, 200);
    clock.advance(Duration::from_secs(1));
    assert_ne!(client.asks(which()).await.0, id, "it is older than ten minutes");
    clock.advance(Duration::from_secs(30 * 24 * 60 * 60));
    assert_eq!(client.calls("wait_for_answer", json!({"ask_id": "ask_unknown"})).await["_meta"]["code"], "unknown_ask");
    let over = client.calls("wait_for_answer", json!({"ask_id": id})).await["structuredContent"].take();
    assert_eq!(over["answered_at"], "2026-11-20T12:10:00.000Z", "{over}");
}

#[tokio::test]
async fn a_server_that_is_dropped_with_a_session_gives_its_file_back() {
    let folder = Folder::new();
    let store = Arc::new(SqliteStore::open(&folder.file()).await.expect("it is new"));
    let server = Server::builder().config(at_once()).store(store).mcp(McpKey([7; 32])).build();
    InSession::new(&server).await.asks(which()).await;
    drop(server);
    let is_free = async { while SqliteStore::open(&folder.file()).await.is_err() {} };
    timeout(Duration::from_secs(20), is_free).await.expect("nobody has it");
}

#[tokio::test]
async fn abandoned_asks_of_one_client_do_not_count_for_another() {
    let server = endpoint(&Config { bounds: Bounds { owned: 2, ..Bounds::default() }, ..at_once() });
    let question = |text: &str| json!({"questions": [{"question": text, "options": ["A", "B"]}]});
    let greedy = InSession::new(&server).await;
    for text in ["One?", "Two?"] {
        greedy.asks(question(text)).await;
    }
    let refused = greedy.calls("ask_user_question", question("Three?")).await;
    assert_eq!(refused["_meta"]["code"], "too_many_owned", "{refused}");
    InSession::new(&server).await.asks(which()).await;
    for _ in 0..3 {
        let params = json!({"name": "ask_user_question", "arguments": which()});
        let open = message(&post(&server, "tools/call", params, json!({}), &[]).await)["result"].take();
        assert_eq!(open["structuredContent"]["outcome"], "open", "{open}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_without_an_end_is_given_up() {
    let server = endpoint(&Config::default());
    let open = InSession::new(&server).await.asks(which()).await.1;
    for (path, content_type) in [("/mcp", "application/json"), (&*open, "application/x-www-form-urlencoded")] {
        let mut request = request(Method::POST, path, Some(Value::Null));
        *request.body_mut() = Body::from_stream(stream::pending::<Result<Vec<u8>, Infallible>>());
        let headers = [("content-type", content_type), ("accept", EITHER)];
        let answer = call(&server, with_headers(request, &headers)).await;
        assert_eq!(answer.status, 408, "{path} {answer:?}");
    }
}

/// The form that a browser sends.
fn answering(page: &str) -> Request<Body> {
    let mut request = request(Method::POST, page, Some(Value::Null));
    *request.body_mut() = "question_1=One".to_owned().into();
    with_headers(request, &[("content-type", "application/x-www-form-urlencoded")])
}

/// The message that opens a session.
fn opening() -> Value {
    let client =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client})
}

/// A request of the generation with sessions.
fn of_session(method: Method, id: Option<&HeaderValue>, body: Option<Value>) -> Request<Body> {
    let id = id.map(|id| ("mcp-session-id", id.to_str().expect("it is text")));
    let headers: Vec<_> = [("accept", EITHER)].into_iter().chain(id).collect();
    with_headers(request(method, "/mcp", body), &headers)
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_client_went_away_at_its_beginning_is_counted() {
    let mut counted = 0;
    for polls in 1..100 {
        let server = endpoint(&Config { bounds: Bounds { sessions: 2, ..Bounds::default() }, ..Config::default() });
        let opens = || server.clone().oneshot(of_session(Method::POST, None, Some(opening())));
        let mut leaves = Box::pin(opens());
        let mut is_answered = false;
        for _ in 0..polls {
            is_answered = is_answered || futures_util::poll!(&mut leaves).is_ready();
            if is_answered {
                break;
            }
            tokio::task::yield_now().await;
        }
        if is_answered {
            break;
        }
        drop(leaves);
        assert_eq!(opens().await.expect("it answers").status(), 200, "after {polls}");
        let mut next = opens().await.expect("it answers").status();
        if next == 503 {
            counted += 1;
            tokio::time::advance(Duration::from_secs(600)).await;
            next = opens().await.expect("it answers").status();
        }
        assert_eq!(next, 200, "after {polls}");
    }
    assert!(counted > 0, "it may go away between the making of its session and the answer");
}

#[tokio::test(start_paused = true)]
async fn a_session_goes_on_at_any_server_with_the_same_key() {
    let [one, other] = [endpoint(&Config::default()), endpoint(&Config::default())];
    let id = InSession::new(&one).await.id;
    let lists = || json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    for server in [&other, &one, &other] {
        let listed = call(server, of_session(Method::POST, Some(&id), Some(lists()))).await;
        assert_eq!(listed.status, 200, "{listed:?}");
    }
    let third = endpoint(&Config::default());
    let [bare, changed] =
        [id.to_str().expect("it is text")[..36].to_owned(), format!("{}x", id.to_str().unwrap_or(""))];
    for unknown in [bare, changed].map(|name| HeaderValue::try_from(name).expect("it is legal")) {
        let refused = call(&third, of_session(Method::POST, Some(&unknown), Some(lists()))).await;
        assert_eq!(refused.status, 404, "{refused:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_too_many_is_refused_until_another_has_rested() {
    let server = endpoint(&Config { bounds: Bounds { sessions: 3, ..Bounds::default() }, ..Config::default() });
    let send = async |request: Request<Body>| server.clone().oneshot(request).await.expect("it answers");
    let opens = async || {
        let answer = Answer::of(send(of_session(Method::POST, None, Some(opening()))).await).await;
        answer.headers.get("mcp-session-id").cloned().ok_or(answer)
    };
    let lists = async |id: &HeaderValue| {
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
        Answer::of(send(of_session(Method::POST, Some(id), Some(message))).await).await.status.as_u16()
    };
    let open = async || InSession::new(&server).await.id;
    let [streams, rests, ends] = [open().await, open().await, open().await];
    let stream = send(of_session(Method::GET, Some(&streams), None)).await;
    assert_eq!(stream.status(), 200);

    let refused = opens().await.expect_err("there are three");
    assert_eq!((refused.status.as_u16(), &refused.headers[header::RETRY_AFTER]), (503, &HeaderValue::from(600)));
    let error = refused.json();
    assert_eq!((&error["jsonrpc"], &error["error"]["code"]), (&json!("2.0"), &json!(-32000)), "{error}");
    assert!(error["error"]["message"].as_str().is_some_and(|text| text.contains("sessions")), "{error}");
    check_counted(&server, r#"question_server_refusals_total{limit="max-sessions"}"#, 1).await;
    let (one, other) = tokio::join!(opens(), opens());
    assert!(one.is_err() && other.is_err(), "two at once find no place");
    // The other generation has no sessions.
    assert_eq!(post(&server, "tools/list", json!({}), json!({}), &[]).await.status, 200);

    // A client that ends its session makes room, and the name of the session is good for nothing more.
    assert!(send(of_session(Method::DELETE, Some(&ends), None)).await.status().is_success());
    assert_eq!(lists(&ends).await, 404);
    let (one, other) = tokio::join!(opens(), opens());
    assert_ne!(one.is_ok(), other.is_ok(), "one has ended, and two at once find a place");
    let used = one.or(other).expect("it is one of them");
    opens().await.expect_err("there are three again");

    // So does the session that is unused for ten minutes, except where a stream is open.
    tokio::time::advance(Duration::from_secs(9 * 60)).await;
    assert_eq!(lists(&used).await, 200);
    tokio::time::advance(Duration::from_secs(60)).await;
    opens().await.expect("one has rested");
    assert_eq!([lists(&streams).await, lists(&rests).await, lists(&used).await], [200, 503, 200]);
    drop(stream);
}
