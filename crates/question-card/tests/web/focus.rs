//! The focus when the host or the card itself moves it.

use crate::asks::{ask, mixed, question, ready, service, stream};
use crate::card_page::{CardPage, Setting, fresh_id, on_pick};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
use js_sys::Reflect;
use leptos::prelude::*;
use question_card::{ClaimFocus, FocusHandle, SubmitMode};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{HtmlElement, KeyboardEvent, KeyboardEventInit};

#[test]
async fn the_host_leads_to_the_next_open_question() {
    let (card, handle) = with_handle(mixed(), Setting::default()).await;
    assert!(handle.focus());
    card.sees_focus_on(&card.control("Postgres"));
    card.choose("SQLite").await;
    assert!(handle.focus());
    card.sees_focus_on(&card.control("Search"));
    card.choose("Search").await;
    card.choose("Plain").await;
    assert!(handle.focus());
    assert!(card.has_focus_on("Submit answers"));
}

#[test]
async fn the_host_leads_to_a_question_and_there_to_what_is_chosen() {
    let (card, handle) = with_handle(mixed(), Setting::default()).await;
    assert!(handle.focus_question(2));
    card.sees_focus_on(&card.control("Plain"));
    card.choose("Fancy").await;
    assert!(handle.focus_question(2));
    card.sees_focus_on(&card.control("Fancy"));
    card.type_other(0, "my own").await;
    assert!(handle.focus_question(0));
    card.sees_focus_on(&card.control("Other"));
    assert!(!handle.focus_question(3));
    card.sees_focus_on(&card.control("Other"));
}

#[test]
async fn a_question_without_options_is_entered_at_its_text() {
    let bare = ask(vec![question("What else?", "Else", false, &[])]);
    for setting in [Setting::default(), on_pick()] {
        let (card, handle) = with_handle(bare.clone(), setting).await;
        assert!(handle.focus());
        card.sees_focus_on(&card.text_field(0));
    }
}

#[test]
async fn the_host_leads_to_buttons_and_to_receipts() {
    let (card, handle) = with_handle(service(), on_pick()).await;
    assert!(handle.focus_question(0));
    card.sees_focus_on(&card.control("Oil change"));
    card.control("Oil change").blur().expect("it has the focus");
    card.ends(Phase::Declined, None).await;
    assert!(handle.focus());
    card.sees_focus_on(&card.receipt().expect("a receipt"));
}

#[test]
async fn a_handle_leads_nowhere_without_its_question_or_its_card() {
    let composing = AskSnapshot::new(fresh_id());
    let handle = FocusHandle::new();
    assert!(!handle.focus());
    let setting = Setting { handle: Some(handle), ..Setting::default() };
    let card = CardPage::open(composing, setting).await;
    assert!(!handle.focus() && !handle.focus_question(0));
    drop(card);
    assert!(!handle.focus());
}

#[test]
async fn an_arriving_question_leaves_the_focus_alone() {
    let _page = Page::idle();
    for claim_focus in [None, Some(ClaimFocus::if_idle())] {
        let card = claiming(claim_focus).await;
        let composer = composer("half a sent");
        arrives(&card).await;
        card.sees_focus_on(&composer);
        composer.remove();
    }
}

#[test]
async fn an_idle_user_finds_the_focus_in_the_question() {
    let _page = Page::idle();
    let card = claiming(Some(ClaimFocus::if_idle())).await;
    arrives(&card).await;
    card.sees_focus_on(&card.control("Postgres"));
    assert_eq!(card.chosen(), [""; 0]);
}

#[test]
async fn the_focus_is_claimed_from_an_empty_composer_and_once() {
    let _page = Page::idle();
    let card = claiming(Some(ClaimFocus::if_idle())).await;
    let composer = composer("");
    arrives(&card).await;
    card.sees_focus_on(&card.control("Postgres"));
    let snapshot = AskSnapshot::complete(card.tool_call_id(), mixed(), Phase::Answerable);
    drop(card);
    composer.focus().expect("it takes the focus");
    let setting = Setting { fresh: true, claim_focus: Some(ClaimFocus::if_idle()), ..Setting::default() };
    let again = CardPage::open(snapshot, setting).await;
    again.timers_passed().await;
    again.sees_focus_on(&composer);
    composer.remove();
}

#[test]
async fn an_ask_that_came_complete_claims_the_focus_where_it_is_fresh() {
    let _page = Page::idle();
    for fresh in [false, true] {
        let setting = Setting { fresh, claim_focus: Some(ClaimFocus::if_idle()), ..Setting::default() };
        let snapshot = AskSnapshot::complete(fresh_id(), mixed(), Phase::Ready);
        let card = CardPage::open(snapshot, setting).await;
        card.timers_passed().await;
        let is_inside = document().active_element().as_ref() == Some(&card.control("Postgres"));
        assert_eq!(is_inside, fresh);
    }
}

