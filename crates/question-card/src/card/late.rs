//! What was typed or chosen and did not reach the agent: it stays until the user puts it away.

use super::state::CardState;
use crate::anatomy::part;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// The text, with ways to keep it.
pub(crate) fn late(card: CardState) -> impl IntoView {
    let text = card
        .ask
        .with_untracked(|ask| card.late_text(ask.outcome.as_ref()));
    let text = RwSignal::new(text);
    let any = Memo::new(move |_| text.with(|text| !text.is_empty()));
    let copied = RwSignal::new(false);
    let copy = move |_| {
        let Some(clipboard) = clipboard() else { return };
        let promise = clipboard.write_text(&text.get_untracked());
        spawn_local(async move {
            // Where the browser refuses, the text can still be selected, and nothing is claimed.
            if JsFuture::from(promise).await.is_ok() {
                copied.try_set(true);
            }
        });
    };
    let send = move |on_late_message: Callback<String>| {
        let send = move |_| {
            on_late_message.run(text.get_untracked());
            text.set(String::new());
        };
        view! { <button type="button" class=part::BUTTON on:click=send>{card.labels.send_as_message}</button> }
    };
    let copy_label = move || {
        if copied.get() {
            card.labels.copied
        } else {
            card.labels.copy
        }
    };
    let content = move || {
        view! {
            <div class=part::LATE>
                <p class=part::HINT>{card.labels.late}</p>
                <p class=part::LATE_TEXT dir="auto">{move || text.get()}</p>
                <div class=part::ACTIONS>
                    {card.calls.on_late_message.map(send)}
                    <button type="button" class=part::BUTTON on:click=copy>{copy_label}</button>
                    <button type="button" class=format!("{} {}", part::BUTTON, part::QUIET) on:click=move |_| text.set(String::new())>{card.labels.dismiss}</button>
                </div>
            </div>
        }
    };
    move || any.get().then(content)
}

/// The clipboard; a page that was not loaded securely has none.
fn clipboard() -> Option<web_sys::Clipboard> {
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into()).ok()?;
    clipboard.is_object().then(|| clipboard.unchecked_into())
}
