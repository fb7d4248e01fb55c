//! No barriers: axe-core looks at every example in every state, and at every state in light, dark and forced colours, left-to-right and
//! right-to-left, narrow and wide.

use crate::gallery_page::{GalleryPage, gallery_at};
use crate::given;
use serde::Deserialize;
use serde_json::{Value, json};
use thirtyfour::prelude::*;

#[tokio::test]
async fn a11y_01_no_example_has_a_barrier_in_any_state() {
    every_example("", look(1280, "light", "none")).await;
}

#[tokio::test]
async fn a11y_01_no_example_has_a_barrier_from_right_to_left() {
    every_example("&lang=ar", look(320, "dark", "none")).await;
}

#[tokio::test]
async fn a11y_01_no_example_has_a_barrier_where_one_tap_answers_and_a_host_offers_everything() {
    every_example(EVERYTHING, look(320, "light", "none")).await;
}

#[tokio::test]
async fn a11y_01_no_look_has_a_barrier_in_any_state() {
    every_look("").await;
}

#[tokio::test]
async fn a11y_01_no_look_has_a_barrier_from_right_to_left() {
    every_look("&lang=ar").await;
}

#[tokio::test]
async fn a11y_01_no_look_has_a_barrier_where_one_tap_answers_and_a_host_offers_everything() {
    every_look(EVERYTHING).await;
}

#[tokio::test]
async fn a11y_01_there_is_no_barrier_around_the_cards() {
    let addresses = [
        "?gallery",
        "?gallery=coding-four-questions&state=awaiting",
        "?gallery=coding-four-questions&state=answered&lang=ar",
    ];
    gallery_at("?gallery", async |page| {
        let mut found = Vec::new();
        for address in addresses {
            page.open(address).await?;
            install(page).await?;
            for look in &LOOKS {
                found.extend(look_for_barriers(page, look, json!({})).await?);
            }
        }
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

/// What stands in an address where the host switches everything on.
const EVERYTHING: &str = "&mode=on-pick&with=skip,limit,deadline,copy";

/// Examples that, together, have every part that a card can have.
const EXAMPLES_WITH_EVERY_PART: [&str; 4] = [
    "coding-four-questions",
    "chat-service",
    "previews",
    "no-options",
];

/// Opens each state with all examples on one page.
async fn every_example(setting: &str, look: Look) {
    gallery_at("?gallery", async |page| {
        let mut found = Vec::new();
        for (_, address) in page.links("State").await? {
            page.open(&format!("{address}{setting}")).await?;
            install(page).await?;
            found.extend(look_for_barriers(page, &look, of_many_cards()).await?);
        }
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

/// Opens a few examples, each with all states on one page, and takes every look at it.
async fn every_look(setting: &str) {
    gallery_at("?gallery", async |page| {
        let mut found = Vec::new();
        for example in EXAMPLES_WITH_EVERY_PART {
            page.open(&format!("?gallery={example}{setting}")).await?;
            install(page).await?;
            for look in &LOOKS {
                found.extend(look_for_barriers(page, look, of_many_cards()).await?);
            }
        }
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
struct Look {
    width: u32,
    scheme: &'static str,
    forced_colours: &'static str,
}

const LOOKS: [Look; 6] = [
    look(1280, "light", "none"),
    look(1280, "dark", "none"),
    look(1280, "light", "active"),
    look(320, "light", "active"),
    look(320, "dark", "none"),
    look(320, "light", "none"),
];

const fn look(width: u32, scheme: &'static str, forced_colours: &'static str) -> Look {
    Look {
        width,
        scheme,
        forced_colours,
    }
}

impl Look {
    async fn take(&self, page: &GalleryPage) -> WebDriverResult<()> {
        page.prefer(&[
            ("prefers-color-scheme", self.scheme),
            ("forced-colors", self.forced_colours),
            // Or colours would be looked at while they change.
            ("prefers-reduced-motion", "reduce"),
        ])
        .await?;
        // As high as the page: axe-core can't judge a text that the lower end of the window cuts.
        page.resize(self.width, 900).await?;
        let height = page
            .tell("return document.documentElement.scrollHeight;", [])
            .await?;
        page.resize(self.width, height).await
    }
}

/// A rule that is broken, or that axe-core cannot judge, on a page with a look.
#[derive(Debug)]
#[expect(dead_code, reason = "for whoever reads of a failure")]
struct Barrier {
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
async fn install(page: &GalleryPage) -> WebDriverResult<()> {
    let script =
        std::fs::read_to_string(given("XTASK_AXE")).expect("axe-core is where xtask has put it");
    page.devtools(
        "Runtime.evaluate",
        json!({"expression": format!("{script}; 0")}),
    )
    .await?;
    Ok(())
}

/// Only in the gallery do forms of one name stand beside each other.
fn of_many_cards() -> Value {
    json!({"landmark-unique": {"enabled": false}})
}

/// Takes this look at the page, with all rules of axe-core but for what `rules` says.
async fn look_for_barriers(
    page: &GalleryPage,
    look: &Look,
    mut rules: Value,
) -> WebDriverResult<Vec<Barrier>> {
    look.take(page).await?;
    rules["target-size"] = json!({"enabled": true});
    let found = page.driver.execute_async(RUN, vec![rules]).await?;
    let found: Vec<Finding> = found.convert()?;
    let url = page.driver.current_url().await?;
    let barrier = |finding| Barrier {
        page: url.query().unwrap_or_default().to_owned(),
        look: *look,
        finding,
    };
    Ok(found.into_iter().map(barrier).collect())
}

const RUN: &str = r#"
const [rules, done] = arguments;
axe.run(document, { rules, resultTypes: ["violations", "incomplete"] }).then(({ violations, incomplete }) =>
  done([...violations, ...incomplete].map(({ id, nodes }) => ({
    rule: id,
    places: nodes.length,
    first: nodes.slice(0, 3).map(({ html, target, failureSummary }) => ({
      element: html.slice(0, 200),
      card: document.querySelector(target[0])?.closest(".gallery-entry")?.querySelector("h2").textContent,
      problem: failureSummary,
    })),
  }))));
"#;
