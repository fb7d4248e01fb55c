//! Where the person types.

use crate::cards::Cards;
use crate::effect::effect;
use crate::notice::Notice;
use crate::words::{say, words};
use agent_chat::{AgentChat, Status};
use leptos::ev::{KeyboardEvent, MouseEvent, SubmitEvent};
use leptos::html::Textarea;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{FocusOptions, HtmlElement, Storage};

/// The field's id.
const FIELD_ID: &str = "message";

/// Under this name the tab's storage keeps what is not sent yet.
const UNSENT: &str = "chat-page unsent";

/// The key code that browsers report for a key that an input method has taken.
const KEY_TAKEN_BY_INPUT_METHOD: u32 = 229;

/// A field that grows with its text, which outlives a reload of its tab until it is sent. Enter sends, Shift+Enter breaks the line, and
/// ArrowUp leads from the empty field to the question that waits; while a run is open the button stops it.
#[component]
pub fn Composer(
    /// The conversation.
    chat: AgentChat,
    /// Whether the reader is at the end of the transcript, which is where who says something goes.
    at_end: RwSignal<bool>,
) -> impl IntoView {
    let words = words();
    let field = NodeRef::<Textarea>::new();
    // Sizes the field, which not every browser does by itself.
    let written = RwSignal::new(String::new());
    let notice: Notice = expect_context();
    let cards: Cards = expect_context();
    let running = Memo::new(move |_| chat.status.with(|status| *status == Status::Running));
    let send = move || {
        let Some(field) = field.get_untracked() else {
            return;
        };
        let text = field.value();
        if text.trim().is_empty() {
            return;
        }
        if running.get_untracked() {
            return notice.say(|words| words.still_writing);
        }
        if chat.send(&text) {
            field.set_value("");
            written.set(String::new());
            keep_unsent("");
            at_end.set(true);
        } else if !matches!(chat.status.get_untracked(), Status::Failed(_)) {
            notice.say(|words| words.not_yet);
        }
    };
    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        send();
    };
    // One button for both, so that focus stays on it. The second click of a double click on "Send" is no wish to stop.
    let on_click = move |event: MouseEvent| {
        if running.get_untracked() {
            // Where the run ends at once, the button sends again before the browser asks what it does.
            event.prevent_default();
            if event.detail() < 2 {
                chat.stop();
            }
        }
    };
    // A key that is held presses again and again: what was sent would be stopped.
    let on_button_key = move |event: KeyboardEvent| {
        if event.repeat() && event.key() == "Enter" {
            event.prevent_default();
        }
    };
    let on_keydown = move |event: KeyboardEvent| {
        let is_empty = || written.with_untracked(String::is_empty);
        if sends(&event) {
            event.prevent_default();
            send();
        } else if leads_up(&event) && is_empty() && cards.lead_to_waiting(chat) {
            event.prevent_default();
        }
    };
    // A text has its own direction, and a placeholder the page's.
    let direction = move || match written.with(String::is_empty) {
        true => words.get().labels.dir.as_str(),
        false => "auto",
    };
    effect(move || {
        let Some(field) = field.get() else { return };
        let text = unsent();
        field.set_value(&text);
        written.set(text);
        if has_keyboard() {
            focus_composer();
        }
    });
    let on_input = move |event| {
        let text = event_target_value(&event);
        keep_unsent(&text);
        written.set(text);
        notice.end();
    };
    let label = move || match running.get() {
        true => words.get().stop,
        false => words.get().send,
    };
    view! {
        <form class="composer" on:submit=on_submit>
            <label class="visually-hidden" for=FIELD_ID>
                {say(|words| words.message)}
            </label>
            <div class="field" data-text=written>
                <textarea
                    id=FIELD_ID
                    name="message"
                    rows="1"
                    dir=direction
                    placeholder=say(|words| words.message_placeholder)
                    enterkeyhint="send"
                    node_ref=field
                    on:input=on_input
                    on:keydown=on_keydown
                ></textarea>
                <button
                    type=move || if running.get() { "button" } else { "submit" }
                    class="icon"
                    class:stop=running
                    aria-label=label
                    on:click=on_click
                    on:keydown=on_button_key
                ></button>
            </div>
        </form>
    }
}

fn sends(event: &KeyboardEvent) -> bool {
    event.key() == "Enter" && !event.shift_key() && !is_composing(event)
}

fn leads_up(event: &KeyboardEvent) -> bool {
    let with_others = event.shift_key() || event.ctrl_key() || event.alt_key() || event.meta_key();
    event.key() == "ArrowUp" && !with_others && !is_composing(event)
}

/// Whether the key is an input method's.
fn is_composing(event: &KeyboardEvent) -> bool {
    event.is_composing() || event.key_code() == KEY_TAKEN_BY_INPUT_METHOD
}

/// Keeps what is not sent yet, where the browser lets it.
fn keep_unsent(text: &str) {
    if let Some(storage) = tab_storage() {
        let _ = match text {
            "" => storage.remove_item(UNSENT),
            text => storage.set_item(UNSENT, text),
        };
    }
}

fn unsent() -> String {
    let kept = tab_storage().and_then(|storage| storage.get_item(UNSENT).ok()?);
    kept.unwrap_or_default()
}

fn tab_storage() -> Option<Storage> {
    window().session_storage().ok()?
}

/// Whether writing will not bring up a keyboard that covers half of the page.
fn has_keyboard() -> bool {
    let fine = window().match_media("(pointer: fine)");
    fine.is_ok_and(|fine| fine.is_some_and(|fine| fine.matches()))
}

/// Moves the focus to the field, where another control goes away that had it. Where the page scrolls as a whole, the reader stays where
/// they are.
pub(crate) fn focus_composer() {
    let field = document().get_element_by_id(FIELD_ID);
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        // It has no way to fail.
        let _ = field.focus_with_options(&options);
    }
}
