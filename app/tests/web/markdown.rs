//! Markdown that streams in.

use crate::page::Part;
use app::markdown::Markdown;
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, Node};

/// A text of every kind of element.
const EVERYTHING: &str = "# One *two*\n\nA `b` **c** _d_ [e](https://example.com/f \"g\") https://example.org.\n\n- h\n  1. i\n\n7. j\n\n\
    > k\n\n---\n\n```rust\nl\n\nm\n```\n\n| q | r |\n|---|--:|\n| s | *t* |\n\n*n **o `p";

/// A message, as it is shown.
struct Message {
    text: RwSignal<String>,
    growing: RwSignal<bool>,
    part: Part,
}

impl Message {
    async fn of(text: &str) -> Self {
        let (text, growing) = (RwSignal::new(text.to_owned()), RwSignal::new(true));
        let part = Part::mounted(move || view! { <Markdown text growing /> }.into_any()).await;
        Self { text, growing, part }
    }

    async fn grows_by(&self, delta: &str) {
        self.text.update(|text| text.push_str(delta));
        self.part.settled().await;
    }

    async fn ends(&self) {
        self.growing.set(false);
        self.part.settled().await;
    }

    #[track_caller]
    fn the(&self, selector: &str) -> Element {
        self.part.the(selector)
    }
}

fn first_child(element: &Element) -> Node {
    element.first_child().expect("it has a child")
}

#[test]
async fn each_kind_of_element_is_shown_as_what_it_is() {
    let message = Message::of(EVERYTHING).await;
    message.ends().await;
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
        message.part.says(selector, text);
    }
}

#[test]
async fn what_is_written_stays_and_is_appended_to() {
    let message = Message::of("First.\n\nSec").await;
    let (first, second) = (message.the("p"), message.the("p:last-child"));
    let text = first_child(&second);
    message.grows_by("ond, and **str").await;
    let strong = message.the("strong");
    message.grows_by("ong** one").await;
    message.ends().await;
    message.part.says("p:last-child", "Second, and strong one");
    message.part.says("strong", "strong");
    assert!(message.the("p").is_same_node(Some(&first)));
    assert!(message.the("p:last-child").is_same_node(Some(&second)));
    assert!(first_child(&second).is_same_node(Some(&text)));
    assert!(message.the("strong").is_same_node(Some(&strong)));
}

#[test]
async fn the_pieces_make_no_difference() {
    let whole = Message::of(EVERYTHING).await;
    whole.ends().await;
    let growing = Message::of("").await;
    for c in EVERYTHING.chars() {
        growing.grows_by(c.encode_utf8(&mut [0; 4])).await;
    }
    growing.ends().await;
    for message in [&whole, &growing] {
        message.part.place.normalize();
    }
    assert!(
        whole.part.place.is_equal_node(Some(&growing.part.place)),
        "{}\n{}",
        whole.part.place.inner_html(),
        growing.part.place.inner_html()
    );
}

#[test]
async fn a_mark_without_an_end_is_text_at_the_end() {
    let message = Message::of("It is *so and `so").await;
    message.part.says("em > code", "so");
    message.ends().await;
    message.part.says("p", "It is *so and `so");
    assert!(message.part.find("em, code").is_none());
}

#[test]
async fn a_text_may_be_taken_up_again() {
    let message = Message::of("One *two").await;
    message.ends().await;
    message.growing.set(true);
    message.grows_by("* three").await;
    message.part.says("em", "two");
    message.ends().await;
    message.part.says("p", "One two three");
}

#[test]
async fn a_link_says_where_it_leads_and_gives_nothing_away() {
    let message = Message::of("[My bank](https://user@EXAMPLE.com:8443/x) https://example.org/y [mail](mailto:a@example.com) https://bank.example@example.com/ ").await;
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
async fn nothing_is_markup_and_nothing_is_loaded() {
    let text = "<b>x</b> <img src=/x> <script>alert(1)</script> ![picture](https://example.com/a.png) [go](javascript:alert(1)) \
        ![](data:image/png;base64,x)";
    let message = Message::of(text).await;
    message.ends().await;
    assert!(message.part.find("b, img, script, a:not([href^='https://example.com/'])").is_none());
    message.part.says("a", "picture");
    let shown = message.the("p").text_content().unwrap_or_default();
    assert!(shown.starts_with("<b>x</b> <img src=/x> <script>alert(1)</script>"), "{shown}");
    assert!(shown.contains("[go](javascript:alert(1))"), "what is no link is shown as it was written: {shown}");
}

#[test]
async fn each_block_has_its_own_direction() {
    let message = Message::of("Good day.\n\nمرحبا **بكم**\n\n- نعم\n\n```\nx\n```\n").await;
    message.ends().await;
    let directions = ["p", "p + p", "ul", "ul > li > p", "pre"].map(|selector| direction(&message.the(selector)));
    assert_eq!(directions, ["ltr", "rtl", "rtl", "rtl", "ltr"]);
}

fn direction(element: &Element) -> String {
    let style = window().get_computed_style(element);
    let style = style.expect("it has a style").expect("it has a style");
    style.get_property_value("direction").expect("a property")
}
