//! A thousand elements, and what they leave behind.

use thirtyfour::prelude::*;

use super::page::{ElementPage, on_plain_page};
use crate::browser::chromium::{LITTLE, held};

#[tokio::test]
async fn a_thousand_elements_leave_nothing_behind() {
    on_plain_page(async |page| {
        // Once, for what a program makes once and keeps.
        thousand(page).await?;
        let before = thousand(page).await?;
        let after = thousand(page).await?;
        assert_eq!(after[..2], before[..2]);
        let grown: u64 = [2, 3].map(|at| after[at].saturating_sub(before[at])).iter().sum();
        assert!(grown < LITTLE, "{grown} bytes are left: {before:?} {after:?}");
        Ok(())
    })
    .await;
}

/// Puts a thousand cards into the page, waits until all of them wait for an answer, and takes them out. Counts what is left: listeners, nodes,
/// and bytes of JavaScript's heap and of the program's memory.
async fn thousand(page: &ElementPage) -> WebDriverResult<[u64; 4]> {
    page.host("for (let n = 0; n < 1000; n += 1) put({ call: { id: `call-${n}`, args: ask } });").await?;
    page.until("return [...document.querySelectorAll('question-card')].every(({ state }) => state === 'awaiting');")
        .await?;
    page.host("document.querySelector('main').replaceChildren();").await?;
    let [listeners, nodes, heap] = held(&page.driver).await?;
    let memory = page.host("return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);").await?;
    Ok([listeners, nodes, heap, memory.as_f64().expect("a number of bytes") as u64])
}
