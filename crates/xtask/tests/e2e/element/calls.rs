//! One element and its calls: another one under a new id, and what a reply comes to.

use serde_json::json;

use super::page::on_plain_page;

/// Another ask than the one of the page.
const NEXT: &str = "{ questions: [{ question: 'Delete production?', multiSelect: false, options: [{ label: 'Yes' }, { label: 'No' }] }] }";

#[tokio::test]
async fn a_new_id_is_another_call() {
    on_plain_page(async |page| {
        // Frameworks set properties in any order. An id is used once: a call that was answered stays so.
        for (id, set) in [
            ("first", format!("element.toolCallId = 'first'; element.args = {NEXT};")),
            ("last", format!("element.args = {NEXT}; element.toolCallId = 'last';")),
        ] {
            page.host("document.querySelector('main').replaceChildren(); heard.length = 0; put({ toolCallId: 'a', args: ask, status: 'executing' });")
                .await?;
            page.is("awaiting").await?;
            page.choose("SQLite").await?;
            page.host(&set).await?;
            page.says("Delete production?").await?;
            page.choose("No").await?;
            page.submit().await?;
            page.until("return heard.some(([name]) => name === 'reply');").await?;
            let reply = &page.heard("reply").await?[0];
            assert_eq!(reply["toolCallId"], id);
            assert_eq!(reply["answers"], json!({"Delete production?": "No"}), "{id}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_id_that_comes_late_takes_no_text_away() {
    on_plain_page(async |page| {
        page.host("put({ args: ask, status: 'executing' });").await?;
        page.is("awaiting").await?;
        page.write(0, "DuckDB").await?;
        page.host("element.toolCallId = 'late';").await?;
        page.frames().await?;
        assert_eq!(page.host("return all('textarea')[0].value;").await?, "DuckDB");
        page.choose("Search").await?;
        page.submit().await?;
        page.until("return heard.some(([name]) => name === 'reply');").await?;
        assert_eq!(page.heard("reply").await?[0]["toolCallId"], "late");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_reply_on_its_way_outlives_the_card() {
    for changes in [
        "const parent = element.parentNode; element.remove(); await new Promise((done) => setTimeout(done)); parent.append(element);",
        "element.layout = 'stepped';",
        "element.setAttribute('mode', 'on-pick');",
    ] {
        on_plain_page(async |page| {
            page.host(
                "put({ call: { id: 'slow', args: ask } });
                document.querySelector('question-card').addEventListener('reply', (event) => event.respondWith(new Promise((done) => { window.arrive = done; })));",
            )
            .await?;
            page.is("awaiting").await?;
            page.choose("SQLite").await?;
            page.choose("Search").await?;
            page.submit().await?;
            page.is("submitting").await?;
            page.host(&format!("return (async () => {{ {changes} }})();")).await?;
            page.frames().await?;
            page.is("submitting").await?;
            page.host("arrive();").await?;
            page.is("answered").await?;
            assert_eq!(page.heard("reply").await?.len(), 1, "{changes}");
            assert_eq!(page.answers().await?, json!(["SQLite", "Search"]));
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_handler_may_forget_the_call_in_every_event() {
    on_plain_page(async |page| {
        for event in ["qc-waiting", "draft", "reply", "qc-resolved"] {
            // It listens first: WebKit's driver lets promises go on in the middle of a script.
            page.host(&format!(
                "document.querySelector('main').replaceChildren(); heard.length = 0;
                const forget = ({{ target }}) => {{ target.reset(); window.forgotten = '{event}'; }};
                document.addEventListener('{event}', forget, {{ once: true, capture: true }});
                put({{ call: {{ id: 'one {event}', args: ask }}, fresh: true }});"
            ))
            .await?;
            if event != "qc-waiting" {
                page.is("awaiting").await?;
                page.choose("SQLite").await?;
            }
            if event == "reply" || event == "qc-resolved" {
                page.choose("Search").await?;
                page.submit().await?;
            }
            page.until(&format!("return forgotten === '{event}' && element.state === 'composing';")).await?;
            page.host(&format!("element.call = {{ id: 'two {event}', args: {NEXT} }};")).await?;
            page.says("Delete production?").await?;
            page.choose("No").await?;
            page.submit().await?;
            assert_eq!(page.answers().await?, json!(["No"]), "{event}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_dialog_and_a_form_around_the_card_hear_nothing_under_their_own_names() {
    on_plain_page(async |page| {
        page.host(
            "const dialog = document.querySelector('main').appendChild(document.createElement('dialog'));
            window.leaked = [];
            for (const name of ['change', 'input', 'cancel', 'close', 'submit', 'message']) dialog.addEventListener(name, () => leaked.push(name));
            dialog.style.width = '30rem';
            dialog.show();
            dialog.appendChild(document.createElement('form')).append(put({ call: { id: 'inside', args: ask } }));",
        )
        .await?;
        page.is("awaiting").await?;
        page.choose("SQLite").await?;
        page.write(0, "DuckDB").await?;
        page.choose("Search").await?;
        page.submit().await?;
        page.is("answered").await?;
        page.host("element.call = { id: 'next', args: ask };").await?;
        page.is("awaiting").await?;
        page.cancel().await?;
        page.is("declined").await?;
        assert_eq!(page.host("return leaked;").await?, json!([]));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_promise_that_comes_after_the_event_is_refused() {
    on_plain_page(async |page| {
        page.host(
            "put({ call: { id: 'late', args: ask } });
            document.querySelector('question-card').addEventListener('reply', async (event) => {
                await undefined;
                await new Promise((done) => setTimeout(done));
                try { event.respondWith(Promise.resolve()); } catch (problem) { window.problem = problem.name; }
            });
            window.silent = true;",
        )
        .await?;
        page.is("awaiting").await?;
        page.choose("SQLite").await?;
        page.choose("Search").await?;
        page.submit().await?;
        assert_eq!(page.until("return window.problem;").await?, "InvalidStateError");
        page.is("submitting").await?;
        assert_eq!(page.host("return all('.qc-receipt').length;").await?, 0, "nobody took it");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_answer_is_changed_once_the_host_has_sent_it() {
    on_plain_page(async |page| {
        page.host(
            "const answers = { 'Which database?': 'SQLite', 'Which features?': 'Search' };
            const card = put({ call: { id: 'changed', args: ask, result: { answers } }, canChange: true });
            card.addEventListener('change-answer', (event) => event.respondWith(new Promise((...ends) => (window.ends = ends))));",
        )
        .await?;
        page.is("answered").await?;
        page.press_button("Change").await?;
        page.is("awaiting").await?;
        page.choose("Postgres").await?;
        page.press_button("Update").await?;
        page.is("submitting").await?;
        page.host("ends[1](new Error('The network was away.')); delete window.stood;").await?;
        page.says("The network was away.").await?;
        page.press_button("Update").await?;
        page.until("return heard.filter(([name]) => name === 'change-answer').length === 2;").await?;
        page.host("ends[0]();").await?;
        page.is("answered").await?;
        page.until("return all('.qc-receipt s').map(text).join() === 'SQLite';").await?;
        let change = &page.heard("change-answer").await?[1];
        assert_eq!(change["answers"], json!({"Which database?": "Postgres", "Which features?": "Search"}));
        assert!(change["message"].as_str().is_some_and(|text| text.starts_with("I changed my answers:")), "{change}");
        // As a history has it.
        page.host("const { call, changed } = element; element.remove(); put({ call, changed });").await?;
        page.is("answered").await?;
        page.until("return all('.qc-receipt s').map(text).join() === 'SQLite';").await?;
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_late_text_stays_until_it_went_out() {
    on_plain_page(async |page| {
        page.host("window.silent = true; put({ call: { id: 'late', args: ask }, lateMessages: true });").await?;
        page.is("awaiting").await?;
        page.write(0, "DuckDB").await?;
        page.host("element.status = 'superseded';").await?;
        page.press_button("Send as a message").await?;
        let heard = page.heard("late-message").await?;
        assert!(heard.len() == 1 && heard[0]["text"].as_str().is_some_and(|text| text.contains("DuckDB")), "{heard:?}");
        page.says("DuckDB").await?;
        // Nobody has taken it. Now somebody does.
        page.host(
            "heard.length = 0;
            element.addEventListener('late-message', (event) => event.respondWith(new Promise((...ends) => (window.ends = ends))));",
        )
        .await?;
        page.press_button("Send as a message").await?;
        page.press_button("Send as a message").await?;
        // The reason moves the card, so that it takes no tap at first: it has to stand still again.
        page.host("ends[1](new Error('The network was away.')); delete window.stood;").await?;
        page.says("The network was away.").await?;
        page.says("DuckDB").await?;
        assert_eq!(page.heard("late-message").await?.len(), 1, "it was on its way");
        page.press_button("Send as a message").await?;
        page.until("return heard.filter(([name]) => name === 'late-message').length === 2;").await?;
        page.host("ends[0]();").await?;
        page.until("return !text(inside()).includes('DuckDB');").await?;
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_decline_that_could_still_be_undone_is_of_its_own_call_when_another_comes() {
    on_plain_page(async |page| {
        page.host("put({ toolCallId: 'first', args: ask, status: 'executing' });").await?;
        page.is("awaiting").await?;
        page.cancel().await?;
        page.says("Undo").await?;
        page.host("Object.assign(element, { toolCallId: 'next', args: ask });").await?;
        page.until("return heard.some(([name]) => name === 'decline');").await?;
        page.frames().await?;
        page.is("awaiting").await?;
        let declined = page.heard("decline").await?;
        assert_eq!(declined.iter().map(|detail| &detail["toolCallId"]).collect::<Vec<_>>(), ["first"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_state_and_its_places_are_the_pages_to_style_and_fill() {
    on_plain_page(async |page| {
        page.host(
            "put({ toolCallId: 'looks', args: ask, status: 'executing' });
            const again = document.createElement('button');
            again.slot = 'receipt-actions';
            document.querySelector('question-card').prepend(again);",
        )
        .await?;
        page.is("awaiting").await?;
        let states =
            page.host("return CSS.supports('selector(:state(x))') ? element.matches(':state(awaiting)') : true;");
        assert_eq!(states.await?, true);
        page.choose("SQLite").await?;
        let parts = "return all('.qc-option').map((row) => row.part.contains('chosen'));";
        assert_eq!(page.host(parts).await?[1], true);
        page.choose("Search").await?;
        page.submit().await?;
        page.is("answered").await?;
        let shown = page.host("return element.querySelector('button').assignedSlot?.name;").await?;
        assert_eq!(shown, "receipt-actions");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_stream_of_bytes_is_piped_into_the_card() {
    on_plain_page(async |page| {
        page.host("put({ toolCallId: 'piped' }); new Blob([JSON.stringify(ask)]).stream().pipeTo(document.querySelector('question-card').writable);")
            .await?;
        page.is("awaiting").await
    })
    .await;
}
