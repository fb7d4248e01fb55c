//! Choosing and typing.

use crate::asks::{AskPatch, ask, mixed, question, service, toppings};
use crate::card_page::{CardPage, Setting, drag, fresh_id, on_pick, tap, text_of};
use crate::faces::{Face, lay_out};
use ask_user_question::{AskSnapshot, Phase};
use std::collections::BTreeSet;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::Element;

#[test]
async fn sel_01_nothing_is_chosen_before_the_user_chooses() {
    let card = CardPage::waiting(service()).await;
    assert_eq!(card.chosen(), [""; 0]);
    assert_eq!(card.inputs("radio").len(), 4, "three options and Other");
    assert!(!card.is_inert("Submit"));
}

#[test]
async fn sel_06_check_boxes_toggle_one_by_one() {
    let card = CardPage::waiting(toppings()).await;
    card.choose("Capers").await;
    card.choose("Basil").await;
    assert_eq!(card.chosen(), ["Basil", "Capers"]);
    card.choose("Capers").await;
    assert_eq!(card.chosen(), ["Basil"]);
}

#[test]
async fn sel_07_the_whole_row_is_the_option() {
    let card = CardPage::waiting(toppings()).await;
    card.stands_still().await;
    let input = card.control("Olives");
    let row = input.parent_element().expect("an input stands in a row");
    tap(&row);
    card.settled().await;
    assert_eq!(card.chosen(), ["Olives"]);
    card.sees_focus_on(&input);
    tap(&card.row_text("Olives").expect("the label"));
    card.settled().await;
    assert_eq!(card.chosen(), [""; 0]);
}

#[test]
async fn sel_08_two_cards_do_not_share_their_radio_buttons() {
    let (first, second) = (CardPage::waiting(service()).await, CardPage::waiting(service()).await);
    first.choose("Oil change").await;
    second.choose("Inspection").await;
    assert_eq!(first.chosen(), ["Oil change"]);
    assert_eq!(second.chosen(), ["Inspection"]);
}

#[test]
async fn sel_09_a_pick_goes_with_its_label() {
    let card = CardPage::waiting(toppings()).await;
    card.choose("Basil").await;
    card.choose("Capers").await;
    let renamed = ask(vec![question("Which toppings?", "Toppings", true, &["Rocket", "Capers"])]);
    card.receives([AskPatch::Complete(Box::new(renamed))]);
    card.settled().await;
    assert_eq!(card.chosen(), ["Capers"]);
    let gone = ask(vec![question("Which toppings?", "Toppings", true, &["Rocket", "Chives"])]);
    card.receives([AskPatch::Complete(Box::new(gone))]);
    card.settled().await;
    assert_eq!(card.chosen(), [""; 0]);
    assert_eq!(card.fieldset(0).get_attribute("data-status").as_deref(), Some("unanswered"));
}

#[test]
async fn sel_10_model_text_is_text() {
    let hostile = ["<img src=x onerror=alert(1)>", "\"'] # 😀 \u{202e}abc", "</script>&amp;"];
    let card = CardPage::waiting(ask(vec![question("<b>Which?</b>", "<i>", false, &hostile)])).await;
    for label in hostile {
        assert!(card.row_text(label).is_some(), "{label:?} is shown as it is");
    }
    assert!(card.find("img, b, i, script").is_none(), "no text was read as markup");
    let with_id = card.all("[id]");
    assert!(with_id.iter().all(|element| { element.id().chars().all(|c| c.is_ascii_alphanumeric() || c == '-') }));
    card.choose(hostile[1]).await;
    card.submit().await;
    assert_eq!(card.only_reply().message(), hostile[1]);
}

#[test]
async fn sel_11_equal_labels_are_two_options() {
    let card = CardPage::waiting(ask(vec![question("Which?", "H", false, &["Same", "Same"])])).await;
    card.controls("Same")[1].click();
    card.settled().await;
    card.submit().await;
    assert_eq!(card.only_reply().answers()[0].given.options()[0].index, 1);
}

#[test]
async fn oth_01_oth_02_oth_03_text_takes_the_place_of_the_option_as_long_as_there_is_some() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    card.text_field(0).focus().expect("it takes the focus");
    card.settled().await;
    assert_eq!(card.chosen(), ["Oil change"], "the focus alone changes nothing");
    card.type_other(0, "x").await;
    assert_eq!(card.chosen(), ["Other"]);
    card.type_other(0, "").await;
    assert_eq!(card.chosen(), ["Oil change"]);
}

