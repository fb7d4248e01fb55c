//! No barriers: axe-core looks at the chat page, and lends its eyes to the tests of the cards.

use crate::browser::{Browser, chromium, visit};
use crate::chat_page::ChatPage;
use crate::given;
use crate::server::Server;
use serde::Deserialize;
use serde_json::{Value, json};
use thirtyfour::prelude::*;

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
            // What lies below the dialog is put away: axe-core knows no top layer.
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
    for look in LOOKS.iter().chain(&LOW) {
        let barriers = look_for_barriers(driver, look, json!({})).await?;
        found.extend(barriers.into_iter().map(|barrier| (scene, barrier)));
    }
    Ok(found)
}

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    width: u32,
    /// Where there is none, as high as all that there is: axe-core can't judge a text that an edge cuts.
    height: Option<u32>,
    scheme: &'static str,
    forced_colours: &'static str,
}

pub(crate) const LOOKS: [Look; 8] = [
    look(1280, "light", "none"),
    look(1280, "dark", "none"),
    look(1280, "light", "active"),
    look(1280, "dark", "active"),
    look(320, "dark", "active"),
    look(320, "light", "active"),
    look(320, "dark", "none"),
    look(320, "light", "none"),
];

pub(crate) const fn look(width: u32, scheme: &'static str, forced_colours: &'static str) -> Look {
    Look { width, height: None, scheme, forced_colours }
}

/// A window so low that the page scrolls as a whole: at four times its size, and a phone on its side.
const LOW: [Look; 2] =
    [Look { height: Some(200), ..look(320, "light", "none") }, Look { height: Some(390), ..look(844, "dark", "none") }];

impl Look {
    async fn take(&self, driver: &WebDriver) -> WebDriverResult<()> {
        let features = json!([
            {"name": "prefers-color-scheme", "value": self.scheme},
            {"name": "forced-colors", "value": self.forced_colours},
            // Or colours would be looked at while they change.
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]);
        let media = json!({"features": features});
        chromium::devtools(driver, "Emulation.setEmulatedMedia", media).await?;
        let height = match self.height {
            Some(height) => height,
            None => {
                chromium::resize(driver, self.width, 900).await?;
                driver.execute(HEIGHT, Vec::new()).await?.convert()?
            }
        };
        chromium::resize(driver, self.width, height).await
    }
}

/// How high the window has to be for nothing to be scrolled.
const HEIGHT: &str = r#"
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
pub(crate) struct Finding {
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
pub(crate) async fn look_for_barriers(
    driver: &WebDriver,
    look: &Look,
    mut rules: Value,
) -> WebDriverResult<Vec<Barrier>> {
    look.take(driver).await?;
    rules["target-size"] = json!({"enabled": true});
    let url = driver.current_url().await?;
    let barrier = |finding| Barrier { page: url.query().unwrap_or_default().to_owned(), look: *look, finding };
    Ok(findings(driver, rules, &["violations", "incomplete"]).await?.into_iter().map(barrier).collect())
}

/// What axe-core finds of these kinds in the page as it is.
pub(crate) async fn findings(driver: &WebDriver, rules: Value, kinds: &[&str]) -> WebDriverResult<Vec<Finding>> {
    driver.execute_async(RUN, vec![rules, json!(kinds)]).await?.convert()
}

const RUN: &str = r#"
const [rules, kinds, done] = arguments;
axe.run(document, { rules, resultTypes: kinds }).then((found) =>
  done(kinds.flatMap((kind) => found[kind]).map(({ id, nodes }) => ({
    rule: id,
    places: nodes.length,
    first: nodes.slice(0, 3).map(({ html, target, failureSummary }) => ({
      element: html.slice(0, 200),
      card: document.querySelector(target[0])?.closest(".gallery-entry")?.querySelector("h2").textContent,
      problem: failureSummary,
    })),
  }))));
"#;
