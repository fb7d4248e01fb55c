//! The streams of each vendor. They are written after the vendors' documentation; none is recorded.

use crate::replayed::{Endpoint, Recorded};
use ask_user_question::outcome::{AnsweredBy, AskMetadata, OutcomeKind};
use axum::Router;
use axum::http::StatusCode;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use json_tree::Json;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::{AssistantMessage, Message, UserMessage};
use question_agent::registry::{ToolContext, ToolSpec};
use question_models::{
    Delta, Model as _, ModelError, ModelRequest, Picture, Pictures, RemoteModel, Settings, SetupError, Vendor, vendors,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::ready;
use std::time::Duration;

const KEY: &str = "sk-test-0123456789";
pub(crate) const ASK: &str = r#"{"questions":[{"question":"Which size?","options":[{"label":"S"},{"label":"M"}]}]}"#;

/// The streams of a vendor by what they are.
fn streams(vendor: &Vendor) -> BTreeMap<String, Vec<Value>> {
    let text = match vendor.name {
        "openai" => include_str!("streams/openai.json"),
        "anthropic" => include_str!("streams/anthropic.json"),
        "gemini" => include_str!("streams/gemini.json"),
        "mistral" => include_str!("streams/mistral.json"),
        "deepseek" => include_str!("streams/deepseek.json"),
        "groq" => include_str!("streams/groq.json"),
        "openrouter" => include_str!("streams/openrouter.json"),
        "azure" => include_str!("streams/azure.json"),
        "ollama" => include_str!("streams/ollama.json"),
        other => panic!("{other} has no streams"),
    };
    serde_json::from_str(text).expect("the streams are legal")
}

fn recorded(vendor: &Vendor, kind: &str) -> Recorded {
    let streams = streams(vendor);
    let written = streams[kind].iter().map(|piece| match piece {
        Value::String(text) => text.clone(),
        event => match event["type"].as_str() {
            Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        },
    });
    Recorded { status: StatusCode::OK, body: written.collect() }
}

pub(crate) fn settings(endpoint: &Endpoint) -> Settings {
    Settings {
        base_url: endpoint.url.clone(),
        key: Some(KEY.to_owned()),
        model: "a-model".to_owned(),
        sends_reasoning: true,
        ..Settings::default()
    }
}

pub(crate) fn model(vendor: &'static Vendor, endpoint: &Endpoint) -> RemoteModel {
    RemoteModel::new(vendor, settings(endpoint)).expect("loopback may have the key")
}

fn request(messages: Vec<Message>) -> ModelRequest {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let tools = ["ask_user_question", "get_weather"].map(|name| ToolSpec::new(name, "A tool.", &schema));
    ModelRequest {
        messages,
        pictures: Pictures::new(),
        tools: tools.into(),
        attempt: 1,
        context: ToolContext::default(),
        guidance: None,
        headers: Default::default(),
    }
}

pub(crate) fn says(text: &str) -> Message {
    Message::User(UserMessage::new("u", text))
}

/// An answer as its reader has it in the end.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) text: String,
    pub(crate) calls: Vec<(String, String)>,
    pub(crate) usage: (u64, u64),
    /// The data that goes back to the vendor.
    pub(crate) origin: Option<Json<'static>>,
    pieces: usize,
    /// True if it ended at a limit of tokens.
    pub(crate) is_cut: bool,
    pub(crate) error: Option<ModelError>,
}

impl Read {
    /// The history behind this answer, with this result of each call.
    pub(crate) fn history(&self, result: &str) -> Vec<Message> {
        let calls = self.calls.iter().enumerate();
        let calls: Vec<_> = calls.map(|(id, (name, of))| ToolCall::new(format!("our{id}"), name, of)).collect();
        let results = calls.iter().map(|call| Message::Tool(ToolResult::success(call.id.clone(), result)));
        let results: Vec<Message> = results.collect();
        let (text, origin) = (self.text.clone(), self.origin.clone());
        let answer = AssistantMessage { id: "a".to_owned(), text, tool_calls: calls, origin };
        [vec![says("hi"), Message::Assistant(answer)], results].concat()
    }
}

pub(crate) async fn read(model: &RemoteModel, messages: Vec<Message>) -> Read {
    read_of(model, request(messages)).await
}

