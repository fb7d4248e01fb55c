//! The question as a form of the client's own.

use crate::client::{Client, GENERATIONS, Generation, shows_forms, which_size};
use crate::desk::Desk;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::limits::ExtraMember;
use ask_user_question::{AskUserQuestion, Limits, Question};
use boon::{Compiler, Draft, Schemas};
use question_compat::check;
use question_form::Form;
use question_mcp::McpServer;
use rmcp::model::{ElicitationSchema, RequestStateCodec, SealOptions};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

fn accepts(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// Checks a result against the tool's own schema.
async fn check_output(client: &mut Client, result: &Value) {
    let tools = client.request("tools/list", json!({})).await;
    let schema = tools["result"]["tools"][0]["outputSchema"].clone();
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.set_default_draft(Draft::V2020_12);
    compiler.add_resource("output.json", schema).expect("it is JSON");
    let schema = compiler.compile("output.json", &mut schemas).expect("it is a schema");
    schemas.validate(&result["structuredContent"], schema).unwrap_or_else(|error| panic!("{error}: {result}"));
}

#[tokio::test]
async fn every_outcome_of_a_form_is_told_in_words_that_no_model_misreads() {
    let two = json!({"questions": [
        {"question": "Which size?", "options": ["S", "M, or so"]},
        {"question": "Which extras?", "multiSelect": true, "options": ["A, B", "C"]},
    ]});
    let server = McpServer::builder().own_page(Desk::new()).build();
    for generation in GENERATIONS {
        let mut client = Client::new(&server, generation, shows_forms()).await;
        let pick = json!({"question_1": "S"});
        for (arguments, answers, outcome, text) in [
            (which_size(), vec![accepts(pick.clone())], "answered", r#"{"answers":{"Which size?":"S"}}"#),
            (which_size(), vec![accepts(json!({"question_1_custom": "XL"}))], "answered", r#""other":"XL""#),
            (two.clone(), vec![accepts(json!({"question_2": ["A, B", "C"]}))], "answered", r#""status":"skipped""#),
            (
                two.clone(),
                vec![accepts(json!({"question_2": ["A, B", "C"]}))],
                "answered",
                r#""selected":[{"index":0,"label":"A, B"},{"index":1,"label":"C"}]"#,
            ),
            (
                which_size(),
                vec![accepts(json!({})), accepts(pick.clone())],
                "answered",
                r#"{"answers":{"Which size?":"S"}}"#,
            ),
            (which_size(), vec![json!({"action": "accept"}), accepts(pick)], "answered", r#""Which size?":"S""#),
            (
                which_size(),
                vec![accepts(Value::Null), json!({"action": "accept"})],
                "skipped",
                "This is no answer and no consent.",
            ),
            (
                two.clone(),
                vec![accepts(json!({})), accepts(json!({"question_1": null}))],
                "skipped",
                "This is no answer and no consent.",
            ),
            (which_size(), vec![json!({"action": "decline"})], "declined", "This is no answer and no consent."),
            (which_size(), vec![json!({"action": "cancel"})], "superseded", "This is no answer and no consent."),
        ] {
            let result = client.fills_in(&arguments, &answers).await;
            assert_eq!(result["structuredContent"]["outcome"], outcome, "{generation:?} {result}");
            let told = result["content"][0]["text"].as_str().expect("it is text");
            assert!(told.contains(text), "{told}");
            assert_eq!(result["structuredContent"].get("answers").is_some(), told.starts_with('{'), "{result}");
            assert_eq!(result["isError"], false, "{result}");
            check_output(&mut client, &result).await;
        }
    }
}

#[test]
fn the_form_of_every_input_is_one_of_the_protocol() {
    let texts = ["1", "1.0", "-2.5", "1e3", "9223372036854775808", "2026-11-28", "2026-11-28 09:30", "[1]", "a@b.c"];
    let bounds = || [None].into_iter().chain(texts.map(Some));
    let (limits, mut legal) = (Limits::RUNTIME.with(ExtraMember::Input), 0);
    // What is not offered is not judged, but read: it may be anything, even beside options.
    for (kind, options) in InputKind::ALL.iter().flat_map(|kind| [(*kind, &[][..]), (*kind, &["1", "2"][..])]) {
        for (several, bound, default) in [false, true]
            .into_iter()
            .flat_map(|several| bounds().flat_map(move |bound| bounds().map(move |default| (several, bound, default))))
        {
            let mut input = Input::new(kind);
            (input.min, input.max) = (bound.map(str::to_owned), bound.map(str::to_owned));
            input.default = default.map(str::to_owned);
            let question = Question::new("Say", options.to_vec()).with_multi_select(several).with_input(input);
            let ask = AskUserQuestion::new([question]);
            legal += usize::from(check(&limits, serde_json::to_value(&ask).expect("it is JSON")).is_valid());
            let form = Form::of(&ask).schema(&ask).into_value();
            let sent: ElicitationSchema =
                serde_json::from_value(form.clone()).unwrap_or_else(|error| panic!("{error}: {form} of {ask:?}"));
            // The SDK leaves out what it does not know of a kind, such as the options of a number.
            assert_eq!(told(&serde_json::to_value(&sent).expect("it is JSON")), told(&form), "{ask:?}");
        }
    }
    assert!(legal > 100, "{legal}");
}

/// What a form says of its first question.
fn told(form: &Value) -> BTreeSet<String> {
    form["properties"]["question_1"].as_object().expect("it has the question").keys().cloned().collect()
}

#[tokio::test]
async fn the_form_has_one_field_for_each_question_and_one_for_free_text() {
    let server = McpServer::builder().build();
    let mut client = Client::new(&server, Generation::Stateless, shows_forms()).await;
    let params = json!({"name": "ask_user_question", "arguments": which_size()});
    let result = client.request("tools/call", params).await["result"].take();
    let form = &result["inputRequests"]["question"];
    assert_eq!(form["method"], "elicitation/create");
    let expected = json!({"mode": "form", "message": "Which size?", "requestedSchema": {"type": "object", "properties": {
        "question_1": {"type": "string", "title": "Size", "description": "S: Small", "oneOf": [
            {"const": "S", "title": "S"}, {"const": "M, or so", "title": "M, or so"},
        ]},
        "question_1_custom": {"type": "string", "title": "Other"},
    }}});
    assert_eq!(form["params"], expected);
}

#[tokio::test]
async fn an_option_is_described_in_its_field_and_on_one_line() {
    let server = McpServer::builder().build();
    let mut client = Client::new(&server, Generation::Stateless, shows_forms()).await;
    let question = json!({"question": "Which?", "options": [{"label": "A", "description": "First"}, {"label": "B", "description": "Last"}]});
    let other = json!({"question": "When?", "options": ["Now", "Later"]});
    for (questions, first) in
        [(json!([question.clone()]), "A: First; B: Last"), (json!([question, other]), "Which? (A: First; B: Last)")]
    {
        let params = json!({"name": "ask_user_question", "arguments": {"questions": questions}});
        let result = client.request("tools/call", params).await["result"].take();
        let properties = &result["inputRequests"]["question"]["params"]["requestedSchema"]["properties"];
        assert_eq!(properties["question_1"]["description"], first);
    }
}

#[tokio::test]
async fn a_form_says_when_a_question_counts_and_no_answer_to_a_hidden_one_is_told() {
    let arguments = json!({"questions": [
        {"question": "How shall we tell you?", "header": "Notice", "options": ["By e-mail", "By phone"]},
        {"showIf": {"question": "Notice", "is": "By e-mail"}, "question": "Which address?", "input": {"type": "email"}},
        {"showIf": {"question": "Which address?", "is": "a@b.example"}, "question": "A copy?", "options": [
            {"label": "Yes", "description": "To the team"}, {"label": "No"},
        ]},
    ]});
    let limits = Limits::RUNTIME.with(ExtraMember::ShowIf).with(ExtraMember::Input);
    let server = McpServer::builder().limits(limits).build();
    let mut client = Client::new(&server, Generation::Stateless, shows_forms()).await;
    let params = json!({"name": "ask_user_question", "arguments": arguments});
    let result = client.request("tools/call", params).await["result"].take();
    let schema = &result["inputRequests"]["question"]["params"]["requestedSchema"];
    assert_eq!(schema["required"], Value::Null, "each may be left out");
    for (name, described) in [
        ("question_1", "How shall we tell you?"),
        ("question_2", "Which address? Only if \"Notice\" is \"By e-mail\"."),
        ("question_3", "A copy? Only if \"Which address?\" is \"a@b.example\". (Yes: To the team)"),
    ] {
        assert_eq!(schema["properties"][name]["description"], described);
    }
    for generation in GENERATIONS {
        let mut client = Client::new(&server, generation, shows_forms()).await;
        for (mut content, hidden) in [
            (json!({"question_2": "nonsense", "question_3": "Yes"}), vec!["Which address?", "A copy?"]),
            (json!({"question_2": "a@b.example", "question_3_custom": "Hm"}), vec!["Which address?", "A copy?"]),
            (json!({"question_1": "By e-mail", "question_2": "c@d.example", "question_3": "No"}), vec!["A copy?"]),
            (json!({"question_1": "By e-mail", "question_2": "a@b.example", "question_3": "No"}), vec![]),
        ] {
            if content["question_1"].is_null() {
                content["question_1"] = "By phone".into();
            }
            let result = client.fills_in(&arguments, &[accepts(content)]).await;
            let told = &result["structuredContent"];
            assert_eq!(told["outcome"], "answered", "{result}");
            for (index, question) in ["How shall we tell you?", "Which address?", "A copy?"].into_iter().enumerate() {
                let is_hidden = hidden.contains(&question);
                assert_eq!(told["answers"].get(question).is_none(), is_hidden, "{question} {result}");
                if is_hidden {
                    assert_eq!(told["details"][index]["status"], "skipped", "{result}");
                }
            }
            check_output(&mut client, &result).await;
        }
        // An answer to a hidden question alone is none.
        let stray = accepts(json!({"question_2": "a@b.example"}));
        let result = client.fills_in(&arguments, &[stray.clone(), stray]).await;
        assert_eq!(result["structuredContent"]["outcome"], "skipped", "{result}");
    }
}

#[tokio::test]
async fn a_client_that_shows_the_card_in_forms_is_told_where_it_is() {
    let server = McpServer::builder().view("<p>card").build();
    let capabilities = json!({
        "elicitation": {"form": {}}, "extensions": {"io.modelcontextprotocol/ui": {"elicitation": {}}},
    });
    let mut client = Client::new(&server, Generation::Sessions, capabilities).await;
    let id = client.ask("tools/call", json!({"name": "ask_user_question", "arguments": which_size()})).await;
    let form = client.next().await;
    assert_eq!(form["params"]["_meta"]["ui"]["resourceUri"], "ui://question-card/card.html", "{form}");
    client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "result": {"action": "decline"}})).await;
    client.response(id).await;
}

#[tokio::test]
async fn a_client_that_refuses_the_form_gets_the_page() {
    // The last is no error of the protocol, and may not hold the call.
    for error in
        [json!({"code": -32601, "message": "Method not found"}), json!({"code": 1, "message": "No"}), json!("no")]
    {
        let desk = Desk::new();
        let server = McpServer::builder().own_page(desk.clone()).build();
        let mut client = Client::new(&server, Generation::Sessions, shows_forms()).await;
        let id = client.ask("tools/call", json!({"name": "ask_user_question", "arguments": which_size()})).await;
        let form = client.next().await;
        client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "error": error})).await;
        desk.until(1).await;
        desk.answer(0);
        assert_eq!(client.response(id).await["result"]["structuredContent"]["outcome"], "answered", "{error}");
    }
}

