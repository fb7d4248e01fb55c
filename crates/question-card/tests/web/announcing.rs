//! What a screen reader hears of a card, in the order of the table in the README.

use crate::asks::{ask, mixed, ready, service, stream};
use crate::card_page::{CardPage, Setting, fresh_id};
use crate::wait::until;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::AskPatch;
use ask_user_question::{AskSnapshot, Outcome, Phase, Reply};
use question_card::Sending;
use wasm_bindgen_test::wasm_bindgen_test as test;

const READY: &str =
    "The agent asks 1 question. \u{2068}Service\u{2069}: \u{2068}What does your car need?\u{2069}";

#[test]
async fn an_ask_that_came_complete_is_announced_where_it_is_fresh() {
    let snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Ready);
    let setting = Setting {
        fresh: true,
        ..Setting::default()
    };
    let card = CardPage::open(snapshot.clone(), setting.clone()).await;
    assert_eq!(card.announced().await, READY);
    drop(card);
    // A list that takes rows out of the page and puts them back says nothing twice: the next word is that of the end.
    let again = CardPage::open(snapshot, setting).await;
    let spoken = again.listen();
    again.ends(Phase::Declined, None).await;
    spoken.hears(["Question cancelled"]).await;
}

#[test]
async fn an_ask_of_a_history_is_not_announced() {
    let card = CardPage::waiting(service()).await;
    let spoken = card.listen();
    card.submit().await;
    spoken.hears(["The question still needs an answer"]).await;
}

#[test]
async fn an_unreadable_question_is_announced() {
    let card = CardPage::composing().await;
    let spoken = card.listen();
    card.receives([AskPatch::Phase(Phase::Malformed)]);
    spoken
        .hears(["The agent\u{2019}s question could not be read"])
        .await;
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

    let others = Selection {
        selected: vec![1],
        ..Selection::default()
    };
    let others = Reply::check(&service(), vec![others]).expect("a legal reply");
    let no_longer = "This question is no longer waiting";
    let ends = [
        (Phase::Answered, Some(Outcome::Answered(others)), no_longer),
        (
            Phase::Declined,
            Some(Outcome::Declined),
            "Question cancelled",
        ),
        (Phase::Superseded, Some(Outcome::Superseded), no_longer),
        (Phase::Expired, None, no_longer),
        (Phase::Interrupted, None, no_longer),
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
    let [ready, _, over] = heard_first
        .hears([READY, "", "This question is no longer waiting"])
        .await;
    let [other] = heard_second.hears([READY]).await;
    // Timers may come a little late, and then the next one is not.
    assert!(
        other - ready > 400.0 && over - other > 400.0,
        "{ready} {other} {over}"
    );
}

#[test]
async fn a_region_is_emptied_before_anybody_comes_across_it() {
    let card = CardPage::waiting(mixed()).await;
    let spoken = card.listen();
    card.submit().await;
    let [said, emptied] = spoken
        .hears(["3 of 3 questions still need an answer", ""])
        .await;
    assert!(
        (1000.0..7000.0).contains(&(emptied - said)),
        "after {} ms",
        emptied - said
    );
}

#[test]
async fn what_cancel_asks_is_heard() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    let spoken = card.listen();
    card.press_button("Cancel question").await;
    spoken.hears(["Cancel and discard answers?"]).await;
}

#[test]
async fn sending_has_a_second_of_its_own_each_time() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    card.submit().await;
    card.host_says(Sending::Failed("No network.".to_owned()))
        .await;
    let spoken = card.listen();
    let began = crate::wait::now();
    card.submit().await;
    let [said] = spoken.hears(["Sending your answer"]).await;
    assert!(said - began >= 1000.0, "after {} ms", said - began);
}

#[test]
async fn a_reply_from_the_composer_that_takes_a_while_is_announced() {
    let card = CardPage::waiting(service()).await;
    card.host_says(Sending::Pending).await;
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
        card.announcement() == "The agent asks 1 question. \u{2068}What does your car need?\u{2069}"
    })
    .await;
}

#[test]
async fn what_cards_that_are_gone_had_to_say_holds_up_no_other() {
    for _ in 0..30 {
        let card = CardPage::open(
            AskSnapshot::complete(fresh_id(), service(), Phase::Ready),
            Setting {
                fresh: true,
                ..Setting::default()
            },
        )
        .await;
        drop(card);
    }
    let card = CardPage::waiting(service()).await;
    card.submit().await;
    assert_eq!(card.announced().await, "The question still needs an answer");
}
