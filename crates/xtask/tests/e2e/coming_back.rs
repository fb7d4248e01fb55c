//! Answers by the ways of delivery that no other journey takes, and conversations that come back.

use crate::browser::{journey, journey_at, journey_through_trouble};
use crate::server::Server;

const REQUEST: &str = "I need my car looked at";

#[tokio::test]
async fn a_reload_finds_the_question_with_its_draft_and_the_receipts() {
    journey(async |page| {
        page.say(REQUEST).await?;
        page.tap("Brake service").await?;
        page.begin_otherwise("Standard", "Friday, but").await?;
        page.reload().await?;
        page.can_choose("Standard").await?;
        assert_eq!(page.unsent().await?, "", "it was sent");
        assert_eq!(page.draft().await?, "Friday, but");
        assert_eq!(page.receipts().await?.len(), 1);
        assert_eq!(page.own_messages().await?, [REQUEST], "nothing is said twice");
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
async fn an_agent_that_branches_goes_on_from_the_changed_answer_and_what_came_since_is_struck() {
    let server = Server::start_with_options(&["--changed-answer", "branch"]);
    journey_at(&server.url(), async |page| {
        page.say(REQUEST).await?;
        for label in ["Brake service", "Standard", "Yes"] {
            page.tap(label).await?;
        }
        page.hears(&["Booked"]).await?;
        page.changes_an_answer("Standard or rush", "Rush").await?;
        // The estimate, the question about it, and what the agent said to its answer.
        let why = "What came after the first answer no longer counts.";
        page.has_undone(3, why).await?;
        page.can_choose("Yes").await?;
        page.reload().await?;
        page.has_undone(3, why).await?;
        page.has_changed(&["Standard or rush scheduling?", "Rush"], "Standard").await?;
        // An undone receipt says "Yes" as well.
        page.taps("Yes").await?;
        page.hears(&["Booked: Brake service, rush scheduling"]).await?;
        page.has_undone(3, why).await
    })
    .await;
}

#[tokio::test]
async fn a_server_killed_between_the_tap_and_its_answer_has_the_answer_once() {
    let mut server = Server::start_with_database();
    let url = server.url();
    journey_through_trouble(&url, async |page| {
        page.say(REQUEST).await?;
        page.can_choose("Brake service").await?;
        page.is_my_turn().await?;
        // It takes the connection and does nothing more.
        server.freeze();
        page.taps("Brake service").await?;
        server.kill();
        server.start_again();
        page.can_choose("Standard").await?;
        assert_eq!(page.receipts().await?.len(), 1);
        assert_eq!(page.own_messages().await?, [REQUEST]);
        page.tap("Standard").await?;
        page.tap("Yes").await?;
        page.hears(&["Brake service", "standard", "Booked"]).await?;
        page.reload().await?;
        page.hears(&["Booked"]).await?;
        assert_eq!(page.own_messages().await?, [REQUEST]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_server_that_goes_amid_its_words_is_missed_aloud_until_it_is_back() {
    let mut server = Server::start_with_database();
    let url = server.url();
    journey_through_trouble(&url, async |page| {
        page.say(REQUEST).await?;
        page.hears(&["I can help"]).await?;
        server.kill();
        page.is_informed("The connection is gone").await?;
        page.hears(&["I can help"]).await?;
        assert_eq!(page.alert().await?, "", "one sentence is enough");
        server.start_again();
        page.is_informed("").await?;
        page.tap("Brake service").await?;
        page.can_choose("Standard").await?;
        assert_eq!(page.own_messages().await?, [REQUEST]);
        assert_eq!(page.alert().await?, "");
        Ok(())
    })
    .await;
}

/// More than the connections that a browser allows to a host: one that each tab held would leave none for the answer.
const TABS: usize = 10;

#[tokio::test]
async fn what_one_of_many_tabs_answers_shows_in_all_and_one_holds_the_stream() {
    journey(async |page| {
        page.say(REQUEST).await?;
        page.can_choose("Brake service").await?;
        let mut others = Vec::new();
        for _ in 1..TABS {
            others.push(page.in_another_tab().await?);
        }
        page.tap("Brake service").await?;
        for other in &others {
            page.switch_to(other).await?;
            page.can_choose("Standard").await?;
            assert_eq!(page.receipts().await?.len(), 1);
        }
        page.sees_one_stream().await?;
        page.tap("Rush").await?;
        page.switch_to(&others[0]).await?;
        page.can_choose("Yes").await?;
        assert_eq!(page.own_messages().await?, [REQUEST]);
        Ok(())
    })
    .await;
}
