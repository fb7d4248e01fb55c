//! Answers by every way of delivery, and conversations that come back.

use crate::browser::{journey, journey_at, journey_through_trouble};
use crate::server::Server;

const REQUEST: &str = "I need my car looked at";

/// Books an appointment by three answers.
async fn books(way: &str) {
    let server = Server::start();
    journey_at(&format!("{}?delivery={way}", server.url()), async |page| {
        page.say(REQUEST).await?;
        page.tap("Brake service").await?;
        page.tap("Standard").await?;
        page.tap("Yes").await?;
        page.hears(&["Brake service", "standard", "Booked"]).await?;
        let said = page.own_messages().await?;
        let expected: &[&str] = match way {
            "user-message" => &[REQUEST, "Brake service", "Standard", "Yes"],
            // The receipts say it.
            _ => &[REQUEST],
        };
        assert_eq!(said, expected, "by {way}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn answers_go_as_user_messages() {
    books("user-message").await;
}

#[tokio::test]
async fn answers_go_as_tool_results() {
    books("tool-result").await;
}

#[tokio::test]
async fn answers_resume_interrupts() {
    books("resume").await;
}

#[tokio::test]
async fn answers_go_by_rest() {
    books("rest").await;
}

#[tokio::test]
async fn a_reload_finds_the_question_and_the_receipts() {
    journey(async |page| {
        page.say(REQUEST).await?;
        page.tap("Brake service").await?;
        page.can_choose("Standard").await?;
        page.reload().await?;
        page.can_choose("Standard").await?;
        assert_eq!(page.receipts().await?.len(), 1);
        assert_eq!(
            page.own_messages().await?,
            [REQUEST, "Brake service"],
            "nothing is said twice"
        );
        page.tap("Standard").await?;
        page.tap("Yes").await?;
        page.hears(&["Booked"]).await?;
        page.reload().await?;
        page.hears(&["Booked"]).await?;
        assert_eq!(page.receipts().await?.len(), 3);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_killed_between_the_tap_and_its_answer_has_the_answer_once() {
    let mut server = Server::start_with_database();
    let url = server.url();
    journey_through_trouble(&url, async |page| {
        page.say(REQUEST).await?;
        page.can_choose("Brake service").await?;
        // It takes the connection and does nothing more.
        server.freeze();
        page.taps("Brake service").await?;
        server.kill();
        server.start_again();
        page.can_choose("Standard").await?;
        assert_eq!(page.receipts().await?.len(), 1);
        assert_eq!(page.own_messages().await?, [REQUEST, "Brake service"]);
        page.tap("Standard").await?;
        page.tap("Yes").await?;
        page.hears(&["Brake service", "standard", "Booked"]).await?;
        page.reload().await?;
        page.hears(&["Booked"]).await?;
        assert_eq!(
            page.own_messages().await?,
            [REQUEST, "Brake service", "Standard", "Yes"]
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_one_tab_answers_shows_in_the_other() {
    journey(async |page| {
        page.say(REQUEST).await?;
        page.can_choose("Brake service").await?;
        let other = page.in_another_tab().await?;
        page.tap("Brake service").await?;
        page.can_choose("Standard").await?;
        page.switch_to(&other).await?;
        page.can_choose("Standard").await?;
        assert_eq!(page.receipts().await?.len(), 1);
        page.tap("Rush").await?;
        page.can_choose("Yes").await?;
        Ok(())
    })
    .await;
}
