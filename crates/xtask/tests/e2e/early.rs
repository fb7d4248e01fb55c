//! Actions of a person before the page's program is there.

use thirtyfour::prelude::*;

use crate::browser::visit;
use crate::chat_page::ChatPage;
use crate::server;

const REQUEST: &str = "I need my car looked at";
const HELD: &str = "Your message goes out as soon as the page is ready.";

/// Walks through the page, whose program waits until it is let in.
async fn early(forgiven: &[&str], walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<()>) {
    let url = server::shared().url();
    visit(forgiven, async |driver| walk(&ChatPage::open_early(driver, &url).await?).await).await;
}

#[tokio::test]
async fn what_is_being_written_stays_where_it_is() {
    early(&[], async |page| {
        page.begin("My brakes squeak").await?;
        page.press_keys(Key::Left + Key::Left).await?;
        page.lets_the_program_in().await?;
        assert_eq!(page.focus().await?, "Message");
        page.press_keys("l").await?;
        assert_eq!(page.unsent().await?, "My brakes squelak");
        assert_eq!(page.own_messages().await?, [""; 0]);
        page.press_keys(Key::Enter + "").await?;
        page.is_my_turn().await?;
        assert_eq!(page.own_messages().await?, ["My brakes squelak"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_is_sent_goes_out_once_the_program_is_there() {
    early(&[], async |page| {
        page.say(REQUEST).await?;
        page.frame_says(HELD).await?;
        page.lets_the_program_in().await?;
        page.can_choose("Brake service").await?;
        assert_eq!(page.own_messages().await?, [REQUEST]);
        assert_eq!(page.unsent().await?, "");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_suggestion_goes_out_as_well() {
    early(&[], async |page| {
        page.press_button("My brakes squeak").await?;
        page.frame_says(HELD).await?;
        page.lets_the_program_in().await?;
        page.is_my_turn().await?;
        assert_eq!(page.own_messages().await?, ["My brakes squeak"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_is_written_on_after_it_was_sent_waits_for_another_enter() {
    early(&[], async |page| {
        page.say("I need my car").await?;
        page.begin(" looked at").await?;
        page.frame_says("").await?;
        page.lets_the_program_in().await?;
        assert_eq!(page.unsent().await?, REQUEST);
        assert_eq!(page.own_messages().await?, [""; 0]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_is_written_outlives_a_program_that_does_not_start() {
    early(&["on purpose"], async |page| {
        page.begin(REQUEST).await?;
        page.lets_the_program_fail().await?;
        page.frame_says("The page could not start. Please load it again.").await?;
        page.reload_early().await?;
        assert_eq!(page.unsent().await?, REQUEST);
        Ok(())
    })
    .await;
}