#[test]
async fn oth_04_text_beside_a_chosen_option_stays_and_is_marked_as_not_sent() {
    let long = "words ".repeat(50);
    let card = CardPage::waiting(service()).await;
    card.type_other(0, &long).await;
    card.choose("Brake service").await;
    let field = card.text_field(0);
    assert_eq!(field.value(), long);
    assert_eq!(card.described(&field), "This text will not be sent");
    card.submit().await;
    let reply = card.only_reply();
    assert_eq!((reply.message().as_str(), reply.answers()[0].given.typed()), ("Brake service", None));
    card.ends(Phase::Answered, Some(ask_user_question::Outcome::Answered(reply))).await;
    assert!(card.text().contains(long.trim_end()), "the text can still be copied from beside the receipt");
}

#[test]
async fn oth_05_several_options_and_a_text_are_sent_together() {
    let card = CardPage::waiting(toppings()).await;
    card.choose("Basil").await;
    card.choose("Capers").await;
    card.type_other(0, "abc").await;
    card.submit().await;
    let reply = card.only_reply();
    let answer = &reply.answers()[0];
    let labels: Vec<_> = answer.given.options().iter().map(|selected| selected.label.as_str()).collect();
    assert_eq!((labels.as_slice(), answer.given.typed().as_deref()), (["Basil", "Capers"].as_slice(), Some("abc")));
    assert!(!reply.to_json().to_string().contains("Other"));
}

#[test]
async fn oth_06_an_unchecked_other_keeps_its_text_out() {
    let card = CardPage::waiting(toppings()).await;
    card.choose("Basil").await;
    card.type_other(0, "abc").await;
    card.choose("Other").await;
    card.submit().await;
    assert_eq!(card.only_reply().answers()[0].given.typed(), None);
    assert_eq!(card.text_field(0).value(), "abc");
}

#[test]
async fn oth_07_other_without_text_is_an_error_at_the_text() {
    let card = CardPage::waiting(service()).await;
    card.choose("Other").await;
    card.type_other(0, "   ").await;
    card.submit().await;
    card.has_not_replied();
    assert_eq!(card.errors(), ["Enter your answer"]);
    let field = card.text_field(0);
    card.sees_focus_on(&field);
    assert_eq!(field.get_attribute("aria-invalid").as_deref(), Some("true"));
}

#[test]
async fn val_01_val_03_val_04_what_is_missing_is_named_where_it_is_until_it_is_there() {
    let card = CardPage::waiting(mixed()).await;
    card.choose("Postgres").await;
    assert!(!card.is_inert("Submit answers"));
    card.submit().await;
    card.has_not_replied();
    assert_eq!(card.state(), "invalid");
    card.sees_focus_on(&card.control("Search"));
    assert_eq!(card.errors(), ["Select an answer", "Select an answer"]);
    for (question, name) in [(1, "Features"), (2, "Style")] {
        let described = card.described(&card.fieldset(question));
        assert!(described.contains("Select an answer"), "{name}: {described}");
    }
    assert!(is_invalid(&card.fieldset(2)), "a group of radio buttons");
    let boxes = card.inputs("checkbox");
    assert!(!boxes.is_empty() && boxes.iter().all(is_invalid));
    card.choose("Fancy").await;
    assert_eq!(card.errors(), ["Select an answer"]);
    assert!(!is_invalid(&card.fieldset(2)));
    card.sees_focus_on(&card.control("Search"));
    card.choose("Search").await;
    assert_eq!(card.state(), "awaiting");
    assert!(!card.inputs("checkbox").iter().any(is_invalid));
    card.sees_focus_on(&card.control("Search"));
    card.submit().await;
    assert_eq!(card.only_reply().message(), "Database: Postgres\nFeatures: Search\nStyle: Fancy");
}

fn is_invalid(element: &Element) -> bool {
    element.get_attribute("aria-invalid").as_deref() == Some("true")
}

#[test]
async fn val_05_the_count_is_announced_at_each_attempt() {
    let card = CardPage::waiting(mixed()).await;
    card.choose("Postgres").await;
    let spoken = card.listen();
    card.submit().await;
    card.submit().await;
    // Empty in between, or the same words would not be spoken again.
    spoken.hears(["2 of 3 questions still need an answer", "", "2 of 3 questions still need an answer"]).await;
}

#[test]
async fn the_summary_leads_to_each_open_question() {
    let card = CardPage::waiting(mixed()).await;
    card.submit().await;
    card.press_button("\u{2068}Style\u{2069}").await;
    card.sees_focus_on(&card.control("Plain"));
}

#[test]
async fn a11y_09_a_description_is_no_part_of_the_name() {
    let card = CardPage::waiting(service()).await;
    let input = card.control("Oil change");
    assert_eq!(card.described(&input), "About Oil change");
    let legend = card.fieldset(0).query_selector("legend").expect("a good selector").expect("a legend");
    assert_eq!(legend.text_content().as_deref(), Some("Service What does your car need?"));
}

