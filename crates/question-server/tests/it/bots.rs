//! The examples of bots that pass questions on, each against a stand-in of its service.

use crate::asks::{Called, KEY, which};
use crate::folder::Folder;
use crate::house::{app, parts};
use crate::script::Script;
use hmac::{Hmac, KeyInit as _, Mac as _};
use question_models::http_client::to_host_of;
use question_server::Config;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use sha2::Sha256;
use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

/// A server, and a bot of `examples/asks` that it tells of questions.
struct Bot {
    _process: Child,
    url: String,
    server: String,
    client: Client,
}

impl Bot {
    async fn start(program: &str, variables: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let server = format!("http://{}", listener.local_addr().expect("it is bound"));
        let path = format!("{}/examples/asks/{program}", env!("CARGO_MANIFEST_DIR"));
        let mut python = Command::new("python3");
        python.arg(path).env("PORT", "0").env("QUESTION_SERVER", &server).env("QUESTION_SERVER_CALLBACK_KEY", KEY);
        let mut process = python
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("there is a Python");
        let mut lines = BufReader::new(process.stdout.take().expect("it is piped")).lines();
        let line = lines.next_line().await.expect("it is text").expect("it listens");
        let url = line.strip_prefix("listening on ").expect("it says where").to_owned();
        let config = Config {
            notify_url: Some(format!("{url}/waiting").parse().expect("it is a URL")),
            public_origins: vec!["https://chat.example".parse().expect("it is an origin")],
            callback_key: Some(KEY.parse().expect("it is a key")),
            ..Config::default()
        };
        let router = app(&config, parts(Script::new([])));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let client = to_host_of(&url.parse().expect("it is a URL")).expect("it can be made");
        Self { _process: process, url, server, client }
    }

    /// A request to the bot.
    async fn post(&self, path: &str, headers: &[(&str, &str)], body: String) -> Response {
        let request = self.client.post(format!("{}{path}", self.url)).body(body);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.send().await.expect("it answers")
    }

    async fn asks(&self, id: &str, body: Value) {
        let asked = self
            .client
            .post(format!("{}/conversations/{id}/asks", self.server))
            .header("content-type", "application/json")
            .body(body.to_string())
            .send()
            .await;
        assert_eq!(asked.expect("it answers").status(), 201, "{body}");
    }

    async fn outcome(&self, id: &str) -> Value {
        let got = self.client.get(format!("{}/conversations/{id}/asks/a", self.server)).send().await;
        let got = got.expect("it answers").bytes().await.expect("it is whole");
        serde_json::from_slice(&got).expect("it is JSON")
    }

    /// What a forger tells it is refused.
    async fn refuses_forged(&self) {
        let told =
            json!({"toolCallId": "a", "conversationId": "t", "questions": which(), "url": "https://evil.example"});
        let now = now();
        let forged = [("webhook-id", "x"), ("webhook-timestamp", &*now), ("webhook-signature", "v1,AAAA é")];
        for headers in [&[][..], &forged] {
            assert_eq!(self.post("/waiting", headers, told.to_string()).await.status(), 401);
        }
        assert!(self.post("/elsewhere", &[], String::new()).await.status().is_client_error());
    }
}

fn now() -> String {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later").as_secs().to_string()
}

