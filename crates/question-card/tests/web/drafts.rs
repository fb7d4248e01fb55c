//! Drafts of cards that go and come back. A real reload is checked with a real one elsewhere.

use crate::asks::{ask, before, has_begun, mixed, question, ready, service, stream};
use crate::card_page::{CardPage, Setting, fresh_id};
use crate::wait::until;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase};
use question_card::dom::Ids;
use question_card::{Notes, Options, Persist, SubmitMode, Word, Words as _};
use wasm_bindgen_test::wasm_bindgen_test as test;

async fn waiting(id: &str, ask: AskUserQuestion, persist: Persist) -> CardPage {
    let setting = Setting { persist, allow_skip: true, ..Setting::default() };
    CardPage::open(AskSnapshot::complete(id, ask, Phase::Answerable), setting).await
}

async fn superseded(id: &str) -> CardPage {
    let mut snapshot = AskSnapshot::complete(id, service(), Phase::Superseded);
    snapshot.outcome = Some(Outcome::Superseded);
    CardPage::open(snapshot, Setting::default()).await
}

fn session() -> web_sys::Storage {
    let window = web_sys::window().expect("a window");
    let storage = window.session_storage().expect("it may be used");
    storage.expect("this browser has one")
}

fn in_session(id: &str) -> Option<String> {
    let key = Ids::new(id).draft();
    session().get_item(&key).expect("it may be read")
}

/// Stores another page's draft of this card's call, under the id of a call that this page never saw.
fn copy(from: &str, to: &str) {
    let quoted = |id: &str| format!("{id:?}");
    let draft = in_session(from).expect("there is a draft");
    assert!(draft.contains(&quoted(from)));
    session().set_item(&Ids::new(to).draft(), &draft.replace(&quoted(from), &quoted(to))).expect("it may be written");
}

#[test]
async fn his_03_a_card_that_comes_back_has_everything_and_says_nothing() {
    let id = fresh_id();
    let card = waiting(&id, mixed(), Persist::default()).await;
    card.choose("SQLite").await;
    card.choose("Search").await;
    card.type_other(1, "and sorting").await;
    card.add_note(0, "for now").await;
    card.skip(2).await;
    drop(card);

    let card = waiting(&id, mixed(), Persist::default()).await;
    assert_eq!(card.chosen(), ["SQLite", "Search", "Other"]);
    assert_eq!(card.text_field(1).value(), "and sorting");
    assert_eq!(card.note_field(0).value(), "for now");
    let pressed = card.buttons("Skip")[2].get_attribute("aria-pressed");
    assert_eq!(pressed.as_deref(), Some("true"));
    assert_eq!(card.announcement(), "");
    let body = leptos::prelude::document().body().expect("a body");
    card.sees_focus_on(&body);
    assert_eq!(card.card().get_attribute("data-dirty").as_deref(), Some(""));
    card.submit().await;
    assert_eq!(card.only_reply().answers().len(), 3);
}

#[test]
async fn a_card_that_comes_back_while_it_streams_waits_for_its_questions() {
    let id = fresh_id();
    let card = CardPage::open(AskSnapshot::new(&*id), Setting::default()).await;
    card.receives(stream(&mixed()));
    card.settled().await;
    card.choose("Postgres").await;
    card.choose("Fancy").await;
    drop(card);

    let card = CardPage::open(AskSnapshot::new(&*id), Setting::default()).await;
    let (first, rest) = before(stream(&mixed()), has_begun(2));
    card.receives_slowly(first).await;
    assert_eq!(card.chosen(), ["Postgres"]);
    card.receives(rest);
    card.receives(ready(&mixed()));
    card.settled().await;
    assert_eq!(card.chosen(), ["Postgres", "Fancy"]);
}

#[test]
async fn without_a_store_nothing_is_written() {
    let before = session().length().expect("it may be read");
    let id = fresh_id();
    let card = waiting(&id, service(), Persist::default()).await;
    card.type_other(0, "mine").await;
    drop(card);
    assert_eq!(session().length().expect("it may be read"), before);
}

#[test]
async fn his_04_the_session_has_the_draft_until_the_ask_is_over() {
    for (outcome, phase) in [(None, Phase::Answered), (Some(Outcome::Declined), Phase::Declined)] {
        let id = fresh_id();
        let card = waiting(&id, service(), Persist::session()).await;
        assert_eq!(in_session(&id), None, "no draft is written before a change");
        card.choose("Oil change").await;
        until("it is written", || in_session(&id).is_some()).await;
        match phase {
            Phase::Answered => card.submit().await,
            _ => {
                card.press_button("Don’t answer").await;
                card.press_button("Discard your answer?").await;
            }
        }
        assert!(in_session(&id).is_some(), "it is not known to have arrived");
        let outcome = outcome.unwrap_or_else(|| Outcome::Answered(card.only_reply()));
        card.ends(phase, Some(outcome)).await;
        until("it is gone", || in_session(&id).is_none()).await;
    }
}

