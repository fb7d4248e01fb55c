//! The bar at the top.

use crate::settings::{Settings, browser, dialog::SettingsDialog};
use crate::words::{say, words};
use leptos::prelude::*;

/// The bar of the frame: the agent's name, the way to a new conversation, and the button of the settings.
#[component]
pub fn Bar(
    /// The settings of the page.
    settings: RwSignal<Settings>,
    /// The dialog that the button opens.
    dialog: SettingsDialog,
) -> impl IntoView {
    let words = words();
    let new_conversation = move || {
        settings.track();
        browser::here()
    };
    view! {
        <header class="bar">
            <div>
                <h1>{move || settings.with(|settings| settings.title(words.get()).to_owned())}</h1>
                <p>{move || settings.with(|settings| settings.subtitle(words.get()))}</p>
            </div>
            <a class="icon new-button" href=new_conversation aria-label=say(|words| words.new_conversation)></a>
            <button
                type="button"
                class="icon settings-button"
                aria-haspopup="dialog"
                aria-label=say(|words| words.settings.title)
                prop:disabled=false
                on:click=move |_| dialog.open()
            ></button>
        </header>
    }
}
