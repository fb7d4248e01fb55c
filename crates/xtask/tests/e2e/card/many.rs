//! A thousand cards in one page, and what they leave behind.

use crate::browser::chromium::{LITTLE, held};
use crate::gallery_page::{GalleryPage, gallery_at};
use serde_json::json;
use thirtyfour::prelude::*;

#[tokio::test]
async fn a_thousand_cards_leave_nothing_behind_and_receipts_listen_to_nothing() {
    gallery_at("?gallery=bench", async |page| {
        // Once, for what a program makes once and keeps.
        show(page, "cards").await?;
        let before = show(page, "nothing").await?;
        let between = show(page, "cards").await?;
        assert!(between[0] > before[0] + 1_000, "each card listens: {between:?}");
        let after = show(page, "nothing").await?;
        assert_eq!(after[..2], before[..2]);
        assert!(after[2] - before[2] < LITTLE, "left in the program: {before:?} {after:?}");
        let with_receipts = show(page, "receipts").await?;
        assert_eq!(page.texts(".qc-receipt").await?.len(), 1_000);
        assert_eq!(with_receipts[0], before[0]);
        Ok(())
    })
    .await;
}

/// Presses one of the page's buttons, waits until it is done, and counts listeners, nodes and bytes of the program's memory.
async fn show(page: &GalleryPage, what: &str) -> WebDriverResult<[u64; 3]> {
    page.until("document.querySelector('[data-memory]')").await?;
    let script = "const [what, done] = arguments;
        document.querySelector(`[data-act='${what}']`).click();
        const look = () => document.querySelector('[data-memory]') ? done() : requestAnimationFrame(look);
        requestAnimationFrame(look);";
    page.driver.execute_async(script, vec![json!(what)]).await?;
    let [listeners, nodes, _] = held(&page.driver).await?;
    let memory: String = page.tell("return document.querySelector('[data-memory]').dataset.memory;", []).await?;
    Ok([listeners, nodes, memory.parse().expect("a number of bytes")])
}
