//! The field that one writes in, and the place where one reads.

use thirtyfour::prelude::*;

use crate::browser::journey;
use crate::chat_page::selector;

const REQUEST: &str = "I need my car looked at";
/// The text of the question that waits.
const QUESTION: &str = "form .qc-question-text";

/// Windows so low that bar and composer would leave no room: a page at four times its size, and phones on their sides.
const LOW: [(u32, u32); 3] = [(320, 200), (640, 320), (844, 390)];

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
        assert_eq!((page.unsent().await?, page.composer_height().await?), (String::new(), lowest));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn who_reads_at_the_beginning_stays_there_and_is_told_of_news() {
    // In the second the page scrolls as a whole.
    for height in [480, 320] {
        journey(async |page| {
            page.resize(400, height).await?;
            page.say(REQUEST).await?;
            page.can_choose("Brake service").await?;
            page.leaves_the_beginning().await?;
            let here = page.here().await?;
            let there = page.in_another_tab().await?;
            page.goes_to_the_beginning().await?;
            page.has_button("1 question waits").await?;
            page.switch_to(&there).await?;
            page.tap("Brake service").await?;
            page.can_choose("Standard").await?;
            page.switch_to(&here).await?;
            page.can_choose("Standard").await?;
            page.has_button("1 question waits").await?;
            assert_eq!(page.place().await?, 0);
            page.press_button("1 question waits").await?;
            page.has_in_sight(QUESTION).await?;
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_low_window_scrolls_as_a_whole_and_leads_to_each_question() {
    for (width, height) in LOW {
        journey(async |page| {
            page.resize(width, height).await?;
            page.reload().await?;
            page.has_in_sight("#welcome-title").await?;
            page.say(REQUEST).await?;
            page.can_choose("Brake service").await?;
            page.has_in_sight(QUESTION).await?;
            page.fits("a question").await?;
            let inner: Vec<String> = page.tell(SCROLLS_INSIDE).await?;
            assert_eq!(inner, [""; 0], "{width} × {height}");
            page.press_keys("My").await?;
            page.has_in_sight(selector::COMPOSER).await?;
            page.press("Brake service").await?;
            page.can_choose("Standard").await?;
            page.has_in_sight(QUESTION).await?;
            assert_eq!(page.unsent().await?, "My");
            Ok(())
        })
        .await;
    }
}

/// A receipt is lower than its card: a question that comes behind it begins further up than the reader is.
#[tokio::test]
async fn a_question_that_begins_above_the_window_is_led_to() {
    journey(async |page| {
        page.resize(320, 200).await?;
        page.say(REQUEST).await?;
        page.can_choose("Tire rotation").await?;
        page.scrolls_to_the_bottom().await?;
        page.presses_where_it_is("Tire rotation").await?;
        page.can_choose("Standard").await?;
        page.has_in_sight(QUESTION).await
    })
    .await;
}

/// A card becomes a receipt, which is lower: the browser would scroll up as the page ends earlier.
#[tokio::test]
async fn what_is_read_stays_where_it_is_when_a_tap_is_answered() {
    // Here the page scrolls as a whole. Where its transcript does, its own tests look.
    for (width, height) in [(640, 320), (320, 200)] {
        journey(async |page| {
            page.resize(width, height).await?;
            page.say(REQUEST).await?;
            page.can_choose("Tire rotation").await?;
            page.watches_the_way_up().await?;
            page.tap("Tire rotation").await?;
            page.can_choose("Standard").await?;
            let up = page.way_up().await?;
            assert!(up <= 4, "{up} px up in {width} × {height}");
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_way_back_to_the_end_covers_nothing_that_has_the_focus() {
    for (width, height) in LOW {
        journey(async |page| {
            page.resize(width, height).await?;
            page.say(REQUEST).await?;
            page.can_choose("Brake service").await?;
            page.tab_back_to("New conversation").await?;
            page.has_button("1 question waits").await?;
            for option in ["Brake service", "Oil change", "Tire rotation"] {
                page.tab_to(option).await?;
                page.sees_the_focus().await?;
            }
            Ok(())
        })
        .await;
    }
}

/// The agent's last lines say what its question is about.
#[tokio::test]
async fn a_question_higher_than_the_window_comes_with_what_was_said_before() {
    journey(async |page| {
        page.resize(390, 560).await?;
        page.say(REQUEST).await?;
        page.can_choose("Brake service").await?;
        page.has_in_sight("article[data-role='assistant'] p").await?;
        page.has_in_sight(QUESTION).await
    })
    .await;
}

/// A phone is turned, a page is made larger: the question stays where it can be read.
#[tokio::test]
async fn a_window_that_becomes_low_keeps_the_question_in_sight() {
    journey(async |page| {
        page.resize(390, 844).await?;
        page.say(REQUEST).await?;
        page.tap("Brake service").await?;
        page.can_choose("Standard").await?;
        for (width, height) in [(844, 390), (390, 844), (320, 200), (1280, 800)] {
            page.resize(width, height).await?;
            page.has_in_sight(QUESTION).await?;
        }
        Ok(())
    })
    .await;
}

/// The elements that scroll beside the page itself, except the composer's field.
const SCROLLS_INSIDE: &str = "
    const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowY) && element.scrollHeight > element.clientHeight;
    return [...document.body.querySelectorAll(':not(textarea)')].filter(scrolls).map((element) => element.className);";
