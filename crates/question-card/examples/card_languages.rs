//! The card in the language of the browser, one of those that ship.

mod page;

use leptos::prelude::*;
use page::{own_question, page};
use question_card::{CardOptions, Labels};

fn main() {
    let language = window().navigator().language().unwrap_or_default();
    mount_to_body(move || page(own_question(), CardOptions::new().labels(Labels::for_lang(&language))));
}
