//! The card while it arrives, beside a person who is doing something else.

use crate::gallery_page::{GalleryPage, gallery_at};
use crate::recorder::REST_WAITS;
use serde_json::json;
use thirtyfour::prelude::*;

/// Does something while four questions arrive. The second half of them waits until it is let in.
async fn halfway(act: impl AsyncFnOnce(&GalleryPage) -> WebDriverResult<()>) {
    gallery_at(&format!("?gallery=coding-four-questions&state=live&{REST_WAITS}"), act).await;
}

#[tokio::test]
async fn str_01_a_card_that_arrives_leaves_the_writer_alone() {
    halfway(async |page| {
        // The place of the composer may hold something else a moment later.
        page.until("document.querySelectorAll('.qc input').length > 3").await?;
        page.stands_still().await?;
        page.click_composer().await?;
        page.press("a draft").await?;
        page.press(Key::Left + Key::Left).await?;
        page.comes_to("streaming").await?;
        page.lets_the_rest_come().await?;
        page.comes_to("awaiting").await?;
        assert_eq!(page.focus().await?, "composer");
        page.press("|").await?;
        let written: String = page.tell("return document.activeElement.value;", []).await?;
        assert_eq!(written, "a dra|ft");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn ime_04_a_word_being_composed_survives_what_arrives() {
    halfway(async |page| {
        page.until("document.querySelector('.qc-other:not([hidden]) .qc-other-input')").await?;
        page.stand_before_the_card().await?;
        page.tab_to("own answer").await?;
        let word = json!({"text": "みず", "selectionStart": 2, "selectionEnd": 2});
        page.devtools("Input.imeSetComposition", word).await?;
        assert_eq!(page.state().await?, "streaming");
        page.lets_the_rest_come().await?;
        page.comes_to("awaiting").await?;
        assert_eq!(page.own_answer(0).await?, "みず");
        page.devtools("Input.insertText", json!({"text": "水"})).await?;
        assert_eq!(page.own_answer(0).await?, "水", "the word took the place of what was composed");
        Ok(())
    })
    .await;
}
