//! The card in the language of the browser, one of five.

use leptos::prelude::*;
use question_card::{CardOptions, Labels};
use small_pages::{own_question, page};

fn main() {
    let language = window().navigator().language().unwrap_or_default();
    mount_to_body(move || page(own_question(), CardOptions::new().labels(Labels::for_lang(&language))));
}
