//! No barriers: axe-core looks at the chat page and at every state of the card, in the looks of one table. It lends its eyes to the tests of
//! the element, which look in each browser.

use crate::browser::{Browser, Colours, chromium, visit};
use crate::chat_page::ChatPage;
use crate::gallery_page::gallery_at;
use crate::given;
use crate::server::Server;
use serde::Deserialize;
use serde_json::{Value, json};
use thirtyfour::prelude::*;

/// The gallery's pages that have every part of a card in all of its states: stacked and stepped, in both directions.
const SCENES: [&str; 9] = [
    "coding-four-questions",
    "coding-four-questions&lang=ar",
    "coding-four-questions&layout=stepped",
    "coding-four-questions&layout=stepped&lang=ar&skip=on",
    "chat-service&mode=on-pick&skip=on&limit=on&deadline=on",
    "chat-service&mode=on-pick&lang=ar",
    "previews",
    "previews&lang=ar&skip=on&limit=on&deadline=on",
    "no-options&skip=on&limit=on&deadline=on",
];

#[tokio::test]
async fn a11y_01_no_state_has_a_barrier_in_forced_colours() {
    gallery_at("?gallery", async |page| {
        let mut found = Vec::new();
        for scene in SCENES {
            page.open(&format!("?gallery={scene}")).await?;
            install(&page.driver).await?;
            found.extend(look_for_barriers(&page.driver, &look(320, Colours::ForcedLight), of_many_cards()).await?);
        }
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn there_is_no_barrier_on_the_way_through_the_page() {
    for language in ["en", "ar"] {
        let server = Server::start();
        let url = format!("{}?lang={language}", server.url());
        visit(&[], async |driver| {
            let page = ChatPage::open(driver.clone(), &url).await?;
            install(&driver).await?;
            let mut found = every_look(&driver, "an empty page").await?;
            page.say("I need my car looked at").await?;
            page.press("Brake service").await?;
            page.can_choose("Standard").await?;
            page.is_my_turn().await?;
            found.extend(every_look(&driver, "a receipt and a question").await?);
            driver.find(By::Css(".settings-button")).await?.click().await?;
            // The content below the dialog is hidden: axe-core knows no top layer.
            let below = "document.querySelector('main').style.visibility = 'hidden';";
            driver.execute(below, Vec::new()).await?;
            found.extend(every_look(&driver, "the settings").await?);
            assert!(found.is_empty(), "{found:#?}");
            Ok(())
        })
        .await;
    }
}

async fn every_look(driver: &WebDriver, scene: &'static str) -> WebDriverResult<Vec<(&'static str, Barrier)>> {
    let mut found = Vec::new();
    for look in looks().iter().chain(&LOW) {
        let barriers = look_for_barriers(driver, look, json!({})).await?;
        found.extend(barriers.into_iter().map(|barrier| (scene, barrier)));
    }
    Ok(found)
}

/// The settings for a look at a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    width: u32,
    /// If there is none, the height of the content: axe-core can't judge a text that an edge cuts.
    height: Option<u32>,
    colours: Colours,
}

/// A narrow look, and a wide one in each of this browser's colours, which do not hang on the width.
pub(crate) fn looks() -> Vec<Look> {
    let wide = Browser::of_this_run().colours().iter().map(|colours| look(1280, *colours));
    wide.chain([look(320, Colours::Light)]).collect()
}

pub(crate) const fn look(width: u32, colours: Colours) -> Look {
    Look { width, height: None, colours }
}

/// A window so low that the page scrolls as a whole: at four times its size, and a phone on its side.
const LOW: [Look; 2] =
    [Look { height: Some(200), ..look(320, Colours::Light) }, Look { height: Some(390), ..look(844, Colours::Dark) }];

impl Look {
    pub(crate) async fn take(&self, driver: &WebDriver) -> WebDriverResult<()> {
        let browser = Browser::of_this_run();
        browser.prefers(driver, self.colours).await?;
        let height = match (self.height, browser) {
            (Some(height), _) => height,
            (None, Browser::Chromium) => {
                browser.resize(driver, self.width, 900).await?;
                driver.execute(HEIGHT, Vec::new()).await?.convert()?
            }
            (None, Browser::Firefox | Browser::WebKit) => 700,
        };
        browser.resize(driver, self.width, height).await
    }
}

/// The height that a window needs to show everything without scrolling.
const HEIGHT: &str = r#"
// Lists have a part of the window's height, and are looked at without a bound. What is out of sight can't be judged.
const trees = [document, ...[...document.querySelectorAll("question-card")].map((card) => card.shadowRoot ?? card)];
for (const list of trees.flatMap((tree) => [...tree.querySelectorAll(".qc-options")])) list.style.maxBlockSize = "none";
const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowY);
return [...document.body.querySelectorAll("*")].filter(scrolls)
  .reduce((height, element) => height + element.scrollHeight - element.clientHeight, document.documentElement.scrollHeight);
"#;

/// A rule that is broken, or that axe-core cannot judge, on a page with a look.
#[derive(Debug)]
#[expect(dead_code, reason = "for whoever reads of a failure")]
pub(crate) struct Barrier {
    page: String,
    look: Look,
    finding: Finding,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "for whoever reads of a failure")]
