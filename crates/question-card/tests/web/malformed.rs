//! Arguments that ended and cannot be used.

use crate::asks::{service, stream};
use crate::card_page::CardPage;
use crate::wait::until;
use ask_user_question::snapshot::AskPatch;
use ask_user_question::{Outcome, Phase};
use question_card::Sending;
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
    assert!(
        text.contains(word) && text.contains("could not be read"),
        "{text:?}"
    );
    assert!(!text.contains("Sending your answer"), "{text:?}");
    assert!(
        card.find("button, textarea, [aria-busy]").is_none(),
        "nothing is left to do"
    );
    assert_eq!(card.card().get_attribute("data-dirty"), None);
}

#[test]
async fn it_says_nothing_of_waiting() {
    let card = malformed(30).await;
    assert_eq!(card.state(), "malformed");
    assert!(!card.text().contains("still arriving"), "{:?}", card.text());
    assert!(!card.is_inert("Send as a message") && !card.is_inert("Cancel question"));
}

#[test]
async fn a_message_that_is_taken_ends_it() {
    let card = malformed(30).await;
    card.type_other(0, "My brakes squeal").await;
    card.button("Send as a message")
        .expect("Send")
        .focus()
        .expect("it takes the focus");
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, ["My brakes squeal"]));
    is_done(&card, "Replied in chat");
    card.sees_focus_on(&card.receipt().expect("a note"));
    until("it is announced", || card.announcement() == "Answer sent").await;
    card.receives([
        AskPatch::Outcome(Outcome::Superseded),
        AskPatch::Phase(Phase::Superseded),
    ]);
    card.settled().await;
    assert!(
        !card.text().contains("My brakes squeal"),
        "what was sent is not late"
    );
}

#[test]
async fn a_message_that_is_not_taken_stays() {
    let card = malformed(0).await;
    card.agent_is_writing(true);
    card.type_other(0, "My brakes squeal").await;
    card.press_button("Send as a message").await;
    let not_now = "The agent is still writing. Try again when it has finished.";
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
    let cancel = card.button("Cancel question").expect("Cancel");
    cancel.focus().expect("it takes the focus");
    card.press_button("Cancel question").await;
    cancel.click();
    card.host_says(Sending::Pending).await;
    is_done(&card, "Cancelled");
    card.heard(|heard| assert_eq!(heard.cancels, 1));
    card.sees_focus_on(&card.receipt().expect("a note"));
    until("it is announced", || {
        card.announcement() == "Question cancelled"
    })
    .await;
    card.host_says_at_once(
        Sending::Idle,
        [
            AskPatch::Outcome(Outcome::Declined),
            AskPatch::Phase(Phase::Declined),
        ],
    )
    .await;
    assert_eq!(card.state(), "declined");
    assert!(card.text().contains("Cancelled"), "{:?}", card.text());
    card.sees_focus_on(&card.receipt().expect("a receipt"));
}

#[test]
async fn a_cancellation_that_the_host_gives_back_opens_it_again() {
    let card = malformed(30).await;
    card.type_other(0, "My brakes squeal").await;
    card.press_button("Cancel question").await;
    card.button("Cancel and discard answers?")
        .expect("Cancel")
        .focus()
        .expect("it takes the focus");
    card.press_button("Cancel and discard answers?").await;
    card.host_says(Sending::Pending).await;
    is_done(&card, "Cancelled");
    card.host_says(Sending::Idle).await;
    assert!(!card.text().contains("Cancelled"), "{:?}", card.text());
    assert_eq!(card.text_field(0).value(), "My brakes squeal");
    assert_eq!(card.alerts(), [""; 0], "it is no error");
    until("the focus is back", || card.has_focus_on("Cancel question")).await;
    card.press_button("Cancel question").await;
    card.press_button("Cancel and discard answers?").await;
    card.heard(|heard| assert_eq!(heard.cancels, 2));
    is_done(&card, "Cancelled");
}

#[test]
async fn a_message_that_was_taken_is_not_given_back() {
    let card = malformed(30).await;
    card.type_other(0, "My brakes squeal").await;
    card.press_button("Send as a message").await;
    card.host_says(Sending::Pending).await;
    card.host_says(Sending::Idle).await;
    is_done(&card, "Replied in chat");
}

#[test]
async fn a_failure_opens_it_again() {
    let card = malformed(30).await;
    card.type_other(0, "My brakes squeal").await;
    card.press_button("Cancel question").await;
    card.button("Cancel and discard answers?")
        .expect("Cancel")
        .focus()
        .expect("it takes the focus");
    card.press_button("Cancel and discard answers?").await;
    is_done(&card, "Cancelled");
    card.host_says(Sending::Failed("No network.".to_owned()))
        .await;
    assert_eq!(
        card.alerts(),
        ["Your answer was not sent. \u{2068}No network.\u{2069}"]
    );
    assert_eq!(card.text_field(0).value(), "My brakes squeal");
    until("the focus is back", || card.has_focus_on("Cancel question")).await;
    card.press_button("Send as a message").await;
    card.heard(|heard| {
        assert_eq!(
            (heard.messages.as_slice(), heard.cancels),
            (["My brakes squeal".to_owned()].as_slice(), 1)
        );
    });
    is_done(&card, "Replied in chat");
}

#[test]
async fn what_was_typed_is_kept_when_it_ends_otherwise() {
    let card = malformed(0).await;
    card.type_other(0, "My brakes squeal").await;
    card.receives([
        AskPatch::Outcome(Outcome::Superseded),
        AskPatch::Phase(Phase::Superseded),
    ]);
    card.settled().await;
    assert!(
        card.text().contains("My brakes squeal"),
        "{:?}",
        card.text()
    );
}