#[tokio::test]
async fn a_client_that_knows_no_forms_is_not_asked_by_one_again() {
    let refuses = json!({"code": -32601, "message": "Method not found"});
    let times_out = json!({"reason": "McpError: MCP error -32001: Request timed out"});
    for (refuses, ends) in [(Some(refuses), None), (None, Some(times_out))] {
        let server = McpServer::builder().own_page(Desk::new()).wait(Duration::ZERO).build();
        let mut client = Client::new(&server, Generation::Sessions, shows_forms()).await;
        let id = client.ask("tools/call", json!({"name": "ask_user_question", "arguments": which_size()})).await;
        let form = client.next().await;
        if let Some(error) = refuses {
            client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "error": error})).await;
            assert_eq!(client.response(id).await["result"]["structuredContent"]["outcome"], "open");
        }
        if let Some(mut params) = ends {
            params["requestId"] = id.into();
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
            assert_eq!(client.next().await["method"], "notifications/cancelled");
        }
        let next = client.call("ask_user_question", which_size()).await;
        assert_eq!(next["structuredContent"]["outcome"], "open", "{next}");
    }
}

#[tokio::test]
async fn a_user_who_cancels_a_form_gets_the_next_one() {
    let server = McpServer::builder().own_page(Desk::new()).wait(Duration::ZERO).build();
    let mut client = Client::new(&server, Generation::Sessions, shows_forms()).await;
    for reason in [json!({}), json!({"reason": "The user stopped it."})] {
        let id = client.ask("tools/call", json!({"name": "ask_user_question", "arguments": which_size()})).await;
        assert_eq!(client.next().await["method"], "elicitation/create");
        let mut params = reason;
        params["requestId"] = id.into();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
        assert_eq!(client.next().await["method"], "notifications/cancelled");
    }
    client.ask("tools/call", json!({"name": "ask_user_question", "arguments": which_size()})).await;
    assert_eq!(client.next().await["method"], "elicitation/create");
}

