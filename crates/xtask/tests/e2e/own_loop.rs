//! The example of an own loop in `question-agent`, with the page in front of it.

use std::path::Path;
use std::process::Command;

use crate::browser::journey_at;
use crate::given;
use crate::processes::{Process, START_LIMIT, port_after};
use crate::server::Server;

#[tokio::test]
async fn an_own_loop_asks_in_the_page_and_takes_the_answer() {
    let mut example = Command::new(Path::new(&given("XTASK_TARGET")).join("debug/examples/own_loop"));
    let announcement = |line: &str| port_after("listening on http://127.0.0.1:", line);
    let (_agent, port) = Process::listening(example.arg("127.0.0.1:0"), announcement, START_LIMIT);
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
