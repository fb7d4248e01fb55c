//! Several questions, one at a time.

use crate::asks::{AskPatch, before, mixed, ready, service, stream};
use crate::card_page::{CardPage, Setting, focused, fresh_id, stepped, text_of};
use ask_user_question::snapshot::ReplyState;
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
async fn next_back_and_the_steps_turn_and_the_focus_goes_along() {
    let card = waiting(mixed(), stepped()).await;
    for (button, question, option) in [
        ("Next", "Which features?", "Search"),
        ("Next", "Which style?", "Plain"),
        ("Back", "Which features?", "Search"),
        ("Database", "Which database?", "Postgres"),
        ("Style", "Which style?", "Plain"),
    ] {
        card.press_button(button).await;
        assert_eq!(card.questions(), [question], "after {button}");
        card.sees_focus_on(&card.control(option));
    }
    assert!(card.button("Next").is_none(), "there is nothing after");
    assert!(card.button("Back").is_some());
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
async fn enter_on_answers_walks_through_and_sends_at_the_end() {
    let card = waiting(mixed(), stepped()).await;
    card.control("Postgres").focus().expect("it takes the focus");
    for (first, next) in [("Postgres", "Which features?"), ("Search", "Which style?")] {
        card.choose(first).await;
        assert!(card.press("Enter").await);
        assert_eq!(card.questions(), [next]);
        card.has_not_replied();
    }
    card.choose("Fancy").await;
    card.control("Fancy").focus().expect("it takes the focus");
    card.press("Enter").await;
    assert_eq!(card.only_reply().message(), "Database: Postgres\nFeatures: Search\nStyle: Fancy");
}

#[test]
async fn submit_leads_to_the_first_question_without_an_answer() {
    let card = waiting(mixed(), stepped()).await;
    card.choose("Postgres").await;
    card.submit().await;
    card.has_not_replied();
    assert_eq!(card.questions(), ["Which features?"]);
    card.sees_focus_on(&card.control("Search"));
    assert_eq!(card.errors().len(), 1, "{:?}", card.errors());
    assert_eq!(card.state(), "invalid");
    assert_eq!(card.announced().await, "2 of 3 questions still need an answer");
    let wrong = card.all("ol [data-invalid]");
    assert_eq!(wrong.iter().map(text_of).collect::<Vec<_>>(), ["Features", "Style"]);
}

#[test]
async fn submit_is_in_reach_from_the_first_step() {
    let card = waiting(mixed(), stepped()).await;
    card.choose("Postgres").await;
    for (step, option) in [("Features", "Export"), ("Style", "Plain")] {
        card.press_button(step).await;
        card.choose(option).await;
    }
    card.press_button("Database, Answered").await;
    card.submit().await;
    assert_eq!(card.only_reply().message(), "Database: Postgres\nFeatures: Export\nStyle: Plain");
}

#[test]
async fn a_question_is_a_step_from_its_first_letter_and_nobody_is_moved() {
    let card = CardPage::open(AskSnapshot::new(fresh_id()), stepped()).await;
    let (first, rest) = before(stream(&mixed()), &AskPatch::OpenQuestion { question: 1 });
    card.receives(first);
    card.settled().await;
    assert_eq!((card.steps(), card.questions()), (vec![], vec!["Which database?".to_owned()]));
    let rows = card.fieldset(0);
    card.control("SQLite").focus().expect("it takes the focus");
    card.choose("SQLite").await;
    let (second, rest) = before(rest, &AskPatch::OpenQuestion { question: 2 });
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
async fn a_reply_that_failed_is_given_again_from_the_step_that_is_shown() {
    let card = waiting(mixed(), Setting { allow_skip: true, ..stepped() }).await;
    for _ in 0..2 {
        card.skip(0).await;
        card.press_button("Next").await;
    }
    card.skip(0).await;
    card.submit().await;
    card.host_says(ReplyState::Sending).await;
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
    assert_eq!((card.questions(), card.alerts().len()), (vec!["Which style?".to_owned()], 1));
    card.submit().await;
    assert_eq!(card.heard(|heard| heard.replies.len()), 2);
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
