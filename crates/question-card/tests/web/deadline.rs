//! Asks with a deadline. The tests have a clock of their own, and turn it.

use crate::asks::{AskPatch, Scripted as _, service};
use crate::card_page::{CardPage, Setting, fresh_id};
use crate::wait::{Clock, until};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Phase};
use leptos::prelude::*;
use question_card::{Word, Words as _};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_test::wasm_bindgen_test as test;

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
/// The start time of the tests.
const NOON: u64 = 1_800_000_000_000;

#[test]
async fn the_time_is_shown_and_said_once_when_it_is_short() {
    let (card, clock) = waiting_for(5 * MINUTE).await;
    let spoken = card.listen();
    assert_eq!(card.time_left().as_deref(), Some("5 minutes left to answer"));
    clock.turn(&card, MINUTE + 1).await;
    assert_eq!(card.time_left().as_deref(), Some("3 minutes left to answer"));
    clock.turn(&card, 3 * MINUTE).await;
    assert_eq!(card.time_left().as_deref(), Some("60 seconds left to answer"));
    for _ in 0..3 {
        clock.turn(&card, 10 * SECOND).await;
    }
    assert_eq!(card.time_left().as_deref(), Some("30 seconds left to answer"));
    card.submit().await;
    // No announcement in between: the next one has another subject.
    spoken.hears(["60 seconds left to answer", "", "The question still needs an answer"]).await;
}

#[test]
async fn a_list_that_mounts_its_card_anew_warns_once() {
    let ask = expiring(js_sys::Date::now() as u64 + 45 * SECOND);
    let card = CardPage::open(ask.clone(), Setting::default()).await;
    assert!(card.announced().await.contains("seconds left to answer"));
    drop(card);
    let card = CardPage::open(ask, Setting::default()).await;
    let spoken = card.listen();
    card.submit().await;
    spoken.hears(["The question still needs an answer"]).await;
}

#[test]
async fn what_was_typed_outlives_the_deadline() {
    let (card, clock) = waiting_for(2 * MINUTE).await;
    card.type_other(0, "nearly done").await;
    let spoken = card.listen();
    clock.turn(&card, 2 * MINUTE).await;
    assert_eq!(card.state(), "expired");
    assert!(card.find("form").is_none() && card.time_left().is_none());
    assert!(card.text().starts_with("Time ran out"), "{}", card.text());
    assert!(card.text().contains("nearly done"));
    spoken.hears(["Time ran out"]).await;
    // The host's later report changes nothing.
    card.ends(Phase::Expired, None).await;
    assert!(card.text().contains("nearly done"));
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, ["nearly done"]));
    card.has_not_replied();
}

#[test]
async fn a_question_whose_time_ran_out_can_be_asked_again() {
    let again = Word::AskAgain.english();
    for typed in ["", "nearly done"] {
        let (card, clock) = waiting_for(MINUTE).await;
        card.type_other(0, typed).await;
        clock.turn(&card, MINUTE).await;
        card.stands_still().await;
        card.agent_is_writing(true);
        card.tap_button(again).await;
        assert_eq!(card.reason(again), Word::NotNow.english());
        card.agent_is_writing(false);
        card.stands_still().await;
        card.button(again).expect("a second try").focus().expect("it takes the focus");
        card.tap_button(again).await;
        card.heard(|heard| assert_eq!(heard.messages, ["Ask again: What does your car need?"]));
        assert!(card.button(again).is_none(), "once is enough");
        card.sees_focus_on(&card.receipt().expect("a receipt"));
        assert!(card.text().contains(typed), "no typed text is lost");
        card.has_not_replied();
    }
}

#[test]
async fn nothing_is_asked_again_where_the_host_takes_no_messages_or_nobody_waited() {
    let expired = |id| AskSnapshot::complete(id, service(), Phase::Expired);
    let of_history = CardPage::open(expired(fresh_id()), Setting::default()).await;
    assert!(of_history.find("button").is_none());
    let setting = Setting { messages_off: true, ..Setting::default() };
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
    card.ends(Phase::Expired, None).await;
    assert!(card.find("button").is_none());
}

#[test]
async fn more_time_is_one_press_away() {
    let (card, clock) = waiting_for(2 * MINUTE).await;
    clock.turn(&card, MINUTE + 20 * SECOND).await;
    assert_eq!(card.announced().await, "40 seconds left to answer");
    card.press_button("More time").await;
    card.heard(|heard| assert_eq!(heard.extensions, 1));
    card.receives([AskPatch::ExpiresAt(Some(clock.now() + 10 * MINUTE))]);
    card.settled().await;
    assert_eq!(card.time_left().as_deref(), Some("10 minutes left to answer"));
    until("it is announced", || card.announcement() == "10 minutes left to answer").await;
    clock.turn(&card, 9 * MINUTE + 1).await;
    until("the new end is warned of too", || card.announcement() == "60 seconds left to answer").await;
}