/// The answers of a service that takes a call, and of one that refuses it.
const TAKEN: &str = r#"{"ok": true, "result": {"message_id": 7}}"#;
const REFUSED: (u16, &str) = (200, r#"{"ok": false, "error": "ratelimited", "description": "ratelimited"}"#);

/// The path and the JSON of the call with this number, counted from 0.
async fn call(service: &Called, number: usize) -> (String, Value) {
    let (path, headers, body) = service.times(number + 1).await.remove(number);
    let kind = headers["content-type"].to_str().expect("it is text").split(';').next();
    assert_eq!(kind, Some("application/json"));
    (path, serde_json::from_slice(&body).expect("it is JSON"))
}

/// A press of a button as Slack sends it, percent-encoded in a form.
fn pressed(value: &str, response_url: &str) -> String {
    let payload = json!({
        "type": "block_actions", "user": {"id": "U1", "username": "ann"}, "channel": {"id": "C1"}, "message": {"ts": "1.2"},
        "response_url": response_url, "actions": [{"action_id": "option-1", "value": value}],
    });
    let payload = payload.to_string();
    let payload = percent_encoding::utf8_percent_encode(&payload, percent_encoding::NON_ALPHANUMERIC);
    format!("payload={payload}")
}

#[tokio::test]
async fn a_slack_bot_passes_a_question_on_and_brings_its_answer() {
    let (slack, api) = Called::answering(&[], TAKEN).await;
    let variables =
        [("SLACK_API", &*api), ("SLACK_BOT_TOKEN", "xoxb"), ("SLACK_SIGNING_SECRET", "s"), ("SLACK_CHANNEL", "C1")];
    let bot = Bot::start("slack_bot.py", &variables).await;
    bot.refuses_forged().await;
    bot.asks("t", json!({"id": "a", "questions": [{"question": "Which <!channel>?", "options": [{"label": "One"}, {"label": "x".repeat(99)}]}]})).await;
    let (method, message) = call(&slack, 0).await;
    assert_eq!((method.as_str(), &message["text"]), ("/chat.postMessage", &json!("Which &lt;!channel&gt;?")));
    let buttons = message["blocks"][1]["elements"].as_array().expect("it has buttons").clone();
    assert_eq!((buttons.len(), &buttons[2]["url"]), (3, &json!("https://chat.example/?agent=#c=t")));
    assert_eq!(
        buttons[1]["text"]["text"].as_str().map(|text| text.chars().count()),
        Some(75),
        "Slack takes no longer one"
    );

    let body = pressed(buttons[1]["value"].as_str().expect("it has one"), &api);
    let press = async |at: &str, secret: &str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key may have any length");
        mac.update(format!("v0:{at}:{body}").as_bytes());
        let digits: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let headers = [("X-Slack-Request-Timestamp", at), ("X-Slack-Signature", &*format!("v0={digits}"))];
        bot.post("/slack", &headers, body.clone()).await.status().as_u16()
    };
    assert_eq!((press(&now(), "guessed").await, press("1600000000", "s").await), (401, 401));
    assert_eq!(bot.outcome("t").await["outcome"], Value::Null);
    assert_eq!(press(&now(), "s").await, 200);
    let told = bot.outcome("t").await;
    assert_eq!((&told["via"], &told["answeredBy"]), (&json!("slack"), &json!("ann (U1)")), "{told}");
    let (method, message) = call(&slack, 1).await;
    let text = message["text"].as_str().expect("it has one");
    assert_eq!(
        (method.as_str(), &message["ts"], message["blocks"].as_array().map(Vec::len)),
        ("/chat.update", &json!("1.2"), Some(1))
    );
    assert!(text.contains("xxx") && text.ends_with("answered by ann (U1)"), "{text}");
    // Slack sends a press again if it got no answer.
    assert_eq!(press(&now(), "s").await, 200);
    assert_eq!(call(&slack, 2).await.1["text"], text);
}

#[tokio::test]
async fn a_slack_bot_shows_no_buttons_where_they_would_not_do_and_is_told_again_if_slack_refuses() {
    let (slack, api) = Called::answering(&[REFUSED], TAKEN).await;
    let variables =
        [("SLACK_API", &*api), ("SLACK_BOT_TOKEN", "xoxb"), ("SLACK_SIGNING_SECRET", "s"), ("SLACK_CHANNEL", "C1")];
    let bot = Bot::start("slack_bot.py", &variables).await;
    let questions =
        json!([{"question": "Which?", "multiSelect": true, "options": [{"label": "One"}, {"label": "Two"}]}]);
    bot.asks("t", json!({"id": "a", "questions": questions})).await;
    let (_, message) = call(&slack, 1).await;
    assert_eq!(message["blocks"][1]["elements"].as_array().map(Vec::len), Some(1), "{message}");
    assert_eq!(slack.got().len(), 2);
}

