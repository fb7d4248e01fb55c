//! The page calls for the attention of a person elsewhere.

use crate::browser::{begin_anew, click_notification, hide, let_notify, notified};
use crate::page::Part;
use agent_chat::Ask;
use app::attention::call_for_attention;
use app::settings::browser::provide_settings;
use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::QuestionSnapshot;
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A page that asks nothing yet, at an address with this query.
struct Page {
    waiting: RwSignal<Vec<Ask>>,
    part: Part,
}

impl Page {
    async fn at(query: &str) -> Self {
        begin_anew(query);
        let waiting = RwSignal::new(Vec::new());
        let part = Part::mounted_in_frame(move || {
            let (settings, words) = provide_settings();
            call_for_attention(waiting.read_only(), settings, words);
            ().into_any()
        })
        .await;
        Self { waiting, part }
    }

    async fn asks(&self, header: &str) {
        let mut ask = AskSnapshot::new("call");
        let mut question = QuestionSnapshot::default();
        question.header.get_or_insert_default().text.push_str(header);
        ask.questions.push(question);
        let ask = Ask { tool_call_id: "call".to_owned(), snapshot: ArcRwSignal::new(ask).read_only() };
        self.waiting.update(|waiting| waiting.push(ask));
        self.part.settled().await;
    }

    async fn is_answered(&self) {
        self.waiting.update(Vec::clear);
        self.part.settled().await;
    }

    async fn is_hidden(&self, is_hidden: bool) {
        hide(is_hidden);
        self.part.settled().await;
    }
}

const TITLE: &str = "Front desk";
const MARKED: &str = "● Front desk";

#[test]
async fn a_question_that_nobody_sees_marks_the_title() {
    let page = Page::at("?lang=en").await;
    assert_eq!(document().title(), TITLE);
    page.asks("Service").await;
    assert_eq!(document().title(), TITLE, "it is seen");
    page.is_hidden(true).await;
    assert_eq!(document().title(), MARKED);
    page.is_hidden(false).await;
    assert_eq!(document().title(), TITLE);
    page.is_hidden(true).await;
    page.is_answered().await;
    assert_eq!(document().title(), TITLE, "nothing waits any more");
}

#[test]
async fn nobody_is_notified_who_did_not_ask_for_it() {
    let_notify("granted", "granted");
    let page = Page::at("").await;
    page.is_hidden(true).await;
    page.asks("Service").await;
    assert_eq!(notified(), [""; 0]);
}

#[test]
async fn the_browsers_leave_is_needed_and_not_asked_for() {
    let_notify("granted", "default");
    let page = Page::at("?notify=on").await;
    page.is_hidden(true).await;
    page.asks("Service").await;
    assert_eq!(notified(), [""; 0]);
}

#[test]
async fn one_notification_names_what_is_asked_and_goes_on_return() {
    let_notify("granted", "granted");
    let page = Page::at("?notify=on&lang=en").await;
    page.is_hidden(true).await;
    page.asks("Service").await;
    let open = "open: A question waits for you | Service";
    assert_eq!(notified(), [open]);
    page.is_hidden(false).await;
    assert_eq!(notified(), [open.replace("open", "closed")]);
    page.is_hidden(true).await;
    assert_eq!(notified().len(), 2, "it still waits");
    page.is_answered().await;
    assert_eq!(notified()[1], open.replace("open", "closed"));
}

#[test]
async fn a_click_on_it_puts_it_away() {
    let_notify("granted", "granted");
    let page = Page::at("?notify=on&lang=de").await;
    page.is_hidden(true).await;
    page.asks("Service").await;
    assert_eq!(notified(), ["open: Eine Frage wartet auf Sie | Service"]);
    click_notification();
    assert_eq!(notified(), ["closed: Eine Frage wartet auf Sie | Service"]);
}
