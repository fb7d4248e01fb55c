//! The commands of the README and of the pages beside it work.

use crate::killed::exchange;
use crate::socket::start;
use question_server::config;
use serde_json::json;
use std::collections::BTreeSet;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

const PAGES: &str =
    concat!(include_str!("../../README.md"), include_str!("../../AUTHOR.md"), include_str!("../../OPERATOR.md"));

/// The commands of the `sh` blocks.
fn commands() -> Vec<String> {
    let blocks = PAGES.split("\n```sh\n").skip(1);
    let commands = blocks.map(|block| block.split("\n```").next().unwrap_or_default().to_owned());
    // The start of the server is not part of the test.
    commands.filter(|command| !command.starts_with("cargo ")).collect()
}

/// The options under one heading of `--help`, as the page for operators has them.
fn table(heading: &str) -> String {
    let command = config::command();
    let options =
        command.get_arguments().filter(|option| option.get_help_heading() == Some(heading) && !option.is_hide_set());
    let rows = options.map(|option| {
        let flag = option.get_long().expect("every option has a long name");
        let value = option.get_value_names().expect("every option takes a value")[0].as_str();
        let default = option.get_default_values().first().map_or("none".into(), |default| default.to_string_lossy());
        let choices: Vec<String> =
            option.get_possible_values().iter().map(|choice| format!("`{}`", choice.get_name())).collect();
        let choices = match choices.is_empty() {
            true => String::new(),
            false => format!(": {}", choices.join(", ")),
        };
        let what = option.get_help().expect("every option says what it is");
        format!("| `--{flag} {value}` | {default} | {what}{choices} |\n")
    });
    format!("| {heading} | default | |\n|---|---|---|\n{}", rows.collect::<String>())
}

#[test]
fn the_pages_have_every_option_as_the_help_has_it() {
    let command = config::command();
    let headings: BTreeSet<&str> = command.get_arguments().filter_map(|option| option.get_help_heading()).collect();
    assert!(command.get_arguments().all(|option| option.get_help_heading().is_some()));
    let tables = headings.into_iter().map(table);
    let missing: Vec<String> = tables.filter(|table| !PAGES.contains(table)).collect();
    assert!(missing.is_empty(), "the pages lack\n\n{}", missing.join("\n"));
}

