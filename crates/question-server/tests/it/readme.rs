//! What the README says to type works.

use crate::socket::start;
use question_server::config;
use tokio::process::Command;

/// The commands of the README's `sh` blocks.
fn commands() -> Vec<String> {
    let readme = include_str!("../../README.md");
    let blocks = readme.split("\n```sh\n").skip(1);
    let commands = blocks.map(|block| block.split("\n```").next().unwrap_or_default().to_owned());
    // How it is started is not for a test.
    commands.filter(|command| !command.starts_with("cargo ")).collect()
}

/// Each setting as the README has it: how it is given and its default.
fn settings() -> Vec<(String, String)> {
    let rows = include_str!("../../README.md").lines();
    let rows = rows.filter_map(|row| row.strip_prefix("| `--")?.split_once("` | "));
    // Another table is about the values of one of them.
    let rows = rows.filter(|(flag, _)| flag.contains(' '));
    rows.map(|(flag, rest)| {
        let (default, _) = rest.split_once(" |").expect("it is a row");
        (flag.to_owned(), default.to_owned())
    })
    .collect()
}

#[test]
fn the_readme_has_every_setting_with_its_default() {
    let help = config::help();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told: Vec<String> = help.split("\n  --").skip(1).map(words).collect();
    let settings = settings();
    assert_eq!(told.len(), settings.len() + 2, "--help and --version");
    for (told, (flag, default)) in told.iter().zip(&settings) {
        let what = told.strip_prefix(&format!("{flag} "));
        let what = what.unwrap_or_else(|| panic!("{flag} is not {told}"));
        let is_so = match default.as_str() {
            "none" => !what.contains("(default"),
            "no" => what.contains("without it (default)"),
            _ => what.contains(&format!("{default} (default)")) || what.contains(&format!("(default {default})")),
        };
        assert!(is_so, "{default} is not {told}");
    }
}

#[tokio::test]
async fn the_readmes_commands_work_in_their_order() {
    let commands = commands();
    assert!(commands.len() >= 6 && commands.iter().all(|command| command.starts_with("curl ")));
    let Ok(version) = Command::new("curl").arg("--version").output().await else {
        println!("There is no curl on this machine: the README's commands were not run.");
        return;
    };
    assert!(version.status.success());
    let (_server, address) = start(&["--port", "0", "--pace", "0"]).await;
    let expected = [
        "pendingToolCallIds",
        r#""type":"awaiting_user_response""#,
        r#"{"state":{"type":"llm_requesting","attempt":1}}"#,
        "event: state_change",
        "Proceed with this estimate?",
        r#"{"state":{"type":"idle"}}"#,
        r#"{"status":"ok"}"#,
        r#"{"allowAgents":[],"profile":"chat"}"#,
    ];
    assert_eq!(commands.len(), expected.len());
    for (command, expected) in commands.iter().zip(expected) {
        // Half a second is enough to look, and may be too little for a busy machine to carry on in.
        let command = command.replace("--max-time 0.5", "--max-time 3");
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

/// The arguments that a stream makes up.
fn deltas(stream: &str) -> String {
    let events = stream.lines().filter(|line| line.contains("TOOL_CALL_ARGS"));
    let delta = |line: &str| {
        let (_, delta) = line.split_once(r#""delta":""#)?;
        Some(delta.strip_suffix(r#""}"#)?.to_owned())
    };
    events.filter_map(delta).collect()
}
