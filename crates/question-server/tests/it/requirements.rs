//! The requirements of the tool's origins, each by a test whose name begins with its number. README.md of `question-agent` has them as a table.

use crate::house::{Agent, app, parts, server, server_with};
use crate::http::{get, messages, post, says};
use crate::script::{Line, Script};
use crate::visitor::Visitor;
use crate::watcher::{Watcher, until_state};
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ask_user_question::Limits;
use axum::Router;
use futures_util::stream::BoxStream;
use question_agent::message::Message;
use question_agent::registry::{ToolContext, ToolRegistry};
use question_server::Config;
use question_server::models::{Delta, Model, ModelError, ModelRequest};
use serde_json::{Value, json};

/// A coding agent that does what a test says.
#[derive(Clone, Debug)]
struct CodingAgent(Script);

impl Agent for CodingAgent {}

impl Model for CodingAgent {
    fn limits(&self) -> Limits {
        Limits::CODING
    }

    fn respond(&self, request: ModelRequest) -> BoxStream<'static, Result<Delta, ModelError>> {
        self.0.respond(request)
    }
}

const TOOL: &str = "AskUserQuestion";

fn question(text: &str, options: &[&str]) -> Value {
    let options: Vec<Value> = options.iter().map(|label| json!({"label": label})).collect();
    json!({"question": text, "header": "Header", "options": options})
}

fn numbered(count: usize) -> Value {
    let questions: Vec<Value> = (1..=count).map(|number| question(&format!("Number {number}?"), &["A", "B"])).collect();
    json!({"questions": questions})
}

fn with(member: &str, value: Value) -> Value {
    let mut ask = json!({"questions": [question("Which?", &["A", "B"])]});
    ask["questions"][0][member] = value;
    ask
}

/// An agent that asks this and then says something.
fn asks(ask: &Value) -> Script {
    let arguments: &'static str = ask.to_string().leak();
    Script::new([vec![Line::Calls(0, TOOL, arguments)], vec![Line::Says("Done.")]])
}

/// A server whose agent was told to begin, and asked this.
async fn asked(ask: &Value) -> Router {
    let server = server_with(CodingAgent(asks(ask)));
    post(&server, "/agent", says("t", "u", "Begin")).await.events();
    server
}

async fn state(server: &Router) -> Value {
    get(server, "/conversations/t").await.json()["state"].take()
}

async fn check_waits(ask: &Value) {
    assert_eq!(state(&asked(ask).await).await["type"], "awaiting_user_response", "{ask}");
}

/// Checks the agent's result of an ask that it may not ask.
async fn check_refused(ask: &Value, why: &str) {
    let server = asked(ask).await;
    assert_eq!(state(&server).await["type"], "idle", "{ask}");
    let result = result(&server).await;
    assert!(result.contains(why), "{why}: {result}");
}

/// The result of the call.
async fn result(server: &Router) -> String {
    let messages = messages(server, "t").await;
    let result = messages.iter().find(|message| message["role"] == "tool").expect("the call has a result");
    result["content"].as_str().expect("it is text").to_owned()
}

async fn answer(server: &Router, answers: Value) {
    let answered = post(server, "/conversations/t/respond", json!({"answers": answers})).await;
    assert_eq!(answered.status, 200, "{:?}", answered.body);
    until_state(server, "t", "idle").await;
}

#[tokio::test]
async fn req_auq_001_the_agent_asks_structured_questions_and_pauses() {
    for count in [1, 4] {
        let server = asked(&numbered(count)).await;
        let state = state(&server).await;
        assert_eq!(state["type"], "awaiting_user_response");
        assert_eq!(state["questions"].as_array().map(Vec::len), Some(count));
        let last = messages(&server, "t").await.pop().expect("there are some");
        assert_eq!(last["role"], "assistant", "nothing follows until there is an answer: {last}");
    }
}

#[tokio::test]
async fn req_auq_002_one_option_several_with_commas_or_free_text_are_recorded() {
    let mut ask = json!({"questions": [question("One?", &["A", "B"]), question("Several?", &["C", "D"]), question("Own?", &["E", "F"])]});
    ask["questions"][1]["multiSelect"] = true.into();
    let server = asked(&ask).await;
    let answers = json!({"One?": "B", "Several?": "C, D", "Own?": "something else"});
    answer(&server, answers.clone()).await;
    let result: Value = serde_json::from_str(&result(&server).await).expect("a reply is JSON");
    assert_eq!(result["answers"], answers);
}

