//! The keys of the card's table, pressed for real: the browser's own defaults happen, or the card keeps them from happening.

use crate::gallery_page::gallery_at;
use serde_json::json;
use thirtyfour::prelude::*;

const SINGLE: &str = "?gallery=chat-service&state=awaiting";
const MULTI: &str = "?gallery=runtime-multi-select&state=awaiting";
const FOUR: &str = "?gallery=coding-four-questions&state=awaiting";
/// One question of three options.
const THREE: &str = "?gallery=coding-auth&state=awaiting";

#[tokio::test]
async fn k1_arrows_move_and_check_and_go_round() {
    gallery_at(SINGLE, async |page| {
        page.tab_to("Cleaning").await?;
        page.press(Key::Down + "").await?;
        assert_eq!((page.focus().await?, page.chosen().await?), ("Repair".to_owned(), vec!["Repair".to_owned()]));
        page.press(Key::Up + "").await?;
        page.press(Key::Up + "").await?;
        assert_eq!(page.focus().await?, "Other", "the row for an own answer is one of the group");
        page.press(Key::Down + "").await?;
        assert_eq!(page.chosen().await?, ["Cleaning"]);
        assert_eq!(page.heard().await?, NOTHING, "exploring sends nothing");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn k2_arrows_do_nothing_among_boxes() {
    gallery_at(MULTI, async |page| {
        page.tab_to("macOS").await?;
        page.press(Key::Down + "").await?;
        assert_eq!(page.focus().await?, "macOS");
        assert_eq!(page.chosen().await?, NOTHING);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn key_03_enter_checks_an_unchecked_option_and_sends_where_everything_is_answered() {
    gallery_at(SINGLE, async |page| {
        page.tab_to("Cleaning").await?;
        page.press(Key::Enter + "").await?;
        assert_eq!((page.chosen().await?, page.heard().await?), (vec!["Cleaning".to_owned()], Vec::new()));
        page.press(Key::Enter + "").await?;
        assert_eq!(page.replies().await?.len(), 1);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn k7_enter_in_the_text_sends_it_and_refuses_a_blank_one() {
    gallery_at(SINGLE, async |page| {
        page.tab_to("Cleaning").await?;
        page.tab_to("own answer").await?;
        page.press(Key::Enter + "").await?;
        assert_eq!(page.own_answer(0).await?, "", "no line is broken");
        assert_eq!(page.heard().await?, NOTHING);
        page.press("My roof leaks" + Key::Enter).await?;
        let replies = page.replies().await?;
        assert_eq!(replies[0]["answers"]["Which service do you need?"], "My roof leaks");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn key_05_ctrl_enter_submits_from_anywhere_or_goes_to_what_is_missing() {
    gallery_at(FOUR, async |page| {
        page.tab_to("own answer").await?;
        page.press("MariaDB").await?;
        page.press_with(Key::Control, Key::Enter + "").await?;
        assert_eq!((page.state().await?.as_str(), page.focus().await?.as_str()), ("invalid", "Login"));
        for label in ["Search", "Plain text", "Lints"] {
            page.choose(label).await?;
        }
        page.press_with(Key::Meta, Key::Enter + "").await?;
        let replies = page.replies().await?;
        assert_eq!(replies.len(), 1);
        assert_eq!(replies[0]["answers"]["Which database should the service use?"], "MariaDB");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn key_06_a_digit_chooses_in_its_own_question() {
    gallery_at(FOUR, async |page| {
        page.tab_to("Login").await?;
        page.press("2").await?;
        assert_eq!((page.chosen().await?, page.focus().await?), (vec!["Search".to_owned()], "Search".to_owned()));
        page.tab_to("Problem JSON").await?;
        page.press("3").await?;
        assert_eq!(page.chosen().await?, ["Search", "HTML page"]);
        assert_eq!(page.focus().await?, "HTML page");
        assert_eq!(page.heard().await?, NOTHING);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn key_07_the_digit_after_the_last_goes_to_the_text() {
    gallery_at(THREE, async |page| {
        let options = page.texts(".qc-option:not(.qc-other)").await?.len();
        page.press(Key::Tab + "").await?;
        page.stand_before_the_card().await?;
        page.tab().await?;
        page.press(format!("{}", options + 1)).await?;
        assert_eq!(page.focus().await?, "own answer");
        assert_eq!((page.own_answer(0).await?.as_str(), page.chosen().await?), ("", Vec::new()));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn key_08_a_digit_in_the_text_is_text() {
    gallery_at(SINGLE, async |page| {
        page.tab_to("own answer").await?;
        page.press("2 rooms").await?;
        assert_eq!(page.own_answer(0).await?, "2 rooms");
        assert_eq!(page.chosen().await?, ["Other"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn key_09_a_digit_elsewhere_is_none_of_the_cards_business() {
    gallery_at(SINGLE, async |page| {
        page.click_composer().await?;
        page.press("1").await?;
        page.tell::<()>("document.activeElement.blur();", []).await?;
        page.press("2").await?;
        assert_eq!(page.focus().await?, "nowhere");
        assert_eq!(page.chosen().await?, NOTHING);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn k10_buttons_take_enter_and_space() {
    for key in [Key::Enter + "", Key::Space + ""] {
        gallery_at(SINGLE, async |page| {
            page.choose("Repair").await?;
            page.tab_to("Submit").await?;
            page.press(key).await?;
            assert_eq!(page.replies().await?.len(), 1);
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn key_11_escape_leaves_the_text_and_loses_nothing() {
    gallery_at(SINGLE, async |page| {
        page.tab_to("own answer").await?;
        page.press("half a thought").await?;
        page.press(Key::Escape + "").await?;
        assert_eq!(page.focus().await?, "Other", "K11: the text is left");
        assert_eq!(page.heard().await?, NOTHING, "and that was all that the key meant");
        page.press(Key::Escape + "").await?;
        page.tab_to("Don’t answer").await?;
        page.press(Key::Escape + "").await?;
        assert_eq!(page.heard().await?, ["escape", "escape"], "K12: the host gets it");
        assert_eq!((page.own_answer(0).await?.as_str(), page.state().await?.as_str()), ("half a thought", "awaiting"));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn ime_02_the_enter_that_takes_a_word_sends_nothing() {
    gallery_at(SINGLE, async |page| {
        page.tab_to("own answer").await?;
        let word = json!({"text": "みず", "selectionStart": 2, "selectionEnd": 2});
        page.devtools("Input.imeSetComposition", word).await?;
        // A browser's report of a key that the input method has taken.
        let taken = json!({"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229});
        page.devtools("Input.dispatchKeyEvent", taken).await?;
        assert_eq!(page.heard().await?, NOTHING);
        page.devtools("Input.insertText", json!({"text": "水"})).await?;
        assert_eq!((page.own_answer(0).await?.as_str(), page.chosen().await?), ("水", vec!["Other".to_owned()]));
        page.press(Key::Enter + "").await?;
        assert_eq!(page.replies().await?.len(), 1);
        Ok(())
    })
    .await;
}

const NOTHING: [&str; 0] = [];
