//! A reply that waits for the one to another ask.

use crate::asks::{mixed, service};
use crate::card_page::CardPage;
use ask_user_question::Phase;
use ask_user_question::snapshot::ReplyState;
use question_card::{Word, Words as _};
use wasm_bindgen_test::wasm_bindgen_test as test;

async fn tapped() -> CardPage {
    let card = CardPage::tap_to_reply(service()).await;
    card.tap("Brake service").await;
    card.host_keeps_the_reply().await;
    card.stands_still().await;
    card
}

#[test]
async fn it_says_when_it_goes_out() {
    let card = tapped().await;
    let text = card.text();
    assert!(text.contains(Word::Held.english()), "{text:?}");
    assert!(!text.contains(Word::Sending.english()), "{text:?}");
    assert!(card.find("[aria-busy]").is_none(), "no reply is under way: all of it can be read");
    assert!(card.is_inert("Oil change"), "an answer was given");
    assert_eq!(card.announced().await, Word::Held.english());
    card.held_no_more().await;
    let text = card.text();
    assert!(text.contains(Word::Sending.english()), "{text:?}");
    assert!(card.button(Word::Change.english()).is_none(), "it is on its way");
}

#[test]
async fn it_can_be_changed() {
    let card = tapped().await;
    let change = card.button(Word::Change.english()).expect("a way back");
    change.focus().expect("it takes the focus");
    card.tap_button(Word::Change.english()).await;
    card.heard(|heard| assert_eq!(heard.changes, 1));
    card.host_gives_back().await;
    card.timers_passed().await;
    assert_eq!(card.state(), "awaiting");
    assert!(card.button(Word::Change.english()).is_none());
    card.sees_focus_on(&card.control("Brake service"));
    card.stands_still().await;
    card.tap("Inspection").await;
    card.heard(|heard| {
        let replies: Vec<_> = heard.replies.iter().map(|reply| reply.message()).collect();
        assert_eq!(replies, ["Brake service", "Inspection"]);
    });
}

#[test]
async fn it_leads_to_what_it_waits_for() {
    let card = CardPage::waiting(mixed()).await;
    for label in ["SQLite", "Search", "Fancy"] {
        card.choose(label).await;
    }
    card.submit().await;
    assert!(card.button(Word::NextAsk.english()).is_none(), "it is on its way");
    card.host_keeps_the_reply().await;
    card.press_button(Word::NextAsk.english()).await;
    card.heard(|heard| assert_eq!(heard.nexts, 1));
    assert_eq!(card.chosen(), ["SQLite", "Search", "Fancy"]);
    card.ends(Phase::Answered, None).await;
    assert!(card.button(Word::NextAsk.english()).is_none());
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