#[test]
fn what_deployments_set_are_options() {
    let command = config::command();
    let option = |option: &str| option.to_uppercase().replace('-', "_");
    let options: BTreeSet<String> = command.get_arguments().filter_map(|arg| arg.get_long()).map(option).collect();
    for text in [PAGES, include_str!("../../Containerfile")] {
        let set = text.split("QUESTION_SERVER_").skip(1);
        let names = set.filter_map(|rest| rest.split(|c: char| !c.is_ascii_uppercase() && c != '_').next());
        let unknown: Vec<&str> = names.filter(|name| !options.contains(*name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

#[tokio::test]
async fn the_readmes_commands_work_in_their_order() {
    let commands = commands();
    assert!(commands.len() >= 6 && commands.iter().all(|command| command.starts_with("curl ")));
    let version = Command::new("curl").arg("--version").output().await;
    assert!(version.is_ok_and(|version| version.status.success()), "there is no curl: `cargo xtask test` installs it");
    let (_server, address) = start(&["--port", "0", "--pace", "0"]).await;
    let expected = [
        "pendingToolCallIds",
        r#""type":"awaiting_user_response""#,
        r#"{"state":{"type":"llm_requesting","attempt":1}}"#,
        "event: state_change",
        "Proceed with this estimate?",
        r#"{"state":{"type":"idle"}}"#,
        r#"{"toolCallId":"size""#,
        r#"{"state":{"type":"idle"}}"#,
        r#""answers":{"Which size?":"M"}"#,
        r#"{"status":"ok"}"#,
        r#"{"allowAgents":[],"profile":"chat"}"#,
    ];
    assert_eq!(commands.len(), expected.len());
    for (command, expected) in commands.iter().zip(expected) {
        // Half a second is enough to look, and may be too little for a busy machine to carry on in.
        let command = command.replace("--max-time 0.5", "--max-time 2");
        let ran = Command::new("sh")
            .args(["-ec", &command])
            .env("BASE", format!("http://{address}"))
            .output()
            .await
            .expect("there is a shell");
        let said = String::from_utf8_lossy(&ran.stdout).replace("\\\"", "\"");
        assert!(ran.status.success(), "{command}\n{said}");
        // Arguments arrive in pieces; what they make up is looked for with the seams taken out.
        let joined: String = deltas(&said);
        assert!(said.contains(expected) || joined.contains(expected), "{command}\n{said}");
    }
}

#[tokio::test]
async fn the_readmes_program_asks_and_prints_the_answer() {
    let (_, program) = include_str!("../../README.md").split_once("\n```python\n").expect("there is one");
    let (program, _) = program.split_once("\n```").expect("it ends");
    let (_server, address) = start(&["--port", "0", "--log", "off"]).await;
    let mut python = Command::new("python3");
    let python = python.args(["-c", program]).env("BASE", format!("http://{address}")).stdout(Stdio::piped());
    let mut python = python.kill_on_drop(true).spawn().expect("there is a Python");
    let mut printed = BufReader::new(python.stdout.take().expect("it is piped")).lines();
    let asked_at = printed.next_line().await.expect("it is text").expect("it has asked");
    let conversation = &asked_at[asked_at.len() - "00000000-0000-0000-0000-000000000000".len()..];
    let reply = json!({"answers": {"Deploy now?": "Yes"}});
    let answered = exchange(address, "POST", &format!("/conversations/{conversation}/respond"), Some(&reply)).await;
    assert!(answered.contains(" 200 "), "{answered}");
    assert_eq!(printed.next_line().await.expect("it is text").as_deref(), Some("answered Yes"));
}

/// A stand-in for Claude's package, and a call of its tool with four questions.
const CLAUDE: &str = r#"
import asyncio, json, os, sys, types
class Allow:
    def __init__(self, updated_input): self.told = updated_input
class Deny:
    def __init__(self, message): self.told = message
sys.modules["claude_agent_sdk"] = types.SimpleNamespace(PermissionResultAllow=Allow, PermissionResultDeny=Deny)
options = [{"label": "A, B", "description": ""}, {"label": "C", "description": ""}]
questions = [{"question": f"{n}?", "header": n, "options": options, "multiSelect": n == "two"} for n in ["one", "two", "three", "four"]]
exec(sys.argv[1])
SERVER = os.environ["BASE"]
print(json.dumps(asyncio.run(can_use_tool("AskUserQuestion", {"questions": questions}, None, "claude")).told))
"#;

#[tokio::test]
async fn claudes_own_tool_asks_by_its_recipe() {
    let recipe = include_str!("../../../agent-chat/recipes/claude-agent-sdk/can_use_tool.py");
    let details = json!([
        {"index": 0, "selected": [{"index": 0, "label": "A, B"}], "status": "answered", "note": "soon"},
        {"index": 1, "selected": [{"index": 0, "label": "A, B"}, {"index": 1, "label": "C"}], "status": "answered"},
        {"index": 2, "selected": [], "other": "mine", "status": "answered"},
        {"index": 3, "selected": [], "status": "skipped"},
    ]);
    let answers = json!({"one?": "A, B", "two?": "A, B, C", "three?": "mine"});
    for (path, body, expected) in [
        (
            "respond",
            json!({"answers": answers, "details": details}),
            json!([{"one?": "A, B", "two?": "\"A, B\", C", "three?": "mine"},
                {"one?": {"notes": "soon"}, "four?": {"unanswered": "skipped"}}]),
        ),
        ("cancel", json!({}), json!("User cancelled the question. This is no answer and no consent.")),
    ] {
        let (_server, address) = start(&["--port", "0", "--log", "off"]).await;
        let mut python = Command::new("python3");
        let python =
            python.args(["-c", CLAUDE, recipe]).env("BASE", format!("http://{address}")).stdout(Stdio::piped());
        let python = python.kill_on_drop(true).spawn().expect("there is a Python");
        let path = format!("/conversations/claude/{path}");
        while !exchange(address, "POST", &path, Some(&body)).await.contains(" 200 ") {}
        let printed = python.wait_with_output().await.expect("it ends");
        let told: serde_json::Value = serde_json::from_slice(&printed.stdout).expect("it prints JSON");
        let told = if told.is_object() { json!([told["answers"], told["annotations"]]) } else { told };
        assert_eq!(told, expected);
    }
}

/// The arguments that a stream makes up.
fn deltas(stream: &str) -> String {
    let events = stream.lines().filter(|line| line.contains("TOOL_CALL_ARGS"));
    let delta = |line: &str| {
        let (_, delta) = line.split_once(r#""delta":""#)?;
        Some(delta.strip_suffix(r#""}"#)?.to_owned())
    };
    events.filter_map(delta).collect()
}
