//! Notes, skipping, and texts that are too long.

use crate::asks::{before, mixed, ready, service, stream};
use crate::card_page::{CardPage, Setting, fresh_id, on_pick, text_of};
use ask_user_question::reply::SKIPPED_TEXT;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase};
use question_card::Options;
use wasm_bindgen_test::wasm_bindgen_test as test;

async fn waiting(ask: AskUserQuestion, setting: Setting) -> CardPage {
    let snapshot = AskSnapshot::complete(fresh_id(), ask, Phase::Answerable);
    let card = CardPage::open(snapshot, setting).await;
    card.stands_still().await;
    card
}

fn skippable() -> Setting {
    Setting { allow_skip: true, ..Setting::default() }
}

fn at_most(max_length: usize) -> Setting {
    Setting { max_length: Some(max_length), ..Setting::default() }
}

#[test]
async fn a_note_travels_beside_the_answer() {
    let card = CardPage::waiting(mixed()).await;
    for label in ["Postgres", "Search", "Plain"] {
        card.choose(label).await;
    }
    card.add_note(1, "full text only").await;
    let field = card.note_field(0);
    assert_eq!(card.name_of(&field), "Note Features Which features?");
    card.sees_focus_on(&field);
    card.submit().await;
    let reply = card.only_reply();
    let notes: Vec<_> = reply.answers().iter().map(|answer| answer.note.as_deref()).collect();
    assert_eq!(notes, [None, Some("full text only"), None]);
    card.ends(Phase::Answered, Some(Outcome::Answered(reply))).await;
    assert!(card.text().contains("Note: \u{2068}full text only\u{2069}"));
    assert!(card.button("Dismiss").is_none(), "no input was left behind");
}

#[test]
async fn a_note_is_no_answer_and_is_not_lost() {
    let card = CardPage::waiting(service()).await;
    card.add_note(0, "after five").await;
    card.submit().await;
    card.has_not_replied();
    assert_eq!(card.errors().len(), 1);
    card.press_button("Don’t answer").await;
    assert!(card.button("Keep answering").is_some(), "it would be lost");
    card.ends(Phase::Superseded, Some(Outcome::Superseded)).await;
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, ["Note: after five"]));
}

#[test]
async fn an_empty_note_keeps_its_field_and_sends_nothing() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    card.add_note(0, "x").await;
    card.rewrite_note("").await;
    card.sees_focus_on(&card.note_field(0));
    card.submit().await;
    assert_eq!(card.only_reply().answers()[0].note, None);
}

#[test]
async fn enter_in_a_note_goes_on_and_shift_enter_breaks_the_line() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    card.add_note(0, "after five").await;
    assert!(!card.press("2").await, "in text, a digit is a digit");
    assert!(!card.press("Escape").await, "Escape is the host's");
    let broke_line = !card.press_with("Enter", |init| init.set_shift_key(true)).await;
    assert!(broke_line);
    card.has_not_replied();
    assert!(card.press("Enter").await);
    let reply = card.only_reply();
    assert_eq!(reply.answers()[0].note.as_deref(), Some("after five"));
}

#[test]
async fn where_one_tap_answers_a_note_goes_with_the_tap() {
    let card = waiting(service(), on_pick()).await;
    card.add_note(0, "after five").await;
    assert!(!card.press("Enter").await, "there is nothing to confirm");
    card.stands_still().await;
    card.tap("Oil change").await;
    assert_eq!(card.only_reply().message(), "Oil change (note: after five)");
}

#[test]
async fn notes_and_skips_come_when_the_question_is_whole() {
    let card = CardPage::open(AskSnapshot::new(fresh_id()), skippable()).await;
    let (open, last) = before(stream(&service()), |asked| asked.iter().any(|it| it.closed));
    card.receives(open);
    card.settled().await;
    assert!(card.button("Add a note").is_none() && card.button("Skip").is_none());
    card.receives(last);
    card.settled().await;
    card.skip(0).await;
    card.receives(ready(&service()));
    card.settled().await;
    card.submit().await;
    assert_eq!(card.only_reply().message(), SKIPPED_TEXT);
}

#[test]
async fn nothing_can_be_skipped_unless_the_host_allows_it() {
    let card = CardPage::waiting(mixed()).await;
    assert!(card.button("Skip").is_none());
    let required = card.fieldset(0).get_attribute("aria-required");
    assert_eq!(required.as_deref(), Some("true"));
}

#[test]
async fn a_skipped_question_counts_as_answered_and_says_so() {
    let card = waiting(mixed(), skippable()).await;
    assert_eq!(card.fieldset(0).get_attribute("aria-required"), None);
    card.choose("Postgres").await;
    card.choose("Plain").await;
    card.submit().await;
    assert_eq!(card.errors().len(), 1);
    card.skip(1).await;
    assert_eq!(card.errors(), [""; 0]);
    card.choose("Search").await;
    card.skip(1).await;
    assert_eq!(card.chosen(), ["Postgres", "Plain"], "what was chosen is put aside");
    let skip = card.buttons("Skip")[1].clone();
    assert_eq!(card.name_of(&skip), "Skip Features Which features?");
    assert_eq!(skip.get_attribute("aria-pressed").as_deref(), Some("true"));
    assert_eq!(card.described(&skip), "This question will be sent without an answer");
    let status = card.fieldset(1).get_attribute("data-status");
    assert_eq!(status.as_deref(), Some("answered"));
    card.submit().await;
    let reply = card.only_reply();
    let skipped: Vec<_> = reply.answers().iter().map(|answer| answer.given.is_skipped()).collect();
    assert_eq!(skipped, [false, true, false]);
    card.ends(Phase::Answered, Some(Outcome::Answered(reply))).await;
    assert!(card.text().contains("Skipped"));
    assert!(card.button("Dismiss").is_none(), "no input was left behind");
}