struct Finding {
    rule: String,
    places: usize,
    first: Vec<Place>,
}

/// An element, the card that it is in, and what is wrong with it.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "for whoever reads of a failure")]
struct Place {
    element: String,
    card: Option<String>,
    problem: String,
}

/// Brings axe-core into the page, past its policy: it is the browser that runs it.
pub(crate) async fn install(driver: &WebDriver) -> WebDriverResult<()> {
    let script = std::fs::read_to_string(given("XTASK_AXE")).expect("axe-core is where xtask has put it");
    match Browser::of_this_run() {
        Browser::Chromium => {
            let script = json!({"expression": format!("{script}; 0")});
            chromium::devtools(driver, "Runtime.evaluate", script).await?;
        }
        Browser::Firefox | Browser::WebKit => drop(driver.execute(script, Vec::new()).await?),
    }
    Ok(())
}

/// Takes this look at the page, with all rules of axe-core, except as `rules` says.
pub(crate) async fn look_for_barriers(driver: &WebDriver, look: &Look, rules: Value) -> WebDriverResult<Vec<Barrier>> {
    look.take(driver).await?;
    barriers_seen(driver, look, rules).await
}

/// The same of the frame that the driver is in, once the look is taken.
pub(crate) async fn barriers_seen(driver: &WebDriver, look: &Look, mut rules: Value) -> WebDriverResult<Vec<Barrier>> {
    rules["target-size"] = json!({"enabled": true});
    // In a window that is lower than the page it can't tell which elements cover others.
    let kinds = match Browser::of_this_run() {
        Browser::Chromium => json!(["violations", "incomplete"]),
        Browser::Firefox | Browser::WebKit => json!(["violations"]),
    };
    let forced = json!(look.colours.are_forced());
    let found: Vec<Finding> = driver.execute_async(RUN, vec![rules, kinds, forced]).await?.convert()?;
    let url = driver.current_url().await?;
    let barrier = |finding| Barrier { page: url.query().unwrap_or_default().to_owned(), look: *look, finding };
    Ok(found.into_iter().map(barrier).collect())
}

/// Only in the gallery do forms of one name stand beside each other.
pub(crate) fn of_many_cards() -> Value {
    json!({"landmark-unique": {"enabled": false}})
}

const RUN: &str = r#"
const [rules, kinds, forced, done] = arguments;
const settle = async () => {
  // Firefox takes over what a person prefers a moment later.
  const colours = matchMedia("(forced-colors: active)");
  if (colours.matches !== forced) await new Promise((done) => colours.addEventListener("change", done, { once: true }));
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  const trees = [document, ...[...document.querySelectorAll("question-card")].map((card) => card.shadowRoot ?? card)];
  // The size of a row that its list half covers can't be judged.
  for (const list of trees.flatMap((tree) => [...tree.querySelectorAll(".qc-options")])) list.style.maxBlockSize = "none";
  // Colours would be looked at while they change.
  for (const animation of trees.flatMap((tree) => tree.getAnimations({ subtree: true }))) {
    const isEndless = animation.effect.getComputedTiming().iterations === Infinity;
    isEndless ? animation.cancel() : animation.finish();
  }
};
// An empty field has no text whose colours could be judged.
const isJudged = ({ failureSummary }) => !failureSummary.includes("Element has no value");
const judged = ({ id, nodes }) => ({ id, nodes: nodes.filter(isJudged) });
settle().then(() => axe.run(document, { rules, resultTypes: kinds })).then((found) =>
  done(kinds.flatMap((kind) => found[kind]).map(judged).filter(({ nodes }) => nodes.length > 0).map(({ id, nodes }) => ({
    rule: id,
    places: nodes.length,
    first: nodes.slice(0, 3).map(({ html, target, failureSummary }) => ({
      element: html.slice(0, 200),
      card: document.querySelector(target[0])?.closest(".gallery-entry")?.querySelector("h2").textContent,
      problem: failureSummary,
    })),
  }))), (problem) => done([{ rule: String(problem), places: 0, first: [] }]));
"#;
