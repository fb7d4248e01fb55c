//! The focus when a question arrives: a card takes it only if the host allows that and the user is idle.

use serde_json::json;
use thirtyfour::Key;
use thirtyfour::prelude::WebDriverResult;

use super::page::{ElementPage, on_plain_page};

/// The script that puts a streamed card into the page, which may take the focus; by the id of its call.
const STREAMED: &str = "const card = put({ toolCallId: 'CALL', claimFocus: 'if-idle' });
    card.append(JSON.stringify(ask)); card.finish();";
const WHOLE: &str = "put({ call: { id: 'CALL', args: ask }, fresh: true, claimFocus: 'if-idle' });";
const WRITTEN: &str =
    "put({ call: { id: 'CALL', args: ask } }, { fresh: '', 'claim-focus': 'if-idle', 'no-shadow': '' });";

#[tokio::test]
async fn an_idle_user_finds_the_focus_in_the_question() {
    on_plain_page(async |page| {
        has_mouse(page, true).await?;
        for (call, put) in [("streamed", STREAMED), ("whole", WHOLE), ("written", WRITTEN)] {
            arrives(page, put, call).await?;
            page.until(FIRST_OPTION_HAS_FOCUS).await?;
            assert_eq!(page.chosen().await?, json!([]), "{call}");
            // Once: its user may have gone on.
            arrives(page, put, call).await?;
            assert_eq!(page.host("return document.activeElement.tagName;").await?, "BODY", "{call}");
        }
        // The first key was meant for where the focus was, and the next one is the card's.
        arrives(page, WHOLE, "typed").await?;
        page.until(FIRST_OPTION_HAS_FOCUS).await?;
        page.until("const since = (window.claimed ??= performance.now()); return performance.now() - since > 400;")
            .await?;
        page.keys(Key::Down + "").await?;
        page.until("return all('input:checked')[0] === option('SQLite').querySelector('input');").await?;
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_empty_field_of_the_page_gives_the_focus_wherever_it_is() {
    on_plain_page(async |page| {
        has_mouse(page, true).await?;
        for (place, field) in [
            ("page", "const field = around.appendChild(document.createElement('textarea'));"),
            (
                "element",
                "const field = around.attachShadow({ mode: 'open' }).appendChild(document.createElement('textarea'));",
            ),
        ] {
            for (text, gives) in [("", true), ("half a sent", false)] {
                page.host("document.querySelector('main').replaceChildren(); getSelection().removeAllRanges();")
                    .await?;
                page.host(&format!(
                    "const around = document.querySelector('main').appendChild(document.createElement('div')); {field}
                    field.value = {}; field.focus(); window.field = field;
                    put({{ call: {{ id: {}, args: ask }}, fresh: true, claimFocus: 'if-idle' }});",
                    json!(text),
                    json!(format!("{place}, {text}")),
                ))
                .await?;
                page.is("awaiting").await?;
                timers_passed(page).await?;
                let has_field = "return field.getRootNode().activeElement === field;";
                assert_eq!(page.host(FIRST_OPTION_HAS_FOCUS).await?, gives, "{place}, {text:?}");
                assert_eq!(page.host(has_field).await?, !gives, "{place}, {text:?}");
            }
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_card_in_another_elements_tree_takes_the_focus_from_a_field_there() {
    on_plain_page(async |page| {
        has_mouse(page, true).await?;
        for (text, gives) in [("", true), ("half a sent", false)] {
            page.host(&format!(
                "document.querySelector('main').replaceChildren();
                const around = document.querySelector('main').appendChild(document.createElement('div'));
                const tree = around.attachShadow({{ mode: 'open' }});
                window.field = tree.appendChild(document.createElement('textarea'));
                field.value = {}; field.focus();
                const card = put({{ call: {{ id: {0}, args: ask }}, fresh: true, claimFocus: 'if-idle' }});
                tree.append(card);
                window.within = card;",
                json!(text),
            ))
            .await?;
            page.until("return within.state === 'awaiting';").await?;
            timers_passed(page).await?;
            let card_has_focus = "return field.getRootNode().activeElement === within;";
            assert_eq!(page.host(card_has_focus).await?, gives, "{text:?}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_user_who_is_not_idle_keeps_the_focus() {
    on_plain_page(async |page| {
        let nobody = "return document.activeElement.tagName;";
        has_mouse(page, false).await?;
        arrives(page, WHOLE, "on a touch screen").await?;
        assert_eq!(page.host(nobody).await?, "BODY", "a keyboard on the screen would cover the question");
        has_mouse(page, true).await?;
        arrives(page, &WHOLE.replace("fresh: true, ", ""), "of a history").await?;
        assert_eq!(page.host(nobody).await?, "BODY", "a history claims nothing");
        arrives(page, &WHOLE.replace(", claimFocus: 'if-idle'", ""), "by itself").await?;
        assert_eq!(page.host(nobody).await?, "BODY", "the host allows it or nobody does");
        page.host("document.querySelector('main').replaceChildren(); put({ toolCallId: 'touched', claimFocus: 'if-idle' }).append(JSON.stringify(ask));").await?;
        page.is("streaming").await?;
        page.keys("a").await?;
        page.host("element.finish();").await?;
        page.is("awaiting").await?;
        timers_passed(page).await?;
        assert_eq!(page.host(nobody).await?, "BODY", "a key was pressed meanwhile");
        Ok(())
    })
    .await;
}

const FIRST_OPTION_HAS_FOCUS: &str =
    "const { activeElement } = inside().activeElement === undefined ? document : inside();
    return activeElement !== null && activeElement === option('Postgres')?.querySelector('input');";

/// Has the browser say whether there is a mouse, and that its window has the focus: one without a screen may have neither.
async fn has_mouse(page: &ElementPage, has: bool) -> WebDriverResult<()> {
    let speaks = format!(
        "const speak = (window.browsers ??= matchMedia.bind(window));
        document.hasFocus = () => true;
        window.matchMedia = (query) => query === '(pointer: fine)' ? {{ matches: {has} }} : speak(query);"
    );
    page.host(&speaks).await?;
    Ok(())
}

/// Puts a card alone into the page, and waits until it would have taken the focus.
async fn arrives(page: &ElementPage, put: &str, call: &str) -> WebDriverResult<()> {
    page.host(&format!("document.querySelector('main').replaceChildren(); {}", put.replace("CALL", call))).await?;
    page.is("awaiting").await?;
    timers_passed(page).await
}

/// Waits until what was to be done soon is done.
async fn timers_passed(page: &ElementPage) -> WebDriverResult<()> {
    page.host("return new Promise((done) => setTimeout(() => setTimeout(done)));").await?;
    Ok(())
}
