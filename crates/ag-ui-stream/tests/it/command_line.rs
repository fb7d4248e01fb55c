//! The contract of `examples/replay`, without a process around it.

use crate::fixtures::FIXTURES;
use replay::options::{HELP, Options};
use serde_json::{Value, json};

#[path = "../../examples/replay/main.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod replay;

/// The lines and whether the exit status is 0 (else 1); `None` for exit status 2.
fn run(arguments: &[&str], input: impl AsRef<[u8]>) -> Option<(Vec<Value>, bool)> {
    let arguments = ["--now", "0"].iter().chain(arguments).map(Into::into);
    let options = Options::parse(arguments).ok()??;
    let mut out = Vec::new();
    let good = replay::run(&options, &mut input.as_ref(), &mut out).unwrap();
    let lines = std::str::from_utf8(&out).unwrap().lines();
    let lines = lines.map(|line| serde_json::from_str(line).unwrap());
    Some((lines.collect(), good))
}

#[track_caller]
fn check(arguments: &[&str], input: impl AsRef<[u8]>, lines: &[Value], good: bool) {
    assert_eq!(run(arguments, input), Some((lines.to_vec(), good)));
}

fn stream(name: &str) -> &'static [u8] {
    let fixture = FIXTURES.iter().find(|fixture| fixture.name == name);
    fixture.unwrap().stream
}

const STARTED: &str = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
const FINISHED: &str = r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#;

fn event(text: &str) -> Value {
    json!({"event": serde_json::from_str::<Value>(text).unwrap()})
}

fn end(outcome: &str, error: Value) -> Value {
    json!({"end": {"outcome": outcome, "messages": [], "state": {}, "pendingToolCallIds": [], "interrupts": [], "error": error}})
}

#[test]
fn the_end_is_the_last_line_and_the_status() {
    let completed = end("completed", Value::Null);
    check(&["--json"], format!("[{STARTED},{FINISHED}]"), &[event(STARTED), event(FINISHED), completed], true);
    for (name, outcome, good) in [
        ("ask_frontend_tool", "completed", true),
        ("ask_run_error", "error", false),
        ("ask_truncated", "truncated", false),
        ("not_an_event", "rejected", false),
    ] {
        let (lines, status) = run(&[], stream(name)).unwrap();
        let end = &lines.last().unwrap()["end"];
        assert_eq!((&end["outcome"], status), (&json!(outcome), good), "{name}");
        assert_eq!(end["error"].is_null(), good, "{name}");
        assert_eq!(lines.iter().filter(|line| line.get("end").is_some()).count(), 1);
    }
    for outcome in [
        json!({"type": "cancelled"}),
        json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "confirmation"}]}),
    ] {
        let finished = FINISHED.replace('}', &format!(",\"outcome\":{outcome}}}"));
        let (lines, good) = run(&["--json"], format!("{STARTED}{finished}")).unwrap();
        let end = &lines[2]["end"];
        assert_eq!((&end["outcome"], good), (&outcome["type"], true));
        assert_eq!(
            end["interrupts"].as_array().map_or(0, Vec::len),
            outcome["interrupts"].as_array().map_or(0, Vec::len)
        );
    }
}

#[test]
fn events_as_json_are_told_up_to_what_is_none() {
    let first = event(STARTED);
    for (text, events, outcome) in [
        (format!(" [ {STARTED} , {FINISHED} ] "), 2, "completed"),
        (format!("\u{feff}{STARTED}\r\n{FINISHED}"), 2, "completed"),
        (format!("{STARTED}{FINISHED}"), 2, "completed"),
        (format!("[{STARTED}]"), 1, "truncated"),
        (format!("[{STARTED}"), 1, "rejected"),
        (format!("[{STARTED},{{\"type\":\"RUN_FIN"), 1, "rejected"),
        (format!("[{STARTED},]"), 1, "rejected"),
        (format!("[{STARTED} {FINISHED}]"), 1, "rejected"),
        (format!("[{STARTED}] x"), 1, "rejected"),
        (format!("{STARTED},{FINISHED}"), 1, "rejected"),
        ("[]".to_owned(), 0, "truncated"),
        (String::new(), 0, "truncated"),
        ("[[]]".to_owned(), 0, "rejected"),
        ("null".to_owned(), 0, "rejected"),
    ] {
        let (lines, good) = run(&["--json"], &text).unwrap();
        assert_eq!((lines.len(), good), (events + 1, outcome == "completed"), "{text}");
        assert!(events == 0 || lines[0] == first, "{text}");
        assert_eq!(lines[events]["end"]["outcome"], outcome, "{text}");
    }
    let (lines, _) = run(&["--json"], b"{\"type\":\"RUN_STARTED\",\"threadId\":\"\xff\",\"runId\":\"r\"}").unwrap();
    assert_eq!(lines[0]["event"]["threadId"], "\u{fffd}");
}

