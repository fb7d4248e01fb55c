//! Copying a receipt, with a clipboard of the test's own.

use crate::asks::service;
use crate::card_page::{CardPage, Setting, fresh_id};
use crate::wait::until;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use js_sys::{Object, Promise, Reflect};
use leptos::prelude::*;
use question_card::{CardEvent, MountedCard, Offers, Options};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
async fn what_was_answered_can_be_copied_as_text() {
    let clipboard = Clipboard::that_works();
    let card = answered().await;
    card.press_button("Copy answer").await;
    until("it says so", || card.button("Copied").is_some()).await;
    assert_eq!(*clipboard.texts.borrow(), ["Q: What does your car need?\nA: Brake service"]);
}

#[test]
async fn that_it_was_copied_is_heard_and_taken_back() {
    let _clipboard = Clipboard::that_works();
    let card = answered().await;
    card.press_button("Copy answer").await;
    until("it is heard", || card.announcement() == "Copied").await;
    assert_eq!(card.all("[role=status]").len(), 1, "the card's own");
    until("the button is as before", || card.button("Copy answer").is_some()).await;
}

#[test]
async fn a_copy_that_fails_and_a_page_without_a_clipboard_say_so() {
    for clipboard in [Clipboard::that_refuses, || Clipboard::put(&JsValue::UNDEFINED)] {
        let _clipboard = clipboard();
        let card = answered().await;
        card.press_button("Copy answer").await;
        until("it says so", || !card.alerts().is_empty()).await;
        assert_eq!(card.alerts(), ["Copying did not work. Select the text instead."]);
        assert!(card.button("Copied").is_none());
    }
}

#[test]
async fn a_history_has_only_what_the_host_adds() {
    let snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Answered);
    let bare = CardPage::open(snapshot.clone(), Setting::default()).await;
    assert!(bare.find("button").is_none());
    let body = document().body().expect("a body");
    let options = Options { offers: Offers { receipt_actions: true, ..Offers::default() }, ..Options::default() };
    let card = MountedCard::mount(&body, snapshot, &options, |event| {
        if let CardEvent::ReceiptActions(Some(place)) = event {
            place.set_text_content(Some("Ask again"));
        }
        false
    });
    let added = document().query_selector(".qc-receipt-actions").expect("a valid selector");
    assert_eq!(added.and_then(|place| place.text_content()).as_deref(), Some("Ask again"));
    drop(card);
}

async fn answered() -> CardPage {
    let card = CardPage::waiting(service()).await;
    card.choose("Brake service").await;
    card.submit().await;
    let reply = card.only_reply();
    card.ends(Phase::Answered, Some(Outcome::Answered(reply))).await;
    card
}

/// A stand-in for the browser's clipboard, until it is dropped.
struct Clipboard {
    texts: Rc<RefCell<Vec<String>>>,
    _write: Option<Closure<dyn Fn(String) -> Promise>>,
}

impl Clipboard {
    fn that_works() -> Self {
        Self::with(|| Promise::resolve(&JsValue::UNDEFINED))
    }

    fn that_refuses() -> Self {
        Self::with(|| Promise::reject(&"not allowed".into()))
    }

    fn with(answer: fn() -> Promise) -> Self {
        let texts = Rc::new(RefCell::new(Vec::new()));
        let write = Closure::<dyn Fn(String) -> Promise>::new({
            let texts = texts.clone();
            move |text| {
                texts.borrow_mut().push(text);
                answer()
            }
        });
        let clipboard = Object::new();
        Reflect::set(&clipboard, &"writeText".into(), write.as_ref()).expect("a plain object");
        let mut put = Self::put(&clipboard);
        put.texts = texts;
        put._write = Some(write);
        put
    }

    fn put(clipboard: &JsValue) -> Self {
        let property = Object::new();
        for (name, value) in [("value", clipboard), ("configurable", &JsValue::TRUE)] {
            Reflect::set(&property, &name.into(), value).expect("a plain object");
        }
        let navigator = window().navigator();
        Reflect::define_property(navigator.unchecked_ref::<Object>(), &"clipboard".into(), &property)
            .expect("it can be shadowed");
        Self { texts: Rc::default(), _write: None }
    }
}

impl Drop for Clipboard {
    fn drop(&mut self) {
        let navigator = window().navigator();
        let shadow: &Object = navigator.unchecked_ref();
        Reflect::delete_property(shadow, &"clipboard".into()).expect("ours is removed");
    }
}
