//! Arguments that ended and cannot be used.

use crate::asks::{AskPatch, before, has_begun, mixed, ready, service, stream};
use crate::card_page::{CardPage, EventsHeard, Setting, fresh_id};
use crate::wait::until;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use leptos::prelude::document;
use question_card::{Word, Words as _};
use wasm_bindgen_test::wasm_bindgen_test as test;

async fn malformed(patches: usize) -> CardPage {
    let card = CardPage::composing().await;
    card.receives(stream(&service()).into_iter().take(patches));
    card.receives([AskPatch::Phase(Phase::Malformed)]);
    card.settled().await;
    card
}

#[track_caller]
fn is_done(card: &CardPage, word: &str) {
    let text = card.text();
    assert!(text.contains(word) && text.contains("arrived damaged"), "{text:?}");
    assert!(!text.contains("Sending your answer"), "{text:?}");
    assert!(card.find("button, textarea, [aria-busy]").is_none(), "no control is left");
    assert_eq!(card.card().get_attribute("data-dirty"), None);
}

#[test]
async fn str_07_unusable_arguments_leave_a_way_out() {
    let card = malformed(30).await;
    assert_eq!(card.state(), "malformed");
    assert!(card.text().contains("What does your car need?") && card.inputs("radio").is_empty());
    assert!(!card.text().contains("Waiting for"), "{:?}", card.text());
    assert!(!card.is_inert("Send as a message") && !card.is_inert("Don’t answer"));
}

#[test]
async fn a_message_that_is_taken_ends_it() {
    let card = malformed(30).await;
    card.type_other(0, "My brakes squeal").await;
    card.button("Send as a message").expect("Send").focus().expect("it takes the focus");
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, ["My brakes squeal"]));
    is_done(&card, "Replied in chat");
    card.sees_focus_on(&card.receipt().expect("a note"));
    until("it is announced", || card.announcement() == "Answer sent").await;
    card.host_says(ReplyState::Sending).await;
    card.host_says(ReplyState::None).await;
    is_done(&card, "Replied in chat");
    card.ends(Phase::Superseded, Some(Outcome::Superseded)).await;
    assert!(!card.text().contains("My brakes squeal"), "a sent text is not late");
}

#[test]
async fn a_message_that_is_not_taken_stays() {
    let card = malformed(0).await;
    card.agent_is_writing(true);
    card.type_other(0, "My brakes squeal").await;
    card.press_button("Send as a message").await;
    let not_now = "Not now: the agent is still writing, or another question waits for its answer.";
    assert!(card.text().contains(not_now));
    assert_eq!(card.text_field(0).value(), "My brakes squeal");
    assert!(!card.is_inert("Send as a message") && !card.text_field(0).read_only());
    until("it is announced", || card.announcement() == not_now).await;
    card.agent_is_writing(false);
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, ["My brakes squeal"]));
    is_done(&card, "Replied in chat");
}

#[test]
async fn a_cancellation_ends_it() {
    let card = malformed(0).await;
    let cancel = card.button("Don’t answer").expect("Cancel");
    cancel.focus().expect("it takes the focus");
    card.press_button("Don’t answer").await;
    cancel.click();
    card.host_says(ReplyState::Sending).await;
    is_done(&card, "You chose not to answer");
    card.heard(|heard| assert_eq!(heard.cancels, 1));
    card.sees_focus_on(&card.receipt().expect("a note"));
    until("it is announced", || card.announcement() == "You chose not to answer").await;
    card.host_says_at_once(ReplyState::None, [AskPatch::Outcome(Outcome::Declined), AskPatch::Phase(Phase::Declined)])
        .await;
    assert_eq!(card.state(), "declined");
    assert!(card.text().contains("You chose not to answer"), "{:?}", card.text());
    card.sees_focus_on(&card.receipt().expect("a receipt"));
}

#[test]
async fn a_cancellation_that_the_host_returns_or_that_fails_opens_it_again() {
    for (reply, told) in [
        (ReplyState::None, None),
        (ReplyState::Failed("No network.".to_owned()), Some("Your answer was not sent. \u{2068}No network.\u{2069}")),
    ] {
        let card = malformed(30).await;
        card.type_other(0, "My brakes squeal").await;
        card.press_button("Don’t answer").await;
        card.button("Discard your answer?").expect("Cancel").focus().expect("it takes the focus");
        card.press_button("Discard your answer?").await;
        card.host_says(ReplyState::Sending).await;
        is_done(&card, "You chose not to answer");
        card.host_says(reply).await;
        assert!(!card.text().contains("You chose not to answer"), "{:?}", card.text());
        assert_eq!(card.text_field(0).value(), "My brakes squeal");
        assert_eq!(card.alerts(), told.into_iter().collect::<Vec<_>>());
        until("the focus is back", || card.has_focus_on("Don’t answer")).await;
        match told {
            None => {
                card.press_button("Don’t answer").await;
                card.press_button("Discard your answer?").await;
                card.heard(|heard| assert_eq!(heard.cancels, 2));
                is_done(&card, "You chose not to answer");
            }
            Some(_) => {
                card.press_button("Send as a message").await;
                card.heard(|heard| {
                    assert_eq!((&*heard.messages, heard.cancels), (&["My brakes squeal".to_owned()][..], 1));
                });
                is_done(&card, "Replied in chat");
            }
        }
    }
}

