//! Ways through the page.

use crate::browser::{journey, journey_at};
use crate::recorder::Record;
use crate::server::Server;
use thirtyfour::prelude::*;

const REQUEST: &str = "I need my car looked at";

#[tokio::test]
async fn one_tap_answers_while_everything_streams() {
    // On a slow machine, a browser sleeps for as long as a text takes at the usual pace.
    let server = Server::start_with_options(&["--pace", "45"]);
    journey_at(&server.url(), async |page| {
        page.say(REQUEST).await?;
        page.tap("Brake service").await?;
        page.answer_otherwise("Standard", "Friday before noon").await?;
        page.press("Yes").await?;
        page.hears(&["Brake service", "Friday before noon", "Booked"]).await?;

        let receipts = page.receipts().await?;
        let answers = ["Brake service", "Friday before noon", "Yes"];
        assert_eq!(receipts.len(), answers.len(), "{receipts:?}");
        for (receipt, answer) in receipts.iter().zip(answers) {
            assert!(receipt.contains(answer), "{receipt} should show {answer}");
        }
        let own = page.own_messages().await?;
        assert_eq!(own.first().map(String::as_str), Some(REQUEST), "{own:?}");

        let record = page.record().await?;
        text_grew(&record);
        card_came_alive_while_streaming(&record);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_keyboard_alone_is_enough() {
    journey(async |page| {
        page.tab_to("Message").await?;
        page.press_keys(REQUEST.to_owned() + Key::Enter).await?;
        page.can_choose("Oil change").await?;
        assert_eq!(page.focus().await?, "Message", "a question takes no focus");
        page.tab_back_to("Oil change").await?;
        page.press_keys(Key::Enter + "").await?;

        page.can_choose("Rush").await?;
        let receipt = page.focus().await?;
        assert!(receipt.starts_with("Answered"), "{receipt}");
        page.tab_to("Standard").await?;
        page.press_keys("2").await?;
        assert_eq!(page.focus().await?, "Rush", "a digit goes there, no more");
        page.press_keys(" ").await?;

        page.can_choose("Yes").await?;
        page.tab_to("Yes").await?;
        page.press_keys(Key::Enter + "").await?;
        page.hears(&["Oil change", "rush", "Booked"]).await?;
        let receipt = page.focus().await?;
        assert!(receipt.starts_with("Answered"), "{receipt}");
        page.tab_to("Message").await
    })
    .await;
}

/// Text that came in several steps was shown in several.
#[track_caller]
pub(crate) fn text_grew(record: &Record) {
    let steps = record.text_lengths.windows(2).filter(|pair| pair[0] > 0 && pair[0] < pair[1]).count();
    assert!(steps >= 3, "the agent's text came at once: {:?}", record.text_lengths);
}

/// Options were there, and could not be chosen yet, while the arguments of the call still streamed.
#[track_caller]
fn card_came_alive_while_streaming(record: &Record) {
    let streaming: Vec<_> = record.cards.iter().filter(|card| card.state == "streaming").collect();
    assert!(streaming.iter().any(|card| card.options > 0), "no option came before the end: {:#?}", record.cards);
    assert!(
        streaming.iter().all(|card| card.buttons == 0),
        "a button came before it was certain that a tap answers: {:#?}",
        record.cards
    );
    assert!(record.cards.iter().any(|card| card.active > 0), "no button came: {:#?}", record.cards);
    let counts: Vec<_> = streaming.iter().map(|card| card.options).collect();
    assert!(counts.windows(2).any(|pair| 0 < pair[0] && pair[0] < pair[1]), "all options came at once: {counts:?}");
}
