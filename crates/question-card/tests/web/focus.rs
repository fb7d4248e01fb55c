//! The focus when the host or the card itself moves it.

use crate::asks::{AskPatch, ask, mixed, question, service};
use crate::card_page::{CardPage, Setting, computed, dispatch, focused, fresh_id, on_pick};
use crate::wait::until;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Reply};
use leptos::mount::mount_to;
use leptos::prelude::*;
use question_card::{CardOptions, FocusHandle, QuestionCard, SubmitMode};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{HtmlElement, HtmlTextAreaElement};

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
    assert!(handle.focus());
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
    assert!(!handle.focus());
    drop(card);
    assert!(!handle.focus());
}

#[test]
async fn a_row_that_is_rebuilt_keeps_the_focus() {
    let (card, _) = with_handle(service(), on_pick()).await;
    card.control("Inspection").focus().expect("it takes the focus");
    let mut more = service().questions;
    more.extend(mixed().questions);
    card.receives([AskPatch::Complete(Box::new(ask(more)))]);
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
        card.host_says(ReplyState::Failed(reason)).await;
        card.timers_passed().await;
        let focused = focused().expect("the focus is there");
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
    assert_eq!(computed(&card.card(), "border-top-style"), "solid");
    card.choose("Oil change").await;
    card.control("Oil change").focus().expect("it takes the focus");
    card.submit().await;
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
    assert!(card.has_focus_on("Submit"));
    card.submit().await;
    card.ends(Phase::Declined, None).await;
    card.sees_focus_on(&card.receipt().expect("a receipt"));
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

fn append(name: &str) -> HtmlElement {
    let element = document().create_element(name).expect("a good name");
    document().body().expect("a body").append_child(&element).expect("it is appended");
    element.unchecked_into()
}

#[test]
async fn a_view_that_is_made_anew_keeps_focus_and_caret() {
    let (times, ask) =
        (RwSignal::new(0), RwSignal::new(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable)));
    let host: HtmlElement = document().create_element("div").expect("a div").unchecked_into();
    document().body().expect("a body").append_child(&host).expect("it is appended");
    let page = mount_to(host.clone(), move || {
        move || {
            times.track();
            view! { <QuestionCard ask on_reply=|_: Reply| () on_cancel=|()| () options=CardOptions::new() /> }
        }
    });
    let field = || host.query_selector("textarea").expect("a selector").expect("a field");
    let field = || field().unchecked_into::<HtmlTextAreaElement>();
    let before = field();
    before.set_value("A new horn");
    dispatch(&before, "input");
    before.focus().expect("it takes the focus");
    before.set_selection_range(5, 5).expect("it has a caret");
    times.set(1);
    until("the card is made anew", || !before.is_connected()).await;
    assert_eq!(focused().as_ref(), Some(field().as_ref()));
    assert_eq!((field().value(), field().selection_start()), ("A new horn".to_owned(), Ok(Some(5))));
    drop(page);
    host.remove();
}
