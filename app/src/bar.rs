//! The bar at the top.

use crate::settings::{Settings, browser, dialog::SettingsDialog};
use crate::words::{Say, say, words};
use leptos::prelude::*;

/// The bar of the frame: the agent's name with the list of conversations behind it, the way to a new conversation, and the button of the settings.
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
    // Attributes that never change are those of `index.html`.
    view! {
        <header class="bar">
            <div>
                <h1>
                    <button>
                        {move || settings.with(|settings| words.with(|words| settings.title(words).to_owned()))}
                    </button>
                </h1>
                <p>{move || settings.with(|settings| words.with(|words| settings.subtitle(words).to_owned()))}</p>
            </div>
            <nav aria-label=say(Say::Conversations)></nav>
            <a class="icon new-button" href=new_conversation aria-label=say(Say::NewConversation)></a>
            <button
                type="button"
                class="icon settings-button"
                aria-haspopup="dialog"
                aria-label=say(Say::SettingsTitle)
                prop:disabled=false
                on:click=move |_| dialog.open()
            ></button>
        </header>
    }
}
