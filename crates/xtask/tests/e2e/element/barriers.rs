//! No barriers: axe-core looks at the element, into its shadow tree, in every state.

use serde_json::json;
use thirtyfour::prelude::WebDriverResult;

use super::page::{ElementPage, on_plain_page};
use crate::barriers::{Barrier, install, look_for_barriers, looks};

#[tokio::test]
async fn there_is_no_barrier_from_the_first_byte_to_the_receipt() {
    on_plain_page(async |page| {
        let mut found = Vec::new();
        page.host("put({ toolCallId: 'eyes' }).append(JSON.stringify(ask).slice(0, 150));").await?;
        page.is("streaming").await?;
        found.extend(look(page, "streaming").await?);
        page.host("element.append(JSON.stringify(ask).slice(150)); element.finish();").await?;
        page.is("awaiting").await?;
        found.extend(look(page, "awaiting").await?);
        page.submit().await?;
        page.is("invalid").await?;
        found.extend(look(page, "invalid").await?);
        page.choose("SQLite").await?;
        page.choose("Search").await?;
        page.host(
            "element.addEventListener('reply', (event) => event.respondWith(Promise.reject('Away')), { once: true });",
        )
        .await?;
        page.submit().await?;
        page.is("failed").await?;
        found.extend(look(page, "failed").await?);
        page.submit().await?;
        page.is("answered").await?;
        found.extend(look(page, "answered").await?);
        for (state, put) in [
            ("declined", "call: { id: 'no', args: ask, result: 'User cancelled the question' }"),
            ("malformed", "call: { id: 'broken', args: '7' }"),
            ("awaiting", "call: { id: 'steps', args: ask }, layout: 'stepped', allowSkip: true, replyInChat: true"),
            ("awaiting", "call: { id: 'tap', args: { questions: [ask.questions[0]] } }, mode: 'on-pick'"),
            ("readonly", "call: { id: 'read', args: ask }, readonly: true"),
        ] {
            page.host(&format!("element.remove(); put({{ {put} }});")).await?;
            page.is(state).await?;
            found.extend(look(page, put).await?);
        }
        assert!(found.is_empty(), "{found:#?}");
        Ok(())
    })
    .await;
}

/// axe-core's findings, in each look.
async fn look(page: &ElementPage, scene: &str) -> WebDriverResult<Vec<(String, Barrier)>> {
    // The page around the element has no regions, no heading and no colours, and is not what is looked at.
    page.host("document.documentElement.style.colorScheme = 'light dark';").await?;
    let rules = json!({"region": {"enabled": false}, "page-has-heading-one": {"enabled": false}});
    install(&page.driver).await?;
    let mut found = Vec::new();
    for look in looks() {
        let barriers = look_for_barriers(&page.driver, &look, rules.clone()).await?;
        found.extend(barriers.into_iter().map(|barrier| (scene.to_owned(), barrier)));
    }
    Ok(found)
}
