//! Where the person types.

use crate::words;
use agent_chat::{AgentChat, Status};
use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::html::Textarea;
use leptos::prelude::*;

/// The key code that browsers report for a key that an input method has taken.
const KEY_TAKEN_BY_INPUT_METHOD: u32 = 229;

/// A field that grows with its text. Enter sends, Shift+Enter breaks the line; while a run is open the button stops it.
#[component]
pub fn Composer(
    /// The conversation.
    chat: AgentChat,
) -> impl IntoView {
    let field = NodeRef::<Textarea>::new();
    let running = Memo::new(move |_| chat.status.with(|status| *status == Status::Running));
    let send = move || {
        let Some(field) = field.get_untracked() else {
            return;
        };
        let text = field.value();
        if !text.trim().is_empty() && chat.send(&text) {
            field.set_value("");
        }
    };
    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        send();
    };
    let on_keydown = move |event: KeyboardEvent| {
        if sends(&event) {
            event.prevent_default();
            send();
        }
    };
    view! {
        <form class="composer" on:submit=on_submit>
            <label class="visually-hidden" for="message">
                {words::MESSAGE}
            </label>
            <textarea
                id="message"
                name="message"
                rows="1"
                dir="auto"
                placeholder=words::MESSAGE_PLACEHOLDER
                enterkeyhint="send"
                node_ref=field
                on:keydown=on_keydown
            ></textarea>
            <Show
                when=move || running.get()
                fallback=|| view! { <button type="submit">{words::SEND}</button> }
            >
                <button type="button" class="stop" on:click=move |_| chat.stop()>
                    {words::STOP}
                </button>
            </Show>
        </form>
    }
}

fn sends(event: &KeyboardEvent) -> bool {
    let composing = event.is_composing() || event.key_code() == KEY_TAKEN_BY_INPUT_METHOD;
    event.key() == "Enter" && !event.shift_key() && !composing
}
