//! The settings and their effects.

use crate::browser::{begin_anew, is_stored, kept, let_notify, notified, query, remove_beside_page};
use crate::page::{Part, tell};
use app::agent::Agent;
use app::settings::browser::provide_settings;
use app::settings::dialog::hear_settings;
use app::settings::headers::{store_headers, stored_headers};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, HtmlDialogElement, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

/// The opened dialog, with an empty storage, at an address with this query.
async fn opened(query: &str) -> Part {
    begin_anew(query);
    opened_here().await
}

/// The same, with the stored settings, at the present address.
async fn opened_here() -> Part {
    let part = Part::mounted_in_frame(|| {
        let (settings, _) = provide_settings();
        let agent = Memo::new(move |_| settings.with(|settings| Agent::set(settings, stored_headers)));
        hear_settings(settings, agent);
        ().into_any()
    })
    .await;
    assert!(!part.the::<HtmlDialogElement>("dialog").open(), "nobody has opened it");
    let button: HtmlElement = part.the(".settings-button");
    // As a person's click does.
    button.focus().expect("it takes the focus");
    button.click();
    part.settled().await;
    part
}

async fn choose(part: &Part, name: &str, value: &str) {
    let select: HtmlSelectElement = part.the(&format!("select[name={name}]"));
    select.set_value(value);
    assert_eq!(select.value(), value, "{name} has such a value");
    tell(&select, "change");
    part.settled().await;
}

async fn check(part: &Part, name: &str) {
    part.the::<HtmlElement>(&format!("input[name={name}]")).click();
    // The browser's answer comes in tasks of its own.
    for _ in 0..10 {
        part.settled().await;
    }
}

fn chosen(part: &Part, name: &str) -> String {
    part.the::<HtmlSelectElement>(&format!("select[name={name}]")).value()
}

fn root() -> HtmlElement {
    let root = document().document_element().expect("there is one");
    root.unchecked_into()
}

fn color_scheme() -> String {
    let style = window().get_computed_style(&root());
    let style = style.expect("it has a style").expect("it has a style");
    style.get_property_value("color-scheme").expect("a property")
}

#[test]
async fn the_dialog_opens_with_the_focus_in_it_and_closes() {
    let part = opened("").await;
    let dialog: HtmlDialogElement = part.the("dialog");
    assert!(dialog.open());
    let focused = document().active_element();
    assert_eq!(focused, part.find("select[name=lang]"));
    part.the::<HtmlElement>(".close-button").click();
    assert!(!dialog.open());
    assert_eq!(document().active_element(), part.find(".settings-button"));
}

#[test]
async fn another_language_is_spoken_at_once() {
    let part = opened("?lang=en").await;
    part.says("dialog h2", "Settings");
    choose(&part, "lang", "ar").await;
    part.comes_to_say("dialog h2", "الإعدادات").await;
    assert_eq!((root().lang(), root().dir()), ("ar".to_owned(), "rtl".to_owned()));
    choose(&part, "lang", "de").await;
    part.comes_to_say("dialog h2", "Einstellungen").await;
    assert_eq!((root().lang(), root().dir()), ("de".to_owned(), "ltr".to_owned()));
    assert_eq!(kept("lang").as_deref(), Some("de"));
    choose(&part, "lang", "ar").await;
    part.says("dialog h2", "الإعدادات");
}

#[test]
async fn a_language_that_cannot_be_fetched_is_told_and_wanted_again() {
    let part = opened("?lang=en").await;
    remove_beside_page("languages/ja.json");
    choose(&part, "lang", "ja").await;
    let hint = "label:has([name=lang]) + .hint";
    part.comes_to_say(hint, "This language could not be loaded. Is there a connection?").await;
    part.says("dialog h2", "Settings");
    assert_eq!(root().lang(), "en");
    choose(&part, "lang", "en").await;
    part.says(hint, "");
    assert_eq!(kept("lang").as_deref(), Some("en"));
}

#[test]
async fn colours_follow() {
    let part = opened("").await;
    assert_eq!(color_scheme(), "light dark");
    choose(&part, "theme", "dark").await;
    assert_eq!(color_scheme(), "dark");
    choose(&part, "theme", "").await;
    assert_eq!(color_scheme(), "light dark");
    assert_eq!(kept("theme"), None, "the default need not be kept");
}

#[test]
async fn what_was_kept_is_there_again_and_the_address_wins() {
    let part = opened("").await;
    choose(&part, "submit", "explicit").await;
    choose(&part, "theme", "light").await;
    drop(part);
    let history = window().history().expect("there is a history");
    let address = window().location().pathname().expect("an address") + "?theme=dark&x=1#y";
    history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address)).expect("it goes there");
    let part = opened_here().await;
    assert_eq!(chosen(&part, "submit"), "explicit");
    assert_eq!(chosen(&part, "theme"), "dark");
    assert_eq!(kept("theme").as_deref(), Some("light"));
    // The last choice counts: the address asks for it no more.
    choose(&part, "theme", "light").await;
    assert_eq!(query(), "?x=1");
    assert_eq!(window().location().hash().as_deref(), Ok("#y"));
}

#[test]
async fn an_address_that_is_none_is_not_taken() {
    let part = opened("?lang=en").await;
    let field: HtmlTextAreaElement = part.the("textarea[name=agent]");
    for (address, taken) in [
        ("javascript:alert(1)", false),
        ("agent.example", false),
        (" https://agent.example/run ", true),
        ("/other", true),
    ] {
        begin_anew("?lang=en");
        field.set_value(address);
        tell(&field, "change");
        part.settled().await;
        let invalid = field.get_attribute("aria-invalid");
        assert_eq!(invalid.as_deref() == Some("true"), !taken, "{address}");
        let expected = taken.then(|| address.trim().to_owned());
        assert_eq!(kept("agent"), expected, "{address}");
        let hint = part.the::<Element>("#agent-hint").text_content();
        let complains = hint.is_some_and(|hint| hint.starts_with("An agent’s address begins"));
        assert_eq!(complains, !taken, "{address}");
    }
}