async fn read_of(model: &RemoteModel, request: ModelRequest) -> Read {
    let mut read = Read::default();
    let mut deltas = model.respond(request);
    while let Some(delta) = deltas.next().await {
        match delta {
            Ok(Delta::Text(text)) => read.text += &text,
            Ok(Delta::Unsaid) => read.text.clear(),
            Ok(Delta::CallStart { call, name }) => {
                read.calls.resize(read.calls.len().max(call + 1), Default::default());
                read.calls[call].0 = name;
            }
            Ok(Delta::CallArgs { call, delta }) => {
                read.pieces += 1;
                read.calls[call].1 += &delta;
            }
            Ok(Delta::CallArgsAre { call, arguments }) => read.calls[call].1 = arguments,
            Ok(Delta::Usage { input, output }) => read.usage = (input, output),
            Ok(Delta::Origin(origin)) => read.origin = Some(origin),
            Ok(Delta::CallEnd { .. }) => {}
            Ok(Delta::Cut) => read.is_cut = true,
            Err(error) => read.error = Some(error),
        }
    }
    read
}

async fn played(vendor: &'static Vendor, kind: &str) -> Read {
    let endpoint = Endpoint::replaying([recorded(vendor, kind)]).await;
    read(&model(vendor, &endpoint), vec![says("hi")]).await
}

pub(crate) fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[tokio::test]
async fn text_streams_and_its_tokens_are_counted() {
    for vendor in vendors() {
        let read = played(vendor, "text").await;
        assert_eq!((read.text.as_str(), &read.error), ("Grüß Gott!", &None), "{}", vendor.name);
        assert_eq!(read.usage, (9, 5), "{}", vendor.name);
    }
}

#[tokio::test]
async fn an_endpoint_that_does_not_take_a_member_answers_all_who_ask_at_once() {
    let vendor = Vendor::by_name("openai").expect("it is in the list");
    let text = recorded(vendor, "text").body;
    let refuses = move |asked: String| {
        let refused = ["stream_options", "temperature", "max_tokens"].into_iter().find(|member| asked.contains(member));
        let refusal = |member| json!({"error": {"message": format!("Unrecognized request argument: {member}")}});
        ready(match refused {
            Some(member) => (StatusCode::BAD_REQUEST, refusal(member).to_string()),
            None => (StatusCode::OK, text.clone()),
        })
    };
    let endpoint = Endpoint::serving(Router::new().fallback(refuses)).await;
    let settings = Settings { temperature: Some(0.2), max_tokens: Some(9), ..settings(&endpoint) };
    let model = RemoteModel::new(vendor, settings).expect("loopback may have the key");
    // Both are sent before either is answered.
    for read in join_all([(); 2].map(|()| read(&model, vec![says("hi")]))).await {
        assert_eq!((read.text.as_str(), &read.error), ("Grüß Gott!", &None));
    }
}

#[tokio::test]
async fn a_question_arrives_in_the_pieces_in_which_it_is_sent() {
    for vendor in vendors() {
        let read = played(vendor, "ask").await;
        assert_eq!(read.error, None, "{}", vendor.name);
        let [(name, arguments)] = &read.calls[..] else { panic!("{}: {read:?}", vendor.name) };
        assert_eq!((name.as_str(), json_of(arguments)), ("ask_user_question", json_of(ASK)), "{}", vendor.name);
        // These three send a call at once.
        let is_whole = ["gemini", "groq", "ollama"].contains(&vendor.name);
        assert_eq!(read.pieces > 1, !is_whole, "{}: {}", vendor.name, read.pieces);
    }
}

#[tokio::test]
async fn two_calls_stay_two() {
    for vendor in vendors() {
        let read = played(vendor, "two").await;
        assert_eq!(read.error, None, "{}", vendor.name);
        let calls: Vec<(&str, Value)> = read.calls.iter().map(|(name, of)| (name.as_str(), json_of(of))).collect();
        let expected = ["Graz", "Linz"].map(|city| ("get_weather", json!({"city": city})));
        assert_eq!(calls, expected, "{}", vendor.name);
    }
}

