//! Markdown that streams in.

use app::markdown::MarkdownView;
use leptos::prelude::{document, window};
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, Node};

/// A text of every kind of element.
const EVERYTHING: &str = "# One *two*\n\nA `b` **c** _d_ [e](https://example.com/f \"g\") https://example.org.\n\n- h\n  1. i\n\n7. j\n\n\
    > k\n\n---\n\n```rust\nl\n\nm\n```\n\n| q | r |\n|---|--:|\n| s | *t* |\n\n*n **o `p";

/// A message, as it is shown.
struct Message {
    text: String,
    shown: MarkdownView,
    place: Element,
}

impl Message {
    fn of(text: &str) -> Self {
        let place = document().create_element("div").expect("a valid name");
        place.set_class_name("prose");
        document().body().expect("a page has a body").append_child(&place).expect("it takes children");
        let mut message = Self { text: String::new(), shown: MarkdownView::at(place.clone()), place };
        message.grows_by(text);
        message
    }

    fn grows_by(&mut self, delta: &str) {
        self.text += delta;
        self.shown.follow(&self.text, true);
    }

    fn ends(&mut self) {
        self.shown.follow(&self.text, false);
    }

    fn find(&self, selector: &str) -> Option<Element> {
        self.place.query_selector(selector).expect("a valid selector")
    }

    #[track_caller]
    fn the(&self, selector: &str) -> Element {
        self.find(selector).unwrap_or_else(|| panic!("no {selector} in {}", self.place.inner_html()))
    }

    #[track_caller]
    fn says(&self, selector: &str, text: &str) {
        assert_eq!(self.the(selector).text_content().as_deref(), Some(text), "{selector}");
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        self.place.remove();
    }
}

fn first_child(element: &Element) -> Node {
    element.first_child().expect("it has a child")
}

#[test]
fn each_kind_of_element_is_shown_as_what_it_is() {
    let mut message = Message::of(EVERYTHING);
    message.ends();
    for (selector, text) in [
        ("h2[data-level='1']", "One two"),
        ("h2 > em", "two"),
        ("p > code", "b"),
        ("p > strong", "c"),
        ("ul > li > p", "h"),
        ("ul > li > ol > li", "i"),
        ("ol[start='7'] > li", "j"),
        ("blockquote > p", "k"),
        ("hr", ""),
        ("pre[data-language=rust][tabindex='0'] > code", "l\n\nm"),
        ("div[dir=auto][tabindex='0'] > table > tr:first-child > th:first-child", "q"),
        ("tr > th[data-align=end]", "r"),
        ("tr:last-child > td[data-align=end] > em", "t"),
        (".prose > p:last-child", "*n **o `p"),
    ] {
        message.says(selector, text);
    }
}

#[test]
fn what_is_written_stays_and_is_appended_to() {
    let mut message = Message::of("First.\n\nSec");
    let (first, second) = (message.the("p"), message.the("p:last-child"));
    let text = first_child(&second);
    message.grows_by("ond, and **str");
    let strong = message.the("strong");
    message.grows_by("ong** one");
    message.ends();
    message.says("p:last-child", "Second, and strong one");
    message.says("strong", "strong");
    assert!(message.the("p").is_same_node(Some(&first)));
    assert!(message.the("p:last-child").is_same_node(Some(&second)));
    assert!(first_child(&second).is_same_node(Some(&text)));
    assert!(message.the("strong").is_same_node(Some(&strong)));
}

#[test]
fn the_pieces_make_no_difference() {
    let mut whole = Message::of(EVERYTHING);
    whole.ends();
    let mut growing = Message::of("");
    for c in EVERYTHING.chars() {
        growing.grows_by(c.encode_utf8(&mut [0; 4]));
    }
    growing.ends();
    for message in [&whole, &growing] {
        message.place.normalize();
    }
    assert!(
        whole.place.is_equal_node(Some(&growing.place)),
        "{}\n{}",
        whole.place.inner_html(),
        growing.place.inner_html()
    );
}