#[test]
async fn an_answerable_ask_that_turns_out_unusable_loses_nothing() {
    let card = CardPage::composing().await;
    let events = card.hear_events();
    let spoken = card.listen();
    card.receives(stream(&mixed()));
    card.receives(ready(&mixed()));
    card.settled().await;
    card.choose("SQLite").await;
    card.choose("Search").await;
    card.choose("Export").await;
    card.type_other(2, "  like a newspaper").await;
    card.add_note(1, "fast").await;
    card.receives([AskPatch::Phase(Phase::Malformed)]);
    card.settled().await;
    assert_eq!(card.state(), "malformed");
    let all =
        "Which database?\nSQLite\n\nWhich features?\nSearch, Export\nNote: fast\n\nWhich style?\n  like a newspaper";
    assert_eq!(card.text_field(0).value(), all);
    until("the focus is back", || document().active_element().as_ref() == Some(&card.text_field(0))).await;
    let unreadable = "The question arrived damaged. Answer in your own words.";
    spoken
        .hears([
            "The agent asks 3 questions. \u{2068}Database\u{2069}: \u{2068}Which database?\u{2069} (2 options)",
            "",
            unreadable,
        ])
        .await;
    assert_eq!(events.so_far(), ["qc-waiting"]);
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, [all]));
    is_done(&card, "Replied in chat");
    assert_eq!(events.so_far(), ["qc-waiting", "qc-resolved"]);
    card.ends(Phase::Superseded, Some(Outcome::Superseded)).await;
    assert_eq!(events.so_far(), ["qc-waiting", "qc-resolved"], "once");
}

#[test]
async fn what_was_chosen_while_it_streamed_is_not_lost_either() {
    let card = CardPage::composing().await;
    card.receives(before(stream(&mixed()), has_begun(2)).0);
    card.settled().await;
    card.control("SQLite").focus().expect("it takes the focus");
    card.choose("SQLite").await;
    card.receives([AskPatch::Phase(Phase::Malformed)]);
    card.settled().await;
    assert_eq!(card.text_field(0).value(), "SQLite");
    until("the focus is back", || document().active_element().as_ref() == Some(&card.text_field(0))).await;
    card.type_other(0, "SQLite, please").await;
    card.ends(Phase::Superseded, None).await;
    assert!(card.text().contains("SQLite, please"));
}

#[test]
async fn a_returned_cancellation_waits_again() {
    let card = CardPage::composing().await;
    let events = card.hear_events();
    card.receives(stream(&service()));
    card.receives(ready(&service()));
    card.receives([AskPatch::Phase(Phase::Malformed)]);
    card.settled().await;
    card.press_button("Don’t answer").await;
    card.host_says(ReplyState::Sending).await;
    card.host_says(ReplyState::None).await;
    card.press_button("Don’t answer").await;
    let heard = events.so_far();
    assert_eq!(heard[heard.len() - 3..], ["qc-resolved", "qc-waiting", "qc-resolved"]);
}

#[test]
async fn what_cannot_be_shown_at_all_can_be_cancelled() {
    let setting = Setting { messages_off: true, ..Setting::default() };
    let card = CardPage::open(AskSnapshot::new(fresh_id()), setting).await;
    card.receives([AskPatch::Phase(Phase::Malformed)]);
    card.settled().await;
    assert!(card.text().contains(Word::Malformed.english()));
    assert_eq!(card.all("button, textarea").len(), 1, "one way out");
    card.press_button(Word::Cancel.english()).await;
    card.heard(|heard| assert_eq!(heard.cancels, 1));
    assert!(card.text().contains(Word::Cancelled.english()));
}

#[test]
async fn a_card_that_goes_as_it_is_returned_stops_nothing() {
    let errors = EventsHeard::errors();
    let card = malformed(30).await;
    let cancel = card.button(Word::Cancel.english()).expect("Cancel");
    cancel.focus().expect("it takes the focus");
    card.press_button(Word::Cancel.english()).await;
    card.sees_focus_on(&card.receipt().expect("a note"));
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
    drop(card);
    let another = malformed(30).await;
    another.timers_passed().await;
    another.type_other(0, "My brakes squeal").await;
    another.press_button("Send as a message").await;
    another.heard(|heard| assert_eq!(heard.messages.len(), 1, "the page goes on"));
    assert_eq!(errors.so_far(), [""; 0]);
}

#[test]
async fn what_could_be_read_leaves_no_holes() {
    question_card::adopt_styles().expect("this browser has constructed style sheets");
    let card = CardPage::composing().await;
    card.receives(stream(&mixed()));
    card.receives([AskPatch::Phase(Phase::Malformed)]);
    card.settled().await;
    let lines = card.all("form > :not(.qc-title)");
    let places = lines.iter().map(|line| line.get_bounding_client_rect());
    let places: Vec<_> = places.map(|place| (place.top(), place.bottom())).collect();
    let holes: Vec<f64> = places.windows(2).map(|two| two[1].0 - two[0].1).collect();
    assert!(holes.len() > 3, "{places:?}");
    let one_gap = holes.iter().all(|hole| (hole - holes[0]).abs() < 1.0);
    assert!(one_gap, "{holes:?}");
    document().adopted_style_sheets().set_length(0);
}
