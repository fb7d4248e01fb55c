//! Sending, failing, cancelling.

use crate::asks::{AskPatch, Scripted as _, mixed, service};
use crate::card_page::{CardPage, Hurry, Setting, fresh_id};
use crate::wait::{Clock, until};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Outcome, Phase, Reply};
use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::task::tick;
use question_card::{CardOptions, QuestionCard, SubmitMode, Word, Words as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, Event, HtmlElement};

#[test]
async fn sub_01_the_focus_stays_on_submit_while_the_reply_is_on_its_way() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    let submit = card.button("Submit").expect("Submit");
    submit.focus().expect("it takes the focus");
    card.submit().await;
    card.host_says(ReplyState::Sending).await;
    card.sees_focus_on(&submit);
    assert!(card.is_inert("Submit") && !submit.has_attribute("disabled"));
    assert_eq!(card.reason("Submit"), "Sending your answer");
    assert_eq!(card.find("form").and_then(|form| form.get_attribute("aria-busy")).as_deref(), Some("true"));
}

#[test]
async fn sub_02_one_ask_is_answered_once() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    for _ in 0..5 {
        card.submit().await;
        card.press_with("Enter", |init| init.set_ctrl_key(true)).await;
    }
    card.host_says(ReplyState::Sending).await;
    card.submit().await;
    card.choose("Inspection").await;
    assert_eq!(card.chosen(), ["Oil change"], "no choice changes while it is sent");
    assert!(card.text_field(0).read_only());
    assert_eq!(card.only_reply().message(), "Oil change");
}

#[test]
async fn sub_03_a_failure_gives_everything_back() {
    let card = CardPage::waiting(service()).await;
    card.type_other(0, "mine").await;
    let submit: Element = card.button("Submit").expect("Submit").unchecked_into();
    card.button("Submit").expect("Submit").focus().expect("it takes the focus");
    card.submit().await;
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
    assert_eq!(card.alerts(), ["Your answer was not sent. \u{2068}No network.\u{2069}"]);
    assert_eq!((card.chosen(), card.text_field(0).value()), (vec!["Other".to_owned()], "mine".to_owned()));
    card.sees_focus_on(&submit);
    card.submit().await;
    card.heard(|heard| assert_eq!(heard.replies.len(), 2));
    assert_eq!(card.alerts(), [""; 0]);
}

#[test]
async fn the_card_shows_how_an_action_stands() {
    let answer = RwSignal::new(None);
    let on_reply = Action::new_local(move |_: &Reply| async move {
        until("the agent says something", || answer.get_untracked().is_some()).await;
        answer.write_untracked().take().expect("it is there")
    });
    let with_action = async || {
        let ask = AskSnapshot::complete(fresh_id(), service(), Phase::Answerable);
        CardPage::open(ask, Setting { action: Some(on_reply), ..Setting::default() }).await
    };
    let (card, beside) = (with_action().await, with_action().await);
    card.choose("Oil change").await;
    card.submit().await;
    until("it is on its way", || card.state() == "submitting").await;
    assert_eq!(beside.state(), "awaiting");
    answer.set(Some(Err("No network.".to_owned())));
    until("it failed", || card.state() == "failed").await;
    assert_eq!(beside.state(), "awaiting", "the reply was another card's");
    assert_eq!(card.alerts(), ["Your answer was not sent. \u{2068}No network.\u{2069}"]);
    assert_eq!(card.chosen(), ["Oil change"], "it can be sent again");
    card.submit().await;
    until("it is on its way again", || card.state() == "submitting").await;
    answer.set(Some(Ok(())));
    until("the agent has it", || on_reply.value().get_untracked() == Some(Ok(()))).await;
    card.settled().await;
    assert_eq!(card.state(), "submitting", "it is the host that ends the ask");
    assert_eq!(card.alerts(), [""; 0]);
    card.ends(Phase::Answered, None).await;
    assert_eq!(card.state(), "answered");
}

