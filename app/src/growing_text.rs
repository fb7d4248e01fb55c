//! Text that streams in.

use leptos::html::P;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlParagraphElement, Text};

/// A paragraph whose one text node is appended to, so that a delta costs its own length however long the text has become.
#[component]
pub fn GrowingText(
    /// The text, which only ever grows.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let paragraph = NodeRef::<P>::new();
    Effect::new(move |written: Option<usize>| {
        let written = written.unwrap_or(0);
        let Some(paragraph) = paragraph.get() else {
            return written;
        };
        text.with(|text| write(&paragraph, written, text));
        text.with(String::len)
    });
    view! { <p dir="auto" node_ref=paragraph></p> }
}

fn write(paragraph: &HtmlParagraphElement, written: usize, text: &str) {
    let node = paragraph
        .first_child()
        .and_then(|node| node.dyn_into::<Text>().ok());
    match (node, text.get(written..)) {
        (Some(node), Some(growth)) if written > 0 => {
            if !growth.is_empty() && node.append_data(growth).is_err() {
                node.set_data(text);
            }
        }
        _ => paragraph.set_text_content(Some(text)),
    }
}
