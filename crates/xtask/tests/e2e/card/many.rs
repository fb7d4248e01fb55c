//! A thousand cards in one page, and what they leave behind.

use crate::gallery_page::{GalleryPage, gallery_at};
use serde_json::{Value, json};
use thirtyfour::prelude::*;

#[tokio::test]
async fn a_thousand_cards_leave_nothing_behind() {
    gallery_at(BENCH, async |page| {
        // Once, for what a program makes once and keeps.
        show(page, "cards").await?;
        show(page, "nothing").await?;
        let before = counted(page).await?;
        show(page, "cards").await?;
        let between = counted(page).await?;
        assert!(between.listeners > before.listeners + 1_000, "each card listens: {between:?}");
        show(page, "nothing").await?;
        let after = counted(page).await?;
        assert_eq!((after.listeners, after.nodes), (before.listeners, before.nodes));
        let grown = after.memory - before.memory;
        assert!(grown < A_LITTLE, "{grown} bytes are left in the program");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_thousand_receipts_listen_to_nothing() {
    gallery_at(BENCH, async |page| {
        show(page, "nothing").await?;
        let before = counted(page).await?;
        show(page, "receipts").await?;
        let receipts: usize = page.tell("return document.querySelectorAll('.qc-receipt').length;", []).await?;
        assert_eq!(receipts, 1_000);
        let with_receipts = counted(page).await?;
        assert_eq!(with_receipts.listeners, before.listeners);
        Ok(())
    })
    .await;
}

const BENCH: &str = "?gallery=bench";

/// Bytes: less than a kibibyte a card. Freed memory is in pieces, so that the same cards do not always fit into what the last ones had.
const A_LITTLE: u64 = 1_000 << 10;

/// The memory that the browser holds for the page.
#[derive(Debug)]
struct Counted {
    listeners: u64,
    nodes: u64,
    /// The size of the program's memory, which grows when something is left in it.
    memory: u64,
}

/// Presses one of the page's buttons, and waits until it is done.
async fn show(page: &GalleryPage, what: &str) -> WebDriverResult<()> {
    page.until("document.querySelector('[data-memory]')").await?;
    let script = "const [what, done] = arguments;
        document.querySelector(`[data-act='${what}']`).click();
        const look = () => document.querySelector('[data-memory]') ? done() : requestAnimationFrame(look);
        requestAnimationFrame(look);";
    page.driver.execute_async(script, vec![json!(what)]).await?;
    Ok(())
}

/// Counts what is left when all garbage is gone.
async fn counted(page: &GalleryPage) -> WebDriverResult<Counted> {
    page.devtools("Performance.enable", json!({})).await?;
    // Objects that one round frees may have held those of the next.
    for _ in 0..3 {
        page.devtools("HeapProfiler.collectGarbage", json!({})).await?;
    }
    let told = page.devtools("Performance.getMetrics", json!({})).await?;
    let metrics: Vec<Value> = told["metrics"].as_array().cloned().unwrap_or_default();
    let of = |name: &str| {
        let metric = metrics.iter().find(|metric| metric["name"] == name);
        let value = metric.and_then(|metric| metric["value"].as_f64());
        value.unwrap_or_else(|| panic!("the browser tells no {name}")) as u64
    };
    let memory: String = page.tell("return document.querySelector('[data-memory]').dataset.memory;", []).await?;
    Ok(Counted {
        listeners: of("JSEventListeners"),
        nodes: of("Nodes"),
        memory: memory.parse().expect("a number of bytes"),
    })
}
