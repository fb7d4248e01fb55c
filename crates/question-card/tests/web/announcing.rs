//! Announcements of a card to a screen reader, in the order of the table in the README.

use crate::asks::{AskPatch, ask, mixed, picks, ready, service, stream};
use crate::card_page::{CardPage, Setting, fresh_id};
use crate::wait::until;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use wasm_bindgen_test::wasm_bindgen_test as test;

const READY: &str =
    "The agent asks 1 question. \u{2068}Service\u{2069}: \u{2068}What does your car need?\u{2069} (3 options)";

#[test]
async fn an_ask_that_came_complete_is_announced_where_it_is_fresh() {
    let snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Ready);
    let setting = Setting { fresh: true, ..Setting::default() };
    let card = CardPage::open(snapshot.clone(), setting.clone()).await;
    assert_eq!(card.announced().await, READY);
    drop(card);
    // A list that takes rows out of the page and puts them back announces nothing twice: the next announcement is that of the end.
    let again = CardPage::open(snapshot, setting).await;
    let spoken = again.listen();
    again.ends(Phase::Declined, None).await;
    spoken.hears(["You chose not to answer"]).await;
}

#[test]
async fn an_unreadable_question_that_came_in_one_piece_is_announced_where_it_is_fresh() {
    let snapshot = AskSnapshot::new(fresh_id()).with_phase(Phase::Malformed);
    let of_history = CardPage::open(snapshot.clone(), Setting::default()).await;
    let silent = of_history.listen();
    let setting = Setting { fresh: true, ..Setting::default() };
    let card = CardPage::open(snapshot, setting).await;
    assert_eq!(card.announced().await, "The question arrived damaged. Answer in your own words.");
    silent.hears([]).await;
}

#[test]
async fn each_way_to_end_is_announced() {
    let own = |card: &CardPage| Outcome::Answered(card.only_reply());
    let card = CardPage::waiting(service()).await;
    let spoken = card.listen();
    card.choose("Oil change").await;
    card.submit().await;
    card.ends(Phase::Answered, Some(own(&card))).await;
    spoken.hears(["Answer sent"]).await;

    let ends = [
        (Phase::Answered, Some(Outcome::Answered(picks(&service(), 1))), "Answered elsewhere"),
        (Phase::Declined, Some(Outcome::Declined), "You chose not to answer"),
        (Phase::Superseded, Some(Outcome::Superseded), "You went on without it"),
        (Phase::Expired, None, "Time ran out"),
        (Phase::Interrupted, None, "Interrupted"),
    ];
    for (phase, outcome, said) in ends {
        let card = CardPage::waiting(service()).await;
        let spoken = card.listen();
        card.ends(phase, outcome).await;
        spoken.hears([said]).await;
    }
}

#[test]
async fn what_is_said_in_one_breath_is_all_heard_with_time_between() {
    let (first, second) = (CardPage::composing().await, CardPage::composing().await);
    let (heard_first, heard_second) = (first.listen(), second.listen());
    for card in [&first, &second] {
        card.receives(stream(&service()));
        card.receives(ready(&service()));
        card.settled().await;
    }
    first.ends(Phase::Superseded, None).await;
    let [ready, _, over] = heard_first.hears([READY, "", "You went on without it"]).await;
    let [other] = heard_second.hears([READY]).await;
    assert!(other - ready > 400.0 && over - other > 400.0, "{ready} {other} {over}");
}

#[test]
async fn a_region_is_emptied_before_anybody_comes_across_it() {
    let card = CardPage::waiting(mixed()).await;
    let spoken = card.listen();
    card.submit().await;
    let [said, emptied] = spoken.hears(["3 of 3 questions still need an answer", ""]).await;
    assert!(emptied - said > 1000.0, "after {} ms", emptied - said);
}

#[test]
async fn what_cancel_asks_is_heard() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    let spoken = card.listen();
    card.press_button("Don’t answer").await;
    spoken.hears(["Discard your answer?"]).await;
}

