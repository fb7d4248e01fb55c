//! The element in its page: moves, events, focus, looks.

use serde_json::json;

use super::page::on_plain_page;

#[tokio::test]
async fn an_element_that_is_moved_keeps_its_card() {
    on_plain_page(async |page| {
        page.host("put({ call: { id: 'moved', args: ask } });").await?;
        page.is("awaiting").await?;
        page.choose("Postgres").await?;
        page.host(
            "window.first = all('.qc')[0];
            const list = document.createElement('ul');
            document.querySelector('main').append(list);
            list.append(element);",
        )
        .await?;
        // Deferred work is done before the next frame.
        page.host("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));").await?;
        assert_eq!(page.host("return all('.qc')[0] === first;").await?, true, "nothing was made anew");
        assert_eq!(page.chosen().await?, json!(["Postgres"]));

        page.host("window.gone = element; element.remove();").await?;
        page.until("return gone.shadowRoot.childElementCount === 0;").await?;
        page.host("document.querySelector('main').append(gone);").await?;
        page.is("awaiting").await?;
        assert_eq!(page.chosen().await?, json!(["Postgres"]), "the draft was kept");
        Ok(())
    })
    .await;
}

/// A button that moved between down and up would be missed.
#[tokio::test]
async fn submit_stands_where_it_is_pressed() {
    on_plain_page(async |page| {
        page.host("put({ call: { id: 'pressed', args: ask } });").await?;
        page.is("awaiting").await?;
        page.choose("Search").await?;
        page.choose("SQLite").await?;
        // The press leaves the field in which one types.
        page.write(0, "DuckDB").await?;
        page.host(
            "window.pressed = [];
            for (const name of ['pointerdown', 'pointerup']) window.addEventListener(name, () => {
                const { x, y } = all('.qc-submit')[0].getBoundingClientRect();
                pressed.push([x, y]);
            }, { capture: true });",
        )
        .await?;
        let pointer = page.over(".qc-submit").await?;
        pointer.click_and_hold().perform().await?;
        page.frames().await?;
        page.driver.action_chain().release().perform().await?;
        page.answers().await?;
        let pressed = page.host("return pressed;").await?;
        assert_eq!(pressed.as_array().map(Vec::len), Some(2), "{pressed}");
        assert_eq!(pressed[0], pressed[1]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn events_bubble_out_and_the_host_decides() {
    on_plain_page(async |page| {
        page.host(
            "window.silent = true;
            put({ call: { id: 'call-9', args: ask }, fresh: true });",
        )
        .await?;
        page.is("awaiting").await?;
        page.choose("SQLite").await?;
        page.choose("Search").await?;
        page.write(0, "DuckDB").await?;
        page.submit().await?;
        page.is("submitting").await?;
        let reply = page.heard("reply").await?.remove(0);
        assert_eq!(reply["toolCallId"], "call-9");
        assert_eq!(reply["answers"], json!({"Which database?": "DuckDB", "Which features?": "Search"}));
        assert_eq!(reply["details"][0]["other"], "DuckDB", "the agent may know that it was typed");
        page.host("window.silent = false; element.fail('No route to the agent');").await?;
        page.is("failed").await?;
        page.says("No route to the agent").await?;
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["DuckDB", "Search"]));
        assert_eq!(page.heard("reply").await?.len(), 2);
        page.host("window.gone = element; element.remove();").await?;
        page.until("return gone.shadowRoot.childElementCount === 0;").await?;
        page.host("document.querySelector('main').append(gone);").await?;
        assert_eq!(page.answers().await?, json!(["DuckDB", "Search"]), "it is answered wherever it stands");
        assert_eq!(page.heard("qc-waiting").await?.len(), 1);
        assert_eq!(page.heard("qc-resolved").await?.len(), 1);
        let changes = page.heard("draft").await?;
        assert_eq!(
            changes.last().expect("picks")["picks"][0],
            json!({"question": 0, "selected": [], "other": "DuckDB"})
        );
        assert!(changes.iter().any(|change| change["picks"][0] == json!({"question": 0, "selected": [1]})));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn one_tap_answers_where_the_host_wants_it() {
    on_plain_page(async |page| {
        page.host("put({ call: { id: 'tap', args: { questions: [ask.questions[0]] } }, mode: 'on-pick' });").await?;
        page.is("awaiting").await?;
        page.until(
            "return option('SQLite').querySelector('button, [role=button]') ?? option('SQLite').matches('button');",
        )
        .await?;
        page.host("option('SQLite').closest('button')?.click() ?? option('SQLite').querySelector('button').click();")
            .await?;
        assert_eq!(page.answers().await?, json!(["SQLite"]));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_page_styles_the_card_by_tokens_and_parts() {
    on_plain_page(async |page| {
        page.host("put({ call: { id: 'looks', args: ask } }, { class: 'painted' });").await?;
        page.is("awaiting").await?;
        let look = "const style = getComputedStyle(all('.qc-submit')[0]);
            return [style.textTransform, getComputedStyle(element).display, getComputedStyle(all('.qc')[0]).borderTopStyle];";
        assert_eq!(page.host(look).await?, json!(["uppercase", "block", "solid"]));
        page.until("return getComputedStyle(all('.qc-submit')[0]).backgroundColor === 'rgb(1, 2, 3)';").await?;

        page.host("element.remove(); put({ call: { id: 'light', args: ask } }, { 'no-shadow': '' });").await?;
        page.is("awaiting").await?;
        let look =
            "return [element.shadowRoot === null, getComputedStyle(document.querySelector('.qc')).borderTopStyle];";
        assert_eq!(page.host(look).await?, json!([true, "solid"]));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_was_chosen_comes_back_after_a_reload_though_scope_and_storage_are_set_late() {
    on_plain_page(async |page| {
        page.host("put({ call: { id: 'kept', args: ask }, persist: 'session', scope: 'thread-1' });").await?;
        page.is("awaiting").await?;
        page.choose("SQLite").await?;
        page.driver.refresh().await?;
        page.until("return window.put !== undefined;").await?;
        page.host("put({ call: { id: 'kept', args: ask } });").await?;
        page.is("awaiting").await?;
        page.host("Object.assign(element, { scope: 'thread-1', persist: 'session' });").await?;
        page.until("return option('SQLite').querySelector('input').checked;").await?;
        Ok(())
    })
    .await;
}
