//! The example of an own loop in `question-agent`, with the page in front of it.

use std::process::Command;
use std::time::Duration;

use crate::browser::journey_at;
use crate::processes::{Process, port_after};
use crate::server::Server;
use crate::workspace;

/// The time that the example may take to be built and to start.
const BUILD_LIMIT: Duration = Duration::from_secs(600);

#[tokio::test]
async fn an_own_loop_asks_in_the_page_and_takes_the_answer() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(workspace());
    cargo.args(["run", "--quiet", "--package", "question-agent", "--features", "ag-ui", "--example", "own_loop"]);
    cargo.args(["--", "127.0.0.1:0"]);
    let announcement = |line: &str| port_after("listening on http://127.0.0.1:", line);
    let (_agent, port) = Process::listening(&mut cargo, announcement, BUILD_LIMIT);
    let server = Server::start_with_options(&["--agent", &format!("http://127.0.0.1:{port}/")]);
    journey_at(&server.url(), async |page| {
        page.say("A shirt, please").await?;
        page.tap("M").await?;
        page.hears(&["Thank you."]).await?;
        assert_eq!(page.receipts().await?.len(), 1);
        Ok(())
    })
    .await;
}
