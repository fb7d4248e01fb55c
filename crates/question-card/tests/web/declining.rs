//! "Don't answer", which can be undone for a while.

use crate::asks::service;
use crate::card_page::{CardPage, Setting, fresh_id};
use crate::wait::Clock;
use ask_user_question::{AskSnapshot, Phase};
use leptos::prelude::window;
use question_card::{Persist, Word, Words as _};
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::Event;

const FIVE_SECONDS: u64 = 5000;

/// A card, and the clock that it goes by.
async fn with_clock() -> (CardPage, Clock) {
    let clock = Clock::at(1_000_000);
    let setting = Setting { undo_within: FIVE_SECONDS, persist: Persist::session(), ..Setting::default() };
    let snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Answerable);
    (CardPage::open(snapshot, setting).await, clock)
}

/// Presses "Don't answer" from the keyboard.
async fn decline(card: &CardPage) {
    card.button(Word::Cancel.english()).expect("Cancel").focus().expect("it takes the focus");
    card.press_button(Word::Cancel.english()).await;
    card.heard(|heard| assert_eq!(heard.cancels, 0, "nothing is sent yet"));
    let undo = card.button(Word::Undo.english()).expect("Undo");
    card.sees_focus_on(&undo);
    assert!(card.text().contains(Word::Cancelled.english()));
}

#[test]
async fn undo_brings_the_question_back_and_the_focus_with_it() {
    let (card, _clock) = with_clock().await;
    decline(&card).await;
    card.press_button(Word::Undo.english()).await;
    let cancel = card.button(Word::Cancel.english()).expect("Cancel");
    card.sees_focus_on(&cancel);
    assert!(card.button(Word::Undo.english()).is_none());
    card.heard(|heard| assert_eq!(heard.cancels, 0));
}

#[test]
async fn after_its_time_it_goes_once_and_the_focus_stays_in_the_card() {
    let (card, clock) = with_clock().await;
    decline(&card).await;
    clock.turn(&card, FIVE_SECONDS).await;
    card.heard(|heard| assert_eq!(heard.cancels, 1));
    assert!(card.button(Word::Undo.english()).is_none());
    let receipt = card.find(".qc-receipt").expect("the receipt");
    card.sees_focus_on(&receipt);
    clock.turn(&card, FIVE_SECONDS).await;
    card.ends(Phase::Declined, None).await;
    card.heard(|heard| assert_eq!(heard.cancels, 1));
}

#[test]
async fn it_goes_with_the_page() {
    let (card, _clock) = with_clock().await;
    decline(&card).await;
    window().dispatch_event(&Event::new("pagehide").expect("an event")).expect("it is dispatched");
    card.heard(|heard| assert_eq!(heard.cancels, 1));
}

#[test]
async fn it_goes_with_the_card() {
    let (card, _clock) = with_clock().await;
    decline(&card).await;
    let heard = card.listener();
    drop(card);
    assert_eq!(heard.lock().expect("no holder panics").cancels, 1);
}
