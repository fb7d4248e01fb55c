//! The ways in.

use serde_json::json;

use super::page::on_plain_page;

#[tokio::test]
async fn an_object_that_grows_becomes_a_card() {
    on_plain_page(async |page| {
        let script = "
            window.silent = true;
            put({ toolCallId: 'grows', status: 'inProgress', args: {} });
            const whole = JSON.stringify(ask);
            window.steps = [];
            // As a parser of partial JSON gives it: what is open is closed.
            const partial = (text) => {
                const open = [];
                let quoted = false;
                for (let at = 0; at < text.length; at += 1) {
                    const sign = text[at];
                    if (quoted) { if (sign === '\"') quoted = false; continue; }
                    if (sign === '\"') quoted = true;
                    else if (sign === '{') open.push('}');
                    else if (sign === '[') open.push(']');
                    else if (sign === '}' || sign === ']') open.pop();
                }
                const closed = text + (quoted ? '\"' : '') + open.reverse().join('');
                try { return JSON.parse(closed); } catch { return undefined; }
            };
            return (async () => {
                const found = document.querySelector('question-card');
                for (let end = 1; end <= whole.length; end += 3) {
                    const args = partial(whole.slice(0, end));
                    if (args !== undefined) found.args = args;
                    await new Promise(requestAnimationFrame);
                    const shown = found.shadowRoot?.textContent ?? '';
                    const questions = found.shadowRoot?.querySelectorAll('fieldset').length ?? 0;
                    if (window.steps.at(-1) !== questions) window.steps.push(questions);
                }
            })();";
        page.host(script).await?;
        let steps = page.host("return steps;").await?;
        assert_eq!(steps, json!([0, 1, 2]), "questions come one after the other and none goes");
        page.is("streaming").await?;
        page.host("element.args = ask; element.status = 'executing';").await?;
        page.is("awaiting").await?;
        page.choose("SQLite").await?;
        page.choose("Export").await?;
        page.submit().await?;
        page.is("submitting").await?;
        page.host("element.status = 'complete'; element.result = { answers: { 'Which database?': 'SQLite', 'Which features?': 'Export' } };").await?;
        assert_eq!(page.answers().await?, json!(["SQLite", "Export"]));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_is_set_before_the_element_is_known_counts() {
    on_plain_page(async |page| {
        page.host(
            "const early = document.createElement('early-card');
            early.call = { id: 'early', args: ask };
            early.mode = 'explicit';
            early.allowSkip = true;
            document.querySelector('main').append(early);
            define('early-card');
            window.early = early;",
        )
        .await?;
        page.until("return early.state === 'awaiting';").await?;
        let skips = "return [...early.shadowRoot.querySelectorAll('button')].filter((found) => found.textContent === 'Skip').length;";
        assert_eq!(page.host(skips).await?, 2);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn arguments_that_cannot_be_read_can_be_cancelled() {
    on_plain_page(async |page| {
        page.host(
            "const { console } = window; // That of the page, as below.
            window.warned = [];
            console.warn = (...words) => warned.push(words.join(' '));
            const card = put({ toolCallId: 'broken' }); card.append('{\"questions\": 7'); card.append(']'); card.finish();",
        )
        .await?;
        page.is("malformed").await?;
        let warned = page.host("return warned;").await?;
        assert_eq!(warned, json!(["question-card: call broken is no question: {\"questions\": 7]"]));
        page.cancel().await?;
        page.is("declined").await?;
        assert_eq!(page.heard("decline").await?.len(), 1);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_program_that_does_not_come_is_told_and_can_be_tried_again() {
    on_plain_page(async |page| {
        page.host(
            "const { WebAssembly } = window; // Firefox runs this script beside the page, with a WebAssembly of its own.
            const instantiate = WebAssembly.instantiateStreaming;
            window.tries = 0;
            WebAssembly.instantiateStreaming = async (response) => { await response; window.tries += 1; throw new Error('No such program'); };
            window.mend = () => { WebAssembly.instantiateStreaming = instantiate; };
            window.late = put({ toolCallId: 'late' });",
        )
        .await?;
        page.until("return heard.some(([name]) => name === 'qc-error');").await?;
        let told = "return heard.filter(([name]) => name === 'qc-error').map(([, { reason }, from]) => [reason.message, from]);";
        let reason = "the card’s program could not be loaded: No such program";
        assert_eq!(page.host(told).await?, json!([[reason, "QUESTION-CARD"]]));
        assert_eq!(page.host("return element.state;").await?, "composing");
        for piece in 0..20 {
            page.host(&format!("element.append(JSON.stringify(ask).slice({piece} * 20, {piece} * 20 + 20));")).await?;
            page.frames().await?;
        }
        page.host("element.append(JSON.stringify(ask).slice(400)); element.finish();").await?;
        page.says("can’t be shown").await?;
        assert_eq!(page.host("return tries;").await?, 1, "not at each piece");
        page.host("mend(); element.remove();").await?;
        page.host("document.querySelector('main').append(late);").await?;
        page.is("awaiting").await?;
        assert_eq!(page.host("return all('[part=unavailable]').length;").await?, 0);
        assert_eq!(page.host(told).await?.as_array().map(Vec::len), Some(1));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_delta_does_not_pass_the_properties_again() {
    on_plain_page(async |page| {
        page.host(
            "window.reads = 0;
            const card = put({ toolCallId: 'delta' });
            card.append(JSON.stringify(ask).slice(0, 150));
            Object.defineProperty(card, 'scope', { get: () => (reads += 1, '') });",
        )
        .await?;
        page.is("streaming").await?;
        let read = page.host("return reads;").await?;
        page.host("element.append(JSON.stringify(ask).slice(150)); element.finish();").await?;
        page.is("awaiting").await?;
        assert_eq!(page.host("return reads;").await?, read);
        page.host("element.allowSkip = true;").await?;
        page.until(&format!("return reads > {read};")).await?;
        Ok(())
    })
    .await;
}

/// What forbids the program, before this puts an element.
const NO_PROGRAM: &str = "
    const { WebAssembly } = window; // As above.
    WebAssembly.Module = undefined;
    WebAssembly.instantiateStreaming = WebAssembly.instantiate = async () => { throw new Error('Not allowed'); };";

#[tokio::test]
async fn without_webassembly_only_a_whole_question_is_asked() {
    on_plain_page(async |page| {
        page.host(&format!("{NO_PROGRAM} put({{ toolCallId: 'grows', args: {{ questions: [{{ question: 'Which da' }}] }}, status: 'inProgress' }});"))
            .await?;
        page.until("return heard.some(([name]) => name === 'qc-error');").await?;
        let asked = "return all('[part=plain] label').map(text);";
        for growing in [
            "element.args = { questions: [ask.questions[0], null] };",
            "element.args = { questions: 'Which' };",
            "element.status = undefined; element.args = { questions: [ask.questions[0]] };",
        ] {
            page.host(growing).await?;
            page.frames().await?;
            assert_eq!(page.host(asked).await?, json!([]), "{growing}");
        }
        page.host("element.args = ask; element.status = 'executing';").await?;
        page.says("Which features? (Search, Export)").await?;
        page.host(
            "for (const field of all('[part=plain] textarea')) field.value = 'All';
            all('[part=plain] button')[0].click();",
        )
        .await?;
        let reply = page.heard("reply").await?.remove(0);
        assert_eq!(reply["toolCallId"], "grows");
        assert_eq!(reply["answers"], json!({"Which database?": "All", "Which features?": "All"}));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn without_webassembly_a_call_is_asked_unless_it_has_ended() {
    on_plain_page(async |page| {
        for (put, is_asked) in [
            ("const card = put({ toolCallId: 'bytes' }); card.append(JSON.stringify(ask)); card.finish();", true),
            ("put({ call: { id: 'whole', args: ask } });", true),
            ("put({ call: { toolCallId: 'part', input: ask, state: 'input-available' } });", true),
            ("put({ call: { id: 'text', function: { arguments: JSON.stringify(ask) } } });", true),
            ("put({ call: { id: 'later', args: ask, result: 'asked; the answer will come as a message' } });", true),
            ("put({ call: { toolCallId: 'growing', input: ask, state: 'input-streaming' } });", false),
            ("put({ call: { id: 'over', args: ask, result: { answers: { 'Which database?': 'SQLite', 'Which features?': 'Search' } } } });", false),
            ("put({ call: { toolCallId: 'ended', input: ask, output: 'User cancelled the question', state: 'output-available' } });", false),
            ("put({ call: { id: 'denied', args: ask, state: 'output-denied' } });", false),
        ] {
            page.host(&format!("{NO_PROGRAM} document.querySelector('main').replaceChildren(); heard.length = 0; {put}")).await?;
            page.until("return heard.some(([name]) => name === 'qc-error');").await?;
            let told = "return heard.find(([name]) => name === 'qc-error')[1].reason.message.includes('question-card/no-wasm');";
            assert_eq!(page.host(told).await?, true, "{put}");
            page.frames().await?;
            let form = page.host("return all('[part=plain]').length;").await?;
            assert_eq!(form, usize::from(is_asked), "{put}");
            if is_asked {
                page.host(
                    "for (const field of all('[part=plain] textarea')) field.value = 'Both';
                    all('[part=plain] button')[0].click();",
                )
                .await?;
                let reply = &page.heard("reply").await?[0];
                assert_eq!(reply["answers"], json!({"Which database?": "Both", "Which features?": "Both"}), "{put}");
                let id = &reply["toolCallId"];
                assert!(id.as_str().is_some_and(|id| !id.is_empty() && put.contains(id)), "{id} of {put}");
                page.says("Sent.").await?;
            }
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn text_that_streams_before_the_program_is_there_is_no_history() {
    on_plain_page(async |page| {
        page.host("const card = put({ toolCallId: 'early' }); card.append(JSON.stringify(ask)); card.finish();")
            .await?;
        page.is("awaiting").await?;
        page.until("return text(all('[role=status]')[0]).includes('Which database?');").await?;
        page.host("window.root = all('.qc')[0]; element.layout = 'stepped';").await?;
        page.until("return all('.qc-step').length === 2;").await?;
        assert_eq!(page.host("return all('.qc')[0] === root;").await?, true, "the card is the same");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_language_around_the_element_is_the_cards() {
    on_plain_page(async |page| {
        page.host("put({ call: { id: 'words', args: ask } }, { lang: 'de-AT' });").await?;
        page.is("awaiting").await?;
        page.says("Antworten absenden").await?;
        let loaded = "return performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/languages/'));";
        let loaded = page.host(loaded).await?.to_string();
        assert!(loaded.contains("/de.js") && !loaded.contains("/pl.js"), "one language is loaded: {loaded}");
        page.choose("SQLite").await?;
        page.write(1, "typed in no language").await?;
        page.host("window.root = all('.qc')[0];").await?;
        for (lang, submit) in [("pl", "Wyślij odpowiedzi"), ("ar", "إرسال الإجابات"), ("tlh", "Submit answers"), ("fr", "Envoyer les réponses")] {
            page.host(&format!("element.lang = '{lang}';")).await?;
            page.says(submit).await?;
            assert_eq!(page.host("return all('.qc')[0] === root;").await?, true, "{lang}: the card is the same");
            let typed = page.host("return all('textarea').map(({ value }) => value).filter(Boolean);").await?;
            assert_eq!(typed, json!(["typed in no language"]), "{lang}");
            assert!(page.chosen().await?.to_string().contains("SQLite"), "{lang}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_sheet_that_does_not_come_leaves_a_card_in_english() {
    on_plain_page(async |page| {
        page.host(
            "const { console } = window; // That of the page, as above.
            window.warned = [];
            console.warn = (...words) => warned.push(words.join(' '));
            put({ call: { id: 'broken', args: ask } }, { lang: 'ja' });",
        )
        .await?;
        page.is("awaiting").await?;
        page.says("Submit answers").await?;
        assert_eq!(page.heard("qc-error").await?.len(), 1);
        let warned = page.host("return warned;").await?;
        assert!(warned[0].as_str().is_some_and(|warned| warned.starts_with("question-card: SyntaxError")), "{warned}");
        page.choose("SQLite").await?;
        page.choose("Export").await?;
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["SQLite", "Export"]));
        page.host("put({ call: { id: 'whole', args: ask } }, { lang: 'de', class: 'live' });").await?;
        page.says("Antworten absenden").await
    })
    .await;
}

#[tokio::test]
async fn a_new_language_of_the_page_is_noticed() {
    on_plain_page(async |page| {
        page.host("put({ call: { id: 'page', args: ask } });").await?;
        page.is("awaiting").await?;
        page.host("document.documentElement.lang = 'de';").await?;
        page.says("Antworten absenden").await?;
        page.host("document.querySelector('main').lang = 'en';").await?;
        page.says("Submit answers").await
    })
    .await;
}

#[tokio::test]
async fn the_agents_side_is_there_without_a_card() {
    on_plain_page(async |page| {
        let told = page
            .host(
                "return agent.load().then(() => [
                    agent.toolDefinition('chat').name,
                    agent.check('runtime', ask).valid,
                    agent.parseReply(ask, { answers: { 'Which database?': 'SQLite', 'Which features?': 'Search' } }).message,
                ]);",
            )
            .await?;
        assert_eq!(told, json!(["ask_user_question", true, "Database: SQLite\nFeatures: Search"]));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_character_arrives_in_two_halves() {
    on_plain_page(async |page| {
        let script = "
            const whole = JSON.stringify(ask).replace('Which database?', 'Which 🐘?'), half = whole.indexOf('🐘') + 1;
            return (async () => {
                const found = put({ toolCallId: 'halves' });
                await load();
                found.append(whole.slice(0, half));
                await new Promise(requestAnimationFrame);
                found.append(whole.slice(half));
                await new Promise(requestAnimationFrame);
            })();";
        page.host(script).await?;
        page.says("Which 🐘?").await?;
        page.host("element.finish();").await?;
        page.is("awaiting").await?;
        page.says("Which 🐘?").await?;
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn half_of_a_character_alone_costs_no_more_than_itself() {
    on_plain_page(async |page| {
        // As a host's own language may have cut its texts.
        let script = r"
            const options = [{ label: '\ud83d' }, { label: 'C:\\ud83d' }];
            const args = { questions: [{ question: 'Half \udc18?', header: 'H\ud83d', multiSelect: false, options }] };
            put({ toolCallId: 'half', scope: 'a \ud83d', labels: { submit: 'Go \ud83d' }, args, status: 'answerable' });";
        page.host(script).await?;
        page.is("awaiting").await?;
        for words in ["Half \u{fffd}?", "H\u{fffd}", r"C:\ud83d", "Go \u{fffd}"] {
            page.says(words).await?;
        }
        page.choose("\u{fffd}").await?;
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["\u{fffd}"]));
        page.host(r"element.result = { answers: { 'Half \udc18?': '\ud83d' } };").await?;
        assert_eq!(page.answers().await?, json!(["\u{fffd}"]));
        Ok(())
    })
    .await;
}
