//! The view for hosts of MCP: in a frame that may run scripts and nothing else, under the policy that hosts have by default. Each way can be
//! walked in any host, that is, on any page whose `host` speaks with a frame.

use std::fs;
use std::ops::Deref;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::page::{ElementPage, on_page_at};
use crate::barriers::{barriers_seen, look};
use crate::browser::Colours;
use crate::processes::{Process, START_LIMIT, TempDir, port_after};
use crate::{given, workspace};

#[tokio::test]
async fn four_questions_arrive_and_their_answers_are_a_message() {
    asks_four_questions(&host()).await;
}

#[tokio::test]
async fn a_decline_is_a_message_too() {
    takes_a_decline(&host()).await;
}

#[tokio::test]
async fn it_looks_like_its_host_and_is_as_high_as_its_card() {
    looks_like_its_host(&host()).await;
}

#[tokio::test]
async fn an_answer_is_sent_once_the_host_has_taken_it() {
    says_sent_once_it_is_taken(&host()).await;
}

#[tokio::test]
async fn it_ends_as_its_call_and_its_host_do() {
    ends_with_its_call(&host()).await;
}

#[tokio::test]
async fn there_is_no_barrier_in_the_frame() {
    has_no_barrier(&host()).await;
}

/// The view, with the frame as what the browser is asked about.
pub(super) struct View<'a>(pub(super) &'a ElementPage);

impl Deref for View<'_> {
    type Target = ElementPage;

    fn deref(&self) -> &ElementPage {
        self.0
    }
}

impl View<'_> {
    /// Runs a script of the host, and gives its value.
    async fn outside(&self, script: &str) -> WebDriverResult<Value> {
        self.driver.enter_default_frame().await?;
        let given = self.until(&format!("return [(() => {{ {script} }})() ?? null];")).await?;
        self.driver.enter_frame(0).await?;
        Ok(given[0].clone())
    }

    async fn tell(&self, method: &str, params: Value) -> WebDriverResult<()> {
        self.outside(&format!("host.tell('{method}', {params});")).await?;
        Ok(())
    }

    /// The last parameters that the host has heard for this method, once there are any.
    async fn heard(&self, method: &str) -> WebDriverResult<Value> {
        self.driver.enter_default_frame().await?;
        let heard = format!("return host.heard.findLast(([name]) => name === '{method}')?.[1];");
        let heard = self.until(&heard).await?;
        self.driver.enter_frame(0).await?;
        Ok(heard)
    }

    async fn asks(&self, ask: &Value) -> WebDriverResult<()> {
        self.tell("tool-input", json!({"arguments": ask})).await?;
        self.is("awaiting").await?;
        // A press on a frame that just grew is not taken.
        self.height().await.map(drop)
    }

    /// Waits until the frame is as high as what is in it, and gives that height.
    pub(super) async fn height(&self) -> WebDriverResult<f64> {
        self.until("return Math.abs(document.documentElement.getBoundingClientRect().height - innerHeight) < 1;")
            .await?;
        Ok(self.host("return innerHeight;").await?.as_f64().unwrap_or_default())
    }
}

