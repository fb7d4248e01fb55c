//! Pictures and other files in an answer.

use crate::asks::{mixed, picks, service};
use crate::card_page::{CardPage, Setting, fresh_id, on_pick, stepped, tap, text_of};
use crate::faces::{Face, lay_out};
use crate::giving::{self, file};
use ask_user_question::attachment::{Attachment, FileLimits};
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Reply};
use leptos::prelude::document;
use question_card::{FileTray, Files, Labels, Options, Upload, Word};
use std::cell::RefCell;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{DomRect, Element, File};

const CAT: &str = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

thread_local! {
    /// What the host has been given, and has not decided about.
    static GIVEN: RefCell<Vec<(Attachment, Upload)>> = const { RefCell::new(Vec::new()) };
}

fn small_files() -> Files {
    let limits = FileLimits { count: 2, bytes: 2048, ..FileLimits::PICTURES };
    Files::new(limits, |_, about, upload| GIVEN.with_borrow_mut(|given| given.push((about, upload))))
}

fn with_files(setting: Setting) -> Setting {
    Setting { files: Some(small_files()), ..setting }
}

async fn open(ask: AskUserQuestion, setting: Setting) -> CardPage {
    GIVEN.take();
    CardPage::open(AskSnapshot::complete(fresh_id(), ask, Phase::Answerable), with_files(setting)).await
}

/// Pastes or drops files into an element.
async fn give(card: &CardPage, by: &str, into: &Element, files: &[File]) {
    assert!(!giving::give(by, into, files), "the browser does nothing with them");
    card.settled().await;
}

/// The host decides about what it was given first.
async fn decide(card: &CardPage, decision: Result<&str, &str>) {
    let (about, upload) = GIVEN.with_borrow_mut(|given| given.remove(0));
    upload.done(decision.map(|url| Attachment { url: url.to_owned(), ..about }).map_err(str::to_owned));
    card.settled().await;
}

fn chips(card: &CardPage) -> Vec<String> {
    card.all(".qc-file").iter().map(|chip| text_of(chip).replace(['\u{2068}', '\u{2069}'], "")).collect()
}

#[test]
async fn pictures_alone_are_an_answer() {
    for (setting, send) in [(Setting::default(), "Submit"), (on_pick(), "Send")] {
        let card = open(service(), setting).await;
        give(&card, "paste", &card.text_field(0), &[file("cat.png", "image/png", &[0; 1500])]).await;
        give(&card, "drop", &card.all(".qc-other")[0], &[file("dog.gif", "image/gif", &[0; 5])]).await;
        assert_eq!(chips(&card), ["cat.png2 KBUploading…×", "dog.gif5 BUploading…×"]);
        card.press_button(send).await;
        card.has_not_replied();
        decide(&card, Ok(CAT)).await;
        decide(&card, Ok("https://far.example/dog.gif")).await;
        let shown: Vec<_> = card.all(".qc-thumb").iter().filter_map(|it| it.get_attribute("src")).collect();
        assert_eq!(shown, [CAT], "no picture from another server");
        card.press_button(send).await;
        let reply = card.only_reply();
        assert_eq!(reply.message(), "2 pictures: cat.png, dog.gif");
        let names: Vec<_> = reply.attachments().map(|(_, file)| file.name.clone()).collect();
        assert_eq!(names, ["cat.png", "dog.gif"]);
    }
}

#[test]
async fn files_go_along_with_a_choice_and_a_text() {
    let card = open(mixed(), Setting::default()).await;
    card.choose("SQLite").await;
    give(&card, "paste", &card.text_field(0), &[file("cat.png", "image/png", &[0; 3])]).await;
    decide(&card, Ok("/files/1")).await;
    assert_eq!(card.chosen(), ["SQLite"], "they take nothing back");
    card.choose("Search").await;
    card.type_other(2, "Bold").await;
    give(&card, "paste", &card.text_field(2), &[file("dog.png", "image/png", &[0; 3])]).await;
    decide(&card, Ok("/files/2")).await;
    card.submit().await;
    let reply = card.only_reply();
    let files: Vec<_> = reply.attachments().map(|(question, file)| (question, file.url.clone())).collect();
    assert_eq!(files, [(0, "/files/1".to_owned()), (2, "/files/2".to_owned())]);
    assert_eq!(reply.answers()[2].given.typed().as_deref(), Some("Bold"));
}

