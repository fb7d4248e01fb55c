//! The page that `question-server mcp` serves for a client that shows nothing itself: a person answers there, and the client's call returns.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::page::{ElementPage, on_page_at};
use super::view::View;
use crate::chat_page::PATIENCE;
use crate::given;
use crate::plain_endpoint::{answering, respond};
use crate::processes::{START_LIMIT, TempDir};

#[tokio::test]
async fn the_card_outlives_its_server_and_its_answer_is_handed_over() {
    let database = TempDir::new();
    let mut client = Client::start(&database, true);
    let address = client.asks();
    on_page_at(&address, &TOLD, async |page| {
        // A browser may call a page loaded before its frame has come.
        frame_is_there(page).await?;
        client.kill();
        // No server takes it: the answer is there to be taken along.
        answers(page, "SQLite").await?;
        page.is("failed").await?;
        let copy =
            "const field = document.querySelector('.instead textarea'); return field.checkVisibility() && field.value;";
        assert_eq!(page.until(copy).await?, "SQLite");
        page.driver.enter_default_frame().await?;

        // The page that is open is the next server's as well.
        client = Client::start(&database, true);
        assert_eq!(client.asks(), address);
        page.driver.enter_frame(0).await?;
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["SQLite"]));
        let mut result = client.result();
        let time = result.as_object_mut().and_then(|result| result.remove("answered_at"));
        assert!(time.is_some_and(|time| time.is_string()), "it says when");
        assert_eq!(result, json!({"outcome": "answered", "answers": {"Which database?": "SQLite"}}));
        page.driver.enter_default_frame().await?;
        page.driver.refresh().await?;
        shows(page, "This question is closed.").await;
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_plain_form_takes_an_answer_and_a_refusal() {
    let database = TempDir::new();
    let mut client = Client::start(&database, false);
    on_page_at(&client.asks(), &TOLD, async |page| {
        page.driver.find(By::XPath("//button[text()='Submit']")).await?.click().await?;
        shows(page, "No option was chosen").await;
        for row in page.driver.find_all(By::Css("label:has(> [type=radio])")).await? {
            assert!(row.rect().await?.height >= 44.0, "the whole row is pressed");
        }
        page.driver.find(By::Css("textarea")).await?.send_keys("DuckDB & co").await?;
        page.driver.find(By::XPath("//button[text()='Submit']")).await?.click().await?;
        shows(page, "The agent has your answer.").await;
        assert_eq!(client.result()["answers"], json!({"Which database?": "DuckDB & co"}));

        page.driver.goto(&client.asks()).await?;
        page.driver.find(By::XPath("//label[contains(., 'SQLite')]")).await?.click().await?;
        page.driver.find(By::XPath("//button[contains(., 'answer')]")).await?.click().await?;
        shows(page, "The agent has your answer.").await;
        assert_eq!(client.result()["outcome"], "declined");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_plain_form_hides_what_is_not_asked_and_keeps_what_is_refused() {
    let database = TempDir::new();
    let mut client = Client::start(&database, false);
    let address = client.asks_for(json!([
        {"question": "How shall we tell you?", "header": "Notice", "options": [{"label": "By e-mail"}, {"label": "By phone"}]},
        {"showIf": {"question": "Notice", "is": "By e-mail"}, "question": "Which address?", "options": [{"label": "Work"}, {"label": "Home"}]},
        {"question": "Which order?", "input": {"type": "rank"}, "options": [{"label": "Apples"}, {"label": "Pears"}]},
    ]));
    on_page_at(&address, &TOLD, async |page| {
        let control = async |of: &str| page.driver.find(By::XPath(of)).await;
        let (work, submit) = ("//label[contains(., 'Work')]/input", "//button[text()='Submit']");
        assert!(!control(work).await?.is_displayed().await?);
        control("//label[contains(., 'By e-mail')]/input").await?.click().await?;
        control(work).await?.click().await?;
        control("//select").await?.send_keys("Pears").await?;
        control(submit).await?.click().await?;
        // One option has two places.
        shows(page, "every option once").await;
        assert!(control(work).await?.is_selected().await?, "it is still chosen");
        control("(//select)[2]").await?.send_keys("Apples").await?;
        control("//label[contains(., 'By phone')]/input").await?.click().await?;
        assert!(!control(work).await?.is_displayed().await?);
        control(submit).await?.click().await?;
        shows(page, "The agent has your answer.").await;
        Ok(())
    })
    .await;
    let result = client.result();
    assert_eq!(result["answers"], json!({"How shall we tell you?": "By phone", "Which order?": "Pears, Apples"}));
    assert_eq!(result["details"][1]["status"], "skipped");
}

#[tokio::test]
async fn the_plain_form_takes_files_and_says_why_it_takes_one_not() {
    let database = TempDir::new();
    let mut client = Client::start_with(&database, false, &["--attachments", "files"]);
    let note = database.0.join("note.txt");
    let (fake, large) = (database.0.join("fake.png"), database.0.join("large.txt"));
    std::fs::write(&note, "words").expect("there is a disk");
    std::fs::write(&fake, "PK zip").expect("there is a disk");
    std::fs::write(&large, vec![b'x'; (5 << 20) + 1]).expect("there is a disk");
    on_page_at(&client.asks(), &TOLD, async |page| {
        let control = async |of: &str| page.driver.find(By::Css(of)).await;
        let submit = async || page.driver.find(By::XPath("//button[text()='Submit']")).await?.click().await;
        let field = "input[type=file]";
        shows(page, "At most 4 files are taken. A file has at most 5 MiB.").await;
        control("textarea").await?.send_keys("As in the note").await?;
        control(field).await?.send_keys(large.display().to_string()).await?;
        shows(page, "large.txt: At most 4 files").await;
        control(field).await?.send_keys(fake.display().to_string()).await?;
        shows(page, "fake.png: The file is no image/png.").await;
        control(field).await?.send_keys(note.display().to_string()).await?;
        shows(page, "note.txt").await;
        assert!(page.driver.find(By::XPath("//label[contains(., 'note.txt')]/input")).await?.is_selected().await?);
        submit().await?;
        shows(page, "The agent has your answer.").await;
        Ok(())
    })
    .await;
    let result = client.result();
    assert_eq!(result["answers"], json!({"Which database?": "As in the note"}));
    assert_eq!(result["details"][0]["attachments"], json!([{"name": "note.txt", "type": "text/plain", "size": 5}]));
}

#[tokio::test]
async fn neither_a_wrong_secret_nor_a_page_of_another_origin_gets_to_it() {
    let database = TempDir::new();
    let mut client = Client::start(&database, false);
    let address = client.asks();
    let (place, secret) = address.rsplit_once('/').expect("it has a path");
    on_page_at(&foreign_page(), &TOLD, async |page| {
        let tries = "const [address, done] = arguments, body = new URLSearchParams({ question_1: 'SQLite' });
            const text = (sent) => sent.then((answer) => answer.text()).catch(() => '');
            const frame = document.body.appendChild(document.createElement('iframe'));
            const framed = new Promise((seen) => {
                frame.onload = () => seen(frame.contentDocument?.body.textContent ?? '');
                // Not every browser says that it loads no frame.
                setTimeout(frame.onload, 2000);
            });
            frame.src = address;
            const posted = { method: 'POST', body };
            Promise.all([text(fetch(address)), text(fetch(address, posted)), text(fetch(address, { ...posted, mode: 'no-cors' })), framed]).then(done);";
        let read = page.driver.execute_async(tries, vec![json!(address)]).await?;
        assert_eq!(*read.json(), json!(["", "", "", ""]));
        // A form is sent to any origin; its answer is another page.
        let form = "const form = document.body.appendChild(document.createElement('form'));
            form.append(Object.assign(document.createElement('input'), { name: 'question_1', value: 'SQLite' }));
            Object.assign(form, { method: 'post', action: arguments[0] }).submit();";
        page.driver.execute(form, vec![json!(address)]).await?;
        comes_true(async || page.driver.current_url().await.is_ok_and(|url| url.as_str() == address)).await;

        for wrong in ["0".repeat(secret.len()), secret[1..].to_owned(), secret.to_uppercase()] {
            page.driver.goto(&format!("{place}/{wrong}")).await?;
            shows(page, "This question is closed.").await;
        }
        page.driver.goto(&address).await?;
        page.driver.find(By::XPath("//label[contains(., 'Postgres')]")).await?.click().await?;
        page.driver.find(By::XPath("//button[text()='Submit']")).await?.click().await?;
        shows(page, "The agent has your answer.").await;
        assert_eq!(client.result()["answers"], json!({"Which database?": "Postgres"}));
        Ok(())
    })
    .await;
}

/// Words in lines of the console that are no complaints: a browser says what it can't load, or keeps from a page.
const TOLD: [&str; 5] = ["status of 4", "net::ERR_", "CORS", "Cross-Origin", "frame"];

/// Chooses this option of the card in the page's frame, and submits it.
async fn answers(page: &ElementPage, label: &str) -> WebDriverResult<()> {
    // A frame that is entered before its document is there is another one.
    frame_is_there(page).await?;
    page.driver.enter_frame(0).await?;
    page.is("awaiting").await?;
    View(page).height().await?;
    page.choose(label).await?;
    page.submit().await
}

/// Waits until the card in the page's frame has told its height.
async fn frame_is_there(page: &ElementPage) -> WebDriverResult<()> {
    page.until("return document.querySelector('iframe').style.blockSize !== '';").await?;
    Ok(())
}

/// Waits until the page, or the one that follows it, has these words.
async fn shows(page: &ElementPage, words: &str) {
    let path = format!("//body[contains(., '{words}')]");
    comes_true(async || page.driver.find(By::XPath(&path)).await.is_ok()).await;
}

/// Asks again and again: a script that waits for something ends with its page.
async fn comes_true(holds: impl AsyncFn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < end, "the page never gets there");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A client of MCP that declares nothing, with the server that it has started.
struct Client {
    child: Child,
    stdin: ChildStdin,
    messages: Receiver<Value>,
    calls: u64,
}

impl Client {
    fn start(database: &TempDir, has_card: bool) -> Self {
        Self::start_with(database, has_card, &[])
    }

    fn start_with(database: &TempDir, has_card: bool, args: &[&str]) -> Self {
        let mut command = Command::new(given("XTASK_SERVER"));
        command.args(["mcp", "--no-open", "--log", "off"]).args(args);
        command.arg("--database").arg(database.0.join("asks.sqlite"));
        let page = database.0.join("page");
        std::fs::create_dir_all(&page).expect("there is a disk");
        std::fs::write(page.join("index.html"), "<!doctype html>").expect("there is a disk");
        if has_card {
            let card = Path::new(&given("XTASK_PACKAGE")).join("card.html");
            std::fs::copy(card, page.join("card.html")).expect("the package has it");
        }
        command.arg("--page").arg(page);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let (stdin, stdout) = (child.stdin.take().expect("it is piped"), child.stdout.take().expect("it is piped"));
        let (heard, messages) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = heard.send(serde_json::from_str(&line).unwrap_or_else(|problem| panic!("{problem}: {line}")));
            }
        });
        let mut client = Self { child, stdin, messages, calls: 0 };
        let info = json!({"name": "journey", "version": "1"});
        client.sends("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}));
        client.hears(|message| message.get("result").cloned());
        client
    }

    fn sends(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params});
        writeln!(self.stdin, "{message}").expect("the server reads");
        self.calls += 1;
    }

    /// The next that is found in the server's messages.
    fn hears<T>(&self, find: impl Fn(&Value) -> Option<T>) -> T {
        loop {
            let message = self.messages.recv_timeout(START_LIMIT).expect("the server says it");
            if let Some(found) = find(&message) {
                return found;
            }
        }
    }

    fn asks(&mut self) -> String {
        self.asks_for(json!([{"question": "Which database?", "options": [{"label": "Postgres"}, {"label": "SQLite"}]}]))
    }

    /// Calls the tool, and returns the address of the question's page.
    fn asks_for(&mut self, questions: Value) -> String {
        let call =
            json!({"name": "ask_user_question", "arguments": {"questions": questions}, "_meta": {"progressToken": 1}});
        self.sends("tools/call", call);
        let told = self.hears(|message| message["params"]["data"].as_str().map(str::to_owned));
        told.split_whitespace().last().expect("the address is its last word").to_owned()
    }

    /// The result of the call.
    fn result(&self) -> Value {
        self.hears(|message| message["result"].get("structuredContent").cloned())
    }

    fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address of a page without anything, at an origin of its own.
fn foreign_page() -> String {
    let page = "<!doctype html><html lang=en><title>Foreign</title><link rel=icon href=data:,><body></body></html>";
    answering(move |_, _, stream| respond(stream, "200 OK", "text/html", page.as_bytes())) + "/"
}
