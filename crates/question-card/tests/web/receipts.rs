//! Asks that are over.

use crate::asks::{AskPatch, Scripted as _, mixed, ready, service, stream, toppings};
use crate::card_page::{CardPage, Setting, fresh_id, text_of};
use crate::faces::{Face, lay_out};
use crate::wait::until;
use ask_user_question::reply::Selection;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Reply};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::HtmlElement;

fn reply(ask: &AskUserQuestion, selections: Vec<Selection>) -> Outcome {
    Outcome::Answered(Reply::check(ask, selections).expect("a legal reply"))
}

fn pick(question: usize, selected: &[usize]) -> Selection {
    Selection::picked(question, selected)
}

async fn from_history(ask: AskUserQuestion, phase: Phase, outcome: Option<Outcome>) -> CardPage {
    let mut snapshot = AskSnapshot::complete(fresh_id(), ask, phase);
    snapshot.outcome = outcome;
    CardPage::open(snapshot, Setting::default()).await
}

#[test]
async fn his_01_a_history_is_silent_and_has_no_controls() {
    let outcomes = [
        (Phase::Answered, Some(reply(&service(), vec![pick(0, &[1])])), ["answered", "Answered"]),
        (Phase::Declined, Some(Outcome::Declined), ["declined", "You chose not to answer"]),
        (Phase::Superseded, Some(Outcome::Superseded), ["superseded", "You went on without it"]),
        (Phase::Superseded, Some(Outcome::Withdrawn), ["superseded", "The agent withdrew this question"]),
        (Phase::Expired, None, ["expired", "Time ran out"]),
        (Phase::Interrupted, None, ["interrupted", "Interrupted"]),
        (Phase::Settled, None, ["settled", "The agent went on"]),
    ];
    for (phase, outcome, [state, word]) in outcomes {
        let card = from_history(service(), phase, outcome).await;
        assert!(card.text().starts_with(word), "{:?} begins with {word}", card.text());
        assert!(card.text().contains("What does your car need?"));
        assert!(card.find("input, button, textarea, form, [role=status], [role=alert]").is_none());
        assert_eq!(card.state(), state);
    }
}

#[test]
async fn an_answer_in_the_agents_words_is_shown_as_it_is() {
    let card = from_history(service(), Phase::Answerable, None).await;
    let told = "<b>Handled</b> by the back office.";
    card.receives([AskPatch::Result(told.to_owned()), AskPatch::Phase(Phase::Settled)]);
    card.settled().await;
    assert!(card.text().contains(told), "{:?}", card.text());
    assert_eq!(card.state(), "settled");
}

#[test]
async fn his_02_answers_are_read_with_more_than_a_mark() {
    let own = pick(0, &[0, 2]).with_other("my\nown");
    let card = from_history(toppings(), Phase::Answered, Some(reply(&toppings(), vec![own]))).await;
    assert_eq!(card.answers(), ["Selected: Basil", "Selected: Capers", "Selected: my\nown"]);
}

#[test]
async fn the_receipt_takes_the_place_of_the_form_and_the_focus() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    card.control("Oil change").focus().expect("it takes the focus");
    card.submit().await;
    let reply = card.only_reply();
    card.ends(Phase::Answered, Some(Outcome::Answered(reply))).await;
    assert!(card.find("form").is_none());
    assert_eq!(card.answers(), ["Selected: Oil change"]);
    card.sees_focus_on(&card.receipt().expect("a receipt"));
    assert_eq!(card.announced().await, "Answer sent");
    assert!(card.button("Copy").is_none(), "no input was left behind");
}

#[test]
async fn the_focus_stays_where_it_is_when_it_was_elsewhere() {
    let card = CardPage::waiting(service()).await;
    let composer = leptos::prelude::document().create_element("input").expect("an input");
    card.root.append_child(&composer).expect("it is appended");
    composer.unchecked_ref::<HtmlElement>().focus().expect("it takes the focus");
    card.ends(Phase::Superseded, Some(Outcome::Superseded)).await;
    assert!(card.receipt().is_some());
    card.sees_focus_on(&composer);
}

#[test]
async fn sub_07_an_answer_given_elsewhere_wins_and_the_own_one_is_kept() {
    let card = CardPage::waiting(mixed()).await;
    card.choose("Postgres").await;
    card.type_other(1, "my own feature").await;
    let won = reply(&mixed(), vec![pick(0, &[1]), pick(1, &[0]), pick(2, &[0])]);
    card.ends(Phase::Answered, Some(won)).await;
    assert_eq!(card.answers(), ["Selected: SQLite", "Selected: Search", "Selected: Plain"]);
    let kept = "Which database?\nPostgres\n\nWhich features?\nmy own feature";
    assert!(card.text().contains(kept), "{:?}", card.text());
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, [kept]));
    assert!(!card.text().contains(kept));
}

