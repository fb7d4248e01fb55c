//! The card without a framework.

use crate::asks::{AskPatch, Scripted as _, mixed, ready, service, stream};
use crate::card_page::{CardPage, fresh_id};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use question_card::{Labels, Layout, Offers, Options, Parts, SubmitMode, Word, Words as _};
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
async fn an_ask_streams_is_answered_fails_and_goes_through() {
    let (page, card) = CardPage::without_framework(AskSnapshot::new(fresh_id()), &Options::default());
    assert_eq!(page.state(), "composing");
    for patch in stream(&mixed()) {
        card.update(|ask| ask.apply(patch));
    }
    assert_eq!(page.state(), "streaming");
    page.choose("SQLite").await;
    card.update(|ask| ready(&mixed()).iter().for_each(|patch| ask.apply(patch)));
    card.update(|ask| ask.apply(AskPatch::Phase(Phase::Answerable)));
    page.choose("Search").await;
    page.type_other(2, "like a newspaper").await;
    page.submit().await;
    let reply = page.only_reply();
    assert_eq!(reply.message(), "Database: SQLite\nFeatures: Search\nStyle: like a newspaper");

    card.update(|ask| ask.apply(AskPatch::Reply(ReplyState::Sending)));
    assert_eq!(page.state(), "submitting");
    card.update(|ask| ask.apply(AskPatch::Reply(ReplyState::Failed("no network".into()))));
    assert_eq!(page.state(), "failed");
    assert!(page.text().contains("no network"), "{}", page.text());
    assert_eq!(page.chosen(), ["SQLite", "Search", "Other"]);
    page.submit().await;
    assert_eq!(page.heard(|heard| heard.replies.len()), 2);
    card.update(|ask| {
        ask.apply(AskPatch::Outcome(Outcome::Answered(reply)));
        ask.apply(AskPatch::Phase(Phase::Answered));
    });
    assert_eq!(page.answers().len(), 3);
}

#[test]
async fn a_draft_outlives_its_card_and_nothing_else_stays() {
    let ask = AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable);
    let (page, card) = CardPage::without_framework(ask.clone(), &Options::default());
    page.choose("Postgres").await;
    drop(card);
    assert_eq!(page.text(), "", "the card is out of the page");
    let (page, card) = CardPage::without_framework(ask, &Options::default());
    assert_eq!(page.chosen(), ["Postgres"]);
    drop(card);
    page.has_not_replied();
}

#[test]
async fn what_the_host_offers_is_shown_and_told() {
    let offers = Offers { reply_in_chat: true, more_time: true, ..Offers::default() };
    // Far enough for any clock.
    let options = Options { offers, expires_at: Some(4_102_444_800_000), ..Options::default() };
    let ask = AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable);
    let (page, card) = CardPage::without_framework(ask, &options);
    page.press_button("More time").await;
    page.choose("SQLite").await;
    page.press_button("Reply in chat instead").await;
    page.heard(|heard| {
        assert_eq!(heard.extensions, 1);
        assert_eq!(heard.handed_over.len(), 1);
        assert_eq!(heard.handed_over[0][0].selected, [1]);
    });
    card.set(&Options { expires_at: None, ..options });
    assert_eq!(page.time_left(), None);
}

#[test]
async fn settings_change_while_the_card_is_there_and_nothing_typed_is_lost() {
    let ask = AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable);
    let (page, card) = CardPage::without_framework(ask, &Options::default());
    page.choose("SQLite").await;
    page.type_other(2, "like a newspaper").await;
    let german = Options { labels: Some(Labels::for_lang("de")), layout: Layout::Stepped, ..Options::default() };
    card.set(&german);
    assert_eq!(page.card().get_attribute("lang").as_deref(), Some("de"));
    assert!(
        page.text().contains(Labels::for_lang("de").text(Word::Submit))
            && !page.text().contains(Word::Submit.english())
    );
    assert_eq!(page.card().get_attribute("data-layout").as_deref(), Some("stepped"));
    card.set(&Options { readonly: true, ..german.clone() });
    assert_eq!(page.state(), "readonly");
    card.set(&Options::default());
    assert_eq!(page.card().get_attribute("lang"), None);
    assert!(page.text().contains(Word::Submit.english()));
    page.choose("Search").await;
    page.submit().await;
    assert_eq!(page.only_reply().message(), "Database: SQLite\nFeatures: Search\nStyle: like a newspaper");
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

#[test]
async fn a_name_that_comes_late_loses_nothing() {
    let ask = AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable);
    let (page, card) = CardPage::without_framework(ask.clone(), &Options::default());
    page.type_other(2, "like a newspaper").await;
    let name = fresh_id();
    card.update(|ask| ask.tool_call_id.clone_from(&name));
    let scoped = Options { scope: "thread".to_owned(), ..Options::default() };
    card.set(&scoped);
    assert_eq!(page.chosen(), ["Other"]);
    drop(card);
    let named = AskSnapshot::complete(name, mixed(), Phase::Answerable);
    let (page, card) = CardPage::without_framework(named.clone(), &scoped);
    assert_eq!(page.chosen(), ["Other"]);
    drop(card);
    // A card without a key and without input takes up the draft that is stored under its later key.
    let (page, card) = CardPage::without_framework(ask, &scoped);
    assert!(page.chosen().is_empty());
    card.update(|ask| *ask = named);
    assert_eq!(page.chosen(), ["Other"]);
}

#[test]
async fn one_tap_answers_and_the_focus_goes_in_when_it_is_asked_to() {
    let options = Options { mode: SubmitMode::OnPick, parts: Some(Parts::named()), ..Options::default() };
    let ask = AskSnapshot::complete(fresh_id(), service(), Phase::Answerable);
    let (page, card) = CardPage::without_framework(ask, &options);
    assert!(card.focus());
    let focused = crate::card_page::focused().expect("an option has the focus");
    assert!(page.root.contains(Some(&focused)));
    let part = page.card().get_attribute("part").unwrap_or_default();
    assert_eq!(part, "card awaiting on-pick", "the page can style it, and its states");
    page.choose("Brake service").await;
    assert_eq!(page.only_reply().message(), "Brake service");
}