#[tokio::test]
async fn a_client_with_addresses_alone_gets_no_form() {
    let server = McpServer::builder().own_page(Desk::new()).wait(Duration::ZERO).build();
    for generation in GENERATIONS {
        let mut client = Client::new(&server, generation, json!({"elicitation": {"url": {}}})).await;
        let open = client.call("ask_user_question", which_size()).await;
        assert_eq!(open["structuredContent"]["outcome"], "open", "{open}");
    }
}

#[tokio::test]
async fn several_choices_are_read_whole_however_a_client_writes_them() {
    let extras = json!({"questions": [
        {"question": "Which extras?", "multiSelect": true, "options": ["Card", "Card, signed", "Ribbon"]},
    ]});
    let server = McpServer::builder().build();
    for generation in GENERATIONS {
        let mut client = Client::new(&server, generation, shows_forms()).await;
        for (sent, told) in [
            (json!("Card"), "Card"),
            (json!("Card, Ribbon"), "Card, Ribbon"),
            (json!("Card,Ribbon"), "Card, Ribbon"),
            (json!("Card, signed"), "Card, signed"),
            (json!(["Card", "Card"]), "Card"),
            (json!(["Card", "Bow"]), "Card, Bow"),
            (json!("Card, Bow"), "Card, Bow"),
        ] {
            let result = client.fills_in(&extras, &[accepts(json!({"question_1": sent}))]).await;
            let content = &result["structuredContent"];
            assert_eq!(content["answers"], json!({"Which extras?": told}), "{result}");
            let own = &content["details"][0]["other"];
            assert_eq!(own.as_str().is_some_and(|own| own.ends_with("Bow")), told.ends_with("Bow"), "{result}");
        }
    }
}