#[test]
async fn his_05_a_late_answer_stays_until_the_host_takes_it() {
    let card = CardPage::waiting(service()).await;
    card.type_other(0, "nearly done").await;
    card.submit().await;
    card.ends(Phase::Superseded, Some(Outcome::Superseded)).await;
    let not_now = "Not now: the agent is still writing, or another question waits for its answer.";
    assert!(!card.text().contains(not_now));
    assert!(card.find("form").is_none() && !card.text().contains("Sending your answer"), "no reply is on its way");
    card.agent_is_writing(true);
    let button = card.button("Send as a message").expect("Send");
    button.focus().expect("it takes the focus");
    card.press_button("Send as a message").await;
    card.sees_focus_on(&button);
    assert!(card.text().contains("nearly done"));
    assert_eq!(card.reason("Send as a message"), not_now);
    until("it is announced", || card.announcement() == not_now).await;
    card.agent_is_writing(false);
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, ["nearly done"]));
    assert!(card.button("Send as a message").is_none());
}

#[test]
async fn a_reply_in_chat_is_no_answer_to_any_question() {
    let outcome = |text: &str, partial| Some(Outcome::RepliedInChat { text: text.to_owned(), partial });
    let card = from_history(mixed(), Phase::Answered, outcome("neither, really", vec![pick(0, &[0])])).await;
    assert!(card.text().starts_with("Replied in chat"));
    assert_eq!(card.answers(), ["Selected: Postgres"]);
    assert!(card.text().ends_with("neither, really"), "{:?}", card.text());

    let mut of_nothing = AskSnapshot::new(fresh_id());
    of_nothing.apply(AskPatch::Phase(Phase::Answered));
    of_nothing.outcome = outcome("just do it", vec![]);
    let card = CardPage::open(of_nothing, Setting::default()).await;
    assert!(card.text().contains("just do it"), "the text is not lost");
}

#[test]
async fn a_focused_receipt_says_how_it_ended_with_question_and_answer() {
    let card = from_history(service(), Phase::Answered, Some(reply(&service(), vec![pick(0, &[1])]))).await;
    let receipt = card.receipt().expect("a receipt");
    assert_eq!(card.name_of(&receipt), "Answered Service What does your car need?");
    assert!(card.described(&receipt).contains("Selected: Brake service"));
    let unanswered = from_history(service(), Phase::Expired, None).await;
    let receipt = unanswered.receipt().expect("a receipt");
    assert!(unanswered.name_of(&receipt).ends_with("What does your car need?"));
    assert_eq!(receipt.get_attribute("aria-describedby"), None);
}

#[test]
async fn a_receipt_shows_what_was_offered_with_the_choice_marked() {
    let own = pick(0, &[1]).with_other("Anchovies");
    let outcomes = [
        (Phase::Answered, Some(reply(&toppings(), vec![own]))),
        (Phase::Declined, Some(Outcome::Declined)),
        (Phase::Expired, None),
    ];
    for (phase, outcome) in outcomes {
        let is_answered = phase == Phase::Answered;
        let card = from_history(toppings(), phase, outcome).await;
        lay_out(&card, 704, Face::Plain).await;
        let shown = || {
            let items = card.all("li").into_iter().filter(|item| item.client_height() > 0);
            items.map(|item| (item.class_name(), text_of(&item))).collect::<Vec<_>>()
        };
        let answers = [("qc-answer", "Selected: Olives"), ("qc-answer", "Selected: Anchovies")];
        let before = if is_answered { &answers[..] } else { &[] };
        let of = |items: &[(&str, &str)]| -> Vec<(String, String)> {
            items.iter().map(|(class, text)| ((*class).to_owned(), (*text).to_owned())).collect()
        };
        assert_eq!(shown(), of(before), "{phase:?}");
        let summary: HtmlElement = card.find(".qc-choice > summary").expect("a way to it").unchecked_into();
        assert_eq!(text_of(&summary), "Show the options");
        summary.click();
        let olives = if is_answered { answers[0] } else { ("qc-offered", "Olives") };
        let mut all = vec![("qc-offered", "Basil"), olives, ("qc-offered", "Capers")];
        all.extend(is_answered.then_some(answers[1]));
        assert_eq!(shown(), of(&all), "{phase:?}");
    }
}

