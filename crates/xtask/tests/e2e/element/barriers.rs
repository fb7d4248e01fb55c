//! No barriers: axe-core looks at the element, into its shadow tree, in every state and with every example.

use std::path::Path;

use serde_json::{Value, json};
use thirtyfour::prelude::WebDriverResult;

use super::page::{ElementPage, on_plain_page};
use crate::browser::{Browser, chromium};
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
        // Two of them ask the same, and are called so.
        let found = look_except(page, "examples", &["landmark-unique"]).await?;
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

/// What axe-core finds, on a wide window and on a narrow one, by day, by night and in colours of the user's.
async fn look(page: &ElementPage, scene: &str) -> WebDriverResult<Vec<String>> {
    look_except(page, scene, &[]).await
}

/// The same without rules that are no matter of the element's.
async fn look_except(page: &ElementPage, scene: &str, except: &[&str]) -> WebDriverResult<Vec<String>> {
    // It comes with each look, past the page's policy: it is the browser that runs it.
    let script = std::fs::read_to_string(given("XTASK_AXE")).expect("axe-core is where xtask has put it");
    let script = format!("{script}; {RUN}");
    let browser = Browser::of_this_run();
    let mut found = Vec::new();
    for (width, scheme, forces_colours) in
        [(1280, "light", false), (360, "dark", false), (1280, "dark", true), (360, "light", true)]
    {
        // Of the drivers, one can force colours.
        if let Browser::Chromium = browser {
            let forced = if forces_colours { "active" } else { "none" };
            let features =
                json!([{"name": "forced-colors", "value": forced}, {"name": "prefers-color-scheme", "value": scheme}]);
            let media = json!({ "features": features });
            chromium::devtools(&page.driver, "Emulation.setEmulatedMedia", media).await?;
            let is_forced = page.host("return matchMedia('(forced-colors: active)').matches;").await?;
            assert_eq!(is_forced, forces_colours);
        } else if forces_colours {
            continue;
        }
        browser.resize(&page.driver, width, 900).await?;
        let told = page.driver.execute_async(script.clone(), vec![json!(scheme), json!(except)]).await?;
        let told: Vec<String> = told.convert()?;
        let forced = if forces_colours { ", forced colours" } else { "" };
        found.extend(told.into_iter().map(|barrier| format!("{scene} at {width}, {scheme}{forced}: {barrier}")));
    }
    Ok(found)
}

/// The page around the element has no regions, and is not what is looked at.
const RUN: &str = r#"
const [scheme, except, done] = arguments;
document.documentElement.style.colorScheme = scheme;
const frame = () => new Promise(requestAnimationFrame);
const settle = async () => {
  await frame();
  await frame();
  // Colours would be looked at while they change.
  const trees = [...document.querySelectorAll("question-card")].map((card) => card.shadowRoot ?? card);
  for (const animation of trees.flatMap((tree) => tree.getAnimations({ subtree: true }))) {
    const isEndless = animation.effect.getComputedTiming().iterations === Infinity;
    isEndless ? animation.cancel() : animation.finish();
  }
};
const off = Object.fromEntries(["region", ...except].map((rule) => [rule, { enabled: false }]));
settle().then(() => axe.run("main", { rules: { ...off, "target-size": { enabled: true } }, resultTypes: ["violations"] }))
  .then(({ violations }) => done(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`)}`)));
"#;