#[test]
async fn what_is_beyond_the_limits_has_a_reason() {
    let card = open(service(), Setting::default()).await;
    let field = card.text_field(0);
    let button = &card.all(".qc-attach input")[0];
    let said = button.get_attribute("aria-description").unwrap_or_default().replace(['\u{2068}', '\u{2069}'], "");
    assert_eq!(said, "Up to 2 files of 2 KB each: PNG, JPEG, GIF, WEBP");
    for (given, reason) in [
        (file("a.svg", "image/svg+xml", &[0; 3]), "a.svg is of another type. Allowed are: PNG, JPEG, GIF, WEBP"),
        (file("big.png", "image/png", &[0; 2049]), "big.png is too large. At most 2 KB are allowed."),
        (file("none.png", "image/png", &[0; 0]), "none.png is empty"),
    ] {
        give(&card, "paste", &field, &[given]).await;
        let shown = card.all(".qc-other .qc-error").iter().map(text_of).collect::<String>();
        assert_eq!(shown.replace(['\u{2068}', '\u{2069}'], ""), reason);
    }
    let three = ["1.png", "2.png", "3.png"].map(|name| file(name, "image/png", &[0]));
    give(&card, "drop", &field, &three).await;
    card.stands_still().await;
    assert_eq!(card.all(".qc-file").len(), 2);
    assert_eq!(card.all(".qc-other .qc-error").iter().map(text_of).collect::<String>(), "At most 2 files can be added");
    let remove = &card.all(".qc-file button")[0];
    assert_eq!(remove.get_attribute("aria-label").as_deref(), Some("Remove \u{2068}1.png\u{2069}"));
    tap(remove);
    card.settled().await;
    assert_eq!(chips(&card), ["2.png1 BUploading…×"]);
    assert!(card.all(".qc-other .qc-error").is_empty());
}

#[test]
async fn a_failed_upload_keeps_its_chip_and_can_be_tried_again() {
    let card = open(service(), Setting::default()).await;
    card.type_other(0, "As in the picture").await;
    give(&card, "paste", &card.text_field(0), &[file("cat.png", "image/png", &[0; 3])]).await;
    decide(&card, Err("The server is full.")).await;
    assert_eq!(chips(&card), ["cat.png3 BThe server is full.Try again×"]);
    card.submit().await;
    card.has_not_replied();
    card.press_button("Try again").await;
    decide(&card, Ok(CAT)).await;
    card.submit().await;
    assert_eq!(card.only_reply().answers()[0].attachments.len(), 1);
    assert_eq!(card.only_reply().answers()[0].given.typed().as_deref(), Some("As in the picture"));
}

#[test]
async fn a_bar_and_a_percentage_show_how_far_a_file_is() {
    let card = open(service(), Setting { labels: Some(Labels::for_lang("de")), ..Setting::default() }).await;
    give(&card, "paste", &card.text_field(0), &[file("cat.png", "image/png", &[0; 3])]).await;
    assert!(card.find(".qc-upload").is_none(), "nothing is known yet");
    for (sent, all, shown) in [(1.0, 3.0, 33), (3.0, 3.0, 100), (9.0, 3.0, 100)] {
        GIVEN.with_borrow(|given| given[0].1.progress(sent, all));
        card.settled().await;
        let bar = card.find(".qc-upload").expect("a bar");
        let read = |name: &str| bar.get_attribute(name).unwrap_or_default();
        assert_eq!((read("value"), read("max")), (shown.to_string(), "100".to_owned()));
        assert_eq!(read("aria-label"), Labels::for_lang("de").text(Word::FileGoing));
        assert_eq!(text_of(&card.all(".qc-file .qc-wait")[0]), format!("{shown}\u{a0}%"));
    }
    GIVEN.with_borrow(|given| given[0].1.progress(0.0, 0.0));
    decide(&card, Ok(CAT)).await;
    assert!(card.find(".qc-upload").is_none());
}

