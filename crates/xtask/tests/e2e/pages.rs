//! Pages of JavaScript's frameworks, as `cargo xtask pages` builds them from the packed package.

use std::process::Command;
use std::sync::LazyLock;

use serde_json::json;
use thirtyfour::prelude::*;

use crate::element::page::{ElementPage, on_page_at};
use crate::given;
use crate::processes::{Process, START_LIMIT, port_after};

#[tokio::test]
async fn plain_asks_and_takes_an_answer() {
    asks_and_takes_an_answer("plain").await;
}

#[tokio::test]
async fn react_asks_and_takes_an_answer_in_strict_mode() {
    asks_and_takes_an_answer("react").await;
}

#[tokio::test]
async fn vue_asks_and_takes_an_answer() {
    asks_and_takes_an_answer("vue").await;
}

#[tokio::test]
async fn svelte_asks_and_takes_an_answer() {
    asks_and_takes_an_answer("svelte").await;
}

/// One way through a page. A history, a streaming call, a pick, a text, a reversed list, a reply that fails and then goes through, and a
/// reload.
async fn asks_and_takes_an_answer(name: &str) {
    let url = format!("http://127.0.0.1:{}/{name}/", port());
    on_page_at(&url, &[], async |page| {
        page.is("answered").await?;
        assert_eq!(page.answers().await?, json!(["Postgres", "Search"]));

        watch(page).await?;
        press(page, "Ask").await?;
        page.is("awaiting").await?;
        let states = page.host("return states;").await?;
        let states: Vec<_> = states.as_array().into_iter().flatten().filter_map(|state| state.as_str()).collect();
        assert!(states.contains(&"streaming"), "the card is there while its arguments stream: {states:?}");
        let questions = page.host("return questions;").await?;
        assert_eq!(questions, json!([1, 2]), "one question came after the other, and none went");

        page.choose("Search").await?;
        page.write(0, "DuckDB").await?;
        page.host("window.root = all('.qc')[0];").await?;
        press(page, "Reorder").await?;
        page.until("return document.querySelector('question-card').classList.contains('live');").await?;
        page.host("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));").await?;
        let kept = page.host("return [all('.qc')[0] === root, all('textarea.qc-other-input')[0].value];").await?;
        assert_eq!(kept, json!([true, "DuckDB"]), "the card was moved and not made anew");

        page.submit().await?;
        page.is("failed").await?;
        page.says("The network was away.").await?;
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["DuckDB", "Search"]));
        assert_eq!(page.driver.title().await?, "Database: DuckDB\nFeatures: Search".replace('\n', " "));

        page.driver.refresh().await?;
        page.until("return [...document.querySelectorAll('question-card')].filter(({ state }) => state === 'answered').length === 2;").await?;
        let shown = page.host("return [...document.querySelectorAll('question-card')].map((card) => card.shadowRoot.textContent.includes('DuckDB'));").await?;
        assert_eq!(shown, json!([false, true]), "the history has its receipts again");
        Ok(())
    })
    .await;
}

/// Writes down from now on in which states the live card is, and how many questions it shows.
async fn watch(page: &ElementPage) -> WebDriverResult<()> {
    page.host(
        "Object.assign(window, { states: [], questions: [] });
        const push = (list, value) => { if (list.at(-1) !== value) list.push(value); };
        const look = () => {
            const live = document.querySelector('question-card.live');
            if (live) {
                push(states, live.state);
                const count = live.shadowRoot?.querySelectorAll('fieldset').length;
                if (count) push(questions, count);
            }
            requestAnimationFrame(look);
        };
        look();",
    )
    .await?;
    Ok(())
}

/// Presses one of the page's own buttons.
async fn press(page: &ElementPage, name: &str) -> WebDriverResult<()> {
    let button = page.driver.find(By::XPath(format!("//button[.='{name}']"))).await?;
    button.click().await
}

/// Where the built pages are served.
fn port() -> u16 {
    static SERVER: LazyLock<(Process, u16)> = LazyLock::new(|| {
        let mut command = Command::new(given("XTASK_NODE"));
        let pages = std::path::PathBuf::from(given("XTASK_PAGES"));
        command.arg(pages.join("serve.mjs")).arg(pages.join("dist"));
        Process::listening(&mut command, |line| port_after("listening on http://127.0.0.1:", line), START_LIMIT)
    });
    SERVER.1
}
