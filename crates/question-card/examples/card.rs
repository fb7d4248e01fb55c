//! The card in English, without options.

mod page;

use leptos::prelude::*;
use page::{own_question, page};
use question_card::CardOptions;

fn main() {
    mount_to_body(|| page(own_question(), CardOptions::new()));
}