#[tokio::test]
async fn what_is_no_answer_is_an_error_and_never_an_end() {
    for vendor in vendors() {
        for (kind, said, text) in
            [("refusal", "withheld", ""), ("error", "broke off", "Let me"), ("cut", "broke off", "Let me")]
        {
            let read = played(vendor, kind).await;
            let error = read.error.unwrap_or_else(|| panic!("{}: {kind} is no error", vendor.name));
            assert!(error.reason.contains(said), "{}: {kind}: {error}", vendor.name);
            assert!(error.retry_after.is_some(), "{}: {kind} may be tried again", vendor.name);
            assert_eq!(read.text, text, "{}: {kind}", vendor.name);
        }
    }
}

#[tokio::test]
async fn an_error_in_the_form_of_another_vendor_is_one() {
    let error = json!({"error": {"message": "boom", "type": "stream_error"}});
    for vendor in vendors() {
        let cut = recorded(vendor, "cut").body;
        let body =
            cut + &format!("\ndata: {error}\n\n") + "event: message_stop\ndata: {\"type\": \"message_stop\"}\n\n";
        let endpoint = Endpoint::replaying([Recorded { status: StatusCode::OK, body }]).await;
        let read = read(&model(vendor, &endpoint), vec![says("hi")]).await;
        assert_eq!(read.error.map(|error| error.reason).as_deref(), Some("The model broke off."), "{}", vendor.name);
    }
}

#[tokio::test]
async fn an_overloaded_endpoint_says_when_to_come_back() {
    for vendor in vendors() {
        for status in [429, 503, 529] {
            let status = StatusCode::from_u16(status).expect("it is one");
            let busy =
                Recorded { status, body: json!({"error": {"message": format!("Overloaded: {KEY}")}}).to_string() };
            let endpoint = Endpoint::replaying([busy]).await;
            let error = read(&model(vendor, &endpoint), vec![says("hi")]).await.error.expect("it is busy");
            assert_eq!(error.retry_after, Some(Duration::from_secs(7)), "{}: {status}", vendor.name);
            assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
        }
    }
}

#[tokio::test]
async fn thoughts_are_not_shown() {
    for vendor in vendors() {
        let read = played(vendor, "thinking").await;
        assert_eq!((read.text.as_str(), &read.error), ("Grüß Gott!", &None), "{}", vendor.name);
    }
}

#[tokio::test]
async fn the_key_is_in_its_header_alone() {
    for vendor in vendors() {
        let endpoint = Endpoint::replaying([recorded(vendor, "text")]).await;
        let model = model(vendor, &endpoint);
        read(&model, vec![says("hi")]).await;
        let (address, headers, body) = endpoint.asked().remove(0);
        let (header, value, path) = match vendor.name {
            "anthropic" => ("x-api-key", KEY.to_owned(), "/v1/messages"),
            "gemini" => ("x-goog-api-key", KEY.to_owned(), "/v1beta/models/a-model:streamGenerateContent"),
            "azure" => ("api-key", KEY.to_owned(), "/openai/deployments/a-model/chat/completions"),
            "mistral" => ("authorization", format!("Bearer {KEY}"), "/v1/chat/completions"),
            _ => ("authorization", format!("Bearer {KEY}"), "/chat/completions"),
        };
        assert_eq!((headers[header].to_str().ok(), address.path()), (Some(value.as_str()), path), "{}", vendor.name);
        let with_it = headers.values().filter(|value| value.to_str().is_ok_and(|value| value.contains(KEY))).count();
        assert_eq!(with_it, 1, "{}", vendor.name);
        assert!(!address.to_string().contains(KEY) && !body.contains(KEY), "{}", vendor.name);
        assert!(!format!("{model:?}").contains(KEY), "{model:?}");
    }
}

#[tokio::test]
async fn a_call_and_its_result_go_back_to_the_vendor() {
    for vendor in vendors() {
        let endpoint = Endpoint::replaying([recorded(vendor, "two"), recorded(vendor, "text")]).await;
        let model = model(vendor, &endpoint);
        let first = read(&model, vec![says("hi")]).await;
        let second = read(&model, first.history("Sunny.")).await;
        assert_eq!((second.text.as_str(), &second.error), ("Grüß Gott!", &None), "{}", vendor.name);
        let (_, _, body) = endpoint.asked().remove(1);
        for part in ["Graz", "Linz", "Sunny."] {
            assert!(body.contains(part), "{}: {body}", vendor.name);
        }
        // The vendor's own ids, and what it signed.
        assert!(!body.contains("our0"), "{}: {body}", vendor.name);
        assert!(vendor.name != "gemini" || body.contains("U0lH"), "{body}");
    }
}

