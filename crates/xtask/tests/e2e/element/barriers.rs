//! No barriers: axe-core looks at the element, into its shadow tree, in every state and with every example.

use std::path::Path;

use serde_json::{Value, json};

use super::page::{ElementPage, on_plain_page};
use crate::browser::Browser;
use crate::given;

#[tokio::test]
async fn there_is_no_barrier_from_the_first_byte_to_the_receipt() {
    on_plain_page(async |page| {
        let mut found = Vec::new();
        page.host("put({ toolCallId: 'eyes' }).append(JSON.stringify(ask).slice(0, 150));").await?;
        page.is("streaming").await?;
        found.extend(look(page, "streaming").await?);
        page.host("element.append(JSON.stringify(ask).slice(150)); element.finish();").await?;
        page.is("awaiting").await?;
        found.extend(look(page, "awaiting").await?);
        page.submit().await?;
        page.is("invalid").await?;
        found.extend(look(page, "invalid").await?);
        page.choose("SQLite").await?;
        page.choose("Search").await?;
        page.host(
            "element.addEventListener('reply', (event) => event.respondWith(Promise.reject('Away')), { once: true });",
        )
        .await?;
        page.submit().await?;
        page.is("failed").await?;
        found.extend(look(page, "failed").await?);
        page.submit().await?;
        page.is("answered").await?;
        found.extend(look(page, "answered").await?);
        for (state, put) in [
            ("declined", "call: { id: 'no', args: ask, result: 'User cancelled the question' }"),
            ("malformed", "call: { id: 'broken', args: '7' }"),
            ("awaiting", "call: { id: 'steps', args: ask }, layout: 'stepped', allowSkip: true, replyInChat: true"),
            ("awaiting", "call: { id: 'tap', args: { questions: [ask.questions[0]] } }, mode: 'on-pick'"),
            ("readonly", "call: { id: 'read', args: ask }, readonly: true"),
        ] {
            page.host(&format!("element.remove(); put({{ {put} }});")).await?;
            page.is(state).await?;
            found.extend(look(page, put).await?);
        }
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_example_is_a_card_without_barriers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ask-user-question/examples");
    let files =
        std::fs::read_dir(folder).expect("there are examples").map(|entry| entry.expect("it can be read").path());
    let examples: Vec<Value> = files
        .filter(|file| file.extension().is_some_and(|extension| extension == "json"))
        .map(|file| serde_json::from_str(&std::fs::read_to_string(file).expect("it can be read")).expect("it is JSON"))
        .map(|example: Value| example["ask"].clone())
        .collect();
    assert!(examples.len() > 5, "{}", examples.len());
    on_plain_page(async |page| {
        for (index, example) in examples.iter().enumerate() {
            page.host(&format!("put({{ call: {{ id: 'example-{index}', args: {example} }} }});")).await?;
        }
        page.until("return [...document.querySelectorAll('question-card')].every(({ state }) => state === 'awaiting' || state === 'malformed');")
            .await?;
        let found = look(page, "examples").await?;
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

/// What axe-core finds, on a wide window and on a narrow one, by day and by night.
async fn look(page: &ElementPage, scene: &str) -> thirtyfour::prelude::WebDriverResult<Vec<String>> {
    // It comes with each look, past the page's policy: it is the browser that runs it.
    let script = std::fs::read_to_string(given("XTASK_AXE")).expect("axe-core is where xtask has put it");
    let script = format!("{script}; {RUN}");
    let mut found = Vec::new();
    for (width, scheme) in [(1280, "light"), (360, "dark")] {
        Browser::of_this_run().resize(&page.driver, width, 900).await?;
        let told = page.driver.execute_async(script.clone(), vec![json!(scheme)]).await?;
        let told: Vec<String> = told.convert()?;
        found.extend(told.into_iter().map(|barrier| format!("{scene} at {width}, {scheme}: {barrier}")));
    }
    Ok(found)
}

/// The page around the element has no regions, and is not what is looked at; two of the examples ask the same.
const RUN: &str = r#"
const [scheme, done] = arguments;
document.documentElement.style.colorScheme = scheme;
const frame = () => new Promise(requestAnimationFrame);
const settle = async () => {
  await frame();
  await frame();
  // Colours would be looked at while they change.
  const trees = [...document.querySelectorAll("question-card")].map((card) => card.shadowRoot ?? card);
  for (const animation of trees.flatMap((tree) => tree.getAnimations({ subtree: true }))) animation.finish();
};
settle().then(() => axe.run("main", { rules: { region: { enabled: false }, "landmark-unique": { enabled: false }, "target-size": { enabled: true } }, resultTypes: ["violations"] }))
  .then(({ violations }) => done(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`)}`)));
"#;