#[tokio::test]
async fn a_telegram_bot_passes_a_question_on_and_brings_its_answer() {
    let (telegram, api) = Called::answering(&[REFUSED], TAKEN).await;
    let folder = Folder::made();
    let file = folder.path().join("bot.sqlite").display().to_string();
    let variables = [
        ("TELEGRAM_API", &*api),
        ("TELEGRAM_TOKEN", "1:a"),
        ("TELEGRAM_SECRET", "s"),
        ("TELEGRAM_CHAT", "-5"),
        ("BOT_FILE", &file),
    ];
    let bot = Bot::start("telegram_bot.py", &variables).await;
    bot.refuses_forged().await;
    // Telegram refuses the first call, so the server tells the bot again.
    bot.asks("t", json!({"id": "a", "questions": which()})).await;
    let (method, message) = call(&telegram, 1).await;
    assert_eq!(
        (method.as_str(), &message["chat_id"], &message["text"]),
        ("/bot1:a/sendMessage", &json!(-5), &json!("Which?"))
    );
    let keyboard = &message["reply_markup"]["inline_keyboard"];
    assert_eq!(keyboard[2][0]["url"], "https://chat.example/?agent=#c=t");
    let data = keyboard[1][0]["callback_data"].as_str().expect("it has some");
    assert!(data.len() <= 64, "Telegram takes no more");

    let tap = async |secret: &str, chat: i64, data: &str| {
        let message = json!({"message_id": 7, "chat": {"id": chat}});
        let query = json!({"id": "q", "from": {"id": 9, "first_name": "Ann"}, "message": message, "data": data});
        let headers = [("X-Telegram-Bot-Api-Secret-Token", secret)];
        let body = json!({"update_id": 1, "callback_query": query}).to_string();
        bot.post("/telegram", &headers, body).await.status().as_u16()
    };
    assert_eq!((tap("guessed", -5, data).await, tap("s", 6, data).await), (401, 200));
    assert_eq!(bot.outcome("t").await["outcome"], Value::Null);
    assert_eq!(tap("s", -5, "unknown:1").await, 200);
    assert!(call(&telegram, 2).await.1["text"].as_str().is_some_and(|text| text.contains("not know")));
    assert_eq!(tap("s", -5, &data.replace(":1", ":9")).await, 200);
    assert_eq!(call(&telegram, 3).await.1["show_alert"], true, "there is no such option");
    assert_eq!(tap("s", -5, data).await, 200);
    let told = bot.outcome("t").await;
    let expected = json!({"toolCallId": "a", "outcome": "answered", "answers": {"Which?": "Two"}, "via": "telegram", "answeredBy": "Ann (9)"});
    assert_eq!(told, expected);
    let (method, edited) = call(&telegram, 4).await;
    assert_eq!((method.as_str(), &edited["message_id"]), ("/bot1:a/editMessageText", &json!(7)));
    assert_eq!(edited["text"], "Which?\nTwo\nanswered by Ann (9)");
    assert_eq!(call(&telegram, 5).await.0, "/bot1:a/answerCallbackQuery");
}

/// A mail server that takes one mail, and gives its text.
async fn takes_mail(listener: &TcpListener) -> String {
    let (stream, _) = listener.accept().await.expect("it connects");
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 stand-in\r\n").await.expect("it reads");
    let (mut mail, mut is_mail) = (String::new(), false);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.expect("it is text");
        let answer = match (is_mail, line.trim_end()) {
            (true, ".") => "250 taken",
            (true, _) => {
                mail += &line;
                continue;
            }
            (false, "") => return mail,
            (false, command) => match &command.to_ascii_uppercase()[..4] {
                "DATA" => "354 go on",
                "QUIT" => "221 bye",
                _ => "250 fine",
            },
        };
        is_mail = answer.starts_with("354");
        stream.write_all(format!("{answer}\r\n").as_bytes()).await.expect("it reads");
        if answer.starts_with("221") {
            return mail;
        }
    }
}

#[tokio::test]
async fn a_link_in_an_e_mail_opens_its_question_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port().to_string();
    let folder = Folder::made();
    let file = folder.path().join("links.sqlite").display().to_string();
    let variables = [
        ("SMTP_HOST", "127.0.0.1"),
        ("SMTP_PORT", &*port),
        ("MAIL_URL", "https://mail.example/"),
        ("MAIL_FROM", "ask@chat.example"),
        ("MAIL_TO", "ann@chat.example"),
        ("MAIL_FILE", &file),
    ];
    let bot = Bot::start("mail_link.py", &variables).await;
    bot.refuses_forged().await;
    let question =
        json!([{"question": "Which\nBcc: all@chat.example?", "options": [{"label": "One"}, {"label": "Two"}]}]);
    bot.asks("t", json!({"id": "a", "questions": question})).await;
    let mail = takes_mail(&listener).await;
    assert!(mail.contains("\r\nSubject: Which Bcc: all@chat.example?\r\n") && mail.contains("- Two"), "{mail}");
    let (_, rest) = mail.split_once("https://mail.example/open/").expect("it has a link");
    let link = format!("/open/{}", rest.split_whitespace().next().unwrap_or_default());
    for _ in 0..2 {
        let looked = bot.client.get(format!("{}{link}", bot.url)).send().await.expect("it answers");
        assert_eq!(looked.status(), 200, "a program that looks through mail uses nothing up");
    }
    let opened = bot.post(&link, &[], String::new()).await;
    assert_eq!(opened.status(), 303);
    assert_eq!(opened.headers()["location"], "https://chat.example/?agent=#c=t");
    assert_eq!(bot.post(&link, &[], String::new()).await.status(), 410);
    let looked = bot.client.get(format!("{}{link}", bot.url)).send().await.expect("it answers");
    assert_eq!(looked.status(), 410);
}