#[tokio::test]
async fn a_client_whose_form_does_not_do_gets_the_page_where_there_is_one() {
    let (codex, desk) = ("codex-mcp-client", Desk::new());
    for generation in GENERATIONS {
        let server = McpServer::builder().own_page(desk.clone()).wait(Duration::ZERO).build();
        let mut client = Client::named(codex, &server, generation, shows_forms()).await;
        let open = client.call("ask_user_question", which_size()).await;
        assert_eq!(open["structuredContent"]["outcome"], "open", "{open}");
        let mut client = Client::named(codex, &McpServer::builder().build(), generation, shows_forms()).await;
        let result = client.fills_in(&which_size(), &[accepts(json!({"question_1": "S"}))]).await;
        assert_eq!(result["structuredContent"]["outcome"], "answered", "{result}");
    }
}

#[tokio::test]
async fn two_forms_at_once_do_not_get_each_others_answers() {
    let server = McpServer::builder().build();
    let mut client = Client::new(&server, Generation::Sessions, shows_forms()).await;
    let params = json!({"name": "ask_user_question", "arguments": which_size()});
    let ids = [client.ask("tools/call", params.clone()).await, client.ask("tools/call", params).await];
    let forms = [client.next().await, client.next().await];
    assert_ne!(forms[0]["id"], forms[1]["id"]);
    for (form, pick) in forms.iter().zip(["S", "M, or so"]) {
        let answer = accepts(json!({"question_1": pick}));
        client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "result": answer})).await;
        // The same answer twice.
        client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "result": answer})).await;
    }
    let mut told = Vec::new();
    for _ in ids {
        let mut response = client.next().await;
        told.push(response["result"]["structuredContent"]["answers"]["Which size?"].take());
    }
    told.sort_by_key(Value::to_string);
    assert_eq!(told, ["M, or so", "S"]);
}