#[test]
async fn what_becomes_of_a_file_that_was_removed_changes_no_other() {
    let card = open(service(), Setting::default()).await;
    give(&card, "paste", &card.text_field(0), &[file("cat.png", "image/png", &[0; 3])]).await;
    card.stands_still().await;
    let goes_on = || GIVEN.with_borrow(|given| given[0].1.progress(1.0, 3.0));
    assert!(goes_on());
    tap(&card.all(".qc-file button")[0]);
    card.settled().await;
    assert!(!goes_on(), "its upload can end");
    give(&card, "paste", &card.text_field(0), &[file("dog.png", "image/png", &[0; 3])]).await;
    assert!(!goes_on());
    decide(&card, Ok("/files/cat")).await;
    assert_eq!(chips(&card), ["dog.png3 BUploading…×"]);
    decide(&card, Ok("/files/dog")).await;
    assert_eq!(card.all(".qc-thumb")[0].get_attribute("src").as_deref(), Some("/files/dog"));
}

#[test]
async fn files_outlive_their_card_and_stand_in_the_receipt() {
    GIVEN.take();
    let waiting = AskSnapshot::complete(fresh_id(), service(), Phase::Answerable);
    let card = CardPage::open(waiting.clone(), with_files(Setting::default())).await;
    give(&card, "paste", &card.text_field(0), &[file("cat.png", "image/png", &[0; 3])]).await;
    decide(&card, Ok("/files/1")).await;
    drop(card);
    let card = CardPage::open(waiting.clone(), with_files(Setting::default())).await;
    assert_eq!(chips(&card), ["cat.png3 B×"]);
    card.submit().await;
    let reply: Reply = card.only_reply();
    drop(card);
    let mut answered = waiting;
    answered.outcome = Some(Outcome::Answered(reply));
    answered.set_phase(Phase::Answered);
    let card = CardPage::open(answered, Setting::default()).await;
    assert_eq!(card.all(".qc-answer .qc-file-name").iter().map(text_of).collect::<String>(), "cat.png");
    assert_eq!(card.all(".qc-answer .qc-thumb")[0].get_attribute("src").as_deref(), Some("/files/1"));
}

#[test]
async fn a_file_that_was_not_sent_is_named_once_the_question_is_over() {
    let elsewhere = Some(Outcome::Answered(picks(&service(), 1)));
    for (phase, outcome) in [(Phase::Superseded, None), (Phase::Expired, None), (Phase::Answered, elsewhere)] {
        let card = open(service(), Setting::default()).await;
        let [cat, dog] = ["cat.png", "dog.png"].map(|name| file(name, "image/png", &[0; 3]));
        give(&card, "paste", &card.text_field(0), &[cat, dog]).await;
        decide(&card, Ok("/files/1")).await;
        card.ends(phase, outcome).await;
        let late = || card.find(".qc-late-text").map(|text| text_of(&text)).unwrap_or_default();
        assert_eq!(late(), "cat.png, dog.png", "{phase:?}");
        decide(&card, Err("The server is full.")).await;
        assert_eq!(late(), "cat.png, dog.png", "{phase:?}");
    }
}

#[test]
async fn a_page_that_takes_no_files_shows_nothing_of_it() {
    let card = CardPage::waiting(service()).await;
    assert!(card.all(".qc-attach").is_empty());
}

#[test]
async fn send_comes_with_the_first_letter_and_moves_nothing_below() {
    let card = open(service(), on_pick()).await;
    lay_out(&card, 640, Face::Plain).await;
    let height = |part: &str| card.find(part).expect("it is there").get_bounding_client_rect().height();
    let before = height(".qc-other");
    assert!(height(".qc-submit") < 1.0);
    card.type_other(0, "a").await;
    assert!(height(".qc-submit") > 1.0);
    assert!((height(".qc-other") - before).abs() < 0.1, "{before} → {}", height(".qc-other"));
}

