//! The page with an agent of another framework, behind which the scripted model of the recipes speaks: `cargo xtask agents` names the recipe.

mod clients;
mod recipe;
mod table;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use thirtyfour::prelude::*;
use tokio::task::{LocalSet, spawn_local};

use crate::browser::journey_at;
use crate::chat_page::ChatPage;
use crate::given;
use crate::processes::Process;
use crate::server::Server;
use recipe::{Recipe, is_said_to_work};

const REQUEST: &str = "I need my car looked at";

/// The address of the agent, which is started once.
fn agent() -> &'static str {
    static AGENT: LazyLock<(Process, String)> = LazyLock::new(|| Recipe::set_up(&given("XTASK_RECIPE")).start());
    &AGENT.1
}

/// Walks through the page with the agent at its own origin, which has to let the page in. Fails unless this ends as the README of the
/// recipes says under `heading`.
async fn journey(heading: &str, walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<()> + 'static) {
    let origin: Vec<&str> = agent().splitn(4, '/').take(3).collect();
    let server = Server::start_with_options(&["--allow-agent", &origin.join("/")]);
    ends_as_told(heading, format!("{}?agent={}", server.url(), agent()), walk).await;
}

/// The same, with the page at this address.
async fn ends_as_told(heading: &str, url: String, walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<()> + 'static) {
    let name = given("XTASK_RECIPE");
    let walked =
        LocalSet::new().run_until(async { spawn_local(async move { journey_at(&url, walk).await }).await }).await;
    match (is_said_to_work(&name, heading), walked) {
        (true, Err(_)) => panic!(
            "`{heading}` fails with {name}, for the reason above. If the agent is to blame, replace `yes` in its row of the recipes' \
             README, and add the line `- {name}, {heading}: why`"
        ),
        (false, Ok(())) => panic!(
            "`{heading}` works with {name}: write `yes` into its row of the recipes' README, and remove the line `- {name}, {heading}: …`"
        ),
        (true, Ok(())) | (false, Err(_)) => {}
    }
}

#[tokio::test]
async fn the_card_grows_while_the_call_streams() {
    journey("card grows as it streams", async |page| {
        page.say(REQUEST).await?;
        page.can_choose("Brake service").await?;
        let cards = page.record().await?.cards;
        let counts: Vec<_> = cards.iter().filter(|card| card.state == "streaming").map(|card| card.options).collect();
        assert!(counts.windows(2).any(|pair| 0 < pair[0] && pair[0] < pair[1]), "options came at once: {counts:?}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_answer_is_taken_and_the_agent_goes_on_with_it() {
    // Passed on, as the recipes say.
    let server = Server::start_with_options(&["--agent", agent()]);
    ends_as_told("answered, goes on", server.url(), async |page| {
        page.say(REQUEST).await?;
        page.tap("Oil change").await?;
        page.hears(&["Oil change it is."]).await?;
        assert_eq!(page.own_messages().await?, [REQUEST]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_second_question_is_answered_as_well() {
    journey("two asks", async |page| {
        page.say(REQUEST).await?;
        page.tap("Brake service").await?;
        page.answer_otherwise("Rush", "On Friday").await?;
        page.hears(&["Booked: Brake service, On Friday."]).await?;
        assert_eq!(page.receipts().await?.len(), 2);
        keeps_streams(page, "after-another").await
    })
    .await;
}

#[tokio::test]
async fn two_questions_in_one_turn_are_answered() {
    journey("two at once", async |page| {
        page.say("Ask both at once").await?;
        page.can_choose("Brake service").await?;
        page.can_choose("Rush").await?;
        page.presses("Brake service").await?;
        page.presses("Rush").await?;
        page.hears(&["Booked: Brake service, Rush."]).await?;
        keeps_streams(page, "at-once").await
    })
    .await;
}

#[tokio::test]
async fn cancel_is_told_and_the_conversation_goes_on() {
    journey("cancel", async |page| {
        page.say(REQUEST).await?;
        page.cancel("Brake service").await?;
        page.hears(&["Nothing is booked."]).await?;
        page.is_my_turn().await?;
        page.say(REQUEST).await?;
        page.tap("New tyres").await?;
        page.hears(&["New tyres it is."]).await
    })
    .await;
}

#[tokio::test]
async fn a_reload_finds_the_question_and_the_receipts() {
    journey("reload", async |page| {
        page.say(REQUEST).await?;
        page.can_choose("Brake service").await?;
        page.is_my_turn().await?;
        page.reload().await?;
        page.tap("Brake service").await?;
        page.hears(&["Brake service it is."]).await?;
        page.tap("Rush").await?;
        page.hears(&["Booked: Brake service, Rush."]).await?;
        page.is_my_turn().await?;
        page.reload().await?;
        page.hears(&["Booked: Brake service, Rush."]).await?;
        assert_eq!(page.receipts().await?.len(), 2);
        Ok(())
    })
    .await;
}

/// Writes down what the agent has streamed, a file a run, if `cargo xtask agents --record` wants it.
async fn keeps_streams(page: &ChatPage, name: &str) -> WebDriverResult<()> {
    page.is_my_turn().await?;
    if std::env::var_os("XTASK_RECORD").is_none() {
        return Ok(());
    }
    let streams = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ag-ui-stream/test_data/agents");
    let folder = streams.join(given("XTASK_RECIPE"));
    fs::create_dir_all(&folder)?;
    for (run, stream) in page.record().await?.streams.iter().enumerate() {
        fs::write(folder.join(format!("{name}-{run}.sse")), stream)?;
    }
    Ok(())
}
