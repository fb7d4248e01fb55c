//! The keys of the card's table, pressed for real: the browser's own defaults happen, or the card keeps them from happening.

use crate::gallery_page::gallery_at;
use serde_json::json;
use thirtyfour::prelude::*;

const SINGLE: &str = "?gallery=chat-service&state=awaiting";
const MULTI: &str = "?gallery=runtime-multi-select&state=awaiting";

#[tokio::test]
async fn k1_arrows_move_and_check_and_go_round() {
    gallery_at(SINGLE, async |page| {
        page.tab_to("Cleaning").await?;
        page.press(Key::Down + "").await?;
        assert_eq!((page.focus().await?, page.chosen().await?), ("Repair".to_owned(), vec!["Repair".to_owned()]));
        page.press(Key::Up + "").await?;
        page.press(Key::Up + "").await?;
        assert_eq!(page.focus().await?, "Other", "the row for an own answer is one of the group");
        page.press(Key::Down + "").await?;
        assert_eq!(page.chosen().await?, ["Cleaning"]);
        assert_eq!(page.heard().await?, NOTHING, "exploring sends nothing");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn k2_arrows_do_nothing_among_boxes() {
    gallery_at(MULTI, async |page| {
        page.tab_to("macOS").await?;
        page.press(Key::Down + "").await?;
        assert_eq!(page.focus().await?, "macOS");
        assert_eq!(page.chosen().await?, NOTHING);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn key_09_a_digit_elsewhere_is_none_of_the_cards_business() {
    gallery_at(SINGLE, async |page| {
        page.click_composer().await?;
        page.press("1").await?;
        page.tell::<()>("document.activeElement.blur();", []).await?;
        page.press("2").await?;
        assert_eq!(page.focus().await?, "nowhere");
        assert_eq!(page.chosen().await?, NOTHING);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn ime_02_the_enter_that_takes_a_word_sends_nothing() {
    gallery_at(SINGLE, async |page| {
        page.tab_to("own answer").await?;
        let word = json!({"text": "みず", "selectionStart": 2, "selectionEnd": 2});
        page.devtools("Input.imeSetComposition", word).await?;
        // A browser's report of a key that the input method has taken.
        let taken = json!({"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229});
        page.devtools("Input.dispatchKeyEvent", taken).await?;
        assert_eq!(page.heard().await?, NOTHING);
        page.devtools("Input.insertText", json!({"text": "水"})).await?;
        assert_eq!((page.own_answer(0).await?.as_str(), page.chosen().await?), ("水", vec!["Other".to_owned()]));
        page.press(Key::Enter + "").await?;
        assert_eq!(page.replies().await?.len(), 1);
        Ok(())
    })
    .await;
}

const NOTHING: [&str; 0] = [];