async fn on_view(host: &str, act: impl AsyncFnOnce(&View<'_>) -> WebDriverResult<()>) {
    on_page_at(host, &[], async |page| {
        page.until("return window.host?.heard.some(([name]) => name === 'initialized');").await?;
        page.driver.enter_frame(0).await?;
        act(&View(page)).await?;
        page.driver.enter_default_frame().await
    })
    .await;
}

pub(crate) async fn asks_four_questions(host: &str) {
    on_view(host, async |view| {
        let four = four();
        let first = json!({"questions": [{"question": "Which database?", "header": "Database", "options": [{"label": "Post"}]}]});
        view.tell("tool-input-partial", json!({"arguments": first})).await?;
        view.is("streaming").await?;
        view.says("Which database?").await?;
        view.tell("tool-input-partial", json!({"arguments": {"questions": [four["questions"][0], four["questions"][1]]}})).await?;
        view.until("return all('fieldset').length === 2;").await?;
        view.asks(&four).await?;
        let high = view.height().await?;
        view.choose("SQLite").await?;
        view.choose("Search").await?;
        view.choose("Export").await?;
        view.write(2, "Next week").await?;
        view.choose("No").await?;
        view.submit().await?;
        assert_eq!(view.answers().await?, json!(["SQLite", "Search", "Export", "Next week", "No"]));
        let context = &view.heard("update-model-context").await?["structuredContent"];
        assert_eq!(context["outcome"], "answered");
        assert_eq!(context["answers"]["Which features?"], "Search, Export");
        assert_eq!(context["details"][2]["other"], "Next week", "{context}");
        let message = view.heard("message").await?;
        let said = "Database: SQLite\nFeatures: Search, Export\nDeadline: Next week\nBackup: No";
        assert_eq!(message, json!({"role": "user", "content": [{"type": "text", "text": said}]}));
        // The host has the message before the card is its receipt, which is lower.
        view.until(&format!("return innerHeight < {high};")).await?;
        view.height().await?;
        Ok(())
    })
    .await;
}

pub(crate) async fn takes_a_decline(host: &str) {
    on_view(host, async |view| {
        view.asks(&one()).await?;
        view.cancel().await?;
        view.is("declined").await?;
        assert_eq!(view.heard("update-model-context").await?["structuredContent"]["outcome"], "declined");
        let message = view.heard("message").await?;
        assert_eq!(message["content"][0]["text"], "User cancelled the question. This is no answer and no consent.");
        Ok(())
    })
    .await;
}

pub(crate) async fn looks_like_its_host(host: &str) {
    on_view(host, async |view| {
        view.asks(&one()).await?;
        let colours = "const { colorScheme } = getComputedStyle(document.documentElement);
            return [colorScheme, getComputedStyle(all('.qc')[0]).backgroundColor];";
        assert_eq!(view.host(colours).await?, json!(["light", "rgb(255, 255, 255)"]));
        let variables = json!({"--color-background-primary": "rgb(1, 2, 3)"});
        let dark = json!({"theme": "dark", "locale": "de-DE", "styles": {"variables": variables}});
        view.tell("host-context-changed", dark).await?;
        view.says("Absenden").await?;
        assert_eq!(view.host(colours).await?, json!(["dark", "rgb(1, 2, 3)"]));
        let wide = view.height().await?;
        view.outside("document.querySelector('iframe').parentElement.style.width = '250px';").await?;
        view.until("return innerWidth === 250;").await?;
        let narrow = view.height().await?;
        assert!(narrow > wide, "{narrow} pixels at 250, {wide} before");
        assert_eq!(view.heard("size-changed").await?["width"], 250);
        Ok(())
    })
    .await;
}

pub(crate) async fn says_sent_once_it_is_taken(host: &str) {
    on_view(host, async |view| {
        view.outside("host.takes = false;").await?;
        view.asks(&one()).await?;
        view.choose("SQLite").await?;
        // By script: a driver's keys do not always find the frame.
        let key = "new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, composed: true, cancelable: true })";
        view.until(&format!("return all('input:checked')[0]?.dispatchEvent({key}) === false;")).await?;
        view.is("failed").await?;
        let copy = "const field = document.querySelector('.instead textarea'); return field.checkVisibility() && field.value;";
        assert_eq!(view.until(copy).await?, "SQLite");
        view.driver.find(By::Css(".instead button")).await?.click().await?;
        view.until("return /^(Copied|Copying did not work)/.test(document.querySelector('.instead p').textContent);").await?;
        let selected = "const field = document.querySelector('.instead textarea'); return field.value.slice(field.selectionStart, field.selectionEnd);";
        assert_eq!(view.host(selected).await?, "SQLite");
        view.outside("host.takes = true;").await?;
        view.submit().await?;
        assert_eq!(view.answers().await?, json!(["SQLite"]));
        assert_eq!(view.host("return document.querySelector('.instead').checkVisibility();").await?, false);
        Ok(())
    })
    .await;
    on_view(host, async |view| {
        view.outside("host.takes = undefined;").await?;
        view.asks(&one()).await?;
        view.choose("Postgres").await?;
        view.submit().await?;
        view.is("submitting").await?;
        view.until("return document.querySelector('.instead').checkVisibility();").await?;
        view.is("submitting").await
    })
    .await;
}

pub(crate) async fn ends_with_its_call(host: &str) {
    on_view(host, async |view| {
        view.asks(&one()).await?;
        let result = |content: Value| json!({"content": [], "structuredContent": content});
        view.tell("tool-result", result(json!({"outcome": "shown", "message": "It is on the screen."}))).await?;
        view.choose("SQLite").await?;
        view.tell("tool-result", result(json!({"outcome": "answered", "answers": {"Which database?": "Postgres"}})))
            .await?;
        assert_eq!(view.answers().await?, json!(["Postgres"]));
        view.outside("host.tearDown().then(() => (host.isDown = true));").await?;
        view.outside("if (!host.isDown) throw 'it is there'; return true;").await?;
        view.until("return document.querySelector('question-card') === null;").await?;
        Ok(())
    })
    .await;
    on_view(host, async |view| {
        view.tell("tool-input-partial", json!({"arguments": one()})).await?;
        view.is("streaming").await?;
        view.tell("tool-cancelled", json!({"reason": "the user stopped it"})).await?;
        view.is("interrupted").await
    })
    .await;
}

pub(crate) async fn has_no_barrier(host: &str) {
    on_view(host, async |view| {
        let axe = fs::read_to_string(given("XTASK_AXE")).expect("axe-core is where xtask has put it");
        view.driver.execute(axe, Vec::new()).await?;
        let mut found = Vec::new();
        let mut see = async |state: &str| {
            view.is(state).await?;
            for (theme, width) in [("light", 1280), ("light", 320), ("dark", 1280), ("dark", 320)] {
                // Colours are the host's to choose, and what the browser prefers does not reach the frame.
                view.tell("host-context-changed", json!({"theme": theme})).await?;
                let look = look(width, Colours::Light);
                view.driver.enter_default_frame().await?;
                look.take(&view.driver).await?;
                view.driver.enter_frame(0).await?;
                view.height().await?;
                // The headings of a page are those around its frames.
                let rules = json!({"page-has-heading-one": {"enabled": false}});
                found.extend(barriers_seen(&view.driver, &look, rules).await?);
            }
            WebDriverResult::Ok(())
        };
        see("composing").await?;
        view.outside("host.takes = false;").await?;
        view.asks(&four()).await?;
        see("awaiting").await?;
        view.submit().await?;
        see("invalid").await?;
        view.choose("SQLite").await?;
        view.choose("Search").await?;
        view.choose("Friday").await?;
        view.choose("No").await?;
        view.submit().await?;
        see("failed").await?;
        view.outside("host.takes = true;").await?;
        view.submit().await?;
        see("answered").await?;
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

fn one() -> Value {
    json!({"questions": [four()["questions"][0]]})
}

fn four() -> Value {
    let question = |question: &str, header: &str, many: bool, options: [&str; 2]| {
        let options = options.map(|label| json!({"label": label}));
        json!({"question": question, "header": header, "multiSelect": many, "options": options})
    };
    json!({"questions": [
        question("Which database?", "Database", false, ["Postgres", "SQLite"]),
        question("Which features?", "Features", true, ["Search", "Export"]),
        question("By when?", "Deadline", false, ["Friday", "Monday"]),
        question("Is there a backup?", "Backup", false, ["Yes", "No"]),
    ]})
}

/// The page of a host that has nothing else.
fn host() -> String {
    static SERVER: LazyLock<(TempDir, Process, u16)> = LazyLock::new(|| {
        let (folder, element) = (TempDir::new(), workspace().join("crates/question-element"));
        let page = element.join("tests/page");
        for file in
            [&Path::new(&given("XTASK_PACKAGE")).join("card.html"), &page.join("host.html"), &page.join("host.js")]
        {
            let to = folder.0.join(file.file_name().expect("a file has a name"));
            fs::copy(file, to).unwrap_or_else(|problem| panic!("{}: {problem}", file.display()));
        }
        let mut command = Command::new(given("XTASK_NODE"));
        command.arg(element.join("pages/serve.mjs")).arg(&folder.0);
        let (process, port) =
            Process::listening(&mut command, |line| port_after("listening on http://127.0.0.1:", line), START_LIMIT);
        (folder, process, port)
    });
    format!("http://127.0.0.1:{}/host.html", SERVER.2)
}
