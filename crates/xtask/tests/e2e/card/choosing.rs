//! Choosing, and answers of one's own.

use crate::gallery_page::{Spot, gallery_at};
use thirtyfour::prelude::*;

/// One question of four options.
const SINGLE: &str = "?gallery=chat-service&state=awaiting";
/// One question of four options, any of which may be chosen.
const MULTI: &str = "?gallery=runtime-multi-select&state=awaiting";
/// Four questions.
const FOUR: &str = "?gallery=coding-four-questions&state=awaiting";

/// One question whose three options are to be ranked.
const RANKING: &str = "?gallery=ranking&state=awaiting";

#[tokio::test]
async fn a_ranked_row_is_dragged_to_another_by_its_buttons() {
    for direction in ["", "&dir=rtl"] {
        gallery_at(&format!("{RANKING}{direction}"), async |page| {
            for label in ["Speed", "Cost", "Uptime"] {
                page.choose(label).await?;
            }
            let button = page.driver.find(By::Css("[aria-label*='Speed'][aria-label$='down']")).await?;
            let row = page
                .driver
                .find(By::XPath("//div[contains(@class, 'qc-option') and contains(., 'Uptime')]/label"))
                .await?;
            let drag = || page.driver.action_chain().click_and_hold_element(&button).move_to_element_center(&row);
            drag().send_keys(Key::Escape + "").release().perform().await?;
            assert_eq!(page.ranked().await?, ["Speed 1", "Cost 2", "Uptime 3"]);
            drag().release().perform().await?;
            assert_eq!(page.ranked().await?, ["Cost 1", "Uptime 2", "Speed 3"]);
            let has_focus = "return document.activeElement.getAttribute('aria-label').includes('Speed');";
            assert!(page.tell::<bool>(has_focus, []).await?, "the focus goes along");
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn sel_02_a_group_is_one_stop_at_what_is_chosen() {
    gallery_at(FOUR, async |page| {
        page.choose("SQLite").await?;
        page.stand_before_the_card().await?;
        assert_eq!(page.tab().await?, "SQLite");
        for stop in ["own answer", "Add a note", "Login"] {
            assert_eq!(page.tab().await?, stop);
        }
        assert_eq!(page.chosen().await?, ["SQLite"], "whoever passes by changes nothing");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn sel_07_every_place_on_a_row_toggles_once() {
    for direction in ["", "&dir=rtl"] {
        gallery_at(&format!("{MULTI}{direction}"), async |page| {
            page.click_row("macOS", Spot::Centre).await?;
            assert_eq!(page.chosen().await?, ["macOS"]);
            page.click_row("macOS", Spot::InlineEnd).await?;
            assert_eq!(page.chosen().await?, NOTHING);
            page.click_row("FreeBSD", Spot::Centre).await?;
            assert_eq!(page.chosen().await?, ["FreeBSD"], "between label and description too");
            page.open(&format!("{SINGLE}{direction}")).await?;
            for (label, spot) in [("Repair", Spot::Centre), ("Installation", Spot::InlineEnd)] {
                page.click_row(label, spot).await?;
                assert_eq!(page.chosen().await?, [label]);
            }
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn sub_05_after_a_tap_nothing_jumps_and_no_keyboard_comes_up() {
    gallery_at(SINGLE, async |page| {
        // High enough for the page to stay where it is when the form gives way to the shorter receipt.
        page.resize(1280, 1600).await?;
        page.choose("Repair").await?;
        page.click_button("Submit").await?;
        let place = "return [scrollY, document.querySelector('.qc').getBoundingClientRect().top];";
        let before: [f64; 2] = page.tell(place, []).await?;
        page.host("Accept").await?;
        page.comes_to("answered").await?;
        let focus = page.focus().await?;
        assert!(focus != "composer" && focus != "own answer", "{focus}");
        assert_eq!(page.tell::<[f64; 2]>(place, []).await?, before);
        Ok(())
    })
    .await;
}

const NOTHING: [&str; 0] = [];
