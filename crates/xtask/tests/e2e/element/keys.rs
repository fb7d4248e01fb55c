//! The keys of the card's table, pressed by the browser itself, with the shadow tree's edge between the card and the page.

use serde_json::json;
use thirtyfour::Key;

use super::page::on_plain_page;
use crate::browser::press_with;

#[tokio::test]
async fn keys_do_in_the_shadow_tree_what_they_do_in_a_page() {
    on_plain_page(async |page| {
        page.host(
            "put({ call: { id: 'keys', args: ask } });
            window.escaped = [];
            document.addEventListener('keydown', (event) => event.key === 'Escape' && escaped.push([event.target.tagName, event.defaultPrevented]));",
        )
        .await?;
        page.is("awaiting").await?;
        assert_eq!(page.host("return element.focus();").await?, true);
        let focused = "const focus = inside().activeElement; return [focus.type, text(focus.closest('.qc-option, .qc-other') ?? focus)];";

        // K1: arrows move and choose, by the browser.
        page.keys(" ").await?;
        page.keys(Key::Down + "").await?;
        page.until("return all('input:checked')[0] === option('SQLite').querySelector('input');").await?;
        // K4: a digit chooses, and the one after the last leads to the text.
        page.keys("1").await?;
        page.until("return all('input:checked')[0] === option('Postgres').querySelector('input');").await?;
        assert_eq!(page.chosen().await?, json!(["Postgres"]));
        page.keys("3").await?;
        page.until("return inside().activeElement.tagName === 'TEXTAREA';").await?;
        // K5, K8: there, digits are text and Shift and Enter a new line.
        page.keys("12").await?;
        press_with(&page.driver, Key::Shift, Key::Enter + "").await?;
        page.keys("b").await?;
        assert_eq!(page.host("return all('textarea.qc-other-input')[0].value;").await?, "12\nb");
        // K11: Escape leaves the field, and the text stays.
        page.keys(Key::Escape + "").await?;
        page.until("return inside().activeElement.type === 'radio';").await?;
        assert_eq!(page.host("return all('textarea.qc-other-input')[0].value;").await?, "12\nb", "{focused}");
        // K12: elsewhere it is the host's, whose listeners see the element.
        page.keys(Key::Escape + "").await?;
        page.until("return escaped.length > 0 && escaped.at(-1)[0] === 'QUESTION-CARD';").await?;
        assert_eq!(page.host("return escaped.at(-1);").await?, json!(["QUESTION-CARD", false]));
        page.is("awaiting").await?;
        // K6: Enter on an answered question goes on, and K3: Space toggles a box.
        page.keys(Key::Enter + "").await?;
        page.until("return inside().activeElement.type === 'checkbox';").await?;
        page.keys(" ").await?;
        page.until("return option('Search').querySelector('input').checked;").await?;
        page.keys(" ").await?;
        page.until("return !option('Search').querySelector('input').checked;").await?;
        page.keys("2").await?;
        page.until("return option('Export').querySelector('input').checked;").await?;
        // K9: from anywhere.
        page.ctrl_enter().await?;
        assert_eq!(page.answers().await?, json!(["12\nb", "Export"]));
        Ok(())
    })
    .await;
}