#[test]
async fn copying_a_receipt_by_hand_brings_no_hidden_words() {
    let card = from_history(service(), Phase::Answered, Some(reply(&service(), vec![pick(0, &[1])]))).await;
    lay_out(&card, 704, Face::Plain).await;
    let selection = web_sys::window().and_then(|window| window.get_selection().ok()).flatten().expect("a selection");
    selection.select_all_children(&card.card()).expect("it can be selected");
    let text = String::from(selection.to_string());
    selection.remove_all_ranges().expect("it is no more");
    assert!(text.contains("Brake service") && text.contains("Answered"), "{text:?}");
    assert!(!text.contains("Selected:"), "{text:?}");
}

#[test]
async fn what_is_over_is_no_addition_to_a_log() {
    let card = too_late().await;
    for part in [".qc-receipt", ".qc-receipt-actions", ".qc-late"] {
        let part = card.find(part).expect("it is there");
        assert_eq!(part.get_attribute("aria-live").as_deref(), Some("off"));
    }
    assert!(card.all("[role=status]").len() == 1, "the card speaks for itself");
}

/// A card with text that came too late.
async fn too_late() -> CardPage {
    let card = CardPage::waiting(service()).await;
    card.type_other(0, "nearly done").await;
    card.ends(Phase::Superseded, Some(Outcome::Superseded)).await;
    card
}

#[test]
async fn the_focus_goes_to_the_receipt_when_what_came_too_late_is_gone() {
    for name in ["Send as a message", "Dismiss"] {
        let card = too_late().await;
        let button = card.button(name).expect("a way out");
        button.focus().expect("it takes the focus");
        card.press_button(name).await;
        assert!(card.button(name).is_none());
        card.sees_focus_on(&card.receipt().expect("a receipt"));
    }
}

fn readonly() -> Setting {
    Setting { readonly: true, fresh: true, ..Setting::default() }
}

#[test]
async fn what_can_only_be_read_shows_what_was_asked_and_offered() {
    for phase in [Phase::Ready, Phase::Answerable] {
        let snapshot = AskSnapshot::complete(fresh_id(), mixed(), phase);
        let card = CardPage::open(snapshot, readonly()).await;
        assert_eq!(card.state(), "readonly");
        assert!(card.text().starts_with("Not answered"));
        for said in ["Which database?", "Postgres", "SQLite", "Export"] {
            assert!(card.text().contains(said), "{said:?} is shown");
        }
        let live = "input, textarea, button, form, [role=status], [aria-live=polite], [aria-busy]";
        assert!(card.find(live).is_none());
        card.ends(Phase::Answered, Some(reply(&mixed(), vec![pick(0, &[1]), pick(1, &[0]), pick(2, &[0])]))).await;
        assert_eq!(card.state(), "answered");
        assert_eq!(card.answers(), ["Selected: SQLite", "Selected: Search", "Selected: Plain"]);
    }
}

#[test]
async fn what_can_only_be_read_waits_for_the_whole_question() {
    let card = CardPage::open(AskSnapshot::new(fresh_id()), readonly()).await;
    card.receives(stream(&service()));
    card.settled().await;
    assert_eq!(card.state(), "readonly");
    assert_eq!(card.text(), "Preparing a question\u{2026}");
    card.receives(ready(&service()));
    card.settled().await;
    assert!(card.text().contains("Brake service"));
}

#[test]
async fn what_was_typed_is_offered_where_nobody_can_answer_any_more() {
    let id = fresh_id();
    let snapshot = AskSnapshot::complete(&*id, service(), Phase::Answerable);
    let card = CardPage::open(snapshot.clone(), Setting::default()).await;
    card.type_other(0, "nearly done").await;
    drop(card);
    let card = CardPage::open(snapshot, readonly()).await;
    assert!(card.text().contains("nearly done"));
    card.press_button("Send as a message").await;
    card.heard(|heard| assert_eq!(heard.messages, ["nearly done"]));
    assert!(card.find("button").is_none());
}

#[test]
async fn a_tap_that_lands_as_the_receipt_appears_throws_nothing_away() {
    let card = too_late().await;
    for name in ["Dismiss", "Send as a message"] {
        card.tap_button(name).await;
        assert!(card.text().contains("nearly done"), "{name}");
    }
    card.heard(|heard| assert_eq!(heard.messages, [""; 0]));
    card.stands_still().await;
    card.tap_button("Dismiss").await;
    assert!(!card.text().contains("nearly done"));
}

#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    fn count_observers();
    fn observers() -> u32;
    fn give_observers_back();
}

#[test]
async fn a_receipt_watches_nothing_until_it_is_a_form_again() {
    count_observers();
    let before = observers();
    let card = CardPage::waiting(mixed()).await;
    assert_eq!(observers(), before + 1);
    card.ends(Phase::Expired, None).await;
    assert_eq!(observers(), before);
    card.receives([AskPatch::Phase(Phase::Answerable)]);
    card.settled().await;
    assert_eq!(observers(), before + 1);
    give_observers_back();
}
