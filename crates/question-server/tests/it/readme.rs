//! What the README says to type works.

use crate::socket::start;
use tokio::process::Command;

/// The commands of the README's `sh` blocks.
fn commands() -> Vec<String> {
    let readme = include_str!("../../README.md");
    let blocks = readme.split("\n```sh\n").skip(1);
    let commands = blocks.map(|block| block.split("\n```").next().unwrap_or_default().to_owned());
    // How it is started is not for a test.
    commands
        .filter(|command| !command.starts_with("cargo "))
        .collect()
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
        r#"{"allowAgents":[]}"#,
    ];
    assert_eq!(commands.len(), expected.len());
    for (command, expected) in commands.iter().zip(expected) {
        let ran = Command::new("sh")
            .args(["-ec", command])
            .env("BASE", format!("http://{address}"))
            .output()
            .await
            .expect("there is a shell");
        let said = String::from_utf8_lossy(&ran.stdout).replace("\\\"", "\"");
        assert!(ran.status.success(), "{command}\n{said}");
        // Arguments arrive in pieces; what they make up is looked for with the seams taken out.
        let joined: String = deltas(&said);
        assert!(
            said.contains(expected) || joined.contains(expected),
            "{command}\n{said}"
        );
    }
}

/// The arguments that a stream makes up.
fn deltas(stream: &str) -> String {
    let events = stream
        .lines()
        .filter(|line| line.contains("TOOL_CALL_ARGS"));
    let delta = |line: &str| {
        let (_, delta) = line.split_once(r#""delta":""#)?;
        Some(delta.strip_suffix(r#""}"#)?.to_owned())
    };
    events.filter_map(delta).collect()
}
