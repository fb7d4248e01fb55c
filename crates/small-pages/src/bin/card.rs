//! The card in English, with nothing switched on.

use leptos::prelude::*;
use question_card::CardOptions;
use small_pages::{own_question, page};

fn main() {
    mount_to_body(|| page(own_question(), CardOptions::new()));
}
