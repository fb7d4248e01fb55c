//! The card that is joined to the hook by `AskCard` alone.

use crate::scripted_agent::{Call, tick};
use crate::visitor::{SIZE, Visitor};
use agent_chat::{AskCard, Entry, EntryKey, Item, Status};
use ask_user_question::Phase;
use leptos::prelude::*;
use question_card::CardOptions;
use serde_json::json;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, HtmlElement};

/// A page of cards, which is gone with the test.
pub(crate) struct Page {
    pub(crate) place: Element,
    _view: Box<dyn std::any::Any>,
}

impl Page {
    async fn of(visitor: &Visitor) -> Self {
        Self::with(visitor, CardOptions::new).await
    }

    /// The same with options for each card.
    pub(crate) async fn with(visitor: &Visitor, options: impl Fn() -> CardOptions + Clone + Send + 'static) -> Self {
        let chat = visitor.chat;
        let row = move |entry: Entry| match entry.item {
            Item::Ask(ask) => view! { <AskCard chat ask options=options() /> }.into_any(),
            _ => ().into_any(),
        };
        let place = document().create_element("div").expect("a div");
        document().body().expect("a body").append_child(&place).expect("it is appended");
        let view = mount_to(place.clone().unchecked_into(), move || {
            view! { <For each=move || chat.entries.get() key=|entry| entry.key.clone() children=row /> }
        });
        // The cards begin in a task of their own.
        tick().await;
        Self { place, _view: Box::new(view) }
    }

    fn says(&self, text: &str) -> bool {
        self.place.text_content().unwrap_or_default().contains(text)
    }

    /// A button with these words, or the input of a label.
    fn control(&self, words: &str) -> Option<HtmlElement> {
        let controls = self.place.query_selector_all("button, label").expect("a good selector");
        let mut controls = (0..controls.length()).filter_map(|nth| controls.item(nth)?.dyn_into::<HtmlElement>().ok());
        let control = controls.find(|control| control.text_content().is_some_and(|text| text.contains(words)))?;
        match control.get_attribute("for") {
            Some(id) => document().get_element_by_id(&id)?.dyn_into().ok(),
            None => Some(control),
        }
    }

    async fn press(&self, visitor: &Visitor, words: &'static str) {
        visitor.sees(words, |_| self.control(words).is_some()).await;
        self.control(words).expect("it is there").click();
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.place.remove();
    }
}

#[test]
async fn a_question_that_comes_in_one_piece_is_announced() {
    let (visitor, call) = Visitor::greeting().await;
    visitor.sees_status(Status::Running).await;
    let page = Page::of(&visitor).await;
    call.asks("c1", SIZE);
    let announced = || page.place.query_selector("[role=status]").ok()??.text_content();
    visitor.sees("the announcement", |_| announced().is_some_and(|said| said.contains("Which size?"))).await;
}

#[test]
async fn a_decline_can_be_undone_until_the_next_message_takes_it_along() {
    let visitor = Visitor::asked().await;
    let page = Page::of(&visitor).await;
    page.press(&visitor, "answer").await;
    page.press(&visitor, "Undo").await;
    page.press(&visitor, "answer").await;
    visitor.sees("a way back", |_| page.control("Undo").is_some()).await;
    assert!(untrack(|| visitor.chat.reading("Large")).is_none(), "the question is declined");
    assert!(visitor.chat.send("Large"));
    let call = Call::next().await;
    let sent = serde_json::to_string(&call.input).expect("it is JSON");
    assert!(sent.contains("User cancelled the question") && sent.contains("Large"), "{sent}");
    call.runs();
    visitor.sees_phase("c1", Phase::Declined).await;
}

#[test]
async fn of_two_cards_of_one_ask_the_other_stays_when_one_goes() {
    let visitor = Visitor::asked().await;
    let (page, gone) = (Page::of(&visitor).await, Page::of(&visitor).await);
    page.press(&visitor, "Large").await;
    drop(gone);
    assert!(visitor.chat.focus_ask("c1"));
    assert!(page.place.contains(document().active_element().as_deref()));
}

/// The visitor has answered "Large" on a card, and the agent is done.
async fn answered(visitor: &Visitor, page: &Page) {
    page.press(visitor, "Large").await;
    page.press(visitor, "Submit").await;
    Call::next().await.runs_saying("m1", "Noted.");
    visitor.sees_status(Status::Idle).await;
}

