//! The agent's side, as texts of JSON.

use question_element::agent::{check, match_message, parse_reply, tool_definition};
use serde_json::Value;

const ASK: &str = r#"{"questions":[{"question":"Which database?","header":"DB","options":[{"label":"Postgres"},{"label":"SQLite"}]}]}"#;

fn read(json: &str) -> Value {
    serde_json::from_str(json).expect("it is JSON")
}

#[test]
fn the_definition_keeps_the_order_of_the_schema() {
    let definition = tool_definition("chat").expect("a profile");
    assert_eq!(read(&definition)["name"], "ask_user_question");
    assert!(definition.find("\"header\":").expect("a header") < definition.find("\"multiSelect\":").expect("a flag"));
    assert!(definition.find("\"multiSelect\":").expect("a flag") < definition.find("\"options\":").expect("a list"));
    assert!(tool_definition("poet").unwrap_err().contains("poet"));
}

#[test]
fn arguments_are_judged_and_repaired() {
    let good = read(&check("runtime", ASK).expect("a profile"));
    assert_eq!(good["valid"], true);
    assert_eq!(good["message"], Value::Null);
    let repaired =
        read(&check("chat", r#"{"questions":{"question":"A?","header":"H","options":["x","y"]}}"#).expect("a profile"));
    assert_eq!(repaired["ask"]["questions"][0]["options"][1]["label"], "y");
    assert_eq!(repaired["repairs"][0]["code"], "single_question");
    let bad = read(&check("runtime", r#"{"questions":[]}"#).expect("a profile"));
    assert_eq!(bad["valid"], false);
    assert_eq!(bad["violations"][0]["path"], "questions");
    assert!(bad["message"].as_str().expect("a text").starts_with("Invalid input: "), "{bad}");
}

#[test]
fn what_came_back_is_read() {
    let answered = read(&parse_reply(ASK, r#"{"answers":{"Which database?":"SQLite"}}"#).expect("an ask"));
    assert_eq!(answered["outcome"], "answered");
    assert_eq!(answered["message"], "SQLite");
    assert_eq!(read(&parse_reply(ASK, "User cancelled the question").expect("an ask"))["outcome"], "declined");
    let neither = read(&parse_reply(ASK, r#"{"answers":{"Which tree?":"Oak"}}"#).expect("an ask"));
    assert_eq!(neither["outcome"], Value::Null);
    assert!(neither["violations"].as_array().is_some_and(|all| !all.is_empty()), "{neither}");
    assert!(parse_reply("[", "{}").is_err());
}

#[test]
fn a_typed_message_answers_where_it_is_certain() {
    let matched = read(&match_message(ASK, "sqlite!", "").expect("an ask"));
    assert_eq!(matched["answers"]["Which database?"], "SQLite");
    let typed = read(&match_message(ASK, "MariaDB", "").expect("an ask"));
    assert_eq!([&typed["message"], &typed["details"][0]["other"]], ["MariaDB"; 2]);
    assert!(match_message(ASK, "sqlite", "{}").is_err(), "picks are a list");
}
