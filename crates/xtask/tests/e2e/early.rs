//! Actions of a person before the page's program is there.

use std::fs;
use std::path::Path;

use thirtyfour::prelude::*;

use crate::browser::{Browser, visit};
use crate::chat_page::ChatPage;
use crate::element::page::copy;
use crate::given;
use crate::processes::TempDir;
use crate::server::{self, Server};

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
async fn what_is_sent_goes_out_once_the_program_is_there_and_so_does_a_suggestion() {
    for (is_suggested, message) in [(false, REQUEST), (true, "My brakes squeak")] {
        early(&[], async |page| {
            match is_suggested {
                true => page.press_button(message).await?,
                false => page.say(message).await?,
            }
            page.frame_says(HELD).await?;
            page.lets_the_program_in().await?;
            page.is_my_turn().await?;
            assert_eq!(page.own_messages().await?, [message]);
            assert_eq!(page.unsent().await?, "");
            Ok(())
        })
        .await;
    }
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
async fn a_program_that_does_not_start_or_panics_is_told_of_and_what_is_written_stays() {
    for (trouble, told) in [
        ("fails", "The page could not start. Please load it again."),
        ("has no WebAssembly", "This browser does not run WebAssembly here, which this page needs."),
        ("panics", "The page has stopped working. Please load it again."),
    ] {
        early(&["on purpose"], async |page| {
            page.begin(REQUEST).await?;
            match trouble {
                "panics" => {
                    page.lets_the_program_in().await?;
                    page.lets_the_program_panic().await?;
                }
                "fails" => page.lets_the_program_fail().await?,
                _ => {
                    page.loses_webassembly().await?;
                    page.lets_the_program_fail().await?;
                }
            }
            page.frame_says(told).await?;
            page.reload_early().await?;
            assert_eq!(page.unsent().await?, REQUEST);
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_language_that_does_not_load_leaves_the_page_in_english() {
    let folder = TempDir::new();
    copy(Path::new(&given("XTASK_PAGE")), &folder.0);
    let languages = folder.0.join("languages");
    for file in fs::read_dir(&languages).expect("the page has languages") {
        let file = file.expect("it can be read").path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("de.json") || name.starts_with("es.json") {
            fs::remove_file(file).expect("it goes");
        }
    }
    // A sheet that is another one's.
    fs::write(languages.join("es.json"), "{\"dir\": \"rtl\"}").expect("there is room on the disk");
    let server = Server::start_with_page(&folder.0.to_string_lossy());
    for language in ["de", "es"] {
        let file = format!("languages/{language}.json");
        visit(&[&file], async |driver| {
            let page = ChatPage::open(driver.clone(), &format!("{}?lang={language}", server.url())).await?;
            assert_eq!(page.language().await?[..2], ["en", "ltr"]);
            page.say(REQUEST).await?;
            page.can_choose("Brake service").await?;
            let browser = Browser::of_this_run();
            // The other drivers do not tell what pages write to the console.
            if let Browser::Chromium = browser {
                let errors = browser.errors(&driver).await?;
                let says = format!("The page stays English: {file} did not load");
                assert!(errors.iter().any(|error| error.contains(&says)), "{errors:?}");
            }
            Ok(())
        })
        .await;
    }
}