#[test]
async fn a_user_who_touched_the_page_keeps_the_focus() {
    let _page = Page::idle();
    for touch in ["pointerdown", "keydown"] {
        let card = claiming(Some(ClaimFocus::if_idle())).await;
        crate::card_page::dispatch(&document().body().expect("a body"), touch);
        arrives(&card).await;
        assert_eq!(focused(), None, "after {touch}");
    }
}

#[test]
async fn the_focus_is_not_claimed_behind_a_dialog_or_menu() {
    let _page = Page::idle();
    for role in ["dialog", "alertdialog", "menu", "listbox"] {
        let overlay = overlay(role);
        let card = claiming(Some(ClaimFocus::if_idle())).await;
        arrives(&card).await;
        assert_eq!(focused(), None, "behind a {role}");
        overlay.set_hidden(true);
        let card = claiming(Some(ClaimFocus::if_idle())).await;
        arrives(&card).await;
        card.sees_focus_on(&card.control("Postgres"));
        overlay.remove();
    }
}

#[test]
async fn the_focus_is_claimed_in_a_dialog_that_holds_the_chat() {
    let _page = Page::idle();
    let overlay = overlay("dialog");
    let card = claiming(Some(ClaimFocus::if_idle())).await;
    overlay.append_child(&card.root).expect("it is moved");
    arrives(&card).await;
    card.sees_focus_on(&card.control("Postgres"));
    overlay.remove();
}

#[test]
async fn the_focus_is_not_claimed_on_a_touch_screen_or_in_another_window() {
    for page in [Page { fine_pointer: false, ..Page::IDLE }, Page { has_focus: false, ..Page::IDLE }] {
        let _page = page.set();
        let card = claiming(Some(ClaimFocus::if_idle())).await;
        arrives(&card).await;
        assert_eq!(focused(), None);
    }
}

#[test]
async fn a_key_that_was_on_its_way_goes_where_it_was_meant_to() {
    let _page = Page::idle();
    let card = claiming(Some(ClaimFocus::if_idle())).await;
    let composer = composer("");
    arrives(&card).await;
    let taken = press("Enter");
    card.sees_focus_on(&composer);
    assert!(!taken, "the composer gets it");
    assert_eq!(card.chosen(), [""; 0]);
    // The next one leaves the focus where the user put it.
    card.control("Postgres").focus().expect("it takes the focus");
    assert!(press("Enter"));
    card.settled().await;
    assert_eq!(card.chosen(), ["Postgres"]);
    composer.remove();
}

#[test]
async fn a_row_that_is_rebuilt_keeps_the_focus() {
    let (card, _) = with_handle(service(), on_pick()).await;
    card.control("Inspection").focus().expect("it takes the focus");
    let mut more = service().questions;
    more.extend(mixed().questions);
    card.receives([AskPatch::Complete(ask(more).into())]);
    card.settled().await;
    card.timers_passed().await;
    assert_eq!(card.mode(), "explicit", "it is another ask");
    card.sees_focus_on(&card.control("Inspection"));
    assert_eq!(card.chosen(), [""; 0]);
}

#[test]
async fn what_has_the_focus_stays_in_view_when_sending_fails() {
    for setting in [Setting::default(), on_pick()] {
        let is_tap = setting.mode == SubmitMode::OnPick;
        let (card, _) = with_handle(service(), setting).await;
        let frame = append("div");
        frame.set_attribute("style", "block-size: 300px; overflow: auto").expect("a style");
        frame.append_child(&card.root).expect("it is moved");
        let last = match is_tap {
            true => card.control("Inspection"),
            false => card.button("Submit").expect("Submit"),
        };
        card.choose("Inspection").await;
        last.focus().expect("it takes the focus");
        last.scroll_into_view_with_bool(false);
        if !is_tap {
            card.submit().await;
        }
        let reason = "a long reason ".repeat(30);
        card.host_says(Sending::Failed(reason)).await;
        card.timers_passed().await;
        let focused = crate::card_page::focused().expect("the focus is there");
        assert!(card.root.contains(Some(&focused)));
        let (inner, outer) = (focused.get_bounding_client_rect(), frame.get_bounding_client_rect());
        assert!(
            inner.top() >= outer.top() - 1.0 && inner.bottom() <= outer.bottom() + 1.0,
            "{} to {} in {} to {}",
            inner.top(),
            inner.bottom(),
            outer.top(),
            outer.bottom()
        );
        frame.remove();
    }
}

#[test]
async fn a_card_in_a_shadow_tree_knows_its_focus_and_has_its_styles() {
    let snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Answerable);
    let card = CardPage::open_in_shadow(snapshot, Setting::default()).await;
    let style = window().get_computed_style(&card.card()).expect("a style").expect("a style");
    let border = style.get_property_value("border-top-style");
    assert_eq!(border.as_deref(), Ok("solid"));
    card.choose("Oil change").await;
    card.control("Oil change").focus().expect("it takes the focus");
    card.submit().await;
    card.host_says(Sending::Failed("No network.".to_owned())).await;
    assert!(card.has_focus_on("Submit"));
    card.submit().await;
    card.ends(Phase::Declined, None).await;
    card.sees_focus_on(&card.receipt().expect("a receipt"));
}

