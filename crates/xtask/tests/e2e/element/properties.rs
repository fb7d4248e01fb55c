//! Settings of a page, as properties or as attributes.

use serde_json::json;

use super::page::on_plain_page;

#[tokio::test]
async fn a_host_has_words_of_its_own() {
    on_plain_page(async |page| {
        page.host(
            "put({ call: { id: 'own', args: ask }, labels: { submit: 'Off it goes', nothing: 'x', title: 7 } });",
        )
        .await?;
        page.is("awaiting").await?;
        assert_eq!(page.host("return text(all('.qc-submit')[0]);").await?, "Off it goes");
        page.choose("SQLite").await?;
        page.host("window.root = all('.qc')[0]; element.labels = { submit: 'Off it goes', nothing: 'x', title: 7 };")
            .await?;
        page.frames().await?;
        assert_eq!(page.host("return all('.qc')[0] === root;").await?, true, "the same words change nothing");
        page.host("element.removeAttribute('labels'); element.labels = undefined;").await?;
        page.until("return text(all('.qc-submit')[0]) === 'Submit answers';").await?;
        assert_eq!(page.chosen().await?, json!(["SQLite"]));
        page.host("element.remove(); put({ call: { id: 'written', args: ask } }, { labels: '{\"submit\": \"Go\"}' });")
            .await?;
        page.is("awaiting").await?;
        assert_eq!(page.host("return text(all('.qc-submit')[0]);").await?, "Go");
        // A language that does not ship.
        let sheet = json!({ "lang": "it", "submit": "Invia", "charsLeft": { "one": "resta {count}", "other": "restano {count}" } });
        page.host(&format!("element.maxLength = 3; element.labels = {sheet};")).await?;
        page.until("return text(all('.qc-submit')[0]) === 'Invia' && all('.qc')[0].lang === 'it';").await?;
        for (typed, left) in [("a", "restano 2"), ("b", "resta 1")] {
            page.write(0, typed).await?;
            page.until(&format!("return text(inside()).includes('{left}');")).await?;
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_setting_is_a_property_and_an_attribute() {
    on_plain_page(async |page| {
        // A property, its attribute, a value, and what is to be seen of it; without either, it is not.
        for (property, attribute, value, seen) in [
            ("readonly", "readonly", json!(true), "element.state === 'readonly'"),
            ("maxLength", "max-length", json!(3), "/character/.test(text(inside()))"),
            ("allowSkip", "allow-skip", json!(true), "all('.qc-skip').length === 2"),
            ("noNotes", "no-notes", json!(true), "!text(inside()).includes('Add a note')"),
            ("replyInChat", "reply-in-chat", json!(true), "/chat/.test(text(inside()))"),
            ("undoWithin", "undo-within", json!(0), "(all('.qc-cancel')[0].click(), all('.qc-cancel')[0].click(), !/Undo/.test(text(inside())))"),
            ("layout", "layout", json!("stepped"), "all('.qc-step').length === 2"),
            ("expiresAt", "expires-at", json!(4_102_444_800_000_u64), "/left/.test(text(inside()))"),
            ("moreTime", "more-time", json!(true), "/More time/.test(text(inside()))"),
        ] {
            let written = if value == json!(true) { json!("") } else { json!(value.to_string().replace('"', "")) };
            let deadline = if property == "moreTime" { ", expiresAt: Date.now() + 60000" } else { "" };
            // Something to count against the limit.
            let typed = "const field = all('textarea.qc-other-input')[0];
                if (field) { field.value = 'a word'; field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true })); }";
            // A call of its own each time: one that was declined stays so.
            let call = |n| format!("call: {{ id: '{property} {n}', args: ask }}{deadline}");
            for (set, is_seen) in [
                (format!("put({{ {}, {property}: {value} }});", call(1)), true),
                (format!("put({{ {} }}, {{ '{attribute}': {written} }});", call(2)), true),
                (format!("put({{ {} }});", call(3)), false),
            ] {
                page.host(&format!("document.querySelector('main').replaceChildren(); {set}")).await?;
                page.until("return ['awaiting', 'readonly'].includes(element?.state);").await?;
                page.host(typed).await?;
                page.frames().await?;
                assert_eq!(page.host(&format!("return {seen};")).await?, is_seen, "{set}");
            }
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn buttons_of_the_hosts_choice_are_events() {
    on_plain_page(async |page| {
        page.host("put({ call: { id: 'chat', args: ask }, replyInChat: true });").await?;
        page.is("awaiting").await?;
        page.choose("SQLite").await?;
        page.press_button("chat instead").await?;
        let heard = page.heard("reply-in-chat").await?;
        assert_eq!(heard[0]["picks"][0], json!({"question": 0, "selected": [1]}));

        page.host("element.remove(); put({ call: { id: 'time', args: ask }, moreTime: true, expiresAt: new Date(Date.now() + 50000) });").await?;
        page.is("awaiting").await?;
        page.press_button("More time").await?;
        assert_eq!(page.heard("extend").await?.len(), 1);

        page.host("element.remove(); window.silent = true; put({ call: { id: 'held', args: ask }, held: true });").await?;
        page.is("awaiting").await?;
        page.choose("SQLite").await?;
        page.choose("Search").await?;
        page.submit().await?;
        page.says("Goes out with your next answer").await
    })
    .await;
}

#[tokio::test]
async fn the_document_stays_the_hosts() {
    on_plain_page(async |page| {
        let state = "return [document.title, document.adoptedStyleSheets.length, document.head.childElementCount, document.activeElement.tagName];";
        let before = page.host(state).await?;
        page.host("for (let n = 0; n < 3; n += 1) put({ call: { id: `call-${n}`, args: ask }, fresh: true });").await?;
        page.is("awaiting").await?;
        assert_eq!(page.host(state).await?, before, "neither title, styles nor focus");
        assert_eq!(page.host("return memories.length;").await?, 1, "all cards are in one program");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_dialog_without_a_width_is_as_wide_as_a_card_needs() {
    on_plain_page(async |page| {
        page.host(
            "const dialog = document.querySelector('main').appendChild(document.createElement('dialog'));
            dialog.append(put({ call: { id: 'dialog', args: ask } }));
            dialog.showModal();",
        )
        .await?;
        page.is("awaiting").await?;
        let width = page.host("return all('.qc')[0].getBoundingClientRect().width;").await?;
        assert!(width.as_f64().is_some_and(|width| width > 400.0), "{width} pixels");
        let narrow = "const column = document.querySelector('main').appendChild(document.createElement('div'));
            column.style = 'display: grid; width: 250px';
            const card = column.appendChild(put({ call: { id: 'column', args: ask } }));
            return card.getBoundingClientRect().width;";
        assert_eq!(page.host(narrow).await?, 250, "and in a narrow column it is no wider than that");
        page.choose("SQLite").await?;
        page.choose("Search").await?;
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["SQLite", "Search"]));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_a_server_made_of_an_object_is_no_question() {
    on_plain_page(async |page| {
        page.host("put({}, { args: '[object Object]', 'tool-call-id': 'written', status: '[object Object]' });")
            .await?;
        page.is("composing").await?;
        page.host("Object.assign(element, { args: ask, status: 'executing' });").await?;
        page.is("awaiting").await?;
        page.says("Which database?").await?;
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_is_typed_is_no_shortcut_of_the_page() {
    on_plain_page(async |page| {
        page.host(
            "window.pressed = [];
            document.addEventListener('keydown', (event) => {
                pressed.push(event.key);
                if (event.key === ' ' && event.target.localName !== 'textarea') event.preventDefault();
            });
            put({ call: { id: 'typed', args: ask } });",
        )
        .await?;
        page.is("awaiting").await?;
        page.host("all('textarea.qc-other-input')[0].focus();").await?;
        page.keys("a b").await?;
        page.until("return all('textarea.qc-other-input')[0].value === 'a b';").await?;
        page.keys("\u{e00c}").await?;
        page.until("return pressed.join() === 'Escape';").await?;
        Ok(())
    })
    .await;
}
