//! Every example comes to every state, by an address of its own, and has no barriers there: axe-core takes one look at each.

use crate::barriers::{Look, install, look, look_for_barriers, looks, of_many_cards};
use crate::browser::Colours;
use crate::gallery::examples;
use crate::gallery_page::gallery_at;
use serde_json::json;

#[tokio::test]
async fn a11y_01_no_example_has_a_barrier_in_any_state() {
    every_example("", look(1280, Colours::Light)).await;
}

#[tokio::test]
async fn a11y_01_no_example_has_a_barrier_from_right_to_left() {
    every_example(FROM_RIGHT_TO_LEFT, look(320, Colours::Dark)).await;
}

#[tokio::test]
async fn a11y_01_no_example_has_a_barrier_with_tap_to_reply_and_all_offers() {
    every_example(EVERYTHING, look(320, Colours::Light)).await;
}

#[tokio::test]
async fn a11y_01_no_example_has_a_barrier_one_question_at_a_time() {
    every_example(STEPPED, look(320, Colours::Dark)).await;
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
            install(&page.driver).await?;
            for look in &looks() {
                found.extend(look_for_barriers(&page.driver, look, json!({})).await?);
            }
        }
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

/// The part of an address that mirrors every card, where one tap answers.
const FROM_RIGHT_TO_LEFT: &str = "&lang=ar&mode=on-pick";

/// The part of an address that shows one question at a time, with what a host may add to it.
const STEPPED: &str = "&layout=stepped&skip=on&limit=on&deadline=on";

/// The part of an address that switches everything on.
const EVERYTHING: &str = "&mode=on-pick&skip=on&limit=on&deadline=on";

/// The states that show what a host may add, and the steps: neither what is still to begin nor a receipt has them.
const OPEN: [&str; 6] = ["streaming", "awaiting", "dirty", "invalid", "submitting", "failed"];

/// Opens each state with all examples on one page.
async fn every_example(setting: &str, look: Look) {
    gallery_at("?gallery", async |page| {
        let mut found = Vec::new();
        let mut states = page.links("State").await?;
        let adds = setting.contains("skip=on");
        states.retain(|(state, _)| !adds || OPEN.contains(&state.as_str()));
        assert!(states.len() == OPEN.len() || !adds && states.len() > 10, "{states:?}");
        for (state, address) in states {
            page.open(&format!("{address}{setting}")).await?;
            // What a host adds may refuse what an example would send.
            if !adds {
                comes_to_its_state(&page.entries().await?, &state, examples());
            }
            install(&page.driver).await?;
            found.extend(look_for_barriers(&page.driver, &look, of_many_cards()).await?);
        }
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

/// Checks the states of those examples that have such a state.
fn comes_to_its_state(entries: &[(String, String)], state: &str, examples: usize) {
    let expected = match state {
        "changed" | "replied" => "answered",
        "dirty" => "awaiting",
        "late" => "superseded",
        same => same,
    };
    assert!(!entries.is_empty() && entries.len() <= examples, "{state}: {entries:?}");
    for (title, shown) in entries {
        assert!(shown == expected || never_streams(shown, expected), "{title} is {shown}, not {expected}");
    }
    if ["composing", "streaming", "interrupted", "malformed"].contains(&state) {
        assert_eq!(entries.len(), examples, "every call begins and may break off: {state}");
    }
}

/// Arguments that are no object give nothing to show, however much of them has arrived.
fn never_streams(shown: &str, expected: &str) -> bool {
    (shown, expected) == ("composing", "streaming")
}