/// The user's answer with a picture, a document and two pictures that the request does not have, beside the result of another call.
fn answered_with_files() -> ModelRequest {
    let file = |name: &str, kind: &str| json!({"url": format!("/files/{name}"), "name": name, "type": kind, "size": 7});
    let png = |name: &str| file(name, "image/png");
    let files = json!([png("cat.png"), file("a.pdf", "application/pdf"), png("gone.png"), png("old.png")]);
    let details = json!([{"index": 0, "selected": [0], "attachments": files}]);
    let content = json!({"answers": {"Which size?": "S"}, "details": details}).to_string();
    let ask = AskMetadata {
        tool_call_id: "c1".to_owned(),
        reply_id: "r".to_owned(),
        outcome: OutcomeKind::Answered,
        by: AnsweredBy::Card,
        replaces: None,
        via: None,
    };
    let calls = vec![ToolCall::new("c1", "ask_user_question", ASK), ToolCall::new("c2", "get_weather", "{}")];
    let asked = AssistantMessage { id: "a".to_owned(), text: String::new(), tool_calls: calls, origin: None };
    let messages = vec![
        says("hi"),
        Message::Assistant(asked),
        Message::Tool(ToolResult { ask: Some(ask), ..ToolResult::success("c1", content) }),
        Message::Tool(ToolResult::success("c2", "Sunny.")),
    ];
    let pictures = [("/files/cat.png", Picture::Bytes("picture".into())), ("/files/gone.png", Picture::Gone)];
    ModelRequest { pictures: pictures.map(|(url, it)| (url.to_owned(), it)).into(), ..request(messages) }
}

/// The body of the request for a model that sees or not.
async fn asked_about_files(vendor: &'static Vendor, sees: Option<bool>) -> Value {
    let endpoint = Endpoint::replaying([recorded(vendor, "text")]).await;
    let settings = Settings { sees, ..settings(&endpoint) };
    let model = RemoteModel::new(vendor, settings).expect("loopback may have the key");
    let answered = answered_with_files();
    let shown = format!("{answered:?}");
    assert!(shown.contains("Bytes(7)") && !shown.contains("b\"picture\""), "{shown}");
    assert_eq!(read_of(&model, answered).await.error, None, "{}", vendor.name);
    json_of(&endpoint.asked().remove(0).2)
}

/// The bytes of the picture in base64.
const PICTURE: &str = "cGljdHVyZQ==";

#[tokio::test]
async fn a_model_that_sees_gets_the_pictures_of_an_answer_as_its_vendor_takes_them() {
    for vendor in vendors().iter().filter(|vendor| vendor.largest_picture > 0) {
        let asked = asked_about_files(vendor, Some(true)).await;
        match vendor.name {
            "anthropic" => {
                let source = json!({"type": "base64", "media_type": "image/png", "data": PICTURE});
                let results = &asked["messages"][2]["content"];
                assert_eq!(results[0]["content"][1], json!({"type": "image", "source": source}), "{asked}");
                assert_eq!(results[1]["content"][0]["text"], "Sunny.", "{asked}");
            }
            "gemini" => {
                let results = &asked["contents"][2]["parts"];
                let inline = &results[0]["functionResponse"]["parts"][0]["inlineData"];
                assert_eq!(*inline, json!({"mimeType": "image/png", "data": PICTURE}), "{asked}");
                assert_eq!(results[1]["functionResponse"]["name"], "get_weather", "{asked}");
            }
            _ => {
                let messages = asked["messages"].as_array().expect("it has some");
                let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
                assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "user"], "{}", vendor.name);
                let url = format!("data:image/png;base64,{PICTURE}");
                assert_eq!(messages[5]["content"][1]["image_url"]["url"], url, "{}: {asked}", vendor.name);
            }
        }
        let asked = asked.to_string();
        assert_eq!(asked.matches(PICTURE).count(), 1, "{}", vendor.name);
        for sentence in [
            "The user attached 1 picture (cat.png).",
            "The user attached 1 picture (gone.png), which the server does not have any more.",
            "The user attached 1 picture (old.png), for which this request has no room.",
            "The user attached 1 file (a.pdf), which this model cannot read.",
        ] {
            assert!(asked.contains(sentence), "{}: {sentence}: {asked}", vendor.name);
        }
        assert!(!asked.contains("omitted"), "{}: {asked}", vendor.name);
    }
}

