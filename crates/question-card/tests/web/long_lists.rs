//! Lists of more than eight options: the field that filters them, all and none, and the keys.

use crate::asks::{ask, question};
use crate::card_page::{CardPage, dispatch, focused, on_pick, text_of};
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Question};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, HtmlInputElement};

const COUNTRIES: [&str; 10] =
    ["Österreich", "Česko", "España", "France", "Ireland", "Italia", "Polska", "Portugal", "Slovenija", "Suomi"];

fn countries(multi_select: bool) -> AskUserQuestion {
    ask(vec![question("Where do you want to sell?", "Countries", multi_select, &COUNTRIES)])
}

/// A card with a filter.
struct List(CardPage);

impl List {
    async fn of(multi_select: bool) -> Self {
        Self(CardPage::waiting(countries(multi_select)).await)
    }

    fn field(&self) -> HtmlInputElement {
        self.0.find("input[type=search]").expect("a filter").unchecked_into()
    }

    async fn filter(&self, text: &str) {
        let field = self.field();
        field.focus().expect("it takes the focus");
        field.set_value(text);
        dispatch(&field, "input");
        self.0.settled().await;
    }

    /// The labels of the rows that are shown.
    fn rows(&self) -> Vec<String> {
        self.0.all(".qc-option:not(.qc-other) :is(label, .qc-option-button)").iter().map(text_of).collect()
    }

    fn count(&self) -> String {
        self.0.described(&self.field())
    }

    fn digit(&self, label: &str) -> Option<String> {
        self.0.control(label).get_attribute("aria-keyshortcuts")
    }

    #[track_caller]
    fn focus(&self) -> String {
        let row = focused().and_then(|focused| focused.closest(".qc-option").expect("a good selector"));
        let label = row.and_then(|row| row.query_selector("label").expect("a good selector"));
        label.as_ref().map(text_of).unwrap_or_default()
    }
}

#[test]
async fn only_more_than_eight_options_have_a_filter() {
    for (count, has) in [(8, false), (9, true)] {
        let card = CardPage::waiting(ask(vec![question("Where?", "Where", true, &COUNTRIES[..count])])).await;
        assert_eq!(card.find("input[type=search]").is_some(), has, "{count}");
        assert_eq!(card.button("All").is_some(), has, "{count}");
    }
    let one = List::of(false).await;
    assert_eq!((one.0.button("All"), one.count().as_str()), (None, "10 of 10"));
}

#[test]
async fn a_filter_ignores_case_and_diacritics_and_says_the_count_once() {
    let list = List::of(true).await;
    assert_eq!(list.rows().len(), 10);
    for (text, rows) in [
        ("osterr", &["Österreich"][..]),
        ("CES", &["Česko"]),
        ("espan\u{303}a", &["España"]),
        ("  po ", &["Polska", "Portugal"]),
        ("xyz", &[]),
        ("", &COUNTRIES),
    ] {
        list.filter(text).await;
        assert_eq!(list.rows(), rows, "{text}");
        assert_eq!(list.count(), format!("{} of 10", rows.len()));
    }
    let listener = list.0.listen();
    list.filter("i").await;
    list.filter("it").await;
    listener.hears(["1 of 10"]).await;
}

#[test]
async fn what_a_filter_hides_stays_chosen_and_is_counted_and_sent() {
    let list = List::of(true).await;
    list.0.choose("France").await;
    list.filter("po").await;
    list.0.choose("Polska").await;
    assert_eq!(list.count(), "2 of 10, 2 chosen");
    list.0.submit().await;
    assert_eq!(list.0.only_reply().message(), "France, Polska");
}

#[test]
async fn all_and_none_choose_what_is_shown() {
    let list = List::of(true).await;
    list.0.choose("France").await;
    list.filter("po").await;
    list.0.press_button("All").await;
    assert_eq!(list.0.announced().await, "2 of 10, 3 chosen");
    list.filter("").await;
    assert_eq!(list.0.chosen(), ["France", "Polska", "Portugal"]);
    list.filter("pol").await;
    list.0.press_button("None").await;
    list.filter("").await;
    assert_eq!(list.0.chosen(), ["France", "Portugal"]);
}

