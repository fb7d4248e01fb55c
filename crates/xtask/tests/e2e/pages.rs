//! Pages of JavaScript's frameworks and chat toolkits, as `cargo xtask pages` builds them from the packed package.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::json;
use thirtyfour::prelude::*;

use crate::element::page::{ElementPage, on_page_at};
use crate::element::view;
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

#[tokio::test]
async fn react_mounts_twice_in_strict_mode_and_shows_one_card() {
    while_developed("react", "Asked.jsx", async |page| {
        assert_eq!(page.host("return mounts;").await?, 2, "strict mode mounts twice while a page is developed");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn vue_keeps_the_draft_while_its_page_is_developed() {
    while_developed("vue", "Asked.vue", async |_| Ok(())).await;
}

#[tokio::test]
async fn svelte_keeps_the_draft_while_its_page_is_developed() {
    while_developed("svelte", "Asked.svelte", async |_| Ok(())).await;
}

#[tokio::test]
async fn copilotkit_hears_from_a_human_in_the_loop() {
    toolkit_hears_the_answer("copilotkit/").await;
}

#[tokio::test]
async fn copilotkit_hears_from_a_frontend_tool() {
    toolkit_hears_the_answer("copilotkit/#frontend-tool").await;
}

#[tokio::test]
async fn assistant_ui_hears_from_a_tool_of_its_toolkit() {
    toolkit_hears_the_answer("assistant-ui/").await;
}

#[tokio::test]
async fn assistant_ui_hears_from_a_tool_ui() {
    toolkit_hears_the_answer("assistant-ui/#tool-ui").await;
}

#[tokio::test]
async fn ai_sdk_hears_the_output_of_its_tool() {
    toolkit_hears_the_answer("ai-sdk/").await;
}

#[tokio::test]
async fn mcp_host_hears_four_answers() {
    view::asks_four_questions(&address("mcp-host/")).await;
}

#[tokio::test]
async fn mcp_host_hears_of_a_decline() {
    view::takes_a_decline(&address("mcp-host/")).await;
}

#[tokio::test]
async fn mcp_host_gives_theme_language_and_room() {
    view::looks_like_its_host(&address("mcp-host/")).await;
}

#[tokio::test]
async fn mcp_host_may_refuse_the_answer() {
    view::says_sent_once_it_is_taken(&address("mcp-host/")).await;
}

#[tokio::test]
async fn mcp_host_ends_the_view() {
    view::ends_with_its_call(&address("mcp-host/")).await;
}

#[tokio::test]
async fn mcp_host_shows_no_barrier() {
    view::has_no_barrier(&address("mcp-host/")).await;
}

#[tokio::test]
async fn virtual_list_keeps_what_was_typed_and_sent_out_of_sight() {
    on_built_page("virtual/", async |page| {
        page.is("awaiting").await?;
        page.choose("Search").await?;
        page.write(0, "DuckDB").await?;
        scroll_away_and_back(page).await?;
        page.is("awaiting").await?;
        page.submit().await?;
        page.is("submitting").await?;
        scroll_away_and_back(page).await?;
        page.is("submitting").await?;
        page.host("arrive();").await?;
        assert_eq!(page.answers().await?, json!(["DuckDB", "Search"]));
        scroll_away_and_back(page).await?;
        assert_eq!(page.answers().await?, json!(["DuckDB", "Search"]));
        assert_eq!(page.host("return sent.length;").await?, 1);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn hydrated_page_gets_its_question_and_hears_the_answer() {
    on_built_page("hydrated/", async |page| {
        page.until("return document.querySelector('question-card')?.state === 'answered';").await?;
        page.says("Which database?").await?;
        page.is("streaming").await?;
        press(page, "Ask").await?;
        page.is("awaiting").await?;
        page.choose("Search").await?;
        page.write(0, "DuckDB").await?;
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["DuckDB", "Search"]));
        let seen =
            page.host("return [sent.length, problems, document.querySelectorAll('question-card').length];").await?;
        assert_eq!(seen, json!([1, [], 2]), "React took over what the server had written");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn hydrated_page_takes_a_late_text_by_a_handler_that_returns_nothing() {
    on_built_page("hydrated/", async |page| {
        press(page, "Ask").await?;
        page.is("awaiting").await?;
        page.write(0, "DuckDB").await?;
        page.host("element.status = 'superseded';").await?;
        page.press_button("Send as a message").await?;
        page.until("return sent.length === 1 && all('.qc-late').length === 0;").await?;
        Ok(())
    })
    .await;
}

async fn scroll_away_and_back(page: &ElementPage) -> WebDriverResult<()> {
    press(page, "Scroll").await?;
    page.until("return document.querySelector('question-card') === null;").await?;
    press(page, "Scroll").await?;
    page.until("return document.querySelector('question-card') !== null;").await?;
    Ok(())
}

#[tokio::test]
async fn keyless_list_of_vue_gives_each_call_its_own_answer() {
    on_built_page("keyless/", async |page| {
        page.is("awaiting").await?;
        page.write(0, "DuckDB").await?;
        press(page, "Drop").await?;
        page.until("return document.querySelectorAll('question-card').length === 1;").await?;
        page.says("Delete production?").await?;
        page.is("awaiting").await?;
        page.choose("No").await?;
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["No"]));
        assert_eq!(page.host("return sent;").await?, json!([["second", { "Delete production?": "No" }]]));
        Ok(())
    })
    .await;
}

/// Opens a page that was built, by its address.
async fn on_built_page(address: &str, act: impl AsyncFnOnce(&ElementPage) -> WebDriverResult<()>) {
    on_page_at(&self::address(address), &[], act).await;
}

/// The whole address of a page that was built.
fn address(page: &str) -> String {
    format!("http://127.0.0.1:{}/{page}", port())
}

/// One way through a page of a toolkit: a call that streams, a pick, a text, and what the agent says that it was told.
async fn toolkit_hears_the_answer(address: &str) {
    on_built_page(address, async |page| {
        watch(page).await?;
        page.until("return document.querySelector('button') !== null;").await?;
        // The program is there before the agent asks, so that no first question is missed.
        page.host("document.body.append(document.createElement('question-card'));").await?;
        page.until("return all('.qc').length === 1;").await?;
        page.host("element.remove();").await?;
        press(page, "Ask").await?;
        page.is("awaiting").await?;
        appeared_while_streaming(page).await?;
        page.choose("Search").await?;
        page.write(0, "DuckDB").await?;
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["DuckDB", "Search"]));
        let told = "The agent was told {\"Which database?\":\"DuckDB\",\"Which features?\":\"Search\"}";
        page.until(&format!("return document.body.textContent.includes({});", json!(told))).await?;
        assert_eq!(page.answers().await?, json!(["DuckDB", "Search"]), "with its result it is the same receipt");
        assert_eq!(page.host("return document.querySelectorAll('question-card').length;").await?, 1);
        Ok(())
    })
    .await;
}

/// The page of a framework as its developers have it open: a file is changed while a draft is there. Then `look` at the page.
async fn while_developed(name: &str, file: &str, look: impl AsyncFnOnce(&ElementPage) -> WebDriverResult<()>) {
    let pages = PathBuf::from(given("XTASK_PAGES"));
    let mut command = Command::new(given("XTASK_NODE"));
    command.args(["node_modules/vite/bin/vite.js", "--host", "127.0.0.1", "--port", "0", "--logLevel", "info"]);
    command.current_dir(&pages).env("PAGE", name).env("NO_COLOR", "1");
    let (_vite, port) = Process::listening(&mut command, |line| port_after("http://127.0.0.1:", line), START_LIMIT);
    on_page_at(&format!("http://127.0.0.1:{port}/"), &[], async |page| {
        page.until("return document.querySelector('question-card')?.state === 'answered';").await?;
        page.host("window.stays = true;").await?;
        press(page, "Ask").await?;
        page.is("awaiting").await?;
        page.choose("Search").await?;
        page.write(0, "DuckDB").await?;

        let file = pages.join(name).join(file);
        let written = fs::read_to_string(&file).expect("the page is there");
        fs::write(&file, written.replace("The agent asks", "The agent wants to know")).expect("it can be changed");
        page.until("return document.body.textContent.includes('The agent wants to know');").await?;

        page.is("awaiting").await?;
        let kept = page.host("return [stays, all('.qc').length, all('textarea.qc-other-input')[0].value];").await?;
        assert_eq!(kept, json!([true, 1, "DuckDB"]), "the page did not begin anew");
        look(page).await?;
        page.submit().await?;
        page.is("failed").await?;
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["DuckDB", "Search"]));
        // The next call finds it as it was; after a failure, the pages are laid out again.
        fs::write(&file, written).expect("it can be changed back");
        Ok(())
    })
    .await;
}

/// One way through a page. A history, a streaming call, a pick, a text, a reversed list, a reply that fails and then goes through, and a
/// reload.
async fn asks_and_takes_an_answer(name: &str) {
    on_built_page(&format!("{name}/"), async |page| {
        page.is("answered").await?;
        assert_eq!(page.answers().await?, json!(["Postgres", "Search"]));

        watch(page).await?;
        press(page, "Ask").await?;
        page.is("awaiting").await?;
        appeared_while_streaming(page).await?;

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

/// Checks that the live card was there while its arguments came, a question after the other.
async fn appeared_while_streaming(page: &ElementPage) -> WebDriverResult<()> {
    let states = page.host("return states;").await?;
    let states: Vec<_> = states.as_array().into_iter().flatten().filter_map(|state| state.as_str()).collect();
    assert!(states.contains(&"streaming"), "the card is there while its arguments stream: {states:?}");
    let questions = page.host("return questions;").await?;
    assert_eq!(questions, json!([1, 2]), "one question came after the other, and none went");
    Ok(())
}

/// Writes down from now on in which states the live card is, and how many questions it shows.
async fn watch(page: &ElementPage) -> WebDriverResult<()> {
    page.host(
        "Object.assign(window, { states: [], questions: [] });
        const push = (list, value) => { if (value && list.at(-1) !== value) list.push(value); };
        const { attachShadow } = Element.prototype;
        Element.prototype.attachShadow = function (...given) {
            const root = attachShadow.apply(this, given);
            const look = () => {
                push(states, root.querySelector('.qc')?.dataset.state);
                push(questions, root.querySelectorAll('fieldset').length);
            };
            if (this.classList.contains('live')) {
                new MutationObserver(look).observe(root, { subtree: true, childList: true, attributes: true });
            }
            return root;
        };",
    )
    .await?;
    Ok(())
}

/// Presses one of the page's own buttons.
async fn press(page: &ElementPage, name: &str) -> WebDriverResult<()> {
    let button = page.driver.find(By::XPath(format!("//button[.='{name}']"))).await?;
    button.click().await
}

/// The port of the built pages.
fn port() -> u16 {
    static SERVER: LazyLock<(Process, u16)> = LazyLock::new(|| {
        let mut command = Command::new(given("XTASK_NODE"));
        let pages = PathBuf::from(given("XTASK_PAGES"));
        command.arg(pages.join("serve.mjs")).arg(pages.join("dist"));
        Process::listening(&mut command, |line| port_after("listening on http://127.0.0.1:", line), START_LIMIT)
    });
    SERVER.1
}
