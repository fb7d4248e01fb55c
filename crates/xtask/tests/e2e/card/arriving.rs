//! The card while it arrives, beside a person who is doing something else.

use crate::gallery_page::gallery_at;
use serde_json::json;
use thirtyfour::prelude::*;

#[tokio::test]
async fn str_01_a_card_that_arrives_leaves_the_writer_alone() {
    gallery_at("?gallery=coding-four-questions&state=live", async |page| {
        page.click_composer().await?;
        page.press("a draft").await?;
        page.press(Key::Left + Key::Left).await?;
        assert!(
            ["composing", "streaming"].contains(&page.state().await?.as_str()),
            "it is still arriving"
        );
        page.comes_to("awaiting").await?;
        assert_eq!(page.focus().await?, "composer");
        page.press("|").await?;
        let written: String = page
            .tell("return document.activeElement.value;", [])
            .await?;
        assert_eq!(written, "a dra|ft");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_has_arrived_can_be_chosen_while_the_rest_arrives() {
    gallery_at("?gallery=coding-four-questions&state=live", async |page| {
        page.until("document.querySelector('.qc input')").await?;
        page.choose("PostgreSQL (Recommended)").await?;
        assert_eq!(page.state().await?, "streaming");
        page.comes_to("awaiting").await?;
        assert_eq!(page.chosen().await?, ["PostgreSQL (Recommended)"]);
        assert_eq!(page.focus().await?, "PostgreSQL (Recommended)");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn ime_04_a_word_being_composed_survives_what_arrives() {
    gallery_at("?gallery=coding-four-questions&state=live", async |page| {
        page.until("document.querySelector('.qc-other-input')")
            .await?;
        page.tab_to("own answer").await?;
        let word = json!({"text": "みず", "selectionStart": 2, "selectionEnd": 2});
        page.devtools("Input.imeSetComposition", word).await?;
        assert_eq!(page.state().await?, "streaming");
        page.comes_to("awaiting").await?;
        assert_eq!(page.own_answer(0).await?, "みず");
        page.devtools("Input.insertText", json!({"text": "水"}))
            .await?;
        assert_eq!(
            page.own_answer(0).await?,
            "水",
            "the word took the place of what was composed"
        );
        Ok(())
    })
    .await;
}
