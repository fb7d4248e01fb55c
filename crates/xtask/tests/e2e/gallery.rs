//! The gallery itself: every example comes to every state, by an address of its own, and a person finds it.

use crate::gallery_page::{gallery, gallery_at};
use crate::recorder;
use std::path::Path;
use thirtyfour::prelude::*;

#[tokio::test]
async fn every_example_comes_to_its_states() {
    gallery_at("?gallery", async |page| {
        let examples = examples();
        let states = page.links("State").await?;
        assert!(states.len() > 10, "{states:?}");
        for (state, address) in states {
            for mode in ["", "&mode=on-pick"] {
                page.open(&format!("{address}{mode}")).await?;
                let entries = page.entries().await?;
                let expected = match state.as_str() {
                    "changed" | "replied" => "answered",
                    "dirty" => "awaiting",
                    "late" => "superseded",
                    same => same,
                };
                assert!(!entries.is_empty() && entries.len() <= examples, "{state}: {entries:?}");
                for (title, shown) in &entries {
                    assert!(shown == expected || never_streams(shown, expected), "{title} is {shown}, not {expected}");
                }
                if matches!(state.as_str(), "composing" | "streaming" | "interrupted" | "malformed") {
                    assert_eq!(entries.len(), examples, "every call begins and may break off: {state}");
                }
            }
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_example_is_found_by_the_keyboard_alone() {
    gallery_at("?gallery", async |page| {
        let all = page.listed().await?;
        assert_eq!(all.len(), examples());
        page.tab_to("").await?; // The field has no text of its own.
        page.press("joined famil").await?;
        page.until("document.querySelectorAll('.gallery-index a').length === 1").await?;
        page.tab().await?;
        page.press(Key::Enter + "").await?;
        page.comes_upon(".gallery-entry").await?;
        page.until("document.querySelectorAll('.gallery-entry').length > 10").await?;
        page.until("document.title.includes('emoji')").await?;
        page.tab_to("awaiting").await?;
        page.press(Key::Enter + "").await?;
        page.comes_upon("nav a[aria-current][href$='state=awaiting']").await?;
        page.comes_upon(".qc[data-state=awaiting]").await?;
        page.comes_upon(".gallery-host").await?;
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_example_streams_in_while_one_looks() {
    gallery(async |page| {
        page.open("?gallery=chat-service&state=live").await?;
        page.comes_to("awaiting").await?;
        let record = recorder::read(&page.driver).await?;
        assert!(record.cards.iter().any(|card| card.state == "streaming"));
        assert_eq!(page.events().await?, ["waiting"]);
        Ok(())
    })
    .await;
}

/// Arguments that are no object give nothing to show, however much of them has arrived.
fn never_streams(shown: &str, expected: &str) -> bool {
    (shown, expected) == ("composing", "streaming")
}

fn examples() -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ask-user-question/examples");
    let files = std::fs::read_dir(folder).expect("the examples have a folder");
    let is_example = |file: &std::fs::DirEntry| file.path().extension().is_some_and(|extension| extension == "json");
    files.map(|file| file.expect("it can be read")).filter(is_example).count()
}