#[test]
async fn more_time_after_the_end_opens_the_card_again() {
    let (card, clock) = waiting_for(MINUTE).await;
    let events = card.hear_events();
    card.choose("Oil change").await;
    card.control("Oil change").focus().expect("it takes the focus");
    clock.turn(&card, MINUTE).await;
    assert_eq!(card.state(), "expired");
    card.sees_focus_on(&card.receipt().expect("a receipt"));
    card.receives([AskPatch::ExpiresAt(None)]);
    card.settled().await;
    assert_eq!(events.so_far(), ["qc-resolved", "qc-waiting"]);
    until("the focus is back", || card.has_focus_on("Submit")).await;
    assert_eq!((card.state().as_str(), card.chosen()), ("awaiting", vec!["Oil change".to_owned()]));
    card.submit().await;
    card.only_reply();
}

#[test]
async fn a_reply_on_its_way_is_not_cut_off() {
    let (card, clock) = waiting_for(MINUTE).await;
    card.choose("Oil change").await;
    card.submit().await;
    clock.turn(&card, 2 * MINUTE).await;
    assert_eq!(card.state(), "submitting");
    assert_eq!(card.time_left(), None);
    card.host_says(ReplyState::Failed("Too late.".to_owned())).await;
    assert_eq!(card.state(), "expired");
    assert!(card.text().contains("Not sent") && card.text().contains("Oil change"));
}

#[test]
async fn what_had_expired_before_is_no_news() {
    let (card, _) = waiting_for(0).await;
    assert_eq!(card.state(), "expired");
    let spoken = card.listen();
    card.receives([AskPatch::ExpiresAt(None)]);
    card.settled().await;
    card.submit().await;
    spoken.hears(["The question still needs an answer"]).await;
}

#[test]
async fn the_hosts_own_deadline_goes_before_that_of_the_ask() {
    let own = RwSignal::new(Some(NOON + 3 * MINUTE));
    let _clock = Clock::at(NOON);
    let setting = Setting { expires_at: own.into(), ..Setting::default() };
    let card = CardPage::open(expiring(NOON + 9 * MINUTE), setting).await;
    assert_eq!(card.time_left().as_deref(), Some("3 minutes left to answer"));
    own.set(None);
    card.settled().await;
    assert_eq!(card.time_left().as_deref(), Some("9 minutes left to answer"));
}

#[test]
async fn the_card_looks_at_the_clock_by_itself() {
    let soon = js_sys::Date::now() as u64 + 2000;
    let card = CardPage::open(expiring(soon), Setting::default()).await;
    let first = card.time_left();
    assert!(first.is_some());
    until("a second passes", || card.time_left() != first).await;
    until("it expires", || card.state() == "expired").await;
}

#[test]
async fn a_card_has_one_timer_and_a_receipt_none() {
    // They wait longer than anything but a deadline does.
    let long_timers = || timers_beyond(10_000.0);
    let setting = Setting::default;
    let now = js_sys::Date::now() as u64;
    let card = CardPage::open(expiring(now + 90 * MINUTE), setting()).await;
    assert_eq!(long_timers(), 1);
    card.choose("Oil change").await;
    card.receives([AskPatch::ExpiresAt(Some(now + 100 * MINUTE))]);
    card.settled().await;
    assert_eq!(long_timers(), 1);
    card.ends(Phase::Superseded, None).await;
    assert_eq!(long_timers(), 0);

    let ended = expiring(now + 90 * MINUTE).with_phase(Phase::Declined);
    let _receipt = CardPage::open(ended, setting()).await;
    assert_eq!(long_timers(), 0);

    let gone = CardPage::open(expiring(now + 90 * MINUTE), setting()).await;
    assert_eq!(long_timers(), 1);
    drop(gone);
    assert_eq!(long_timers(), 0);
}

/// A card with a deadline this number of milliseconds after noon, and its clock.
async fn waiting_for(milliseconds: u64) -> (CardPage, Clock) {
    let clock = Clock::at(NOON);
    (CardPage::open(expiring(NOON + milliseconds), Setting::default()).await, clock)
}

fn expiring(at: u64) -> AskSnapshot {
    let mut snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Answerable);
    snapshot.apply(AskPatch::ExpiresAt(Some(at)));
    snapshot
}

#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    /// The number of timers that are set for longer than this number of milliseconds.
    fn timers_beyond(wait: f64) -> u32;
}
