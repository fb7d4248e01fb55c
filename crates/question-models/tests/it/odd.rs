//! Chat completions as endpoints really write them, each as its model meant it.

use crate::replayed::{Endpoint, Recorded};
use crate::vendors::{ASK, Read, json_of, model, read, says};
use axum::Router;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use question_models::Vendor;
use serde_json::{Value, json};
use std::future::ready;
use std::time::Duration;

const NAME: &str = "ask_user_question";

fn event(chunk: &Value) -> String {
    format!("data: {chunk}\n\n")
}

fn chunk(delta: &Value, reason: Option<&str>) -> Value {
    json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
}

/// An answer of these deltas that ends for this reason.
fn answer(deltas: &[Value], reason: &str) -> String {
    let chunks: String = deltas.iter().map(|delta| event(&chunk(delta, None))).collect();
    format!("{chunks}{}data: [DONE]\n\n", event(&chunk(&json!({}), Some(reason))))
}

/// A piece of a call.
fn piece(name: &str, arguments: &str) -> Value {
    json!({"index": 0, "id": "theirs", "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn calls(pieces: &[Value]) -> String {
    let deltas: Vec<Value> = pieces.iter().map(|piece| json!({"tool_calls": [piece]})).collect();
    answer(&deltas, "tool_calls")
}

fn texts(pieces: &[&str]) -> String {
    let deltas: Vec<Value> = pieces.iter().map(|piece| json!({"content": piece})).collect();
    answer(&deltas, "stop")
}

/// A text letter by letter, and at once.
fn in_pieces(text: &str) -> [String; 2] {
    let letters: Vec<String> = text.chars().map(String::from).collect();
    [texts(&letters.iter().map(String::as_str).collect::<Vec<_>>()), texts(&[text])]
}

/// An answer, and the message with its calls as it goes back to the endpoint.
async fn played(body: String) -> (Read, Value) {
    let (read, mut asked) = played_by("openai", body).await;
    (read, asked.pointer_mut("/messages/2").map(Value::take).unwrap_or_default())
}

/// An answer of a vendor's, and the request behind its calls.
async fn played_by(vendor: &str, body: String) -> (Read, Value) {
    // Some answer that the answer was created.
    let recorded = |body| Recorded { status: StatusCode::CREATED, body };
    let endpoint = Endpoint::replaying([recorded(body), recorded(texts(&["Done."]))]).await;
    let model = model(Vendor::by_name(vendor).expect("it is in the list"), &endpoint);
    let first = read(&model, vec![says("hi")]).await;
    if first.error.is_some() || first.calls.is_empty() {
        return (first, Value::Null);
    }
    read(&model, first.history("S")).await;
    (first, json_of(&endpoint.asked().remove(1).2))
}

/// Checks that an answer asks its question, and that its model reads of it what it wrote.
async fn check_asks(what: &str, body: String, said: &str) {
    let (read, back) = played(body).await;
    assert_eq!((&read.error, read.text.trim()), (&None, said), "{what}");
    let asked: Vec<(&str, Value)> = read.calls.iter().map(|(name, of)| (name.as_str(), json_of(of))).collect();
    assert_eq!(asked, [(NAME, json_of(ASK))], "{what}");
    let function = &back["tool_calls"][0]["function"];
    assert_eq!(function["name"], NAME, "{what}: {back}");
    assert_eq!(json_of(function["arguments"].as_str().unwrap_or_default()), json_of(ASK), "{what}: {back}");
}

#[tokio::test]
async fn a_question_is_asked_in_whichever_form_its_call_comes() {
    let (half, rest) = ASK.split_at(20);
    let again =
        |id: &str, arguments: &str| json!({"index": 0, "id": id, "function": {"name": NAME, "arguments": arguments}});
    let bare = |arguments: &str| json!({"function": {"arguments": arguments}});
    let call = piece(NAME, ASK);
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let whole = |object: &str| {
        event(&json!({"object": object, "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}))
    };
    let function = json!({"name": NAME, "arguments": ASK});
    for (what, body) in [
        ("the form of 2023", answer(&[json!({"function_call": function})], "function_call")),
        (
            "the form of 2023, in pieces",
            answer(
                &[
                    json!({"function_call": {"name": NAME, "arguments": half}}),
                    json!({"function_call": {"arguments": rest}}),
                ],
                "stop",
            ),
        ),
        ("the form of 2023, whole", json!({"choices": [{"message": {"function_call": function}}]}).to_string()),
        ("a message in place of a delta", whole("chat.completion.chunk") + "data: [DONE]\n\n"),
        (
            "a message with what no delta had",
            event(&chunk(&json!({"role": "assistant", "content": ""}), None)) + &whole("chat.completion"),
        ),
        (
            "a message with all of it once more",
            event(&chunk(&json!({"tool_calls": [call]}), None)) + &whole("chat.completion"),
        ),
        (
            "chunks in a list",
            json!([chunk(&json!({"tool_calls": [call]}), None), chunk(&json!({}), Some("stop"))]).to_string(),
        ),
        (
            "chunks in lines",
            format!("{}\n{}\n", chunk(&json!({"tool_calls": [call]}), None), chunk(&json!({}), Some("stop"))),
        ),
        ("the field's name twice", calls(std::slice::from_ref(&call)).replace("data: ", "data: data: ")),
        ("one call in place of a list", answer(&[json!({"tool_calls": call})], "tool_calls")),
        (
            "calls beside the delta",
            event(&json!({"choices": [{"delta": {}, "tool_calls": [call], "finish_reason": "stop"}]})),
        ),
        ("a call of another type", calls(&[json!({"index": 0, "id": "a", "type": "tool_call", "function": function})])),
        (
            "parameters",
            calls(&[json!({"index": 0, "id": "a", "function": {"name": NAME, "parameters": json_of(ASK)}})]),
        ),
        (
            "arguments beside the function",
            calls(&[json!({"index": 0, "id": "a", "function": {"name": NAME}, "arguments": ASK})]),
        ),
        ("a call without a function", calls(&[json!({"index": 0, "id": "a", "name": NAME, "arguments": ASK})])),
        (
            "a name in three pieces",
            calls(&[piece("ask", ""), piece("_user", ""), piece("_question", half), piece("", rest)]),
        ),
        (
            "a name by letters",
            calls(
                &[NAME.chars().map(|letter| piece(&letter.to_string(), "")).collect(), vec![piece("", ASK)]].concat(),
            ),
        ),
        (
            "a name in pieces without index and id",
            calls(&[
                json!({"function": {"name": "ask_user"}}),
                json!({"function": {"name": "_question", "arguments": half}}),
                bare(rest),
            ]),
        ),
        ("another id with each piece", calls(&[again("a", half), again("b", rest)])),
        ("a name behind all", calls(&[piece("", ASK), piece(NAME, "")])),
        ("a name with an index", calls(&[piece("functions.ask_user_question:0", ASK)])),
        (
            "a name between marks",
            calls(&[piece("<|channel|>commentary to=functions.ask_user_question <|constrain|>json", ASK)]),
        ),
        ("a name in quotes", calls(&[piece("`ask_user_question`", ASK)])),
        ("a name in another spelling", calls(&[piece("AskUserQuestion", ASK)])),
        (
            "arguments that are an object",
            calls(&[json!({"index": 0, "function": {"name": NAME, "arguments": json_of(ASK)}})]),
        ),
        (
            "members that are null",
            answer(
                &[
                    json!({"content": null, "refusal": null, "function_call": null, "tool_calls": null}),
                    json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": NAME, "arguments": null}}]}),
                    json!({"tool_calls": [{"index": 0, "id": null, "function": {"name": null, "arguments": ASK}}]}),
                ],
                "tool_calls",
            ),
        ),
        ("a name that grows", calls(&[piece("ask_user", ""), piece(NAME, half), piece("", rest)])),
        ("a name each time", calls(&[piece(NAME, half), piece(NAME, rest)])),
        ("a name with a channel", calls(&[piece("ask_user_question<|channel|>commentary", ASK)])),
        ("a name with a namespace", calls(&[piece("default_api.ask_user_question", ASK)])),
        ("a name with a server", calls(&[piece("mcp__desk__ask_user_question", ASK)])),
        ("a name with brackets", calls(&[piece("ask_user_question()", ASK)])),
        ("arguments before the name", calls(&[piece("", half), piece(NAME, rest)])),
        ("a placeholder first", calls(&[piece(NAME, "{}"), piece("", half), piece("", rest)])),
        ("a placeholder with the name again", calls(&[piece(NAME, "{}"), piece(NAME, half), piece("", rest)])),
        ("a placeholder in pieces", calls(&[piece(NAME, "{"), piece("", "}"), piece("", half), piece("", rest)])),
        ("a placeholder with a space", calls(&[piece(NAME, "{ }"), piece("", half), piece("", rest)])),
        ("a placeholder before it in one piece", calls(&[piece(NAME, &format!("{{}}{ASK}"))])),
        ("a placeholder behind it", calls(&[piece(NAME, half), piece("", rest), piece("", "{}")])),
        ("all so far each time", calls(&[piece(NAME, half), piece(NAME, ASK)])),
        ("the whole once more", calls(&[piece(NAME, half), piece("", rest), piece("", ASK)])),
        ("the whole once more with its name", calls(&[piece(NAME, ASK), piece(NAME, ASK)])),
        (
            "a last event without its end",
            event(&chunk(&json!({"tool_calls": [call]}), Some("tool_calls"))).trim_end().to_owned(),
        ),
        ("events without empty lines", calls(std::slice::from_ref(&call)).replace("\n\n", "\n")),
        ("spaces around the end", calls(std::slice::from_ref(&call)).replace("[DONE]", " [DONE] ")),
    ] {
        check_asks(what, body, "").await;
    }
    let thinks =
        answer(&[json!({"content": "<think>secret</think>One thing."}), json!({"tool_calls": [call]})], "tool_calls");
    check_asks("thoughts in the text", thinks.clone(), "One thing.").await;
    assert_eq!(played(thinks).await.1["content"], "One thing.");
}

const GRAZ: &str = r#"{"city":"Graz"}"#;
const LINZ: &str = r#"{"city":"Linz"}"#;

/// A piece of a call: its members, perhaps a name, and arguments.
type Part<'a> = (&'a str, Option<&'a str>, &'a str);

/// The chunks of an answer, each with the pieces of some calls.
fn parts(chunks: &[&[Part<'_>]]) -> String {
    let part = |(members, name, arguments): &Part<'_>| {
        let mut part = json_of(members);
        part["function"] = json!({"arguments": arguments});
        if let Some(name) = name {
            part["function"]["name"] = (*name).into();
        }
        part
    };
    let deltas = chunks.iter().map(|parts| json!({"tool_calls": parts.iter().map(part).collect::<Value>()}));
    answer(&deltas.collect::<Vec<Value>>(), "tool_calls")
}

#[tokio::test]
async fn calls_are_told_apart_however_they_are_numbered() {
    const A: &str = r#"{"index":0,"id":"a","type":"function"}"#;
    const B: &str = r#"{"index":0,"id":"b","type":"function"}"#;
    const NEXT: &str = r#"{"index":1,"id":"b","type":"function"}"#;
    const NO_ID: &str = r#"{"index":0,"id":"","type":"function"}"#;
    let name = Some("get_weather");
    let (at, next_at, far, far_at) = (r#"{"index":0}"#, r#"{"index":1}"#, r#"{"index":3,"id":"b"}"#, r#"{"index":3}"#);
    let (null, null_at) = (r#"{"index":null,"id":"a"}"#, r#"{"index":null}"#);
    let (no_index, other, nothing) = (r#"{"id":"a"}"#, r#"{"id":"b"}"#, r#"{"id":""}"#);
    let (half, rest) = GRAZ.split_at(7);
    let linzs = LINZ.split_at(7).1;
    let one: [(&str, &[&[Part<'_>]]); 4] = [
        ("an index that is null", &[&[(null, name, half)], &[(null_at, None, rest)]]),
        ("id and name with each piece", &[&[(A, name, half)], &[(A, name, rest)], &[(A, name, "")]]),
        ("id and name empty later", &[&[(A, name, "")], &[(NO_ID, Some(""), half)], &[(NO_ID, Some(""), rest)]]),
        ("an id that comes late", &[&[(at, name, "")], &[(A, None, half)], &[(at, None, rest)]]),
    ];
    let two: [(&str, &[&[Part<'_>]]); 9] = [
        ("all in one chunk", &[&[(A, name, GRAZ), (NEXT, name, LINZ)]]),
        ("no index", &[&[(no_index, name, half)], &[("{}", None, rest)], &[(other, name, LINZ)]]),
        ("no index and no id", &[&[(nothing, name, GRAZ), (nothing, name, LINZ)]]),
        ("indexes with gaps", &[&[(next_at, name, GRAZ)], &[(far, name, "")], &[(far_at, None, LINZ)]]),
        ("interleaved", &[&[(A, name, half)], &[(NEXT, name, half)], &[(next_at, None, linzs)], &[(at, None, rest)]]),
        ("Ollama: one index, each whole", &[&[(A, name, GRAZ)], &[(B, name, LINZ)]]),
        ("Gemini: one index in a chunk", &[&[(A, name, GRAZ), (B, name, LINZ)]]),
        ("one index, in pieces with ids", &[&[(A, name, half)], &[(B, name, ""), (B, None, LINZ)], &[(A, None, rest)]]),
        ("one index and no id", &[&[(NO_ID, name, GRAZ)], &[(NO_ID, name, LINZ)]]),
    ];
    let rows = one.iter().map(|row| (row, 1)).chain(two.iter().map(|row| (row, 2)));
    for ((what, chunks), calls) in rows {
        let (read, _) = played(parts(chunks)).await;
        let meant = [GRAZ, LINZ].map(|arguments| ("get_weather".to_owned(), arguments.to_owned()));
        assert_eq!((&*read.calls, &read.error), (&meant[..calls], &None), "{what}");
    }
}

#[tokio::test]
async fn two_calls_that_come_as_one_are_two() {
    let [size, colour] = ["size", "colour"].map(|of| ASK.replace("size", of));
    let (half, rest) = colour.split_at(40);
    let empty = format!("<tool_call>{{\"name\":\"{NAME}\",\"arguments\":{{}}}}</tool_call>");
    for (body, meant) in [
        (calls(&[piece(NAME, &[&*size, &*colour].concat())]), [&*size, &*colour]),
        (calls(&[piece(NAME, &[&*size, half].concat()), piece("", rest)]), [&size, &colour]),
        (calls(&[piece(NAME, &size), piece("", &colour)]), [&size, &colour]),
        (texts(&[&empty, &empty]), ["{}", "{}"]),
    ] {
        let (read, _) = played(body).await;
        let asked: Vec<(&str, Value)> = read.calls.iter().map(|(name, of)| (name.as_str(), json_of(of))).collect();
        assert_eq!(asked, meant.map(|of| (NAME, json_of(of))));
    }
    let brace = ASK.replace("\"S\"", "\"{\"");
    let (before, behind) = brace.split_at(brace.find("{\"}").expect("it has one"));
    let (read, _) = played(calls(&[piece(NAME, before), piece("", behind)])).await;
    assert_eq!(read.calls, [(NAME.to_owned(), brace.clone())], "a piece that begins with a brace");
    for name in ["ask_user_questions", "task_user_question"] {
        assert_eq!(played(calls(&[piece(name, ASK)])).await.0.calls[0].0, name, "it only has a tool's name in it");
    }
}

#[tokio::test]
async fn an_answer_ends_where_its_endpoint_ends_it() {
    let one = |delta: Value, reason: Option<&str>| event(&chunk(&delta, reason));
    let (half, rest) = GRAZ.split_at(7);
    let [begins, goes_on] = [piece("get_weather", half), piece("", rest)].map(|piece| json!({"tool_calls": [piece]}));
    let mut said = goes_on.clone();
    said["content"] = " moment.".into();
    let message = json!({"content": "One moment.", "tool_calls": [piece("get_weather", GRAZ)]});
    let no_usage = one(goes_on.clone(), Some("stop")).replace("}\n", ",\"usage\":null}\n");
    for (what, body, text) in [
        ("no reason", event(&chunk(&begins, None)) + &event(&chunk(&goes_on, None)) + "data: [DONE]\n\n", ""),
        ("stop for tool_calls", answer(&[begins.clone(), goes_on.clone()], "stop"), ""),
        ("the last piece with the reason", one(begins.clone(), None) + &one(goes_on.clone(), Some("tool_calls")), ""),
        (
            "a reason before the last pieces",
            one(json!({"content": "One"}), None) + &one(begins.clone(), Some("tool_calls")) + &one(said, None),
            "One moment.",
        ),
        (
            "two reasons",
            one(begins.clone(), None) + &one(goes_on, Some("tool_calls")) + &one(json!({}), Some("stop")),
            "",
        ),
        ("usage that is null", one(begins, None) + &no_usage, ""),
        (
            "comments and types",
            ": alive\n\nevent: message\nid: 1\nretry: 1000\n".to_owned() + &one(message.clone(), Some("tool_calls")),
            "One moment.",
        ),
        (
            "no space behind the colon",
            one(message.clone(), Some("tool_calls")).replace("data: ", "data:").replace('\n', "\r\n"),
            "One moment.",
        ),
        (
            "all of it as JSON",
            format!(
                "{:#}\n",
                json!({"object": "chat.completion", "choices": [{"message": message, "finish_reason": "tool_calls"}]})
            ),
            "One moment.",
        ),
    ] {
        let (read, _) = played(body).await;
        assert_eq!((read.text.as_str(), &read.error), (text, &None), "{what}");
        assert_eq!(read.calls, [("get_weather".to_owned(), GRAZ.to_owned())], "{what}");
    }
    for (reason, is_cut, words) in [
        ("length", true, ""),
        ("max_output_tokens", true, ""),
        ("maxPredictedTokensReached", true, ""),
        ("LANGUAGE", false, "withheld"),
        ("blocked", false, "withheld"),
        ("moderation", false, "withheld"),
    ] {
        let (read, _) = played(answer(&[json!({"content": "Let me"})], reason)).await;
        assert_eq!(read.is_cut, is_cut, "{reason}");
        assert_eq!(read.error.map(|error| error.reason.contains(words)), Some(true).filter(|_| !is_cut), "{reason}");
    }
    let nothing = "data: null\n\ndata: []\n\ndata: {}\n\ndata: {\"choices\":[{\"delta\":null}]}\n\ndata: {\"choices\":{\"a\":1}}\n\n";
    for (body, said) in [
        (nothing.to_owned() + &texts(&["One moment."]), Ok("One moment.")),
        (" {\"choices\":[{\"message\":{\"content\":\"{Hi}!\"}}]}\n".to_owned(), Ok("{Hi}!")),
        ("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"One".to_owned(), Err("The model's answer broke off.")),
        (
            "{\"detail\":\"Not Found\"}".to_owned(),
            Err("The model's endpoint answers with something else than a chat completion."),
        ),
        (
            "\n<!doctype html>\n<html></html>\n".to_owned(),
            Err("The model's endpoint answers with a web page. Its address may be wrong."),
        ),
        (String::new(), Err("The model's answer broke off.")),
        ("data: nonsense\n\n".to_owned(), Err("The model's answer cannot be read.")),
    ] {
        let (read, _) = played(body.clone()).await;
        let error = read.error.map(|error| error.reason);
        assert_eq!(error.as_deref().map_or(Ok(&*read.text), Err), said, "{body}");
    }
}

#[tokio::test]
async fn a_question_written_into_the_text_is_asked() {
    let call = json!({"name": NAME, "arguments": json_of(ASK)});
    let questions = json_of(ASK)["questions"].take();
    for (what, text) in [
        ("Hermes", format!("<tool_call>\n{call}\n</tool_call>")),
        ("without an end", format!("<tool_call>\n{call}")),
        ("Llama", format!("<function=ask_user_question>{ASK}</function>")),
        (
            "Qwen",
            format!(
                "<tool_call>\n<function=ask_user_question>\n<parameter=questions>\n{questions}\n</parameter>\n</function>\n</tool_call>"
            ),
        ),
        (
            "GLM",
            format!(
                "<tool_call>ask_user_question\n<arg_key>questions</arg_key>\n<arg_value>{questions}</arg_value>\n</tool_call>"
            ),
        ),
        (
            "Kimi",
            format!(
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.ask_user_question:0<|tool_call_argument_begin|>{ASK}<|tool_call_end|><|tool_calls_section_end|>"
            ),
        ),
        (
            "DeepSeek",
            format!(
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ask_user_question\n```json\n{ASK}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
            ),
        ),
        (
            "DSML",
            format!(
                "<｜DSML｜function_calls><｜DSML｜invoke name=\"ask_user_question\"><｜DSML｜parameter name=\"questions\" string=\"false\">{questions}</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>"
            ),
        ),
        ("Mistral", format!("[TOOL_CALLS]ask_user_question[ARGS]{ASK}")),
        (
            "Harmony",
            format!("<|channel|>commentary to=functions.ask_user_question <|constrain|>json<|message|>{ASK}<|call|>"),
        ),
        (
            "Gemma",
            format!(
                "<|tool_call>call:{NAME}{{questions:[{{question:<|\"|>Which size?<|\"|>,options:[{{label:<|\"|>S<|\"|>}},{{label:<|\"|>M<|\"|>}}]}}]}}<tool_call|>"
            ),
        ),
        (
            "MiniMax",
            "<tool_call>\n<invoke name=\"ask_user_question\"><questions><item><question>Which size?</question><options><item><label>S</label></item><item><label>M</label></item></options></item></questions></invoke>\n</tool_call>"
                .replace('<', "]<]minimax[>[<"),
        ),
        (
            "Kimi's later one",
            format!(
                "<|open|>tools<|sep|><|open|>call tool=\"{NAME}\" index=\"0\"<|sep|><|open|>argument key=\"questions\" type=\"array\"<|sep|>{questions}<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|end_of_msg|>"
            ),
        ),
        ("Python", format!("[{NAME}(questions={questions})]")),
        ("LFM", format!("<|tool_call_start|>[{NAME}(questions={questions})]<|tool_call_end|>")),
        (
            "a namespace",
            format!(
                "<x:function_calls><x:invoke name=\"{NAME}\"><x:parameter name=\"questions\">{questions}</x:parameter></x:invoke></x:function_calls>"
            ),
        ),
        ("Cohere", format!("<|START_ACTION|>[{{\"tool_name\": \"{NAME}\", \"parameters\": {ASK}}}]<|END_ACTION|>")),
        ("the end of the turn behind it", format!("<tool_call>{call}</tool_call><|im_end|>")),
        ("a code block", format!("```json\n{call}\n```")),
        ("a list", format!("[{call}]")),
        ("arguments first", format!("<tool_call>{{\"arguments\": {ASK}, \"name\": \"{NAME}\"}}</tool_call>")),
        ("no arguments but questions", json!({"tool": NAME, "questions": questions}).to_string()),
        ("elements of their own", format!("<{NAME}>\n<questions>{questions}</questions>\n</{NAME}>")),
        ("an element of JSON", format!("<{NAME}>{ASK}</{NAME}>")),
        ("Anthropic's block", json!({"type": "tool_use", "name": NAME, "input": json_of(ASK)}).to_string()),
        ("an action", format!("{{\"action\": \"{NAME}\", \"action_input\": {ASK}}}")),
        ("a message", json!({"tool_calls": [{"function": {"name": NAME, "arguments": ASK}}]}).to_string()),
        ("the form of 2023", json!({"function_call": {"name": NAME, "arguments": ASK}}).to_string()),
        ("a block of Python", format!("```python\n{NAME}(questions={questions})\n```")),
        ("arguments in a text", json!({"type": "function", "function": {"name": NAME, "arguments": ASK}}).to_string()),
    ] {
        for (said, text) in [("", text.clone()), ("One thing.", format!("One thing.\n{text}"))] {
            for body in in_pieces(&text) {
                check_asks(what, body, said).await;
            }
        }
    }
    let both = answer(
        &[json!({"content": format!("<tool_call>{call}</tool_call>")}), json!({"tool_calls": [piece(NAME, ASK)]})],
        "tool_calls",
    );
    check_asks("called as well", both, "").await;
}

#[tokio::test]
async fn what_is_meant_for_the_user_is_shown_and_nothing_else() {
    for (text, shown) in [
        ("<THINK>secret</THINK>Hello", "Hello"),
        ("\n <think>a</think>\n<think>b</think>\n\nHello", "Hello"),
        ("[THINK]secret[/THINK]Hello", "Hello"),
        ("◁think▷secret◁/think▷Hello", "Hello"),
        ("<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>Hello", "Hello"),
        ("Use <think> for thoughts.", "Use <think> for thoughts."),
        ("<thi", "<thi"),
        ("{\"name\": \"Ann\", \"age\": 7}", "{\"name\": \"Ann\", \"age\": 7}"),
        ("<|START_THINKING|>secret<|END_THINKING|>Hello", "Hello"),
        ("</think>\n\nHello", "Hello"),
        ("secret\n</think>\n\nHello", "Hello"),
        ("Models write <think>\nso\n</think>\nso.", "Models write <think>\nso\n</think>\nso."),
        ("The end is </think>.", "The end is </think>."),
        ("\u{feff}<think>secret</think>Hello", "Hello"),
        ("<think id=\"1\">secret</think>Hello", "Hello"),
        ("<analysis>secret</analysis>\n<x:reflection>secret</x:reflection>Hello", "Hello"),
        ("<think>secret</think>Hel<think>secret</think>lo", "Hello"),
        ("<think>secret</think>Hello\n<think>secret", "Hello"),
        ("<think>secret</think>Models write <think> first.", "Models write <think> first."),
        ("<analysis of it> is a tag.", "<analysis of it> is a tag."),
        ("<|inner_prefix|>secret<|inner_suffix|><cot>secret</cot><reason>secret</reason>Hello", "Hello"),
        ("Hello[|endofturn|]", "Hello"),
        (
            "<|open|>think<|sep|>secret<|close|>think<|sep|><|open|>response<|sep|>Hello<|close|>response<|sep|>",
            "Hello",
        ),
        ("<|im_start|>assistant\nHello<|im_end|>\n<|endoftext|>", "Hello"),
        ("Hello</s>", "Hello"),
        ("Hello]<]minimax[>[</tool_call>", "Hello"),
        ("A turn ends with <|im_end|> there.", "A turn ends with <|im_end|> there."),
        ("A turn ends with `<|im_end|>`", "A turn ends with `<|im_end|>`"),
        ("a < b, x = [1, 2], Vec<u8>, and so on: <", "a < b, x = [1, 2], Vec<u8>, and so on: <"),
        // Other tools may do something, and a text may quote anybody.
        ("Hello. <tool_call>{\"name\": \"get_weather\", \"arguments\": {}}</tool_call>", "Hello."),
        ("Hello. <tool_call>{\"name\": \"ask_user_question\", \"arguments\": {\"questions\": [", "Hello."),
        ("Hello. <tool_call>\n<invoke name=\"get_weather\"><city>Graz</city></invoke></tool_call>", "Hello."),
        ("Hello. <tool_call>\n<invoke name=\"ask_user_question\"><questions><item><question>Which si", "Hello."),
        ("Hello. <|tool_call_start|>[get_weather(city=\"Graz\")]<|tool_call_end|>", "Hello."),
        ("The tag <invoke name=\"x\"> is used.", "The tag <invoke name=\"x\"> is used."),
        (
            "Write <tool_call>{\"name\": …}</tool_call> for a call.",
            "Write <tool_call>{\"name\": …}</tool_call> for a call.",
        ),
        ("A <tool_call> is a tag.", "A <tool_call> is a tag."),
        ("`<tool_call>{}</tool_call>`", "`<tool_call>{}</tool_call>`"),
        ("```json\n{\"name\": \"Ann\"}\n```", "```json\n{\"name\": \"Ann\"}\n```"),
        ("[a](b) {c} `d` <e", "[a](b) {c} `d` <e"),
    ] {
        for body in in_pieces(text) {
            let (read, _) = played(body).await;
            assert_eq!((read.text.trim(), &read.error, &*read.calls), (shown, &None, &[][..]), "{text}");
        }
    }
    let parts =
        [json!({"type": "reasoning", "text": "secret"}), json!({"type": "output_text", "text": "Hel"}), json!("l")];
    let value = json!([{"type": "text", "text": {"value": "o"}}]);
    let (read, _) = played(answer(&[json!({"content": parts}), json!({"content": value})], "stop")).await;
    assert_eq!(read.text, "Hello");
    let (read, _) = played(answer(&[json!({"content": "No. ", "refusal": "I can't."})], "stop")).await;
    assert_eq!(read.text, "No. I can't.");
    let thinking = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "secret"}]}]);
    let (read, _) = played(answer(&[json!({"content": thinking}), json!({"refusal": "Hello"})], "stop")).await;
    assert_eq!(read.text, "Hello");
}

#[tokio::test]
async fn an_error_is_one_wherever_it_is_told() {
    let in_chunk = |reason: Option<&str>| {
        let mut error = chunk(&json!({"content": ""}), reason);
        error["error"] = json!({"code": 502, "message": "Provider disconnected"});
        error
    };
    let half = event(&chunk(&json!({"content": "Let me "}), None));
    let in_choice =
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "error": {"message": "boom"}}]});
    let native =
        json!({"choices": [{"delta": {}, "finish_reason": "stop", "native_finish_reason": "MALFORMED_FUNCTION_CALL"}]});
    for error in [
        in_chunk(None),
        in_chunk(Some("stop")),
        in_choice,
        native,
        json!({"message": "boom", "code": 500}),
        json!({"object": "error", "message": "boom"}),
        json!({"type": "error", "message": "boom"}),
        json!({"status": "error", "message": "boom"}),
        json!([{"error": {"message": "boom"}}]),
        json!({"errors": [{"message": "boom"}]}),
        json!({"error": true, "message": "boom"}),
        json!({"detail": "boom"}),
        json!({"code": 500, "msg": "boom"}),
        json!({"success": false, "message": "boom"}),
        json!({"status": "failure", "message": "boom"}),
        json!({"internalServerException": {"message": "boom"}}),
        json!({"choices": null, "base_resp": {"status_code": 1002, "status_msg": "boom"}}),
        json!({"choices": [], "x_groq": {"error": "boom"}}),
        chunk(&json!({}), Some("repetition_truncation")),
        chunk(&json!({}), Some("OTHER")),
        chunk(&json!({}), Some("TOO_MANY_TOOL_CALLS")),
        chunk(&json!({}), Some("MISSING_THOUGHT_SIGNATURE")),
        chunk(&json!({}), Some("incomplete")),
    ] {
        let (read, _) = played(format!("{half}event: error\n{}data: [DONE]\n\n", event(&error))).await;
        let failed = read.error.unwrap_or_else(|| panic!("half an answer is none: {error}"));
        assert!(failed.reason.contains("broke off") && failed.retry_after.is_some(), "{error}: {failed}");
    }
    for nothing in [
        json!({"error": null}),
        json!({"error": {}}),
        json!({"type": "ping"}),
        json!({"status": "processing", "message": "queued"}),
        json!({"choices": [], "base_resp": {"status_code": 0, "status_msg": ""}}),
        json!({"usage": {"prompt_tokens": 9, "completion_tokens": 5}}),
    ] {
        let (read, _) = played(half.clone() + &event(&nothing) + &texts(&["see."])).await;
        assert_eq!((read.text.as_str(), &read.error), ("Let me see.", &None), "{nothing}");
        assert_eq!(read.usage.0, if nothing["usage"].is_null() { 0 } else { 9 });
    }
}

#[tokio::test]
async fn an_error_before_an_answer_is_a_refusal() {
    let told = |message: &str, code: Value| json!({"error": {"message": message, "code": code}}).to_string();
    for (error, words, wait) in [
        (told("maximum context length is 4096 tokens", json!(400)), "outgrown", None),
        (told("Please try again in 7s.", json!(429)), "asked too often", Some(7)),
        (told("try again in 7s", json!("rate_limit_exceeded")), "asked too often", Some(7)),
        (told("No credentials", json!("401")), "refuses the key", None),
        (told("Insufficient balance. Retry after 7s", json!("invalid_request_error")), "refuses", None),
        (format!("[{}]", told("try again in 7s", json!(503))), "failed (503)", Some(7)),
        (
            json!({"base_resp": {"status_code": 1002, "status_msg": "rate limit, retry in 7s"}}).to_string(),
            "asked too often",
            Some(7),
        ),
    ] {
        for vendor in ["openai", "anthropic", "gemini"] {
            for body in [error.clone(), format!("data: {error}\n\n")] {
                let failed = played_by(vendor, body).await.0.error.unwrap_or_else(|| panic!("{vendor}: {error}"));
                assert!(failed.reason.contains(words), "{vendor}: {error}: {failed}");
                assert_eq!(failed.retry_after.map(|wait| wait.as_secs()), wait, "{vendor}: {error}");
            }
        }
    }
}

/// The pause after a refusal with these headers and words.
async fn pause(headers: &[(&'static str, &'static str)], said: &'static str) -> Duration {
    let named =
        |(name, value): &(&'static str, &'static str)| (HeaderName::from_static(name), HeaderValue::from_static(value));
    let headers: HeaderMap = headers.iter().map(named).collect();
    let refuses = move || ready((StatusCode::TOO_MANY_REQUESTS, headers.clone(), said));
    let endpoint = Endpoint::serving(Router::new().fallback(refuses)).await;
    let model = model(Vendor::by_name("openai").expect("it is in the list"), &endpoint);
    let refused = read(&model, vec![says("hi")]).await.error.expect("it is refused");
    refused.retry_after.expect("another try may help")
}

#[tokio::test]
async fn an_endpoint_says_how_long_to_wait() {
    const OWN: u64 = 500;
    for (headers, said, milliseconds) in [
        (&[("retry-after", "7")][..], "", 7_000),
        (&[("retry-after-ms", "1500")], "", 1_500),
        (&[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")], "", 0),
        (&[("retry-after", "-1")], "", OWN),
        (&[("retry-after", "nan")], "", OWN),
        (&[("retry-after", "1e300")], "", OWN),
        (&[("retry-after", "soon")], "", OWN),
        (&[("x-ratelimit-reset-requests", "340ms"), ("x-ratelimit-reset-tokens", "2m")], "", 340),
        (&[("ratelimitbysize-reset", "7")], "", 7_000),
        (&[("x-ratelimit-reset", "1000000001")], "", 0),
        (
            &[
                ("x-ratelimit-remaining-requests", "9"),
                ("x-ratelimit-reset-requests", "1s"),
                ("x-ratelimit-remaining-tokens", "0"),
                ("x-ratelimit-reset-tokens", "7.66s"),
            ],
            "",
            7_660,
        ),
        (&[("x-ratelimit-reset", "soon"), ("x-ratelimit-limit", "7")], "", OWN),
        (&[], r#"[{"error":{"message":"x","details":[{"@type":"a"},{"retryDelay":"7s"}]}}]"#, 7_000),
        (&[], r#"{"error":{"message":"Rate limit reached. Please try again in 7.66s. Visit https://x."}}"#, 7_660),
        (&[], r#"{"error":{"message":"Please try again in 340ms."}}"#, 340),
        (&[], r#"{"error":{"message":"Please retry in 1m2.5s."}}"#, 62_500),
        (&[], r#"{"detail":"Too fast. Please wait 7 seconds."}"#, 7_000),
        (&[], r#"{"error":"Model x is loading","estimated_time":20.5}"#, 20_500),
        (&[], r#"{"error":{"message":"x","metadata":{"retry_after_seconds": 7}}}"#, 7_000),
        (&[], "Try again in 7s.", 7_000),
        (&[], "slow down", OWN),
        (&[], r#"{"error":{"message":"Try again in a while."}}"#, OWN),
    ] {
        assert_eq!(pause(headers, said).await, Duration::from_millis(milliseconds), "{headers:?} {said}");
    }
    assert!(pause(&[("retry-after", "Mon, 21 Oct 2999 07:28:00 GMT")], "").await > Duration::from_hours(1));
}

#[tokio::test]
async fn what_may_help_is_known_by_what_is_said() {
    // Whether another try may help; `None` if the endpoint is asked again at once, without the member that it does not take.
    for (status, said, words, may_help) in [
        (
            400,
            r#"{"error":{"code":"tool_use_failed","failed_generation":"<function=x>"}}"#,
            "could not read",
            Some(true),
        ),
        (400, r#"{"error":{"code":"context_length_exceeded"}}"#, "outgrown", Some(false)),
        (413, "Prompt is too long", "outgrown", Some(false)),
        (422, r#"{"detail":"extra field: stream_options"}"#, "", None),
        (422, "'temperature' does not support 0.2 with this model", "", None),
        (400, "Unsupported parameter: 'max_tokens'", "", None),
        (400, "temperature must be at most 2", "refuses (400)", Some(false)),
        (400, "Your request exceeded model token limit: 131072", "outgrown", Some(false)),
        (413, "Too large on tokens per minute, please reduce your message size", "outgrown", Some(false)),
        (429, r#"{"error":{"code":"insufficient_quota"}}"#, "refuses (429)", Some(false)),
        (498, "", "refuses (498)", Some(true)),
        (400, "boom", "refuses (400)", Some(false)),
        (401, "context length", "refuses the key", Some(false)),
        (429, "too many tokens", "asked too often", Some(true)),
        (503, "", "failed (503)", Some(true)),
    ] {
        let status = StatusCode::from_u16(status).expect("it is one");
        let answers = [(status, said.to_owned()), (StatusCode::OK, texts(&["Done."]))];
        let endpoint = Endpoint::replaying(answers.map(|(status, body)| Recorded { status, body })).await;
        let model = model(Vendor::by_name("openai").expect("it is in the list"), &endpoint);
        let failed = read(&model, vec![says("hi")]).await.error;
        assert_eq!(failed.as_ref().map(|failed| failed.retry_after.is_some()), may_help, "{said}: {failed:?}");
        assert!(failed.is_none_or(|failed| failed.reason.contains(words)), "{said}");
    }
}

#[tokio::test]
async fn what_an_endpoint_signed_goes_back_to_it() {
    let signature = json!({"google": {"thought_signature": "U0lH"}});
    let signed = |name: &str, arguments: &str| {
        let mut piece = piece(name, arguments);
        piece["extra_content"] = signature.clone();
        piece
    };
    for (what, body) in [
        ("a namespace", calls(&[signed("default_api.ask_user_question", ASK)])),
        ("a name in pieces", calls(&[signed("ask_user", ""), piece("_question", ASK)])),
        ("a placeholder", calls(&[signed(NAME, "{}"), piece("", ASK)])),
        ("no JSON", calls(&[signed(NAME, "{\"questions\":")])),
        ("a reason that nobody knows", answer(&[json!({"tool_calls": [signed(NAME, ASK)]})], "done")),
    ] {
        let (_, back) = played(body).await;
        assert_eq!(back["tool_calls"][0]["extra_content"], signature, "{what}: {back}");
    }
    let part = |name: &str| json!({"functionCall": {"name": name, "args": json_of(ASK)}, "thoughtSignature": "U0lH"});
    let content = json!({"role": "model", "parts": [part("default_api:ask_user_question")]});
    let (_, asked) =
        played_by("gemini", event(&json!({"candidates": [{"content": content, "finishReason": "STOP"}]}))).await;
    assert_eq!(asked["contents"][1]["parts"], json!([part(NAME)]), "{asked}");
    let call = json!({"tool_calls": [piece(NAME, ASK)]});
    let late = event(&chunk(&call, None)) + &event(&chunk(&json!({}), Some("tool_calls")));
    let late = late + &event(&chunk(&json!({"extra_content": signature}), None));
    let whole = json!({"role": "assistant", "extra_content": signature, "tool_calls": [piece(NAME, ASK)]});
    for body in [
        answer(&[json!({"extra_content": signature}), call.clone()], "tool_calls"),
        answer(&[call.clone(), json!({"extra_content": signature})], "tool_calls"),
        late,
        json!({"choices": [{"message": whole}]}).to_string(),
    ] {
        let (_, back) = played(body).await;
        assert_eq!(back["extra_content"], signature, "{back}");
        assert!(!back["tool_calls"].to_string().contains("U0lH"), "{back}");
    }
    let block = |text: &str, signature: &str| json!({"type": "thinking", "thinking": text, "signature": signature});
    let blocks = [
        block("So ", ""),
        block("be it.", ""),
        block("", "U0lH"),
        block("Or", ""),
        block("Or not.", "U0lI"),
        block("?", ""),
    ];
    let blocks = blocks.map(|block| json!({"thinking_blocks": [block]}));
    let (_, back) = played(answer(&[&blocks[..], &[call]].concat(), "tool_calls")).await;
    assert_eq!(back["thinking_blocks"], json!([block("So be it.", "U0lH"), block("Or not.", "U0lI")]), "{back}");
}