#[test]
async fn the_session_has_the_last_change_when_the_page_or_the_card_goes() {
    let id = fresh_id();
    let card = waiting(&id, service(), Persist::session()).await;
    card.type_other(0, "first").await;
    let window = web_sys::window().expect("a window");
    let pagehide = web_sys::Event::new("pagehide").expect("an event");
    window.dispatch_event(&pagehide).expect("it is dispatched");
    assert!(in_session(&id).is_some_and(|draft| draft.contains("first")));
    card.type_other(0, "second").await;
    drop(card);
    assert!(in_session(&id).is_some_and(|draft| draft.contains("second")));
}

#[test]
async fn a_page_reads_what_an_earlier_one_wrote() {
    let store = Persist::session();
    let id = fresh_id();
    let card = waiting(&id, mixed(), store).await;
    card.choose("Postgres").await;
    card.type_other(2, "mine").await;
    until("it is written", || in_session(&id).is_some()).await;
    drop(card);

    let later = fresh_id();
    copy(&id, &later);
    let card = waiting(&later, mixed(), store).await;
    assert_eq!(card.chosen(), ["Postgres", "Other"]);
    assert_eq!(card.text_field(2).value(), "mine");
    card.choose("Search").await;
    card.submit().await;
    card.ends(Phase::Answered, Some(Outcome::Answered(card.only_reply()))).await;
    until("it is gone", || in_session(&later).is_none()).await;

    let changed = fresh_id();
    copy(&id, &changed);
    let mut other = mixed();
    other.questions[0] = question("Which database?", "Database", false, &["MySQL", "SQLite"]);
    other.questions[2] = question("Which colour?", "Colour", false, &["Red", "Blue"]);
    let card = waiting(&changed, other, store).await;
    assert_eq!(card.chosen(), [""; 0], "an option that is gone does not come back");
    assert_eq!(card.text_field(2).value(), "", "it was about another question");
}

#[test]
async fn what_came_too_late_is_kept_until_it_is_put_away() {
    let id = fresh_id();
    let card = waiting(&id, service(), Persist::session()).await;
    card.type_other(0, "nearly done").await;
    card.ends(Phase::Superseded, Some(Outcome::Superseded)).await;
    drop(card);
    assert!(in_session(&id).is_some());

    let card = superseded(&id).await;
    assert!(card.text().contains("nearly done"));
    drop(card);
    let card = superseded(&id).await;
    card.press_button("Dismiss").await;
    assert_eq!(card.card().get_attribute("data-dirty"), None);
    drop(card);
    let card = superseded(&id).await;
    assert!(!card.text().contains("nearly done"));
}

#[test]
async fn text_beside_an_answer_is_kept_until_it_is_put_away() {
    let id = fresh_id();
    let card = waiting(&id, service(), Persist::session()).await;
    card.type_other(0, "long text").await;
    card.choose("Oil change").await;
    card.submit().await;
    card.ends(Phase::Answered, Some(Outcome::Answered(card.only_reply()))).await;
    assert!(card.text().contains("long text"));
    until("it is written", || in_session(&id).is_some()).await;
    card.press_button("Dismiss").await;
    until("it is gone", || in_session(&id).is_none()).await;
}

#[test]
async fn an_unreadable_question_keeps_what_was_typed() {
    let id = fresh_id();
    let open = async || {
        let snapshot = AskSnapshot::new(&*id).with_phase(Phase::Malformed);
        CardPage::open(snapshot, Setting::default()).await
    };
    let card = open().await;
    card.type_other(0, "My brakes squeal").await;
    drop(card);
    let card = open().await;
    assert_eq!(card.text_field(0).value(), "My brakes squeal");
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, ["My brakes squeal"]));
    drop(card);
    let card = open().await;
    assert!(card.text().contains(Word::RepliedInChat.english()), "it knows what was sent: {}", card.text());
}

#[test]
async fn ime_04_a_draft_that_comes_back_does_not_disturb_another_field() {
    let two = ask(vec![question("First?", "One", false, &["A", "B"]), question("Second?", "Two", false, &["C", "D"])]);
    let id = fresh_id();
    let card = waiting(&id, two.clone(), Persist::default()).await;
    card.type_other(1, "kept").await;
    drop(card);

    let card = CardPage::open(AskSnapshot::new(&*id), Setting::default()).await;
    let (first, rest) = before(stream(&two), has_begun(2));
    card.receives(first);
    card.settled().await;
    let field = card.text_field(0);
    card.type_other(0, "にほ").await;
    field.set_selection_range(1, 1).expect("a caret");
    card.receives(rest);
    card.receives(ready(&two));
    card.settled().await;
    assert_eq!(card.text_field(1).value(), "kept");
    assert_eq!(
        (field.value(), field.selection_start()),
        ("にほ".to_owned(), Ok(Some(1))),
        "writing a value moves the caret to its end"
    );
}