#[tokio::test]
async fn a_model_that_does_not_see_is_told_of_the_pictures() {
    for vendor in vendors() {
        let asked = asked_about_files(vendor, Some(false)).await.to_string();
        let told = "The user attached 3 pictures (cat.png, gone.png, old.png), which this model cannot see. \
                    The user attached 1 file (a.pdf), which this model cannot read.";
        assert!(asked.contains(told), "{}: {asked}", vendor.name);
        assert!(!asked.contains(PICTURE), "{}: {asked}", vendor.name);
    }
}

#[tokio::test]
async fn which_models_see_is_known_by_their_names() {
    for (vendor, model, sees) in [
        ("openai", "gpt-5.4-mini", true),
        ("openai", "o3-mini", false),
        ("openai", "my-own-model", true),
        ("anthropic", "claude-sonnet-5-5", true),
        ("gemini", "gemini-3.8-flash", true),
        ("mistral", "mistral-large-latest", true),
        ("mistral", "codestral-latest", false),
        ("deepseek", "deepseek-flash", false),
        ("groq", "openai/gpt-oss-120b", false),
        ("ollama", "llama3.2:3b", false),
        ("ollama", "gemma3:4b", true),
    ] {
        let of = Vendor::by_name(vendor).expect("it is in the list");
        assert_eq!(of.sees(model), sees, "{vendor}:{model}");
        let settings = |sees| Settings {
            base_url: "http://localhost".to_owned(),
            model: model.to_owned(),
            sees,
            ..Settings::default()
        };
        let set = |sees| RemoteModel::new(of, settings(sees)).map(|model| model.sees());
        assert!(matches!(set(None), Ok(it) if it == sees) && matches!(set(Some(false)), Ok(false)), "{vendor}:{model}");
        match vendor {
            "deepseek" => assert!(matches!(set(Some(true)), Err(SetupError::NoPictures("deepseek")))),
            _ => assert!(matches!(set(Some(true)), Ok(true)), "{vendor}:{model}"),
        }
    }
}

#[tokio::test]
async fn a_picture_that_a_vendor_does_not_take_is_not_sent() {
    for (vendor, kind, bytes) in [("gemini", "image/gif", 7), ("anthropic", "image/png", 4 << 20)] {
        let vendor = Vendor::by_name(vendor).expect("it is in the list");
        let endpoint = Endpoint::replaying([recorded(vendor, "text")]).await;
        let mut asked = answered_with_files();
        if let Message::Tool(result) = &mut asked.messages[2] {
            result.content = result.content.replacen("image/png", kind, 1);
        }
        asked.pictures.insert("/files/cat.png".to_owned(), Picture::Bytes(vec![b'x'; bytes].into()));
        assert_eq!(read_of(&model(vendor, &endpoint), asked).await.error, None, "{}", vendor.name);
        let sent = endpoint.asked().remove(0).2;
        assert!(
            sent.contains("(cat.png), which the model's endpoint does not take.") && !sent.contains("omitted"),
            "{sent}"
        );
    }
}

#[tokio::test]
async fn a_picture_that_is_refused_is_an_error() {
    for vendor in vendors().iter().filter(|vendor| vendor.largest_picture > 0) {
        let refusal = json!({"error": {"message": format!("Could not process image {PICTURE}")}}).to_string();
        let endpoint = Endpoint::replaying([Recorded { status: StatusCode::BAD_REQUEST, body: refusal }]).await;
        let error = read_of(&model(vendor, &endpoint), answered_with_files()).await.error.expect("it is refused");
        assert_eq!((error.reason.as_str(), error.retry_after), ("The model's endpoint refuses (400).", None));
    }
}
