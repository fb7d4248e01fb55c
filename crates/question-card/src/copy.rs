//! Copying what the user said.

use crate::anatomy::part;
use crate::labels::Labels;
use crate::receipt::receipt_text;
use ask_user_question::AskSnapshot;
use leptos::prelude::*;
use leptos::task::spawn_local;
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
    copy_button(labels, labels.copy_answers, text)
}

/// Where a copy stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    No,
    Yes,
    /// The browser refused; then the user has to know.
    Failed,
}

/// A button that copies a text, and says beside it what came of that.
pub(crate) fn copy_button(
    labels: &'static Labels,
    name: &'static str,
    text: impl Fn() -> String + 'static,
) -> impl IntoView {
    let copied = RwSignal::new(Copied::No);
    let copy = move |_| {
        let text = text();
        spawn_local(async move {
            let outcome = match write(&text).await {
                true => Copied::Yes,
                false => Copied::Failed,
            };
            copied.try_set(outcome);
        });
    };
    let name = move || match copied.get() {
        Copied::Yes => labels.copied,
        Copied::No | Copied::Failed => name,
    };
    let failure = move || {
        (copied.get() == Copied::Failed)
            .then(|| view! { <p class=part::WAIT role="alert">{labels.copy_failed}</p> })
    };
    view! {
        <button type="button" class=part::BUTTON on:click=copy>{name}</button>
        {failure}
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