#[test]
async fn a_scope_that_comes_after_a_reload_takes_up_what_is_stored_under_it() {
    let (id, later) = (fresh_id(), fresh_id());
    let card = waiting(&id, mixed(), Persist::session()).await;
    card.choose("Postgres").await;
    card.type_other(2, "mine").await;
    until("it is written", || in_session(&id).is_some_and(|draft| draft.contains("mine"))).await;
    drop(card);
    let key = format!("6:thread:{later}");
    copy(&id, &key);

    let ask = AskSnapshot::complete(&*later, mixed(), Phase::Answerable);
    let options = Options { persist: Persist::session(), ..Options::default() };
    let (page, card) = CardPage::without_framework(ask, &options);
    card.set(&Options { scope: "thread".to_owned(), ..options });
    assert_eq!(page.chosen(), ["Postgres", "Other"]);
    assert_eq!(page.text_field(2).value(), "mine");
    assert!(in_session(&key).is_some_and(|draft| draft.contains("mine")), "it is still stored");
    drop(card);
}

#[test]
async fn what_was_typed_before_its_scope_or_storage_came_joins_what_is_stored() {
    let (id, later) = (fresh_id(), fresh_id());
    let card = waiting(&id, mixed(), Persist::session()).await;
    card.add_note(0, "for now").await;
    card.type_other(2, "mine").await;
    until("it is written", || in_session(&id).is_some_and(|draft| draft.contains("mine"))).await;
    drop(card);
    let scoped = format!("6:thread:{later}");
    let plain = fresh_id();
    for (call, key) in [(&later, &scoped), (&plain, &plain)] {
        copy(&id, key);
        let ask = AskSnapshot::complete(&**call, mixed(), Phase::Answerable);
        let (page, card) =
            CardPage::without_framework(ask, &Options { notes: Some(Notes::field()), ..Options::default() });
        page.choose("Postgres").await;
        page.type_other(2, "newer").await;
        let scope = if call == key { "" } else { "thread" };
        card.set(&Options {
            scope: scope.to_owned(),
            persist: Persist::session(),
            notes: Some(Notes::field()),
            ..Options::default()
        });
        assert_eq!(page.chosen(), ["Postgres", "Other"]);
        assert_eq!(page.text_field(2).value(), "newer");
        assert_eq!(page.note_field(0).value(), "for now", "it would have been overwritten");
        let stored = in_session(key).expect("it is stored");
        assert!(stored.contains("for now") && stored.contains("newer"), "{stored}");
        drop(card);
    }
}

#[test]
async fn what_is_put_away_below_an_old_receipt_is_no_draft_of_a_later_question() {
    let id = fresh_id();
    let old = waiting(&id, service(), Persist::default()).await;
    old.type_other(0, "nearly done").await;
    old.ends(Phase::Superseded, Some(Outcome::Superseded)).await;
    // Agents number their calls anew in each run.
    let card = waiting(&id, mixed(), Persist::default()).await;
    card.type_other(1, "and sorting").await;
    old.press_button("Dismiss").await;
    drop((card, old));
    let card = waiting(&id, mixed(), Persist::default()).await;
    assert_eq!(card.text_field(1).value(), "and sorting");
}

#[test]
async fn a_card_that_comes_back_knows_what_was_sent() {
    let id = fresh_id();
    let ask = AskSnapshot::complete(id.clone(), service(), Phase::Answerable);
    let options = Options { mode: SubmitMode::OnPick, ..Options::default() };
    let (page, card) = CardPage::without_framework(ask.clone(), &options);
    page.choose("Brake service").await;
    page.only_reply();
    drop(card);
    let (page, card) = CardPage::without_framework(ask, &options);
    assert_eq!(page.state(), "submitting");
    page.choose("Oil change").await;
    page.has_not_replied();
    card.fail("no network");
    assert_eq!(page.state(), "failed");
    page.choose("Oil change").await;
    assert_eq!(page.only_reply().message(), "Oil change");
    drop(card);
    // Agents number their calls.
    let other = AskSnapshot::complete(id, mixed(), Phase::Answerable);
    let (page, _card) = CardPage::without_framework(other, &options);
    assert_eq!(page.state(), "awaiting");
}