#[test]
async fn a_cancellation_that_the_host_returns_can_be_sent_again() {
    let card = CardPage::tap_to_reply(service()).await;
    card.press_button("Don’t answer").await;
    card.host_says(ReplyState::Sending).await;
    card.host_says(ReplyState::None).await;
    card.choose("Oil change").await;
    assert_eq!(card.only_reply().message(), "Oil change");
}

#[test]
async fn a_reply_that_is_taken_never_shows_the_form_open_again() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    card.submit().await;
    card.host_says(ReplyState::Sending).await;
    let states = card.watch_states();
    let outcome = Outcome::Answered(card.only_reply());
    card.host_says_at_once(ReplyState::None, [AskPatch::Outcome(outcome), AskPatch::Phase(Phase::Answered)]).await;
    assert_eq!((states.so_far(), card.state()), (vec!["submitting".to_owned()], "answered".to_owned()));
    assert!(card.button("Copy").is_none(), "the own answer is not left behind");

    let card = CardPage::waiting(service()).await;
    card.press_button("Don’t answer").await;
    card.host_says(ReplyState::Sending).await;
    let states = card.watch_states();
    card.ends(Phase::Declined, Some(Outcome::Declined)).await;
    card.host_says(ReplyState::None).await;
    assert_eq!((states.so_far(), card.state()), (vec!["submitting".to_owned()], "declined".to_owned()));
}

#[test]
async fn what_the_composer_answers_closes_the_card_until_it_is_returned() {
    let card = CardPage::waiting(service()).await;
    card.host_says(ReplyState::Sending).await;
    assert_eq!(card.state(), "submitting");
    card.host_says(ReplyState::None).await;
    assert_eq!(card.state(), "awaiting");
}

#[test]
async fn a_tap_on_a_submit_button_that_just_moved_does_nothing() {
    let card = CardPage::waiting(mixed()).await;
    card.stands_still().await;
    let hurry = Hurry::begin();
    card.tap_button("Submit answers").await;
    assert_eq!(card.state(), "invalid");
    for label in ["Postgres", "Search", "Plain"] {
        card.choose(label).await;
    }
    card.tap_button("Submit answers").await;
    card.has_not_replied();
    drop(hurry);
    card.stands_still().await;
    card.tap_button("Submit answers").await;
    assert_eq!(card.only_reply().answers().len(), 3);
}

#[test]
async fn cancel_asks_once_more_where_answers_would_be_lost() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    let cancel = card.button("Don’t answer").expect("Cancel");
    cancel.focus().expect("it takes the focus");
    let hurry = Hurry::begin();
    card.press_button("Don’t answer").await;
    card.heard(|heard| assert_eq!(heard.cancels, 0));
    assert_eq!(cancel.text_content().as_deref(), Some("Discard your answer?"));
    card.sees_focus_on(&cancel);
    card.tap_button("Discard your answer?").await;
    card.heard(|heard| assert_eq!(heard.cancels, 0, "a double click is not a decision"));
    drop(hurry);
    card.press_button("Keep answering").await;
    card.sees_focus_on(&cancel);
    assert_eq!(card.chosen(), ["Oil change"]);
    card.press_button("Don’t answer").await;
    card.press_button("Discard your answer?").await;
    card.heard(|heard| assert_eq!((heard.cancels, heard.replies.len()), (1, 0)));
}

/// A card whose user has just declined from the keyboard, and the clock that it goes by.
async fn declined() -> (CardPage, Clock) {
    let clock = Clock::at(1_000_000);
    let setting = Setting { undo_within: 5000, ..Setting::default() };
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
    card.button(Word::Cancel.english()).expect("Cancel").focus().expect("it takes the focus");
    card.press_button(Word::Cancel.english()).await;
    card.heard(|heard| assert_eq!(heard.cancels, 0, "nothing is sent yet"));
    assert!(card.has_focus_on(Word::Undo.english()));
    (card, clock)
}

