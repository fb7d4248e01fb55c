//! No barriers: axe-core looks at every example in every state, in one look each.

use crate::barriers::{Look, install, look, look_for_barriers, looks, of_many_cards};
use crate::browser::Colours;
use crate::gallery_page::gallery_at;
use serde_json::json;

#[tokio::test]
async fn a11y_01_no_example_has_a_barrier_in_any_state() {
    every_example("", look(1280, Colours::Light)).await;
}

#[tokio::test]
async fn a11y_01_no_example_has_a_barrier_from_right_to_left() {
    every_example("&lang=ar", look(320, Colours::Dark)).await;
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

/// The part of an address that shows one question at a time.
const STEPPED: &str = "&layout=stepped";

/// The part of an address that switches everything on.
const EVERYTHING: &str = "&mode=on-pick&with=skip,limit,deadline";

/// Opens each state with all examples on one page.
async fn every_example(setting: &str, look: Look) {
    gallery_at("?gallery", async |page| {
        let mut found = Vec::new();
        for (_, address) in page.links("State").await? {
            page.open(&format!("{address}{setting}")).await?;
            install(&page.driver).await?;
            found.extend(look_for_barriers(&page.driver, &look, of_many_cards()).await?);
        }
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}