#[tokio::test]
async fn a_cancelled_call_closes_its_form() {
    let server = McpServer::builder().build();
    let mut client = Client::new(&server, Generation::Sessions, shows_forms()).await;
    let id = client.ask("tools/call", json!({"name": "ask_user_question", "arguments": which_size()})).await;
    let form = client.next().await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    let closed = client.next().await;
    assert_eq!((&closed["method"], &closed["params"]["requestId"]), (&json!("notifications/cancelled"), &form["id"]));
    // A late answer is no harm.
    client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "result": {"action": "decline"}})).await;
    assert!(client.request("tools/list", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn a_client_that_vanishes_from_its_form_ends_its_server() {
    let server = McpServer::builder().build();
    let mut client = Client::new(&server, Generation::Sessions, shows_forms()).await;
    client.ask("tools/call", json!({"name": "ask_user_question", "arguments": which_size()})).await;
    assert_eq!(client.next().await["method"], "elicitation/create");
    client.vanish().await.expect("it has spoken the protocol");
}

#[tokio::test]
async fn a_state_is_good_for_its_question_and_for_a_day() {
    let key = [7; 32];
    let server = McpServer::builder().key(key).build();
    let mut client = Client::new(&server, Generation::Stateless, shows_forms()).await;
    let params = json!({"name": "ask_user_question", "arguments": which_size()});
    let first = client.request("tools/call", params.clone()).await["result"].take();
    let state = first["requestState"].as_str().expect("it is text").to_owned();
    let with = |state: &str, answers: Value| {
        let mut params = params.clone();
        params["requestState"] = state.into();
        params["inputResponses"] = answers;
        params
    };
    let answer = json!({"question": accepts(json!({"question_1": "S"}))});

    // Without an answer it is the same question.
    let again = client.request("tools/call", with(&state, json!({}))).await["result"].take();
    assert_eq!(again["inputRequests"], first["inputRequests"]);
    // After a restart, and as often as it is sent.
    for server in [&server, &McpServer::builder().key(key).build()] {
        let mut client = Client::new(server, Generation::Stateless, shows_forms()).await;
        for _ in 0..2 {
            let result = client.request("tools/call", with(&state, answer.clone())).await["result"].take();
            assert_eq!(result["structuredContent"]["answers"], json!({"Which size?": "S"}), "{result}");
        }
    }

    let ask: AskUserQuestion = serde_json::from_value(which_size()).expect("it is an ask");
    let bound = serde_json::to_vec(&ask).expect("it is JSON");
    let codec = RequestStateCodec::try_new(key).expect("it is long enough");
    let old = codec.seal_with(br#"{"again":false}"#, &SealOptions::new().associated_data(&bound).ttl(Duration::ZERO));
    // A state without a lifetime expires with the next millisecond of the system's clock, which no test can set.
    tokio::time::sleep(Duration::from_millis(2)).await;
    let mut changed = state.clone();
    let last = changed.pop();
    changed.push(if last == Some('A') { 'B' } else { 'A' });
    for (state, code) in [
        (old.as_str(), "request_state_expired"),
        (changed.as_str(), "request_state_invalid"),
        (&state[1..], "request_state_invalid"),
        ("", "request_state_invalid"),
        ("ä.\u{0}.💥", "request_state_invalid"),
    ] {
        let result = client.request("tools/call", with(state, answer.clone())).await["result"].take();
        assert_eq!((&result["isError"], &result["_meta"]["code"]), (&json!(true), &json!(code)), "{state:?} {result}");
    }
    let mut foreign = with(&state, answer.clone());
    foreign["arguments"]["questions"][0]["question"] = "Delete everything?".into();
    let result = client.request("tools/call", foreign).await["result"].take();
    assert_eq!(result["_meta"]["code"], "request_state_invalid", "{result}");
    let mut without = params.clone();
    without["inputResponses"] = answer;
    let result = client.request("tools/call", without).await["result"].take();
    assert_eq!(result["_meta"]["code"], "request_state_invalid", "{result}");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_an_error_and_no_consent() {
    let server = McpServer::builder().build();
    for generation in GENERATIONS {
        let mut client = Client::new(&server, generation, shows_forms()).await;
        for answer in [json!({"action": "accept", "content": "S"}), json!({"action": "accept", "content": ["S"]})] {
            let result = client.fills_in(&which_size(), &[answer]).await;
            assert_eq!(
                (&result["isError"], &result["_meta"]["code"]),
                (&json!(true), &json!("invalid_reply")),
                "{result}"
            );
        }
    }
}
