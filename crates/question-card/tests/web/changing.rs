//! Changing an answer that the agent has.

use crate::asks::{AskPatch, mixed, picks, service};
use crate::card_page::{CardPage, Setting, focused, fresh_id, text_of};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Reply};
use question_card::{Persist, Word, Words as _};
use wasm_bindgen_test::wasm_bindgen_test as test;

fn setting() -> Setting {
    Setting { can_update: true, persist: Persist::session(), ..Setting::default() }
}

/// A receipt from a history.
async fn answered(id: &str, ask: AskUserQuestion) -> CardPage {
    let outcome = Outcome::Answered(picks(&ask, 0));
    CardPage::open(AskSnapshot::complete(id, ask, Phase::Answered).with_outcome(outcome), setting()).await
}

fn struck(card: &CardPage) -> Vec<String> {
    card.all(".qc-replaced s").iter().map(text_of).collect()
}

#[test]
async fn a_finger_changes_an_answer() {
    let card = answered(&fresh_id(), service()).await;
    let events = card.hear_events();
    let change = card.button(Word::Change.english()).expect("a pencil");
    let name = card.name_of(&change);
    assert!(name.starts_with("Change ") && name.contains("What does your car need?"), "{name}: a history has several");
    card.stands_still().await;
    card.tap_button(Word::Change.english()).await;
    assert!(card.receipt().is_none());
    assert_eq!(card.chosen(), ["Oil change"]);
    card.stands_still().await;
    card.tap("Inspection").await;
    card.heard(|heard| assert_eq!(heard.updates, [], "a pick sends nothing"));
    card.tap_button(Word::Update.english()).await;
    card.heard(|heard| assert_eq!(heard.updates.iter().map(Reply::message).collect::<Vec<_>>(), ["Inspection"]));
    card.has_not_replied();
    card.host_says(ReplyState::Sending).await;
    let update = card.heard(|heard| heard.updates[0].clone());
    card.host_says_at_once(ReplyState::None, [AskPatch::Replaced(update)]).await;
    assert_eq!(
        (struck(&card), card.answers()),
        (vec!["Oil change".to_owned()], vec!["Selected: Inspection".to_owned()])
    );
    let receipt = card.receipt().expect("a receipt");
    assert!(card.described(&receipt).contains("Changed from: Oil change"), "{:?}", card.described(&receipt));
    assert!(events.so_far().is_empty(), "{:?}: it waited for nobody", events.so_far());
}

#[test]
async fn all_of_an_answer_comes_back() {
    let ask = mixed();
    let typed = |question, text: &str| Selection::typed(question, text);
    let noted = Selection::picked(0, [0]).with_note("for now");
    let both = Selection::picked(1, [0]).with_other("and sorting");
    let reply = Reply::check(&ask, vec![noted, both, typed(2, "Bare")]);
    let outcome = Outcome::Answered(reply.expect("a legal reply"));
    let snapshot = AskSnapshot::complete(fresh_id(), ask, Phase::Answered).with_outcome(outcome);
    let card = CardPage::open(snapshot, setting()).await;
    card.press_button(Word::Change.english()).await;
    assert_eq!(card.text_field(1).value(), "and sorting");
    assert_eq!(card.text_field(2).value(), "Bare");
    assert_eq!(card.note_field(0).value(), "for now");
    card.press_button(Word::KeepAnswer.english()).await;
    assert!(card.receipt().is_some() && card.find(".qc-late").is_none());
}

#[test]
async fn what_is_refused_or_fails_stays_in_the_form() {
    let card = answered(&fresh_id(), service()).await;
    card.press_button(Word::Change.english()).await;
    card.choose("Inspection").await;
    card.agent_is_writing(true);
    card.press_button(Word::Update.english()).await;
    assert!(card.alerts()[0].contains(Word::NotNow.english()), "{:?}", card.alerts());
    card.agent_is_writing(false);
    card.press_button(Word::Update.english()).await;
    card.host_says(ReplyState::Sending).await;
    assert!(card.is_inert(Word::Update.english()) && card.alerts().is_empty());
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
    assert!(card.alerts()[0].contains("No network."), "{:?}", card.alerts());
    assert_eq!(card.chosen(), ["Inspection"]);
}

#[test]
async fn a_change_that_was_not_sent_is_there_after_the_card_was_away() {
    let id = fresh_id();
    let card = answered(&id, service()).await;
    card.press_button(Word::Change.english()).await;
    card.type_other(0, "A new horn").await;
    drop(card);
    let card = answered(&id, service()).await;
    assert!(card.text().contains("A new horn") && card.receipt().is_some(), "{:?}", card.text());
    card.press_button(Word::Change.english()).await;
    assert_eq!(card.text_field(0).value(), "A new horn");
    assert!(focused().is_some());
    card.press_button(Word::Update.english()).await;
    card.heard(|heard| assert_eq!(heard.updates[0].message(), "A new horn"));
}
