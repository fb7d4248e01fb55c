//! Other everyday actions of a person on the page.

use thirtyfour::prelude::*;

use crate::browser::{journey, journey_at};
use crate::server::Server;

const REQUEST: &str = "I need my car looked at";

/// Each language: its tag, its direction, and the title of its settings.
const LANGUAGES: [(&str, &str, &str); 5] = [
    ("en", "ltr", "Settings"),
    ("de", "ltr", "Einstellungen"),
    ("ar", "rtl", "الإعدادات"),
    ("ja", "ltr", "設定"),
    ("es", "ltr", "Ajustes"),
];

#[tokio::test]
async fn a_programs_question_is_answered_at_the_address_that_the_program_got() {
    let body =
        r#"{"id": "size", "questions": [{"question": "Which size?", "options": [{"label": "S"}, {"label": "M"}]}]}"#;
    // Behind another agent, too, whose page `/` is then.
    for server in [Server::start(), Server::start_with_options(&["--agent", "http://127.0.0.1:9/"])] {
        let (_, asked) = server.post("/conversations/nightly%20jobs%2F7/asks", body);
        let asked: serde_json::Value = serde_json::from_str(&asked).expect("it is JSON");
        let address = asked["url"].as_str().unwrap_or_else(|| panic!("{asked}"));
        journey_at(address, async |page| {
            page.can_choose("S").await?;
            page.tap("M").await?;
            let (_, answer) = server.fetch("/conversations/nightly%20jobs%2F7/asks/size?wait=30");
            assert!(answer.contains(r#""answers":{"Which size?":"M"}"#), "{answer}");
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_question_that_waits_while_nobody_looks_marks_the_title() {
    journey(async |page| {
        assert_eq!(page.title().await?, "Front desk");
        page.is_put_away(true).await?;
        page.say(REQUEST).await?;
        page.has_title("● Front desk").await?;
        page.has_icon(true).await?;
        page.is_put_away(false).await?;
        page.has_title("Front desk").await?;
        page.has_icon(false).await?;
        page.can_choose("Brake service").await
    })
    .await;
}

#[tokio::test]
async fn the_settings_are_found_changed_and_left_by_the_keyboard_alone() {
    journey(async |page| {
        page.tab_to("Settings").await?;
        page.press_keys(Key::Enter + "").await?;
        assert_eq!(page.focus().await?, "Language");
        // A list takes the first letters of what is looked for.
        page.press_keys("D").await?;
        page.tab_to("Darstellung").await?;
        page.press_keys("D").await?;
        page.press_keys(Key::Escape + "").await?;
        assert_eq!(page.focus().await?, "Einstellungen", "back where it came from");
        for _ in 0..2 {
            assert_eq!(page.language().await?, ["de", "ltr", "dark"]);
            assert_eq!(page.title().await?, "Empfang");
            page.reload().await?;
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_language_fits_the_narrowest_window() {
    let server = Server::start();
    journey_at(&server.url(), async |page| {
        page.resize(320, 640).await?;
        for (language, direction, settings) in LANGUAGES {
            page.open_at(&format!("{}?lang={language}", server.url())).await?;
            assert_eq!(page.language().await?[..2], [language, direction]);
            page.is_set_wide().await?;
            page.fits("the welcome").await?;
            assert_eq!(page.title_start().await?, 16, "{language}");
            page.press_button(settings).await?;
            page.fits("the settings").await?;
            page.press_keys(Key::Escape + "").await?;
            page.say(REQUEST).await?;
            page.can_choose("Brake service").await?;
            page.fits("a question").await?;
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_was_said_is_printed_and_nothing_else() {
    journey(async |page| {
        page.say(REQUEST).await?;
        page.tap("Brake service").await?;
        page.can_choose("Standard").await?;
        page.resize(800, 300).await?;
        page.is_printed().await?;
        assert!(page.shows("article").await?, "what was said");
        assert!(page.shows(".qc-receipt").await?, "what was answered");
        assert!(!page.shows("form.composer").await?, "nobody types on paper");
        assert!(!page.shows("header .icon").await?, "nor presses");
        let cut = "const log = document.querySelector('[role=log]');
            return log.scrollHeight > log.clientHeight + 1;";
        assert!(!page.tell::<bool>(cut).await?, "all of it is there");
        Ok(())
    })
    .await;
}
