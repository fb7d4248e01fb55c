//! The page with an agent of another framework, behind which the scripted model of the recipes speaks: `cargo xtask agents` starts both.

use std::fs;
use std::path::Path;

use thirtyfour::prelude::*;

use crate::browser::journey_at;
use crate::chat_page::ChatPage;
use crate::given;
use crate::server::Server;

const REQUEST: &str = "I need my car looked at";

/// Walks through the page with the agent at its own origin, which has to let the page in.
async fn journey(walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<()>) {
    let agent = given("XTASK_AGENT");
    let origin: Vec<&str> = agent.splitn(4, '/').take(3).collect();
    let server = Server::start_with_agent(&origin.join("/"));
    journey_at(&format!("{}?agent={agent}", server.url()), walk).await;
}

#[tokio::test]
async fn the_card_grows_while_the_call_streams() {
    journey(async |page| {
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
    let server = Server::start_passing_on(&given("XTASK_AGENT"));
    journey_at(&server.url(), async |page| {
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
    journey(async |page| {
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
    journey(async |page| {
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
    journey(async |page| {
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
    journey(async |page| {
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

/// Writes down what the agent has streamed, a file a run, where `cargo xtask agents --record` wants it.
async fn keeps_streams(page: &ChatPage, name: &str) -> WebDriverResult<()> {
    page.is_my_turn().await?;
    let Ok(folder) = std::env::var("XTASK_RECORD") else {
        return Ok(());
    };
    for (run, stream) in page.record().await?.streams.iter().enumerate() {
        fs::write(Path::new(&folder).join(format!("{name}-{run}.sse")), stream)?;
    }
    Ok(())
}