#[test]
async fn the_browser_is_asked_for_leave_by_the_click_alone() {
    let_notify("granted", "default");
    let part = opened("").await;
    check(&part, "notify").await;
    assert_eq!(kept("notify").as_deref(), Some("on"));
    check(&part, "notify").await;
    assert_eq!(kept("notify"), None);
    assert_eq!(notified(), [""; 0]);
}

#[test]
async fn the_switch_follows_what_another_tab_or_script_has_set() {
    let_notify("granted", "granted");
    let part = opened("").await;
    let is_on = || part.the::<HtmlInputElement>("input[name=notify]").checked();
    for (key, value, expected) in
        [("other", Some("on"), false), ("chat-page notify", Some("on"), true), ("chat-page notify", None, false)]
    {
        is_stored(key, value);
        part.settled().await;
        assert_eq!(is_on(), expected, "{key} {value:?}");
    }
}

#[test]
async fn a_browser_whose_pages_cannot_notify_has_no_switch_for_it() {
    let_notify("never", "default");
    let part = opened("").await;
    assert!(part.find("[hidden] > input[name=notify]").is_some());
}

#[test]
async fn without_leave_nothing_is_switched_on() {
    let_notify("denied", "default");
    let part = opened("?lang=en").await;
    check(&part, "notify").await;
    assert_eq!(kept("notify"), None);
    assert!(!part.the::<HtmlInputElement>("input[name=notify]").checked());
    let hint = part.the::<Element>(".check + .hint").text_content();
    assert!(
        hint.as_deref().is_some_and(|hint| hint.starts_with("The browser keeps this page from notifying")),
        "{hint:?}"
    );
}

#[test]
async fn another_agent_gets_headers_of_its_own() {
    let part = opened("").await;
    assert!(part.find("[hidden] > textarea[name=headers]").is_some(), "the page's own agent needs none");
    let field: HtmlTextAreaElement = part.the("textarea[name=agent]");
    field.set_value("https://agent.example/run");
    tell(&field, "change");
    part.settled().await;
    let headers: HtmlTextAreaElement = part.the(":not([hidden]) > textarea[name=headers]");
    for (lines, taken) in
        [("Authorization: Bearer abc\n\n X-Team : a b \n", true), ("no header", false), ("Bad Name: x", false)]
    {
        headers.set_value(lines);
        tell(&headers, "change");
        part.settled().await;
        let invalid = headers.get_attribute("aria-invalid");
        assert_eq!(invalid.as_deref() == Some("true"), !taken, "{lines}");
    }
    let header = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let expected = [("Authorization", "Bearer abc"), ("X-Team", "a b")].map(header);
    assert_eq!(stored_headers("https://agent.example/elsewhere"), expected);
}

#[test]
async fn a_choice_has_an_arrow_of_its_own_within_its_edge() {
    let part = opened("").await;
    let style = document().create_element("style").expect("a valid name");
    style.set_text_content(Some(include_str!("../../../style/chat.css")));
    part.the::<Element>("dialog").append_child(&style).expect("it takes children");
    let choice: Element = part.the(".setting:has(select)");
    let select: Element = part.the(".setting select");
    let of = |element: &Element, pseudo: &str, property: &str| {
        let style = window().get_computed_style_with_pseudo_elt(element, pseudo).expect("a style").expect("a style");
        style.get_property_value(property).expect("a property")
    };
    assert_eq!(of(&select, "", "appearance"), "none");
    assert_eq!(of(&choice, "::after", "content"), "\"\"");
    let room = |element: &Element, pseudo: &str, property: &str| {
        of(element, pseudo, property).trim_end_matches("px").parse::<f64>().expect("a length")
    };
    let arrow = room(&choice, "::after", "margin-inline-end") + room(&choice, "::after", "inline-size");
    assert!(room(&choice, "::after", "margin-inline-end") >= 12.0);
    assert!(room(&select, "", "padding-inline-end") > arrow, "a long value ends before it");
    assert_eq!(of(&choice, "::after", "grid-row-start"), of(&select, "", "grid-row-start"));
}

#[test]
async fn headers_are_stored_for_their_origin() {
    begin_anew("");
    let header = |value: &str| vec![("Authorization".to_owned(), value.to_owned())];
    assert!(store_headers("https://one.example/agent", &header("Bearer one:two")));
    assert!(store_headers("/agent", &header("")));
    assert_eq!(stored_headers("https://one.example/other?x"), header("Bearer one:two"));
    assert_eq!(stored_headers("/other"), header(""));
    for nowhere in ["https://one.example:8443/agent", "javascript:alert(1)"] {
        assert_eq!(stored_headers(nowhere), []);
    }
    assert!(!store_headers("javascript:alert(1)", &header("x")));
    for (name, value) in [("", "x"), ("X Key", "x"), ("X:", "x"), ("X", "a\r\nY: b"), ("X", "\u{2603}")] {
        let header = (name.to_owned(), value.to_owned());
        assert!(!store_headers("/agent", &[header]), "{name}: {value}");
    }
    assert_eq!(stored_headers("/agent"), header(""));
    assert!(store_headers("/agent", &[]));
    assert_eq!(stored_headers("/agent"), []);
}
