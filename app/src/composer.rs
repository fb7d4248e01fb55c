//! Where the person types.

use crate::cards::Cards;
use crate::effect::effect;
use crate::nodes::{hear, keep, says, set};
use crate::notice::Notice;
use crate::shell::part;
use crate::words::words;
use agent_chat::{AgentChat, Status};
use leptos::ev::{Event, KeyboardEvent, MouseEvent, SubmitEvent};
use leptos::prelude::*;
use web_sys::{Element, FocusOptions, HtmlTextAreaElement, Storage};

const FORM: &str = "form.composer";
const FIELD: &str = ".composer textarea";
const BUTTON: &str = ".composer button";

/// Marks a form whose message was sent before the program was there.
const HELD: &str = "data-held";

/// Under this name the tab's storage keeps what is not sent yet.
const UNSENT: &str = "chat-page unsent";

/// The key code that browsers report for a key that an input method has taken.
const KEY_TAKEN_BY_INPUT_METHOD: u32 = 229;

/// Gives the frame's composer to a conversation: a field that grows with its text, which outlives a reload of its tab until it is sent.
/// Enter sends, Shift+Enter breaks the line, and the arrow up leads from the empty field to the question that waits. While a run is open,
/// the button stops it. `at_end` scrolls to the end of the transcript, as sending does.
pub(crate) fn composer(chat: AgentChat, notice: Notice, cards: Cards, at_end: RwSignal<bool>) {
    let words = words();
    let written = RwSignal::new(field().value());
    let is_running = move || chat.status.with_untracked(|status| *status == Status::Running);
    let send = move || {
        let field = field();
        let text = field.value();
        if text.trim().is_empty() {
            return;
        }
        if is_running() {
            return notice.say(|words| words.still_writing);
        }
        if chat.send_with(&text, &cards.picks(chat)) {
            field.set_value("");
            written.set(String::new());
            keep_unsent("");
            at_end.set(true);
        } else if !matches!(chat.status.get_untracked(), Status::Failed(_)) {
            notice.say(|words| words.not_yet);
        }
    };
    let (form, button): (Element, Element) = (part(FORM), part(BUTTON));
    // Sent before the program was there.
    let held = RwSignal::new(form.has_attribute(HELD));
    effect(move || {
        if held.get() && !chat.restoring.get() {
            held.set(false);
            untrack(send);
        }
    });
    // Fails only for names that are none.
    let _ = form.remove_attribute(HELD);
    hear(&form, "submit", move |event: SubmitEvent| {
        event.prevent_default();
        send();
    });
    hear(&field(), "input", move |_: Event| {
        let text = field().value();
        keep_unsent(&text);
        written.set(text);
        held.set(false);
        notice.end();
    });
    hear(&field(), "keydown", move |event: KeyboardEvent| {
        let is_empty = || written.with_untracked(String::is_empty);
        if sends(&event) {
            event.prevent_default();
            send();
        } else if leads_up(&event) && is_empty() && cards.lead_to_waiting(chat) {
            event.prevent_default();
        }
    });
    // One button for both, so that focus stays on it. The second click of a double click on "Send" is no wish to stop.
    hear(&button, "click", move |event: MouseEvent| {
        if is_running() {
            // Where the run ends at once, the button sends again before the browser asks what it does.
            event.prevent_default();
            if event.detail() < 2 {
                chat.stop();
            }
        }
    });
    // A key that is held presses again and again: what was sent would be stopped.
    hear(&button, "keydown", move |event: KeyboardEvent| {
        if event.repeat() && event.key() == "Enter" {
            event.prevent_default();
        }
    });
    // Sizes the field, which not every browser does by itself.
    keep(&part(".field"), move |around| written.with(|text| set(around, "data-text", text)));
    // A text has its own direction, and a placeholder the page's.
    keep(&field(), move |field| {
        let direction = match written.with(String::is_empty) {
            true => words.get().labels.dir.as_str(),
            false => "auto",
        };
        set(field, "dir", direction);
    });
    keep(&field(), move |field| set(field, "placeholder", words.get().message_placeholder));
    says(&part(".composer label"), |words| words.message);
    keep(&button, move |button| {
        chat.status.track();
        let (kind, class, name) = match is_running() {
            true => ("button", "icon stop", words.get().stop),
            false => ("submit", "icon", words.get().send),
        };
        set(button, "type", kind);
        set(button, "class", class);
        set(button, "aria-label", name);
    });
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

fn tab_storage() -> Option<Storage> {
    window().session_storage().ok()?
}

/// Moves the focus to the field, where another control goes away that had it. Where the page scrolls as a whole, the reader stays where
/// they are.
pub(crate) fn focus_composer() {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    // It has no way to fail.
    let _ = field().focus_with_options(&options);
}

fn field() -> HtmlTextAreaElement {
    part(FIELD)
}
