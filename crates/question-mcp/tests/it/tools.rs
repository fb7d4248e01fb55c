//! The tools as clients see them.

use crate::client::{Client, GENERATIONS, Generation, shows_apps, shows_forms, which_size};
use crate::desk::Desk;
use ask_user_question::Limits;
use ask_user_question::tool::tool_definition;
use question_mcp::McpServer;
use serde_json::{Value, json};

async fn listed(server: &McpServer, generation: Generation, capabilities: Value) -> Vec<Value> {
    let mut client = Client::new(server, generation, capabilities).await;
    let listed = client.request("tools/list", json!({})).await;
    listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}")).clone()
}

#[tokio::test]
async fn the_tool_has_the_schema_of_its_profile_in_the_order_of_the_card() {
    for limits in [Limits::RUNTIME, Limits::CODING, Limits::CHAT] {
        let server = McpServer::builder().limits(limits.clone()).build();
        for generation in GENERATIONS {
            let tools = listed(&server, generation, shows_forms()).await;
            let [tool] = &tools[..] else { panic!("{tools:?}") };
            assert_eq!(tool["name"], "ask_user_question");
            assert_eq!(tool["annotations"]["readOnlyHint"], true);
            assert_eq!(tool["annotations"]["openWorldHint"], false);
            let definition = tool_definition(&limits);
            assert_eq!(tool["inputSchema"], definition.parameters.into_value());
            let text = tool["inputSchema"].to_string();
            let at = |name: &str| text.find(&format!("\"{name}\":{{")).unwrap_or_else(|| panic!("{text}"));
            assert!(at("question") < at("header") && at("header") < at("options"), "{text}");
        }
    }
}

#[tokio::test]
async fn a_client_is_told_of_what_it_can_show() {
    let server = McpServer::builder().view("<p>card").own_page(Desk::new()).build();
    for generation in GENERATIONS {
        for (capabilities, names, has_view) in [
            (shows_forms(), vec!["ask_user_question"], false),
            // From before there were modes.
            (json!({"elicitation": {}}), vec!["ask_user_question"], false),
            (json!({"elicitation": {"url": {}}}), vec!["ask_user_question", "wait_for_answer"], false),
            (shows_apps(), vec!["ask_user_question"], true),
            (json!({}), vec!["ask_user_question", "wait_for_answer"], false),
        ] {
            let tools = listed(&server, generation, capabilities.clone()).await;
            // The second way of a client that refuses forms.
            let told: Vec<&Value> =
                tools.iter().map(|tool| &tool["name"]).filter(|name| names.iter().any(|it| it == *name)).collect();
            assert_eq!(told, names, "{capabilities}");
            let view = &tools[0]["_meta"]["ui"]["resourceUri"];
            assert_eq!(view == "ui://question-card/card.html", has_view, "{capabilities}");
        }
    }
}

#[tokio::test]
async fn an_app_is_shown_the_card_and_its_call_returns_at_once() {
    let server = McpServer::builder().view("<p>card").own_page(Desk::new()).build();
    for generation in GENERATIONS {
        let mut client = Client::new(&server, generation, shows_apps()).await;
        let resources = client.request("resources/list", json!({})).await;
        let uri = &resources["result"]["resources"][0]["uri"];
        let read = client.request("resources/read", json!({"uri": uri})).await;
        let card = &read["result"]["contents"][0];
        assert_eq!((&card["mimeType"], &card["text"]), (&json!("text/html;profile=mcp-app"), &json!("<p>card")));
        let shown = client.call("ask_user_question", which_size()).await;
        assert_eq!(shown["structuredContent"]["outcome"], "shown", "{shown}");
        assert_eq!(
            shown["_meta"]["ask"]["questions"][0]["options"][0]["label"], "S",
            "the view repairs nothing: {shown}"
        );
        assert!(shown["content"][0]["text"].as_str().is_some_and(|text| text.contains("end your turn")), "{shown}");
        let unknown = client.request("resources/read", json!({"uri": "ui://other"})).await;
        assert!(unknown["error"]["code"].is_number(), "{unknown}");
    }
}

#[tokio::test]
async fn a_call_with_faults_is_told_of_all_of_them() {
    let server = McpServer::builder().build();
    for generation in GENERATIONS {
        let mut client = Client::new(&server, generation, shows_forms()).await;
        let faulty =
            json!({"questions": [{"question": " ", "options": ["A"]}, {"question": "Which?", "options": ["A", "A"]}]});
        let result = client.call("ask_user_question", faulty).await;
        assert_eq!((&result["isError"], &result["_meta"]["code"]), (&json!(true), &json!("invalid_ask")), "{result}");
        let text = result["content"][0]["text"].as_str().expect("it is text");
        assert!(text.starts_with("Invalid input:") && text.matches("\n- ").count() >= 3, "{text}");
    }
}

#[tokio::test]
async fn a_client_that_shows_nothing_is_told_to_ask_in_text() {
    for generation in GENERATIONS {
        let mut client = Client::new(&McpServer::builder().build(), generation, json!({})).await;
        let result = client.call("ask_user_question", which_size()).await;
        assert_eq!((&result["isError"], &result["_meta"]["code"]), (&json!(true), &json!("no_way_to_ask")));
    }
}