#[test]
async fn who_asks_and_why_stand_below_the_question() {
    let mut ask = service();
    (ask.asked_by, ask.why) = (Some("billing".into()), Some("It *costs* money.".into()));
    let card = CardPage::waiting(ask).await;
    let form = card.find("form").expect("a form");
    assert!(card.name_of(&form).starts_with("Question from \u{2068}billing\u{2069}"), "{}", card.name_of(&form));
    let why = card.find(".qc-origin details").expect("a disclosure");
    assert!(!why.has_attribute("open"));
    let texts = |selector| card.all(selector).iter().map(text_of).collect::<Vec<_>>();
    assert_eq!(texts(".qc-origin span"), ["Question from \u{2068}billing\u{2069}"]);
    assert_eq!(texts(".qc-origin :is(summary, p)"), ["Why?", "It costs money."]);
}

#[test]
async fn a_preview_shows_for_the_option_in_focus_or_chosen() {
    for multi_select in [false, true] {
        let mut with_previews = service();
        with_previews.questions[0].multi_select = multi_select;
        for (option, text) in with_previews.questions[0].options.iter_mut().zip(["<b>oil</b>\n  5W-30", "brakes"]) {
            option.preview = Some(text.to_owned());
        }
        let card = CardPage::waiting(with_previews).await;
        assert_eq!(card.previews(), ["<b>oil</b>\n  5W-30"], "the first, until one is looked at");
        card.control("Oil change").focus().expect("it takes the focus");
        card.settled().await;
        assert_eq!(card.previews(), ["<b>oil</b>\n  5W-30"]);
        card.choose("Brake service").await;
        assert_eq!(card.previews(), ["<b>oil</b>\n  5W-30"], "the focus comes first");
        card.text_field(0).focus().expect("it takes the focus");
        card.settled().await;
        assert_eq!(card.previews(), ["brakes"]);
        card.control("Inspection").focus().expect("it takes the focus");
        card.settled().await;
        assert_eq!(card.previews(), [""; 0], "it has none");
    }
}

#[test]
async fn options_have_pictures_side_by_side() {
    let drawn = "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%200%204%203'/%3E";
    let mut pictured = service();
    let options = &mut pictured.questions[0].options;
    for (option, url) in options.iter_mut().zip([drawn, "data:image/png;base64,broken", "https://example.com/far.png"])
    {
        (option.image, option.alt) = (Some(url.to_owned()), Some(format!("Drawing of {}", option.label)));
    }
    for (setting, kind) in [(Setting::default(), "radio"), (on_pick(), "button")] {
        let waiting = AskSnapshot::complete(fresh_id(), pictured.clone(), Phase::Answerable);
        let card = CardPage::open(waiting, setting).await;
        let pictures = card.all(".qc-picture");
        let alts: Vec<_> = pictures.iter().map(|it| it.get_attribute("alt").unwrap_or_default()).collect();
        assert_eq!(alts, ["Drawing of Oil change", "Drawing of Brake service"], "none from elsewhere");
        assert!(card.all(".qc-options")[0].has_attribute("data-pictures"));
        for (width, columns) in [(640, 2), (300, 1)] {
            lay_out(&card, width, Face::Plain).await;
            let lefts: BTreeSet<i64> = pictures.iter().map(|it| it.get_bounding_client_rect().left() as i64).collect();
            assert_eq!(lefts.len(), columns, "{kind} at {width} px");
        }
        let described = card.control("Oil change").get_attribute("aria-describedby").unwrap_or_default();
        assert!(described.split(' ').any(|id| id == pictures[0].id()), "{described}");
        card.stands_still().await;
        tap(&pictures[1]);
        card.settled().await;
        if kind == "radio" {
            assert_eq!(card.chosen(), ["Brake service"]);
            card.submit().await;
        }
        assert_eq!(card.only_reply().message(), "Brake service");
    }
}

#[test]
async fn a_pointer_that_moved_has_selected_text_and_chooses_nothing() {
    let card = CardPage::waiting(mixed()).await;
    for (label, pixels) in [("SQLite", 40), ("Search", -9)] {
        card.drag(label, pixels).await;
        drag(&card.row_text(label).expect("its text"), pixels);
        card.settled().await;
        assert_eq!(card.chosen(), [""; 0]);
    }
    card.choose("SQLite").await;
    card.choose("Search").await;
    card.choose("Plain").await;
    let submit = card.button("Submit answers").expect("Submit");
    card.stands_still().await;
    drag(&submit, 20);
    card.has_not_replied();
    drag(&submit, 8);
    assert_eq!(card.only_reply().answers().len(), 3);
}