#[test]
async fn in_a_narrow_card_there_is_room_beside_the_buttons() {
    for setting in [on_pick(), stepped()] {
        let card = open(service(), setting).await;
        for (width, face) in [(288, Face::Plain), (288, Face::Wide), (640, Face::Plain)] {
            lay_out(&card, width, face).await;
            give(&card, "paste", &card.text_field(0), &[file("a-picture-with-a-long-name.png", "image/png", &[0; 9])])
                .await;
            let row = &card.all(".qc-other")[0];
            let [field, add, send] = [".qc-other-input", ".qc-attach", ".qc-submit"].map(|part| {
                let part = card.find(part).expect("it is shown");
                part.get_bounding_client_rect()
            });
            assert!(add.width() >= 44.0 && add.height() >= 44.0, "{} × {}", add.width(), add.height());
            assert!(field.width() >= 120.0, "{} px for the text, {width} px", field.width());
            let overlap = |one: &DomRect, other: &DomRect| {
                let is_beside = one.right() <= other.left() || other.right() <= one.left();
                !is_beside && one.bottom() > other.top() && other.bottom() > one.top()
            };
            assert!(!overlap(&field, &add) && !overlap(&field, &send) && !overlap(&add, &send), "{width} px");
            assert!(width > 400 || send.height() >= 44.0, "{}", send.height());
            assert!(row.scroll_width() <= row.client_width(), "{} px", row.scroll_width());
        }
    }
}

/// A place in the page, and a tray in it.
fn tray() -> (Element, FileTray) {
    let place = document().create_element("div").expect("a div");
    document().body().expect("a body").append_child(&place).expect("it is appended");
    let tray = FileTray::mount(&place, &Options { files: Some(small_files()), ..Options::default() });
    (place, tray)
}

/// The texts of the parts of a place.
fn texts(place: &Element, selector: &str) -> String {
    let found = place.query_selector_all(selector).expect("a valid selector");
    let texts = (0..found.length()).filter_map(|at| found.item(at)?.text_content());
    texts.collect::<Vec<_>>().join(" | ").replace(['\u{2068}', '\u{2069}'], "")
}

#[test]
async fn a_tray_has_the_files_of_a_pages_own_field() {
    GIVEN.take();
    let (place, first) = tray();
    first.add(vec![file("cat.png", "image/png", &[0; 3]), file("a.svg", "image/svg+xml", &[0; 3])]);
    assert_eq!(texts(&place, ".qc-file"), "cat.png3 BUploading…×");
    assert_eq!(texts(&place, ".qc-error"), "a.svg is of another type. Allowed are: PNG, JPEG, GIF, WEBP");
    assert!(first.files().is_none());
    let flaw = texts(&place, ".qc-error");
    assert!(!flaw.is_empty() && !flaw.contains("a.svg"), "{flaw}");
    let (about, upload) = GIVEN.with_borrow_mut(|given| given.remove(0));
    upload.done(Ok(Attachment { url: "/files/1".into(), ..about }));
    assert_eq!(texts(&place, ".qc-error"), "");
    drop(first);
    assert!(place.first_child().is_none(), "it goes with its owner");
    place.remove();
    let (place, tray) = tray();
    let names = |tray: &FileTray| tray.files().map(|files| files.iter().map(|it| it.name.clone()).collect::<Vec<_>>());
    assert_eq!(names(&tray), Some(vec!["cat.png".to_owned()]), "a draft keeps them");
    tray.sent();
    assert_eq!((names(&tray), texts(&place, ".qc-file").as_str()), (Some(Vec::new()), ""));
    place.remove();
}

#[test]
async fn in_large_text_the_field_has_a_row_of_its_own() {
    let root = document().document_element().expect("a root");
    root.set_attribute("style", "font-size: 32px").expect("a size");
    let card = open(service(), on_pick()).await;
    lay_out(&card, 288, Face::Plain).await;
    card.type_other(0, "The horn").await;
    let parts = [".qc-other-input", ".qc-other > .qc-attach", ".qc-other > .qc-submit"];
    let [field, attach, send] = parts.map(|part| card.find(part).expect("it is shown").get_bounding_client_rect());
    assert!(field.width() > 128.0 && field.height() < 128.0, "{} by {} px", field.width(), field.height());
    assert!(field.bottom() <= attach.top() && attach.bottom() <= send.top());
    root.remove_attribute("style").expect("it is taken back");
}
