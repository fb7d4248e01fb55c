//! The examples of asks from a GitHub job and from a Temporal activity.

use crate::folder::Folder;
use crate::killed::exchange;
use crate::socket::start;
use serde_json::json;
use std::net::SocketAddr;
use std::process::Stdio;
use tokio::process::{Child, Command};

const GITHUB: &str = include_str!("../../examples/asks/github-job.yml");

/// Answers the question of this conversation as soon as it waits.
async fn reply(address: SocketAddr, conversation: &str, question: &str, answer: &str) {
    let path = format!("/conversations/{conversation}/respond");
    let reply = json!({"answers": {question: answer}});
    while !exchange(address, "POST", &path, Some(&reply)).await.contains(" 200 ") {}
}

/// The program of the job's first step, as GitHub runs it.
fn job(address: SocketAddr, folder: &Folder) -> Child {
    let (_, step) = GITHUB.split_once("        run: |\n").expect("it has one");
    let lines = step.lines().take_while(|line| line.is_empty() || line.starts_with("          "));
    let program: Vec<&str> = lines.map(|line| line.get(10..).unwrap_or_default()).collect();
    let mut python = Command::new("python3");
    python.arg("-c").arg(program.join("\n"));
    let runner = [("GITHUB_REPOSITORY", "a/b"), ("GITHUB_RUN_ID", "7"), ("GITHUB_RUN_ATTEMPT", "1"), ("TOKEN", "t")];
    python.envs(runner).env("GITHUB_SHA", "0123456789").env("SERVER", format!("http://{address}"));
    python.env("GITHUB_OUTPUT", folder.path().join("output")).env("GITHUB_STEP_SUMMARY", folder.path().join("summary"));
    python.stderr(Stdio::piped()).kill_on_drop(true).spawn().expect("there is a Python")
}

/// What a program of Python prints.
async fn printed(program: &str) -> String {
    let printed = Command::new("python3").args(["-c", program]).output().await.expect("there is a Python");
    String::from_utf8_lossy(&printed.stdout).trim().to_owned()
}

#[tokio::test]
async fn a_github_job_goes_on_by_the_answer_of_a_person() {
    let conversation = printed("import uuid; print(uuid.uuid5(uuid.NAMESPACE_URL, 'a/b 7t'))").await;
    for (answer, is_success) in [("Deploy", true), ("Stop", false)] {
        let folder = Folder::made();
        let (_server, address) = start(&["--port", "0", "--log", "off"]).await;
        let job = job(address, &folder);
        reply(address, &conversation, "Deploy 0123456 to production?", answer).await;
        let ended = job.wait_with_output().await.expect("it ends");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.success(), is_success, "{said}");
        let output = std::fs::read_to_string(folder.path().join("output")).expect("it is written");
        assert_eq!(output, format!("answer={answer}\n"));
        let summary = std::fs::read_to_string(folder.path().join("summary")).expect("it is written");
        assert!(summary.starts_with("[Deploy 0123456 to production?]("), "{summary}");
    }
}

/// A stand-in for Temporal's package, and a worker that runs the activity once.
const TEMPORAL: &str = r#"
import asyncio, importlib.util, os, sys, types

temporalio, exceptions = types.ModuleType("temporalio"), types.ModuleType("temporalio.exceptions")
info = types.SimpleNamespace(workflow_id="refund-1", workflow_run_id="r", activity_id="1")
temporalio.activity = types.SimpleNamespace(defn=lambda f: f, info=lambda: info, heartbeat=lambda: None)

class ApplicationError(Exception):
    def __init__(self, message, *, non_retryable=False):
        super().__init__(message)
        self.non_retryable = non_retryable

exceptions.ApplicationError = ApplicationError
sys.modules |= {"temporalio": temporalio, "temporalio.exceptions": exceptions}
spec = importlib.util.spec_from_file_location("temporal_activity", os.environ["ACTIVITY"])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

async def main():
    options = ["Yes", "No"] if sys.argv[1] != "bad" else []
    try:
        print(await module.ask_person(module.Question("Refund?", options)))
    except ApplicationError as error:
        print("failed", error.non_retryable, error)

asyncio.run(main())
"#;

/// A worker that runs the activity.
fn worker(address: SocketAddr, how: &str) -> Child {
    let activity = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/asks/temporal_activity.py");
    let mut python = Command::new("python3");
    python.args(["-c", TEMPORAL, how]).env("ACTIVITY", activity).env("QUESTION_SERVER_TOKEN", "t");
    python.env("QUESTION_SERVER", format!("http://{address}")).stdout(Stdio::piped()).kill_on_drop(true);
    python.spawn().expect("there is a Python")
}

#[tokio::test]
async fn a_temporal_activity_that_runs_again_asks_once() {
    let conversation = printed("import hashlib; print(hashlib.sha256(b'refund-1 r 1 t').hexdigest())").await;
    let (_server, address) = start(&["--port", "0", "--log", "off"]).await;
    let mut first = worker(address, "dies");
    let path = format!("/conversations/{conversation}");
    while !exchange(address, "GET", &path, None).await.contains("awaiting_user_response") {}
    first.kill().await.expect("it is killed");
    let second = worker(address, "goes on");
    reply(address, &conversation, "Refund?", "Yes").await;
    let ended = second.wait_with_output().await.expect("it ends");
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "Yes\n");
    let told = exchange(address, "GET", &path, None).await;
    assert_eq!(told.matches(r#""role":"tool""#).count(), 1, "{told}");
}

#[tokio::test]
async fn a_temporal_activity_gives_up_a_question_that_cannot_be_asked() {
    let (_server, address) = start(&["--port", "0", "--log", "off"]).await;
    let ended = worker(address, "bad").wait_with_output().await.expect("it ends");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(said.starts_with("failed True "), "{said}");
}