/// The same, and has changed that to "Small". Returns the run with the change.
async fn changed(visitor: &Visitor, page: &Page) -> Call {
    answered(visitor, page).await;
    page.press(visitor, "Change").await;
    page.press(visitor, "Small").await;
    page.press(visitor, "Update").await;
    Call::next().await
}

#[test]
async fn an_answer_that_was_sent_can_be_changed_while_it_is_not_long_ago() {
    let visitor = Visitor::asked().await;
    let page = Page::of(&visitor).await;
    let call = changed(&visitor, &page).await;
    let sent = call.input.messages.last().expect("a message");
    let text = "I changed my answer to “Which size?”: Small";
    assert_eq!(sent.text(), text);
    let about = |name: &str| Some(sent.metadata()?.get("ask")?.get(name)?.as_str()?.to_owned());
    assert_eq!((about("replaces").as_deref(), about("outcome").as_deref()), (Some("c1"), Some("answered")));
    call.accept();
    visitor.sees("no pencil while the agent writes", |_| page.control("Change").is_none()).await;
    visitor.sees("the struck answer", |_| page.says("Changed from: Large")).await;
    call.says("m2", "Small, then.");
    call.finishes();
    let line = format!("user: {text}");
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Noted.", &line, "agent: Small, then."]).await;
    visitor.sees("a pencil: the user has said one thing since", |_| page.control("Change").is_some()).await;
    visitor.chat.send("And now?");
    Call::next().await.runs();
    visitor.sees_status(Status::Idle).await;
    visitor.sees("that it is too late", |_| page.control("Change").is_none()).await;
}

#[test]
async fn what_a_changed_answer_has_undone_stays_in_the_list_and_is_told() {
    let visitor = Visitor::asked().await;
    let page = Page::of(&visitor).await;
    let call = changed(&visitor, &page).await;
    let mut messages = serde_json::to_value(&call.input).expect("it is JSON")["messages"].take();
    let list = messages.as_array_mut().expect("a list");
    let after = list.iter().rfind(|message| message["role"] == "tool").expect("the answer")["id"].clone();
    let change = list.last_mut().expect("the change");
    let id = change["id"].as_str().expect("an id").to_owned();
    change["metadata"]["undoes"] = json!({"after": after, "tools": ["send_mail", 7]});
    call.accept();
    call.event(&json!({"type": "MESSAGES_SNAPSHOT", "messages": messages}).to_string());
    call.says("m2", "Small, then.");
    call.finishes();
    let message = |id: &str| EntryKey::Message(id.to_owned(), 0);
    let (noted, change, said) = (message("m1"), message(&id), message("m2"));
    visitor.sees("what is undone", move |chat| chat.undone.with(|undone| undone.has(&noted))).await;
    let undone = visitor.chat.undone.get_untracked();
    assert_eq!(undone.tools(&change), Some(&["send_mail".to_owned()][..]));
    assert!(![change, said, EntryKey::Call("c1".to_owned())].iter().any(|key| undone.has(key)));
    let line = "user: I changed my answer to “Which size?”: Small";
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Noted.", line, "agent: Small, then."]).await;
}

#[test]
async fn a_change_that_failed_stays_on_its_card_and_goes_under_the_same_id() {
    let visitor = Visitor::asked().await;
    let page = Page::of(&visitor).await;
    answered(&visitor, &page).await;
    page.press(&visitor, "Change").await;
    page.press(&visitor, "Small").await;
    page.press(&visitor, "Update").await;
    let first = Call::next().await;
    first.refuses(500, "{}");
    visitor.sees("the failure", |_| page.place.query_selector("[role=alert]").is_ok_and(|it| it.is_some())).await;
    page.press(&visitor, "Update").await;
    let second = Call::next().await;
    let id =
        |call: &Call| call.input.messages.last().map(|message| (message.id().to_owned(), message.text().into_owned()));
    assert_eq!(id(&second), id(&first));
    assert_eq!(second.input.messages.len(), first.input.messages.len());
    second.runs();
    visitor.sees("the struck answer", |_| page.says("Changed from: Large")).await;
}
