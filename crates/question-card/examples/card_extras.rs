//! The card with all options, every language, and a question that is parsed.

mod page;

use ask_user_question::AskUserQuestion;
use leptos::prelude::*;
use page::page;
use question_card::{CardOptions, FocusHandle, Labels, Layout, Persist};

fn main() {
    let language = window().navigator().language().unwrap_or_default();
    let arguments = location().hash().unwrap_or_default();
    let ask = AskUserQuestion::from_arguments(arguments.trim_start_matches('#')).unwrap_or_default();
    mount_to_body(move || page(ask, everything(&language)));
}

fn everything(language: &str) -> CardOptions {
    let more_time = RwSignal::new(Some(60_000_u64));
    CardOptions::new()
        .labels(Labels::for_lang(language))
        .layout(Layout::Stepped)
        .notes()
        .skip()
        .max_length(2000)
        .persist(Persist::session())
        .handle(FocusHandle::new())
        .expires_at(more_time)
        .on_extend(move || more_time.set(None))
        .on_reply_in_chat(|picks| leptos::logging::log!("{picks:?}"))
        .on_late_message(|text| {
            leptos::logging::log!("{text}");
            true
        })
}