#[tokio::test]
async fn req_auq_003_answers_are_the_tools_result_and_cancelling_lets_the_agent_go_on() {
    let server = asked(&numbered(1)).await;
    answer(&server, json!({"Number 1?": "A"})).await;
    assert_eq!(result(&server).await, r#"{"answers":{"Number 1?":"A"}}"#);
    assert_eq!(messages(&server, "t").await.pop().expect("there are some")["content"], "Done.");

    for (cancel, goes_on) in [(json!({"proceed": true}), true), (json!({}), false)] {
        let server = asked(&numbered(1)).await;
        assert_eq!(post(&server, "/conversations/t/cancel", cancel).await.status, 200);
        until_state(&server, "t", "idle").await;
        assert!(result(&server).await.contains("User cancelled the question"));
        let last = messages(&server, "t").await.pop().expect("there are some");
        assert_eq!(last["content"] == "Done.", goes_on, "{last}");
    }
}

#[tokio::test]
async fn req_auq_004_the_model_is_told_the_schema() {
    let script = Script::new([vec![Line::Says("Done.")]]);
    let server = server_with(script.clone());
    post(&server, "/agent", says("t", "u", "Begin")).await.events();
    let tools = script.asked().remove(0).tools;
    let tool = serde_json::to_value(&tools[0]).expect("a tool is JSON");
    assert_eq!(tool["name"], "ask_user_question");
    let questions = &tool["parameters"]["properties"]["questions"];
    assert_eq!((&questions["minItems"], &questions["maxItems"]), (&json!(1), &json!(4)));
    let question = &questions["items"]["properties"];
    assert_eq!((&question["options"]["minItems"], &question["options"]["maxItems"]), (&json!(2), &json!(4)));
    let option = &question["options"]["items"]["properties"];
    let kinds = [
        &question["question"],
        &question["header"],
        &question["multiSelect"],
        &option["label"],
        &option["description"],
    ];
    assert_eq!(kinds.map(|property| &property["type"]), ["string", "string", "boolean", "string", "string"]);
}

#[tokio::test]
async fn req_auq_005_a_sub_agent_is_refused_and_told_that_only_its_parent_can_ask() {
    let script = Script::new([
        vec![Line::Calls(0, "spawn_agents", r#"{"tasks": ["Look around"]}"#)],
        vec![Line::Calls(0, "ask_user_question", crate::script::ASK)],
        vec![Line::Says("I looked.")],
        vec![Line::Says("Done.")],
    ])
    .with_agents();
    let server = server_with(script.clone());
    post(&server, "/agent", says("t", "u", "Begin")).await.events();
    let asked = script.asked();
    assert!(asked[1].tools.iter().all(|tool| tool.name != "ask_user_question"), "{:?}", asked[1].tools);
    let Some(Message::Tool(refused)) = asked[2].messages.last() else {
        panic!("{:?}", asked[2].messages);
    };
    let sentence = "ask_user_question is not available to sub-agents: only the parent conversation can ask the user";
    assert!(refused.is_error && refused.content.contains(sentence), "{}", refused.content);
    assert!(result(&server).await.contains("I looked."), "its parent goes on");
}

#[tokio::test]
async fn req_auq_006_clients_see_that_it_waits_and_for_what_and_how_that_ends() {
    for (path, reply) in [("respond", json!({"answers": {"Number 1?": "A"}})), ("cancel", json!({}))] {
        let server = asked(&numbered(1)).await;
        let mut watcher = Watcher::open(&server, "t", None).await;
        let first = watcher.next().await;
        assert_eq!(first.event.as_deref(), Some("state_change"));
        assert_eq!(first.data["type"], "awaiting_user_response");
        assert_eq!(first.data["questions"][0]["question"], "Number 1?");
        assert_eq!(post(&server, &format!("/conversations/t/{path}"), reply).await.status, 200);
        let seen = watcher.until(|frame| frame.event.is_some() && frame.data["type"] == "idle").await;
        assert!(seen.iter().all(|frame| frame.data["type"] != "awaiting_user_response"), "{seen:?}");
    }
}

#[tokio::test]
async fn fr_001_the_tool_is_built_in_under_its_name() {
    let script = Script::new([vec![Line::Says("Done.")]]);
    let server = server_with(CodingAgent(script.clone()));
    post(&server, "/agent", says("t", "u", "Begin")).await.events();
    let names: Vec<String> = script.asked().remove(0).tools.into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, [TOOL]);
}

#[tokio::test]
async fn fr_002_one_to_four_questions_are_taken() {
    for count in 1..=4 {
        check_waits(&numbered(count)).await;
    }
    for count in [0, 5] {
        check_refused(&numbered(count), "Must have 1-4 questions").await;
    }
}

#[tokio::test]
async fn fr_003_a_question_has_a_text_and_a_header_of_at_most_twelve_characters() {
    check_waits(&with("header", json!("Twelve chars"))).await;
    check_refused(&with("header", json!("Thirteen char")), "questions[0].header").await;
    check_refused(&with("header", Value::Null), "questions[0].header").await;
    check_refused(&with("question", json!(" ")), "questions[0].question").await;
}

#[tokio::test]
async fn fr_004_two_to_four_options_are_taken() {
    let labels = ["A", "B", "C", "D", "E"];
    for count in 2..=4 {
        check_waits(&json!({"questions": [question("Which?", &labels[..count])]})).await;
    }
    for count in [1, 5] {
        let ask = json!({"questions": [question("Which?", &labels[..count])]});
        check_refused(&ask, "questions[0].options").await;
    }
}

#[tokio::test]
async fn fr_005_an_option_has_a_label_and_perhaps_a_description() {
    let options = json!([{"label": "A", "description": "The first"}, {"label": "B"}]);
    let state = state(&asked(&with("options", options.clone())).await).await;
    assert_eq!(state["questions"][0]["options"], options);
    check_refused(&with("options", json!([{"label": "A"}, {"description": "No label"}])), "questions[0].options[1]")
        .await;
}

#[tokio::test]
async fn fr_006_several_answers_may_be_picked_where_the_question_says_so() {
    let server = asked(&with("multiSelect", json!(true))).await;
    assert_eq!(state(&server).await["questions"][0]["multiSelect"], true);
    answer(&server, json!({"Which?": "A, B"})).await;
    assert_eq!(result(&server).await, r#"{"answers":{"Which?":"A, B"}}"#);
}

/// The page's row for it is the card's: its cases `OTH` are about nothing else.
#[tokio::test]
async fn fr_007_every_question_takes_an_answer_of_the_users_own() {
    let mut ask = numbered(4);
    ask["questions"][3]["multiSelect"] = true.into();
    let server = asked(&ask).await;
    let own: Value = (1..=4).map(|number| (format!("Number {number}?"), json!(format!("Own {number}")))).collect();
    answer(&server, own.clone()).await;
    let result: Value = serde_json::from_str(&result(&server).await).expect("a reply is JSON");
    assert_eq!(result["answers"], own);
    assert!(state(&asked(&with("options", json!([{"label": "A"}, {"label": "B"}, {"label": "Other"}]))).await).await
        ["questions"][0]["options"].as_array().is_some_and(|options| options.len() == 2), "the card has its own");
}

#[tokio::test]
async fn fr_008_the_result_maps_question_texts_to_answers() {
    let server = asked(&numbered(2)).await;
    answer(&server, json!({"Number 1?": "A", "Number 2?": "B"})).await;
    assert_eq!(result(&server).await, r#"{"answers":{"Number 1?":"A","Number 2?":"B"}}"#);
}

#[tokio::test]
async fn fr_009_in_plan_mode_the_tool_is_for_clarifying_and_not_for_approval() {
    let script = Script::new([vec![Line::Says("Done.")]]);
    let server = server_with(CodingAgent(script.clone()));
    let mut planner = Visitor::new(&server, "v", "t").with_forwarded("toolContext", json!({"planMode": true}));
    planner.says("Begin").await;
    let guidance = script.asked().remove(0).guidance.expect("the tool is offered");
    let lines = guidance.lines().filter(|line| line.contains("ExitPlanMode"));
    let lines: Vec<&str> = lines.filter(|line| line.contains(TOOL) && line.contains("approv")).collect();
    assert_eq!(lines.len(), 1, "{guidance}");
}

#[tokio::test]
async fn fr_010_the_agent_is_told_to_ask_by_the_tool_and_not_in_plain_text() {
    let script = Script::new([vec![Line::Says("Done.")]]);
    let server = server_with(CodingAgent(script.clone()));
    post(&server, "/agent", says("t", "u", "Begin")).await.events();
    let guidance = script.asked().remove(0).guidance.expect("the tool is offered");
    assert!(guidance.lines().any(|line| line.contains(TOOL) && line.contains("plain text")), "{guidance}");
}

#[tokio::test]
async fn fr_011_with_permissions_bypassed_the_tool_is_not_there() {
    let script = asks(&numbered(1));
    let config = Config { allow_bypass: true, ..Config::default() };
    let server = app(&config, parts(CodingAgent(script.clone())));
    let bypassed = json!({"permissionMode": "bypassPermissions"});
    let mut dev = Visitor::new(&server, "v", "t").with_forwarded("toolContext", bypassed);
    dev.says("Begin").await;
    let asked = script.asked();
    assert!(asked[0].tools.is_empty() && asked[0].guidance.is_none(), "{asked:?}");
    assert_eq!(state(&server).await["type"], "idle", "a call made all the same does not wait");
}

#[test]
fn contract_004_the_tool_is_defined_as_the_contract_has_it() {
    let spec = ToolRegistry::new(Limits::CODING, ToolContext::default()).specs().remove(0);
    assert_eq!(spec.name, TOOL);
    let contracts =
        "Asks the user multiple choice questions to gather information, clarify ambiguity, understand preferences";
    assert!(spec.description.contains(contracts), "{}", spec.description);
    let mut parameters = serde_json::to_value(&spec.parameters).expect("a schema is JSON");
    without_descriptions(&mut parameters);
    let text = json!({"type": "string"});
    let option = json!({"type": "object", "required": ["label"], "properties": {"label": text, "description": text}});
    let question = json!({
        "type": "object",
        "required": ["question", "header", "options"],
        "properties": {
            "question": text,
            "header": {"type": "string", "maxLength": 12},
            "options": {"type": "array", "minItems": 2, "maxItems": 4, "items": option},
            "multiSelect": {"type": "boolean", "default": false},
        },
    });
    let questions = json!({"type": "array", "minItems": 1, "maxItems": 4, "items": question});
    let contract = json!({"type": "object", "required": ["questions"], "properties": {"questions": questions}});
    assert_eq!(parameters, contract);
}

/// Takes the words of a schema out, which may say more than the contract's.
fn without_descriptions(schema: &mut Value) {
    let is_word = |schema: &Value| schema["description"].is_string();
    if is_word(schema) {
        schema.as_object_mut().expect("it has a member").remove("description");
    }
    let members = schema.as_object_mut().into_iter().flatten();
    members.for_each(|(_, member)| without_descriptions(member));
}

#[tokio::test]
async fn flow_003_a_question_streams_is_shown_and_answered_by_the_next_user_message() {
    let server = server();
    // 1 to 3: the agent decides to ask, calls the tool, and AG-UI streams the call with its arguments.
    let (events, _) = post(&server, "/agent", says("t", "u", "I need my car looked at")).await.events();
    let of_kind = |kind| events.iter().filter(move |event| event.kind() == kind);
    let starts: Vec<_> = of_kind(EventType::ToolCallStart).map(Event::tool_call_name).collect();
    assert_eq!(starts, ["ask_user_question"]);
    assert!(of_kind(EventType::ToolCallArgs).count() > 1);
    // 4: the reading side recognises it and has what a card shows.
    let mut visitor = Visitor::new(&server, "v", "car");
    visitor.says("I need my car looked at").await;
    let (_, ask) = visitor.waiting();
    assert_eq!(ask.questions[0].options.len(), 4);
    // 5 and 6: a tap goes out as the next user message.
    let tap = visitor.pick("Oil change");
    let said = visitor.reply("reply", tap);
    let next = json!(visitor.next_run(&said).input());
    let last = next["messages"].as_array().and_then(|messages| messages.last()).expect("there are some");
    assert_eq!((&last["role"], &last["content"]), (&json!("user"), &json!("Oil change")));
    // 7: the agent has the answer and goes on.
    let text = visitor.picks("Oil change").await;
    assert!(text.contains("Oil change") && visitor.is_asked("Standard or rush scheduling?"), "{text}");
}
