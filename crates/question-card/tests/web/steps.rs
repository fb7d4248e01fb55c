//! Several questions, one at a time.

use crate::asks::{before, has_begun, mixed, ready, service, stream};
use crate::card_page::{CardPage, Hurry, Setting, finger_down, focused, fresh_id, lift, stepped, text_of};
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
use question_card::{FocusHandle, Labels, Layout, SubmitMode};
use wasm_bindgen_test::wasm_bindgen_test as test;

async fn waiting(asked: AskUserQuestion, setting: Setting) -> CardPage {
    CardPage::open(AskSnapshot::complete(fresh_id(), asked, Phase::Answerable), setting).await
}

#[test]
async fn one_question_is_shown_below_a_list_of_all() {
    let card = waiting(mixed(), stepped()).await;
    assert_eq!(card.steps(), ["Database", "Features", "Style"]);
    assert_eq!(card.questions(), ["Which database?"]);
    assert_eq!(card.current_step(), "Database");
    let list = card.find("ol").expect("a list");
    assert_eq!(list.get_attribute("aria-label").as_deref(), Some("0 of 3 answered"));
    assert!(card.button("Back").is_none(), "there is nothing before");
    assert!(!card.is_inert("Next") && !card.is_inert("Submit answers"));
}

#[test]
async fn a_single_question_has_no_steps() {
    for setting in [stepped(), Setting { mode: SubmitMode::OnPick, ..stepped() }] {
        let card = waiting(service(), setting).await;
        assert_eq!(card.steps(), [""; 0]);
        assert!(card.button("Next").is_none() && card.card().get_attribute("data-layout").is_none());
    }
}

#[test]
async fn a_pick_and_a_text_stay_and_their_step_gets_a_tick() {
    let card = waiting(mixed(), stepped()).await;
    card.choose("SQLite").await;
    assert_eq!(card.questions(), ["Which database?"]);
    assert_eq!(card.steps(), ["Database, Answered", "Features", "Style"]);
    card.press_button("Style").await;
    card.type_other(0, "Baroque").await;
    assert_eq!(card.questions(), ["Which style?"]);
    assert_eq!(card.steps(), ["Database, Answered", "Features", "Style, Answered"]);
    let list = card.find("ol").expect("a list");
    assert_eq!(list.get_attribute("aria-label").as_deref(), Some("2 of 3 answered"));
    card.press_button("Database, Answered").await;
    assert_eq!(card.chosen(), ["SQLite"]);
    card.sees_focus_on(&card.control("SQLite"));
}

#[test]
async fn a_question_is_a_step_from_its_first_letter_and_nobody_is_moved() {
    let card = CardPage::open(AskSnapshot::new(fresh_id()), stepped()).await;
    let (first, rest) = before(stream(&mixed()), has_begun(2));
    card.receives(first);
    card.settled().await;
    assert_eq!((card.steps(), card.questions()), (vec![], vec!["Which database?".to_owned()]));
    let rows = card.fieldset(0);
    card.control("SQLite").focus().expect("it takes the focus");
    card.choose("SQLite").await;
    let (second, rest) = before(rest, has_begun(3));
    card.receives_slowly(second).await;
    assert_eq!(card.steps(), ["Database, Answered", "Features"]);
    card.sees_focus_on(&card.control("SQLite"));
    card.press_button("Next").await;
    let field = focused();
    card.receives_slowly(rest).await;
    card.receives(ready(&mixed()));
    card.settled().await;
    assert_eq!((card.questions(), focused()), (vec!["Which features?".to_owned()], field));
    card.press_button("Back").await;
    assert_eq!(card.fieldset(0), rows, "its nodes are the same");
    assert_eq!(card.chosen(), ["SQLite"]);
}

#[test]
async fn a_step_without_a_header_has_a_number() {
    let mut asked = mixed();
    asked.questions[1].header = None;
    let card = waiting(asked.clone(), stepped()).await;
    assert_eq!(card.steps(), ["Database", "Question 2", "Style"]);
    let card = waiting(asked, Setting { labels: Some(Labels::for_lang("ja")), ..stepped() }).await;
    assert_eq!(card.steps(), ["Database", "質問2", "Style"]);
}

#[test]
async fn the_host_leads_to_a_question_that_is_not_shown() {
    let handle = FocusHandle::new();
    let card = waiting(mixed(), Setting { handle: Some(handle), ..stepped() }).await;
    card.press_button("Next").await;
    card.sees_focus_on(&card.control("Search"));
    assert!(handle.focus());
    card.sees_focus_on(&card.control("Postgres"));
}

#[test]
async fn a_double_click_turns_one_page_and_another_place_is_meant() {
    let card = waiting(mixed(), stepped()).await;
    card.stands_still().await;
    let _hurry = Hurry::begin();
    card.tap_button("Next").await;
    card.tap_button("Next").await;
    assert_eq!(card.questions(), ["Which features?"]);
    let label = card.row_text("Search").expect("a label, whose click makes one of its input");
    finger_down(&label, 90, true);
    lift(&label, 90);
    card.settled().await;
    assert_eq!(card.chosen(), ["Search"], "a user who turned the page knows that other rows came");
}

#[test]
async fn an_end_shows_all_of_it() {
    let card = waiting(mixed(), stepped()).await;
    card.ends(Phase::Superseded, None).await;
    assert_eq!(card.all(".qc-receipt-question").len(), 3);
    assert_eq!(card.card().get_attribute("data-layout"), None);
}

#[test]
async fn below_each_other_it_says_how_many_are_answered() {
    let card = waiting(mixed(), Setting { layout: Layout::Stacked, ..Setting::default() }).await;
    assert_eq!((card.steps().len(), card.questions().len()), (0, 3));
    let progress = || text_of(&card.find(".qc-progress").expect("it says so"));
    assert_eq!(progress(), "0 of 3 answered");
    card.choose("Postgres").await;
    card.choose("Search").await;
    assert_eq!(progress(), "2 of 3 answered");
    let single = waiting(service(), Setting::default()).await;
    assert!(single.find(".qc-progress").is_none());
}