#[test]
async fn a_thousand_rows_are_filtered_chosen_and_sent_as_ten_are() {
    let labels: Vec<String> = (0..1_000).map(|at| format!("Option {at}")).collect();
    let asked = Question::new("Which?", labels).with_multi_select(true);
    let list = List(CardPage::waiting(AskUserQuestion::new([asked])).await);
    assert_eq!((list.rows().len(), list.count().as_str()), (1_000, "1000 of 1000"));
    let listener = list.0.listen();
    list.filter("option 99").await;
    listener.hears(["11 of 1000"]).await;
    assert_eq!((list.rows().len(), list.rows()[0].as_str()), (11, "Option 99"));
    list.0.press_button("All").await;
    assert_eq!(list.count(), "11 of 1000, 11 chosen");
    list.filter("").await;
    list.0.press_button("All").await;
    assert_eq!(list.count(), "1000 of 1000, 1000 chosen");
    list.0.press_button("None").await;
    assert_eq!((list.0.chosen().len(), list.count().as_str()), (0, "1000 of 1000"));
    list.filter("999").await;
    list.0.press_button("All").await;
    list.0.submit().await;
    assert_eq!(list.0.only_reply().message(), "Option 999");
}

#[test]
async fn keys_go_over_the_rows_that_are_shown() {
    let list = List::of(true).await;
    list.filter("p").await;
    assert_eq!(list.rows(), ["España", "Polska", "Portugal"]);
    assert_eq!(["España", "Polska"].map(|label| list.digit(label)), ["1", "2"].map(|digit| Some(digit.to_owned())));
    assert!(list.0.press("Enter").await, "the browser would send the form");
    assert_eq!(list.focus(), "España");
    for (key, label) in
        [("End", "Portugal"), ("ArrowUp", "Polska"), ("Home", "España"), ("ArrowDown", "Polska"), ("3", "Portugal")]
    {
        assert!(list.0.press(key).await, "{key}");
        assert_eq!(list.focus(), label, "{key}");
    }
    assert_eq!(list.0.chosen(), ["Portugal"]);
    assert!(!list.0.press("ArrowDown").await, "there is no further row");
    assert!(list.0.press("4").await);
    assert_eq!(focused().as_ref(), Some::<&Element>(&list.0.text_field(0)));
}

#[test]
async fn escape_empties_the_filter_and_nothing_else() {
    let list = List::of(true).await;
    list.filter("pol").await;
    list.0.choose("Polska").await;
    list.0.control("Polska").focus().expect("it takes the focus");
    assert!(list.0.press("Escape").await);
    assert_eq!((list.rows().len(), list.field().value()), (10, String::new()));
    assert_eq!((list.focus(), list.0.chosen()), ("Polska".to_owned(), vec!["Polska".to_owned()]));
    assert!(!list.0.press("Escape").await, "the host gets it");
    list.filter("x").await;
    assert!(list.0.press("Escape").await);
    assert_eq!(list.rows().len(), 10);
}

#[test]
async fn arrows_among_radio_buttons_stay_the_browsers() {
    let list = List::of(false).await;
    list.0.control("France").focus().expect("it takes the focus");
    assert!(!list.0.press("ArrowDown").await);
    assert!(list.0.press("End").await);
    assert_eq!((list.focus().as_str(), list.0.chosen().len()), ("Suomi", 0));
}

#[test]
async fn a_tap_answers_in_a_filtered_list_too() {
    let list = List(CardPage::tap_to_reply(countries(false)).await);
    list.filter("pol").await;
    assert_eq!(list.rows(), ["Polska"]);
    list.0.stands_still().await;
    list.0.tap("Polska").await;
    assert_eq!(list.0.only_reply().message(), "Polska");
}

#[test]
async fn an_error_leads_to_the_filter_where_no_row_is_shown() {
    let list = List::of(true).await;
    list.filter("xyz").await;
    list.0.submit().await;
    list.0.has_not_replied();
    assert_eq!(focused().as_ref(), Some::<&Element>(&list.field()));
    assert_eq!(list.0.errors(), ["Select an answer"]);
}

#[test]
async fn the_end_of_the_run_keeps_what_is_filtered() {
    let list = List(CardPage::open(snapshot(), on_pick()).await);
    list.filter("pol").await;
    list.0.ends(Phase::Ready, None).await;
    assert_eq!((list.rows(), list.field().value().as_str()), (vec!["Polska".to_owned()], "pol"));
}

fn snapshot() -> AskSnapshot {
    AskSnapshot::complete(crate::card_page::fresh_id(), countries(false), Phase::Answerable)
}
