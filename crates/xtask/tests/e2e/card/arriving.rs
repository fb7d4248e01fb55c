//! The card while it arrives, beside a person who is doing something else.

use crate::gallery_page::gallery_at;
use crate::recorder::REST_WAITS;
use serde_json::json;

#[tokio::test]
async fn ime_04_a_word_being_composed_survives_what_arrives() {
    // The second half of the questions waits until it is let in.
    gallery_at(&format!("?gallery=coding-four-questions&state=live&{REST_WAITS}"), async |page| {
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
