//! One card, put into its state by what a host has: props, and for `invalid` the press of a button.

use crate::address::{Address, Extra, LANGUAGES};
use crate::live;
use crate::state::{Staged, State};
use crate::stream::arguments;
use ask_user_question::examples::{Example, FILES};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Reply};
use leptos::html::Div;
use leptos::prelude::*;
use question_card::card::QuestionCardProps;
use question_card::{Labels, QuestionCard};
use wasm_bindgen::JsCast;
use web_sys::HtmlFormElement;

/// How many characters a typed text may have where the host limits it.
const LIMIT: usize = 40;

/// What a card's host knows and hears.
#[derive(Clone, Copy)]
pub(crate) struct Host {
    pub(crate) ask: RwSignal<AskSnapshot>,
    pub(crate) sending: RwSignal<Sending>,
    pub(crate) on_reply: Callback<Reply>,
    pub(crate) on_cancel: Callback<()>,
    pub(crate) on_reply_in_chat: Callback<Vec<Selection>>,
    pub(crate) on_late_message: Callback<String, bool>,
}

impl Host {
    /// One that hears nothing.
    pub(crate) fn deaf(staged: Staged) -> Self {
        Self {
            ask: RwSignal::new(staged.ask),
            sending: RwSignal::new(staged.sending),
            on_reply: Callback::new(|_| {}),
            on_cancel: Callback::new(|()| {}),
            on_reply_in_chat: Callback::new(|_| {}),
            on_late_message: Callback::new(|_| true),
        }
    }
}

/// What a host gives the card of this example in this state; nothing where it never comes to it.
pub(crate) fn staged(example: &str, state: State) -> Option<Staged> {
    state.stage(arguments(file(example)), &call(example, state))
}

/// The card of an example.
pub(crate) fn example_card(
    address: &Address,
    example: &Example,
    state: State,
    host: Host,
) -> impl IntoView + use<> {
    let frame = NodeRef::<Div>::new();
    if state == State::Live {
        live::play(
            host.ask,
            &call(&example.name, state),
            arguments(file(&example.name)),
        );
    }
    Effect::new(move |_| {
        if let (State::Invalid, Some(frame)) = (state, frame.get()) {
            // A frame later, when the card has followed its ask.
            request_animation_frame(move || submit(&frame));
        }
    });
    let mut card = QuestionCardProps::builder()
        .ask(host.ask)
        .sending(host.sending)
        .mode(address.mode)
        .limits(example.limits())
        .on_reply(host.on_reply)
        .on_cancel(host.on_cancel)
        .on_reply_in_chat(host.on_reply_in_chat)
        .on_late_message(host.on_late_message)
        .allow_skip(address.has(Extra::Skip))
        .build();
    // A card without words of its own speaks English in the direction of the page.
    if address.language != LANGUAGES[0] {
        card.labels = Some(Labels::for_lang(address.language));
    }
    if address.has(Extra::Limit) {
        card.max_length = Some(LIMIT);
    }
    view! {
        <div class="gallery-card" node_ref=frame>
            {QuestionCard(card)}
        </div>
    }
}

/// Submits the form in this element, as its button does.
fn submit(frame: &web_sys::Element) {
    let form = frame.query_selector("form").ok().flatten();
    if let Some(form) = form.and_then(|form| form.dyn_into::<HtmlFormElement>().ok()) {
        // Nothing keeps a form in the page from being submitted.
        let _ = form.request_submit();
    }
}

fn call(example: &str, state: State) -> String {
    format!("{example}-{}", state.name())
}

fn file(example: &str) -> &'static str {
    let mut files = FILES.iter();
    files
        .find(|(name, _)| *name == example)
        .map_or("", |(_, file)| *file)
}