#[test]
async fn sending_has_a_second_of_its_own_each_time() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    card.submit().await;
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
    let spoken = card.listen();
    let began = crate::wait::now();
    card.submit().await;
    let [said] = spoken.hears(["Sending your answer"]).await;
    assert!(said - began >= 1000.0, "after {} ms", said - began);
}

#[test]
async fn a_reply_from_the_composer_that_takes_a_while_is_announced() {
    let card = CardPage::waiting(service()).await;
    card.host_says(ReplyState::Sending).await;
    assert_eq!(card.announced().await, "Sending your answer");
}

#[test]
async fn a_question_without_header_is_announced_by_its_text() {
    let mut asked = service();
    asked.questions[0].header = None;
    let card = CardPage::composing().await;
    card.receives(stream(&ask(asked.questions.clone())));
    card.receives(ready(&asked));
    until("it is announced", || {
        card.announcement() == "The agent asks 1 question. \u{2068}What does your car need?\u{2069} (3 options)"
    })
    .await;
}

#[test]
async fn what_cards_that_are_gone_had_to_say_holds_up_no_other() {
    for _ in 0..30 {
        let card = CardPage::open(
            AskSnapshot::complete(fresh_id(), service(), Phase::Ready),
            Setting { fresh: true, ..Setting::default() },
        )
        .await;
        drop(card);
    }
    let card = CardPage::waiting(service()).await;
    card.submit().await;
    assert_eq!(card.announced().await, "The question still needs an answer");
}

#[test]
async fn who_replied_in_the_chat_or_answered_from_the_composer_hears_nothing_of_it() {
    let in_chat = Outcome::RepliedInChat { text: "Just looking".to_owned(), partial: vec![] };
    let answered = Outcome::Answered(picks(&service(), 1));
    for (reply, outcome) in [(ReplyState::None, in_chat), (ReplyState::Sending, answered)] {
        let card = CardPage::waiting(service()).await;
        let spoken = card.listen();
        card.host_says(reply).await;
        card.ends(Phase::Answered, Some(outcome)).await;
        // All cards share one queue: an announcement of the first would have come before.
        let another = CardPage::waiting(service()).await;
        another.submit().await;
        another.announced().await;
        spoken.hears([]).await;
    }
}

#[test]
async fn an_ask_of_a_history_that_is_opened_again_is_as_live_as_any() {
    let mut snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Superseded);
    snapshot.outcome = Some(Outcome::Superseded);
    let card = CardPage::open(snapshot, Setting::default()).await;
    let events = card.hear_events();
    assert!(card.find("[role=status]").is_none(), "a history is silent");
    let soon = js_sys::Date::now() as u64 + 45_000;
    card.receives([AskPatch::ExpiresAt(Some(soon)), AskPatch::Phase(Phase::Answerable)]);
    card.settled().await;
    assert_eq!(events.so_far(), ["qc-waiting"]);
    assert!(card.announced().await.contains("left to answer"));
    assert!(card.time_left().is_some());
    card.submit().await;
    until("it is announced", || card.announcement() == "The question still needs an answer").await;
    card.ends(Phase::Declined, Some(Outcome::Declined)).await;
    until("it is announced", || card.announcement() == "You chose not to answer").await;
}

#[test]
async fn the_same_call_of_another_conversation_is_another_call() {
    let id = fresh_id();
    let open = async |scope| {
        let setting = Setting { scope, fresh: true, ..Setting::default() };
        let snapshot = AskSnapshot::complete(&*id, service(), Phase::Ready);
        CardPage::open(snapshot, setting).await
    };
    let first = open("thread-1").await;
    assert_eq!(first.announced().await, READY);
    first.choose("Oil change").await;
    let second = open("thread-2").await;
    assert_eq!(second.announced().await, READY);
    assert_eq!(second.chosen(), [""; 0], "the choice in another one");
    let (first_id, second_id) = (first.control("Oil change"), second.control("Oil change"));
    assert_ne!(first_id.id(), second_id.id());
    drop(first);
    let again = open("thread-1").await;
    assert_eq!(again.chosen(), ["Oil change"]);
}