#[test]
async fn a_decline_goes_with_its_page_or_its_card() {
    let (card, _clock) = declined().await;
    window().dispatch_event(&Event::new("pagehide").expect("an event")).expect("it is dispatched");
    card.heard(|heard| assert_eq!(heard.cancels, 1));

    let (card, _clock) = declined().await;
    let heard = card.listener();
    drop(card);
    assert_eq!(heard.lock().expect("no holder panics").cancels, 1);
}

#[test]
async fn replying_in_chat_hands_the_picks_over() {
    let card = CardPage::waiting(mixed()).await;
    card.choose("SQLite").await;
    card.press_button("Reply in chat instead").await;
    card.heard(|heard| {
        let picks = &heard.handed_over[0];
        assert_eq!((picks.len(), picks[0].question, picks[0].selected.as_slice()), (1, 0, [1].as_slice()));
    });
    card.has_not_replied();
}

#[test]
async fn a_tap_walks_its_own_card_twice_and_no_other() {
    let host: HtmlElement = document().create_element("div").expect("a div").unchecked_into();
    document().body().expect("a body").append_child(&host).expect("it is appended");
    let reads = [0, 1].map(|_| Arc::new(AtomicUsize::new(0)));
    let asks =
        [fresh_id(), fresh_id()].map(|id| RwSignal::new(AskSnapshot::complete(id, service(), Phase::Answerable)));
    let cards = [0, 1].map(|nth: usize| {
        let (ask, reads) = (asks[nth], reads[nth].clone());
        // What the card reads is counted.
        let counted = Signal::derive(move || {
            reads.fetch_add(1, Ordering::Relaxed);
            ask.get()
        });
        let on_reply = move |_: Reply| ask.update(|ask| ask.apply(AskPatch::Reply(ReplyState::Sending)));
        let options = || CardOptions::new().mode(SubmitMode::OnPick);
        move || view! { <QuestionCard ask=counted on_reply on_cancel=|()| {} options=options() /> }
    });
    let [first, second] = cards;
    let page = mount_to(host.clone(), move || view! { {first()} {second()} });
    until("both cards are there", || {
        host.query_selector_all("button.qc-option-button").is_ok_and(|all| all.length() == 6)
    })
    .await;
    tick().await;
    tick().await;
    let option = host.query_selector("button.qc-option-button").expect("a selector").expect("an option");
    reads.iter().for_each(|reads| reads.store(0, Ordering::Relaxed));
    option.unchecked_into::<HtmlElement>().click();
    until("it is on its way", || host.query_selector("[data-state=submitting]").is_ok_and(|card| card.is_some())).await;
    tick().await;
    tick().await;
    let reads = reads.map(|reads| reads.load(Ordering::Relaxed));
    // A walk reads the ask for its state, its view and its draft; the host's report is noticed by one more.
    assert!((3..=7).contains(&reads[0]) && reads[1] == 0, "{reads:?}");
    drop(page);
    host.remove();
}

#[test]
async fn a_reply_that_waits_for_another_says_when_it_goes_out() {
    let card = CardPage::tap_to_reply(service()).await;
    card.tap("Brake service").await;
    card.host_keeps_the_reply().await;
    let text = card.text();
    assert!(text.contains(Word::Held.english()), "{text:?}");
    assert!(!text.contains(Word::Sending.english()), "{text:?}");
    assert!(card.find("[aria-busy]").is_none(), "no reply is under way: all of it can be read");
    assert!(card.is_inert("Oil change"), "an answer was given");
    assert_eq!(card.announced().await, Word::Held.english());
    card.host_says(ReplyState::Sending).await;
    let text = card.text();
    assert!(text.contains(Word::Sending.english()), "{text:?}");
    assert!(card.button(Word::Change.english()).is_none(), "it is on its way");
}

#[test]
async fn an_answer_that_comes_open_again_says_so() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    card.submit().await;
    card.host_says(ReplyState::Sending).await;
    let spoken = card.listen();
    card.host_says(ReplyState::None).await;
    spoken.hears([Word::TakenBack.english()]).await;
    assert_eq!((card.alerts(), card.chosen()), (vec![], vec!["Oil change".to_owned()]), "it is no error");
}
