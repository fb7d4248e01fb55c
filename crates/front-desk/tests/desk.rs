//! The front desk as the page's script uses it: bodies in, events out, and what the browser keeps.

use front_desk::Desk;
use serde_json::{Value, json};

fn events(told: Vec<String>) -> Vec<Value> {
    told.iter().map(|event| serde_json::from_str(event).expect("an event is JSON")).collect()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["type"].as_str()).collect()
}

/// Posts what the user says, as the run of this id.
fn say(desk: &mut Desk, run_id: &str, text: &str) {
    let message = json!({"role": "user", "id": format!("{run_id}-said"), "content": text});
    let input = json!({"threadId": "t", "runId": run_id, "protocolVersion": "1.0", "messages": [message]});
    assert_eq!(desk.run(&input.to_string()), None);
}

fn to_the_end(desk: &mut Desk) -> Vec<Value> {
    while desk.step() {}
    events(desk.told())
}

#[test]
fn an_answer_streams_and_its_question_is_answered_once() {
    let mut desk = Desk::new("t".to_owned(), "a".to_owned(), None);
    assert!(!desk.has_begun());
    say(&mut desk, "r", "I need my car looked at");
    let told = to_the_end(&mut desk);
    let pieces = kinds(&told).iter().filter(|kind| **kind == "TEXT_MESSAGE_CONTENT").count();
    assert!(pieces > 5, "word by word: {:?}", kinds(&told));
    let call = told.last().and_then(|end| end["outcome"]["pendingToolCallIds"][0].as_str()).expect("a question waits");

    let answers = json!({"Which service do you need?": "Oil change"});
    let reply = |reply_id: &str| json!({"answers": answers, "toolCallId": call, "replyId": reply_id}).to_string();
    assert_eq!(desk.respond(&reply("first")), None);
    assert_eq!(kinds(&to_the_end(&mut desk)).last(), Some(&"RUN_FINISHED"));
    assert_eq!(desk.respond(&reply("first")), None, "the same one again");
    let refusal: Value = serde_json::from_str(&desk.respond(&reply("second")).expect("it is late")).expect("JSON");
    assert_eq!((&refusal["status"], &refusal["code"]), (&json!(409), &json!("already_answered")));
    assert_eq!(refusal["winner"]["toolCallId"], call);
}

#[test]
fn what_a_page_leaves_in_the_middle_the_next_one_finishes() {
    let mut desk = Desk::new("t".to_owned(), "a".to_owned(), None);
    say(&mut desk, "r", "I need my car looked at");
    assert!(desk.step());
    let kept = desk.changed();
    assert!(kept.is_some() && desk.changed().is_none());

    let mut next = Desk::new("t".to_owned(), "b".to_owned(), kept);
    let again = json!({"threadId": "t", "runId": "r2", "messages": []}).to_string();
    assert_eq!(next.run(&again), None);
    let told = to_the_end(&mut next);
    assert_eq!(kinds(&told)[..2], ["RUN_STARTED", "TEXT_MESSAGE_START"]);
    assert!(next.description("b-1").contains("awaiting_user_response"));
    assert_eq!(kinds(&events(next.history())), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
}

#[test]
fn what_is_stopped_stays_as_far_as_it_was_said() {
    let mut desk = Desk::new("t".to_owned(), "a".to_owned(), None);
    say(&mut desk, "r", "I need my car looked at");
    assert!(desk.step() && desk.step());
    assert!(desk.run(r#"{"threadId": "t", "runId": "r3", "messages": []}"#).expect("it is busy").contains("409"));
    assert_eq!(desk.cancel(r#"{"runId": "another"}"#), None);
    assert!(desk.step(), "it goes on");
    assert_eq!(desk.cancel(r#"{"runId": "r"}"#), None);
    assert!(!desk.step());
    let told = events(desk.told());
    assert_eq!(told.last().map(|end| &end["outcome"]["type"]), Some(&json!("cancelled")));
    say(&mut desk, "r2", "My brakes squeak");
    assert!(kinds(&to_the_end(&mut desk)).contains(&"TOOL_CALL_START"));
}