#[test]
async fn where_one_tap_answers_a_skip_answers() {
    let setting = Setting { allow_skip: true, ..on_pick() };
    let card = waiting(service(), setting).await;
    card.tap_button("Skip").await;
    assert_eq!(card.only_reply().message(), SKIPPED_TEXT);
    assert!(card.is_inert("Skip"));
    card.host_says(ReplyState::Sending).await;
    card.press_button("Skip").await;
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
    let is_skipped = card.fieldset(0).has_attribute("data-skipped");
    assert!(!is_skipped, "no part of it is left");
    assert!(!card.card().has_attribute("data-dirty"));
    card.choose("Oil change").await;
    card.heard(|heard| {
        let messages: Vec<_> = heard.replies.iter().map(|reply| reply.message()).collect();
        assert_eq!(messages, [SKIPPED_TEXT, "Oil change"]);
    });
}

#[test]
async fn a_counter_says_how_much_more_may_be_typed() {
    let card = waiting(service(), at_most(5)).await;
    assert_eq!(card.counters(), ["5 characters left"]);
    card.type_other(0, "äö😀").await;
    assert_eq!(card.counters(), ["2 characters left"]);
    assert_eq!(card.described(&card.text_field(0)), "2 characters left");
    card.add_note(0, "four").await;
    assert_eq!(card.counters(), ["2 characters left", "1 character left"]);
    let unlimited = CardPage::waiting(service()).await;
    assert_eq!(unlimited.counters(), [""; 0]);
}

#[test]
async fn a_text_that_is_too_long_stays_and_is_not_sent() {
    let card = waiting(service(), at_most(5)).await;
    card.type_other(0, "äö😀ßxyz").await;
    assert_eq!(card.counters(), ["2 characters too many"]);
    assert_eq!(card.announced().await, "2 characters too many");
    card.submit().await;
    card.has_not_replied();
    let field = card.text_field(0);
    assert_eq!(field.value(), "äö😀ßxyz", "no character is cut off");
    let error = "Shorten your text by 2 characters";
    assert_eq!(card.errors(), [error]);
    assert_eq!(field.get_attribute("aria-invalid").as_deref(), Some("true"));
    assert!(card.described(&field).starts_with(error));
    card.sees_focus_on(&field);
    card.type_other(0, "äö😀ßx").await;
    assert_eq!((card.errors(), field.get_attribute("aria-invalid")), (vec![], None));
    card.submit().await;
    assert_eq!(card.only_reply().message(), "äö😀ßx");
}

#[test]
async fn a_note_that_is_too_long_is_not_sent() {
    let one_tap = Setting { max_length: Some(5), ..on_pick() };
    for setting in [at_most(5), one_tap] {
        let card = waiting(service(), setting).await;
        card.add_note(0, "longer").await;
        card.choose("Oil change").await;
        if card.mode() == "explicit" {
            card.submit().await;
        }
        card.has_not_replied();
        assert_eq!(card.errors(), ["Shorten your text by 1 character"]);
        let note = card.note_field(0);
        card.sees_focus_on(&note);
        assert_eq!(note.get_attribute("aria-invalid").as_deref(), Some("true"));
        assert_eq!(card.text_field(0).get_attribute("aria-invalid"), None);
        assert_eq!(card.fieldset(0).get_attribute("aria-invalid"), None);
    }
}

#[test]
async fn a_message_about_an_unreadable_question_has_the_same_limit() {
    let snapshot = AskSnapshot::new(fresh_id()).with_phase(Phase::Malformed);
    let card = CardPage::open(snapshot, at_most(5)).await;
    card.type_other(0, "too long").await;
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, [""; 0]));
    assert!(card.text().contains("Shorten your text by 3 characters"));
    card.sees_focus_on(&card.text_field(0));
    card.type_other(0, "short").await;
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, ["short"]));
}

#[test]
async fn marks_of_the_agent_become_elements_and_answers_keep_them() {
    let mut asked = service();
    asked.questions[0].question = "Run `npm ci` in **prod**?\n- <b>now</b>".to_owned();
    asked.questions[0].header = Some("**npm**".to_owned());
    asked.questions[0].options[0].label = "`yes`".to_owned();
    let card = CardPage::open(AskSnapshot::new(fresh_id()), on_pick()).await;
    card.receives_slowly(stream(&asked)).await;
    card.receives_slowly(ready(&asked)).await;
    assert_eq!(card.questions(), ["Run npm ci in prod?\n\u{2022} <b>now</b>"]);
    let texts = |part: &str| card.all(part).iter().map(text_of).collect::<Vec<_>>();
    assert_eq!(
        (texts("code"), texts("strong"), texts("b")),
        (vec!["npm ci".into(), "yes".into()], vec!["npm".into(), "prod".into()], vec![])
    );
    let announced = card.announced().await;
    assert!(announced.contains("Run npm ci in prod?") && !announced.contains('*'), "{announced}");
    card.stands_still().await;
    card.choose("yes").await;
    assert_eq!(card.only_reply().message(), "`yes`");
    card.ends(Phase::Superseded, None).await;
    let receipt = card.receipt().expect("a receipt");
    assert!(!text_of(&receipt).contains(['*', '`']), "{}", text_of(&receipt));

    let plain = Options { plain_text: true, ..Options::default() };
    let snapshot = AskSnapshot::complete(fresh_id(), asked.clone(), Phase::Answerable);
    let (card, _mounted) = CardPage::without_framework(snapshot, &plain);
    assert_eq!(card.questions(), [asked.questions[0].question.as_str()]);
}