#[test]
async fn in_a_shadow_tree_the_focus_is_claimed_and_returned() {
    let _page = Page::idle();
    let setting = Setting { claim_focus: Some(ClaimFocus::if_idle()), ..Setting::default() };
    if let Some(focused) = focused() {
        focused.blur().expect("it has the focus");
    }
    let card = CardPage::open_in_shadow(AskSnapshot::new(fresh_id()), setting).await;
    arrives(&card).await;
    card.sees_focus_on(&card.control("Postgres"));
    assert!(!card.press("a").await, "the page gets it");
    assert_eq!(focused(), None, "as before");
}

#[test]
async fn waiting_forms_have_names_of_their_own() {
    let (one, other) = (CardPage::waiting(service()).await, CardPage::waiting(mixed()).await);
    let name = |card: &CardPage| card.name_of(&card.find("form").expect("a form"));
    assert_ne!(name(&one), name(&other));
    assert!(name(&one).ends_with("What does your car need?"));
}

async fn with_handle(ask: AskUserQuestion, setting: Setting) -> (CardPage, FocusHandle) {
    let handle = FocusHandle::new();
    let setting = Setting { handle: Some(handle), ..setting };
    let snapshot = AskSnapshot::complete(fresh_id(), ask, Phase::Answerable);
    (CardPage::open(snapshot, setting).await, handle)
}

async fn claiming(claim_focus: Option<ClaimFocus>) -> CardPage {
    if let Some(focused) = focused() {
        focused.blur().expect("it has the focus");
    }
    let setting = Setting { claim_focus, ..Setting::default() };
    CardPage::open(AskSnapshot::new(fresh_id()), setting).await
}

async fn arrives(card: &CardPage) {
    card.receives(stream(&mixed()));
    card.receives(ready(&mixed()));
    card.settled().await;
    card.timers_passed().await;
}

/// A text field outside of the card, with the focus.
fn composer(text: &str) -> HtmlElement {
    let composer = append("textarea").unchecked_into::<web_sys::HtmlTextAreaElement>();
    composer.set_value(text);
    composer.focus().expect("it takes the focus");
    composer.unchecked_into()
}

fn overlay(role: &str) -> HtmlElement {
    let overlay = append("div");
    overlay.set_attribute("role", role).expect("a good name");
    overlay.set_text_content(Some("Save changes?"));
    overlay
}

fn append(name: &str) -> HtmlElement {
    let element = document().create_element(name).expect("a good name");
    document().body().expect("a body").append_child(&element).expect("it is appended");
    element.unchecked_into()
}

/// Returns true if the card handled the key.
fn press(key: &str) -> bool {
    let init = KeyboardEventInit::new();
    init.set_key(key);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).expect("an event");
    let target = focused().expect("something has the focus");
    !target.dispatch_event(&event).expect("it is dispatched")
}

fn focused() -> Option<HtmlElement> {
    let body = document().body().expect("a body");
    let active = document().active_element()?.unchecked_into();
    (active != body).then_some(active)
}

/// The browser's answers about the page; a headless one has no pointer, and its window may not have the focus.
#[derive(Clone, Copy)]
struct Page {
    fine_pointer: bool,
    has_focus: bool,
}

impl Page {
    const IDLE: Self = Self { fine_pointer: true, has_focus: true };

    fn idle() -> Undo {
        Self::IDLE.set()
    }

    fn set(self) -> Undo {
        let matches = js_sys::Object::new();
        Reflect::set(&matches, &"matches".into(), &self.fine_pointer.into()).expect("a plain object");
        let asked = Closure::<dyn Fn(String) -> JsValue>::new(move |query: String| {
            assert_eq!(query, "(pointer: fine)");
            matches.clone().into()
        });
        let has_focus = Closure::<dyn Fn() -> bool>::new(move || self.has_focus);
        Reflect::set(&window(), &"matchMedia".into(), asked.as_ref()).expect("it can be replaced");
        Reflect::set(&document(), &"hasFocus".into(), has_focus.as_ref()).expect("it can be replaced");
        Undo { _asked: asked, _has_focus: has_focus }
    }
}

/// Restores the browser's own answers.
struct Undo {
    _asked: Closure<dyn Fn(String) -> JsValue>,
    _has_focus: Closure<dyn Fn() -> bool>,
}

impl Drop for Undo {
    fn drop(&mut self) {
        for (object, name) in [(JsValue::from(window()), "matchMedia"), (JsValue::from(document()), "hasFocus")] {
            Reflect::delete_property(object.unchecked_ref::<js_sys::Object>(), &name.into()).expect("ours is removed");
        }
    }
}