#[test]
fn a_text_may_be_taken_up_again() {
    let mut message = Message::of("One *two");
    message.ends();
    message.grows_by("* three");
    message.says("em", "two");
    message.ends();
    message.says("p", "One two three");
}

#[test]
fn a_link_says_where_it_leads_and_gives_nothing_away() {
    let message = Message::of(
        "[My bank](https://user@EXAMPLE.com:8443/x) https://example.org/y [mail](mailto:a@example.com) https://bank.example@example.com/ ",
    );
    for (index, (address, host)) in [
        ("https://user@EXAMPLE.com:8443/x", Some("example.com:8443")),
        ("https://example.org/y", None),
        ("mailto:a@example.com", Some("a@example.com")),
        ("https://bank.example@example.com/", Some("example.com")),
    ]
    .into_iter()
    .enumerate()
    {
        let link = message.the(&format!("a:nth-of-type({})", index + 1));
        let attribute = |name: &str| link.get_attribute(name);
        assert_eq!(attribute("href").as_deref(), Some(address));
        assert_eq!(attribute("title").as_deref(), Some(address));
        assert_eq!(attribute("target").as_deref(), Some("_blank"));
        assert_eq!(attribute("rel").as_deref(), Some("noopener noreferrer nofollow"));
        assert_eq!(attribute("data-host").as_deref(), host, "{address}");
    }
}

#[test]
fn nothing_is_markup_and_nothing_is_loaded() {
    let text = "<b>x</b> <img src=/x> <script>alert(1)</script> ![picture](https://example.com/a.png) [go](javascript:alert(1)) \
        ![](data:image/png;base64,x)";
    let mut message = Message::of(text);
    message.ends();
    assert!(message.find("b, img, script, a:not([href^='https://example.com/'])").is_none());
    message.says("a", "picture");
    let shown = message.the("p").text_content().unwrap_or_default();
    assert!(shown.starts_with("<b>x</b> <img src=/x> <script>alert(1)</script>"), "{shown}");
    assert!(shown.contains("[go](javascript:alert(1))"), "what is no link is shown as it was written: {shown}");
}

#[test]
fn each_block_has_its_own_direction() {
    let mut message = Message::of("Good day.\n\nمرحبا **بكم**\n\n- نعم\n\n```\nx\n```\n");
    message.ends();
    let directions = ["p", "p + p", "ul", "ul > li > p", "pre"].map(|selector| direction(&message.the(selector)));
    assert_eq!(directions, ["ltr", "rtl", "rtl", "rtl", "ltr"]);
}

#[test]
fn a_text_of_another_direction_stands_at_the_side_of_the_page() {
    let style = document().create_element("style").expect("a valid name");
    style.set_text_content(Some(include_str!("../../../style/chat.css")));
    document().body().expect("a body").append_child(&style).expect("it takes children");
    let mut message = Message::of("**Good day.**");
    message.ends();
    message.place.set_attribute("style", "inline-size: 300px").expect("room");
    let row = document().create_element("section").expect("a valid name");
    row.set_attribute("dir", "rtl").expect("a direction");
    message.place.replace_with_with_node_1(&row).expect("it is in the page");
    row.append_child(&message.place).expect("it takes children");
    let [place, text] = [&message.place, &message.the("strong")].map(|it| it.get_bounding_client_rect().right());
    assert!((place - text).abs() < 1.0, "{text} of {place}");
    row.remove();
    style.remove();
}

fn direction(element: &Element) -> String {
    let style = window().get_computed_style(element);
    let style = style.expect("it has a style").expect("it has a style");
    style.get_property_value("direction").expect("a property")
}

#[test]
fn a_page_that_is_translated_loses_no_text() {
    let mut message = Message::of("Befo");
    let paragraph = message.the("p");
    let translated = document().create_element("font").expect("a valid name");
    translated.set_text_content(Some("Vorh"));
    paragraph.replace_child(&translated, &first_child(&paragraph)).expect("it is replaced");
    message.grows_by("re that, ");
    message.grows_by("a question.");
    message.ends();
    message.says("p", "Vorhre that, a question.");
}
