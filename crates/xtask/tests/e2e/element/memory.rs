//! A thousand elements, and what they leave behind.

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::page::{ElementPage, on_plain_page};
use crate::browser::chromium::devtools;

/// Bytes: less than a kibibyte an element. Freed memory is in pieces, so that the same cards do not always fit into what the last ones had.
const A_LITTLE: u64 = 1_000 << 10;

#[tokio::test]
async fn a_thousand_elements_leave_nothing_behind() {
    on_plain_page(async |page| {
        // Once, for what a program makes once and keeps.
        thousand(page).await?;
        let before = counted(page).await?;
        thousand(page).await?;
        let after = counted(page).await?;
        assert_eq!((after.listeners, after.nodes), (before.listeners, before.nodes));
        let grown = after.memory.saturating_sub(before.memory) + after.heap.saturating_sub(before.heap);
        assert!(grown < A_LITTLE, "{grown} bytes are left: {before:?} {after:?}");
        Ok(())
    })
    .await;
}

/// The memory that the browser holds for the page.
#[derive(Debug)]
struct Counted {
    listeners: u64,
    nodes: u64,
    /// The program's memory in bytes.
    memory: u64,
    /// The heap of JavaScript in bytes.
    heap: u64,
}

/// Puts a thousand cards into the page, waits until all of them wait for an answer, and takes them out.
async fn thousand(page: &ElementPage) -> WebDriverResult<()> {
    page.host("for (let n = 0; n < 1000; n += 1) put({ call: { id: `call-${n}`, args: ask } });").await?;
    page.until("return [...document.querySelectorAll('question-card')].every(({ state }) => state === 'awaiting');")
        .await?;
    page.host("document.querySelector('main').replaceChildren();").await?;
    Ok(())
}

async fn counted(page: &ElementPage) -> WebDriverResult<Counted> {
    // Twice: what the first finds may have held something else.
    for _ in 0..2 {
        devtools(&page.driver, "HeapProfiler.collectGarbage", json!({})).await?;
    }
    let counters = devtools(&page.driver, "Memory.getDOMCounters", json!({})).await?;
    let heap = devtools(&page.driver, "Runtime.getHeapUsage", json!({})).await?;
    let memory = page.host("return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);").await?;
    let count = |value: &Value| value.as_f64().unwrap_or_default() as u64;
    Ok(Counted {
        listeners: count(&counters["jsEventListeners"]),
        nodes: count(&counters["nodes"]),
        memory: count(&memory),
        heap: count(&heap["usedSize"]),
    })
}
