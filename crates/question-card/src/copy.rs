//! Copying what the user said.

use crate::anatomy::part;
use crate::card::Announcer;
use crate::effect::set_if_changed;
use crate::labels::Labels;
use crate::receipt::receipt_text;
use ask_user_question::AskSnapshot;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// A button that copies a receipt as plain text, for the actions below one: a line for each question and for its answer.
///
/// A card whose ask ends before the user's eyes has it by itself. The receipts of a history have not, since each would add a listener and
/// a stop for the Tab key.
#[component]
pub fn CopyReceipt(
    /// The ask.
    #[prop(into)]
    ask: Signal<AskSnapshot>,
    /// The built-in words.
    #[prop(default = &Labels::ENGLISH)]
    labels: &'static Labels,
) -> impl IntoView {
    let text = move || ask.with_untracked(|ask| receipt_text(ask, labels));
    copy_button(labels, labels.copy_answers, text, None)
}

/// How long the button says that it has copied.
const STAY: Duration = Duration::from_secs(3);

/// Where a copy stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    No,
    Yes,
    /// The browser refused; then the user has to know.
    Failed,
}

/// A button that copies a text, and says what came of that: beside it, and aloud, by the card's live region or, in a history, by one of
/// its own from the first press on.
pub(crate) fn copy_button(
    labels: &'static Labels,
    name: &'static str,
    text: impl Fn() -> String + 'static,
    of_card: Option<Announcer>,
) -> impl IntoView {
    let copied = RwSignal::new(Copied::No);
    let was_pressed = RwSignal::new(false);
    let times = StoredValue::new(0_u32);
    let announcer = of_card.unwrap_or_else(Announcer::new);
    let take_back = move |time| {
        if times.try_get_value() == time {
            copied.try_set(Copied::No);
        }
    };
    let copy = move |_| {
        let text = text();
        set_if_changed(was_pressed, true);
        spawn_local(async move {
            if !write(&text).await {
                copied.try_set(Copied::Failed);
            } else if copied.try_set(Copied::Yes).is_none() {
                announcer.say(labels.copied);
                let time = times.try_update_value(|times| {
                    *times += 1;
                    *times
                });
                set_timeout(move || take_back(time), STAY);
            }
        });
    };
    let region = move || (of_card.is_none() && was_pressed.get()).then(|| announcer.view());
    let name = move || match copied.get() {
        Copied::Yes => labels.copied,
        Copied::No | Copied::Failed => name,
    };
    let failure = move || {
        (copied.get() == Copied::Failed).then(|| view! { <p class=part::WAIT role="alert">{labels.copy_failed}</p> })
    };
    view! {
        <button type="button" class=part::BUTTON on:click=copy>{name}</button>
        {failure}
        {region}
    }
}

async fn write(text: &str) -> bool {
    // A page that was not loaded securely has no clipboard.
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into())
        .ok()
        .filter(wasm_bindgen::JsValue::is_object)
        .map(JsCast::unchecked_into::<web_sys::Clipboard>);
    match clipboard {
        Some(clipboard) => JsFuture::from(clipboard.write_text(text)).await.is_ok(),
        None => false,
    }
}