#[test]
fn a_warning_stands_before_its_event() {
    let odd = FINISHED.replace('}', ",\"x\":1}");
    for (arguments, text) in
        [(&[][..], format!("data: {STARTED}\n\ndata: {odd}\n\n")), (&["--json"], format!("[{STARTED},{odd}]"))]
    {
        let (lines, _) = run(arguments, text).unwrap();
        let warning = &lines[1]["warning"];
        assert_eq!(lines[0], event(STARTED));
        assert_eq!((&warning["code"], &warning["path"]), (&json!("unknown-property"), &json!("/x")));
        assert!(warning["message"].is_string());
        assert_eq!(lines[2], event(FINISHED));
    }
}

#[test]
fn asks_are_printed_at_every_change_and_at_no_other_time() {
    let asks = |lines: Vec<Value>| -> Vec<Value> {
        lines.into_iter().filter_map(|mut line| line.get_mut("ask").map(Value::take)).collect()
    };
    assert!(asks(run(&[], stream("ask_own_other")).unwrap().0).is_empty());
    let lines = asks(run(&["--asks"], stream("ask_own_other")).unwrap().0);
    assert_eq!(lines[0], json!({"toolCallId": "c1", "phase": "streaming", "questions": []}));
    assert!(lines.windows(2).all(|pair| pair[0] != pair[1]));
    let last = &lines[lines.len() - 1];
    assert_eq!(last["phase"], "answerable");
    assert_eq!(
        last["questions"][0],
        json!({"question": "Which database?", "header": "DB", "multiSelect": true, "closed": true, "options": [
            {"label": "Other branch", "closed": true},
            {"label": "Otherwise", "closed": true},
            {"label": "Something new", "closed": true},
        ]})
    );
}

#[test]
fn frames_are_strictly_those_of_whatwg() {
    let frame = |event: &str, data: &str, id: &str| json!({"frame": {"event": event, "data": data, "id": id}});
    let stream = "id: 1\ndata: a\ndata: b\n\nevent: x\r\ndata\r\n\r\n: no\n\ndata: dropped";
    check(&["--frames"], stream, &[frame("message", "a\nb", "1"), frame("x", "", "1")], true);
    check(&["--frames", "--chunk", "1"], stream, &[frame("message", "a\nb", "1"), frame("x", "", "1")], true);
}

#[test]
fn arguments_are_printed_at_the_end_and_with_every_after_each_chunk() {
    let line = |value: Value, complete: bool| json!({"value": value, "complete": complete, "error": null});
    let text = r#"{"a":"x","a":["y"]}"#;
    let whole = line(json!({"a": ["y"]}), true);
    check(&["--args"], text, std::slice::from_ref(&whole), true);
    check(&["--args", "--every"], text, &[whole.clone(), whole.clone()], true);
    check(
        &["--args", "--every", "--chunk", "7"],
        text,
        &[line(json!({"a": "x"}), false), line(json!({"a": []}), false), whole.clone(), whole],
        true,
    );
    for (text, value, offset) in [
        (&b"[1,}"[..], json!([1]), 3),
        (b"\"\xe2\x82", json!(""), 1),
        (b"\"a\xff\"", json!("a"), 2),
        (b"", Value::Null, 0),
        (b"{} x", json!({}), 3),
    ] {
        let (lines, good) = run(&["--args", "--chunk", "1"], text).unwrap();
        assert_eq!((lines.len(), good), (1, false));
        assert_eq!((&lines[0]["value"], &lines[0]["complete"]), (&value, &json!(false)));
        assert_eq!(lines[0]["error"]["offset"], offset);
        assert!(lines[0]["error"]["message"].is_string());
    }
}

#[test]
fn wrong_usage_is_told_from_wrong_input() {
    for arguments in [
        &["--nothing"][..],
        &["--chunk"],
        &["--chunk", "0"],
        &["--chunk", "x"],
        &["--every"],
        &["--frames", "--args"],
        &["--frames", "--json"],
        &["--args", "--asks"],
        &["one", "two"],
    ] {
        assert_eq!(run(arguments, ""), None, "{arguments:?}");
    }
    assert!(Options::parse(["--help".into()].into_iter()).unwrap().is_none());
    let options = ["--chunk", "--json", "--asks", "--now", "--frames", "--args", "--every", "--help"];
    assert!(options.iter().all(|option| HELP.contains(option)));
}
