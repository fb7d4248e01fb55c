//! Submitting, and what becomes of it.

use crate::gallery_page::gallery_at;
use thirtyfour::prelude::*;

const SINGLE: &str = "?gallery=chat-service&state=awaiting";
const FOUR: &str = "?gallery=coding-four-questions&state=awaiting";

#[tokio::test]
async fn val_01_submit_acts_and_goes_to_what_is_missing() {
    gallery_at(FOUR, async |page| {
        page.choose("MySQL").await?;
        let submit = page.button("Submit answers").await?;
        assert!(submit.is_enabled().await? && submit.attr("aria-disabled").await?.is_none());
        page.click_button("Submit answers").await?;
        assert_eq!((page.state().await?.as_str(), page.focus().await?.as_str()), ("invalid", "Login"));
        assert_eq!(page.texts(".qc-error").await?.len(), 3);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn sub_01_the_focus_stays_on_submit_while_the_answer_is_on_its_way() {
    gallery_at(SINGLE, async |page| {
        page.choose("Repair").await?;
        page.tab_to("Submit").await?;
        page.press(Key::Enter + "").await?;
        page.comes_to("submitting").await?;
        assert_eq!(page.focus().await?, "Submit");
        assert_eq!(page.attribute(".qc-submit", "aria-disabled").await?.as_deref(), Some("true"));
        assert_eq!(page.attribute(".qc-form", "aria-busy").await?.as_deref(), Some("true"));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn sub_02_however_often_one_presses_one_answer_is_sent() {
    gallery_at(SINGLE, async |page| {
        page.choose("Repair").await?;
        page.click_button("Submit").await?;
        for _ in 0..5 {
            page.click_button("Submit").await?;
        }
        page.press_with(Key::Control, Key::Enter + "").await?;
        page.press(Key::Enter + "").await?;
        assert_eq!(page.heard().await?.len(), 1, "{:?}", page.heard().await?);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn sub_03_what_did_not_go_through_can_be_sent_again() {
    gallery_at(SINGLE, async |page| {
        page.choose("Repair").await?;
        page.tab_to("Submit").await?;
        page.press(Key::Enter + "").await?;
        page.host("Refuse").await?;
        page.comes_to("failed").await?;
        assert_eq!((page.chosen().await?, page.focus().await?), (vec!["Repair".to_owned()], "Submit".to_owned()));
        let alerts = page.texts("[role=alert]").await?;
        assert!(alerts.len() == 1 && alerts[0].contains("The network is down."), "{alerts:?}");
        // After a slow sending, the region may still have the announcement of it.
        let said = page.texts("[role=status]").await?;
        assert!(!said.concat().contains("not sent"), "the alert alone says it: {said:?}");
        page.press(Key::Enter + "").await?;
        page.comes_to("submitting").await?;
        assert_eq!(page.replies().await?.len(), 2);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn sub_04_after_keys_the_receipt_has_the_focus() {
    gallery_at(SINGLE, async |page| {
        page.tab_to("Cleaning").await?;
        page.press(" ").await?;
        page.press_with(Key::Control, Key::Enter + "").await?;
        page.host("Accept").await?;
        page.comes_to("answered").await?;
        assert_eq!(page.focus().await?, "receipt");
        Ok(())
    })
    .await;
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

#[tokio::test]
async fn cancelling_takes_a_second_press_where_something_would_be_lost() {
    gallery_at(SINGLE, async |page| {
        page.choose("Repair").await?;
        page.tab_to("Don’t answer").await?;
        page.press(Key::Enter + "").await?;
        assert_eq!(page.focus().await?, "Discard your answer?");
        page.tab_to("Keep answering").await?;
        page.press(Key::Enter + "").await?;
        assert_eq!((page.chosen().await?, page.focus().await?), (vec!["Repair".to_owned()], "Don’t answer".to_owned()));
        page.press(Key::Enter + "").await?;
        page.press(Key::Enter + "").await?;
        assert_eq!(page.heard().await?, ["cancel"]);
        page.host("Accept").await?;
        page.comes_to("declined").await?;
        assert_eq!(page.focus().await?, "receipt");
        Ok(())
    })
    .await;
}
