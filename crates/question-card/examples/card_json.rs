//! The card in English, with a question that is parsed from the arguments of a call in the page's address.

mod page;

use ask_user_question::AskUserQuestion;
use leptos::prelude::*;
use page::page;
use question_card::CardOptions;

fn main() {
    let arguments = location().hash().unwrap_or_default();
    let ask = AskUserQuestion::from_arguments(arguments.trim_start_matches('#')).unwrap_or_default();
    mount_to_body(|| page(ask, CardOptions::new()));
}
