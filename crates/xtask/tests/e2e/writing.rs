//! The field that one writes in, and the place where one reads.

use serde_json::json;
use thirtyfour::prelude::*;

use crate::browser::journey;

const REQUEST: &str = "I need my car looked at";

#[tokio::test]
async fn the_field_grows_with_its_lines_and_enter_sends_them() {
    journey(async |page| {
        let lowest = page.composer_height().await?;
        page.begin("My car needs").await?;
        assert_eq!(page.composer_height().await?, lowest);
        page.breaks_the_line().await?;
        page.begin("an oil change").await?;
        assert_eq!(page.unsent().await?, "My car needs\nan oil change");
        assert!(page.composer_height().await? > lowest);
        page.press_keys(Key::Enter + "").await?;
        page.can_choose("Standard").await?;
        assert_eq!(page.own_messages().await?, ["My car needs\nan oil change"]);
        assert_eq!(
            (page.unsent().await?, page.composer_height().await?),
            (String::new(), lowest)
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_enter_that_takes_a_word_from_an_input_method_sends_nothing() {
    journey(async |page| {
        page.begin("My ").await?;
        let word = json!({"text": "みず", "selectionStart": 2, "selectionEnd": 2});
        page.devtools("Input.imeSetComposition", word).await?;
        let taken = json!({"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229});
        page.devtools("Input.dispatchKeyEvent", taken).await?;
        assert_eq!(page.unsent().await?, "My みず");
        page.devtools("Input.insertText", json!({"text": "水"})).await?;
        page.press_keys(Key::Enter + "").await?;
        page.has_button("Stop").await?;
        assert_eq!(page.own_messages().await?, ["My 水"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn who_reads_at_the_beginning_stays_there_and_is_told_of_news() {
    journey(async |page| {
        page.resize(400, 480).await?;
        page.say(REQUEST).await?;
        page.can_choose("Brake service").await?;
        page.leaves_the_beginning().await?;
        let here = page.here().await?;
        let there = page.in_another_tab().await?;
        page.goes_to_the_beginning().await?;
        page.has_button("To the newest message").await?;
        page.switch_to(&there).await?;
        page.tap("Brake service").await?;
        page.can_choose("Standard").await?;
        page.switch_to(&here).await?;
        page.has_button("New messages").await?;
        assert_eq!(page.place().await?, 0);
        page.press_button("New messages").await?;
        page.leaves_the_beginning().await?;
        Ok(())
    })
    .await;
}
