//! The composer, in which the person types.

use crate::draft::Draft;
use crate::effect::effect;
use crate::field::field;
use crate::nodes::{hear_event, set};
use crate::notice::Notice;
use crate::shell::part;
use crate::spoken::label;
use crate::words::{Say, text, words};
use agent_chat::AgentChat;
use leptos::prelude::*;
use question_card::{InputMethod, files_of, has_files};
use std::rc::Rc;
use web_sys::{Element, Event, InputEvent, KeyboardEvent, MouseEvent};

/// Marks a form whose message was sent before the program was there.
const HELD: &str = "data-held";

/// Brings the composer of the frame to life until the current owner is cleaned up: a field that grows with its text, which outlives a reload of
/// its tab until it is sent. Enter sends, Shift+Enter breaks the line, and the arrow up leads from the empty field to the question that waits.
/// While a run is open, Enter lets the text wait for its end, and the button stops it.
pub(crate) fn compose(chat: AgentChat, notice: Notice, draft: Draft) {
    let (words, written) = (words(), draft.written);
    let [form, frame, button]: [Element; 3] = ["form.composer", ".composer .field", ".composer .icon"].map(part);
    let held = RwSignal::new(form.has_attribute(HELD));
    // Fails only for invalid names.
    let _ = form.remove_attribute(HELD);
    effect(move || {
        if held.get() && !chat.restoring.get() {
            held.set(false);
            untrack(|| draft.send_early());
        }
    });
    hear_event(&form, "submit", move |event: Event| {
        event.prevent_default();
        draft.send();
    });
    hear_event(&field(), "input", move |_: Event| {
        held.set(false);
        draft.set(field().value());
    });
    let input_method = Rc::new(InputMethod::default());
    let (of_keyup, of_input) = (Rc::clone(&input_method), Rc::clone(&input_method));
    hear_event(&field(), "keydown", move |event: KeyboardEvent| {
        let is_empty = || written.with_untracked(String::is_empty);
        if input_method.takes_key(&event) {
            return;
        }
        if event.key() == "Enter" && !event.shift_key() {
            event.prevent_default();
            // A key that is held down repeats its event, but the text is sent only once.
            if !event.repeat() {
                draft.send();
            }
        } else if leads_up(&event) && is_empty() && chat.focus_waiting() {
            event.prevent_default();
        }
    });
    hear_event(&field(), "keyup", move |event: KeyboardEvent| of_keyup.note(&event));
    hear_event(&field(), "beforeinput", move |event: InputEvent| {
        if of_input.confirms(&event) {
            event.prevent_default();
            draft.send();
        }
    });
    take_files(draft, notice);
    // One button sends and stops, so that focus stays on it. The second click of a double click on "Send" must not stop. The default action is
    // prevented because a frame may forbid the submission of forms, and because the button would also send if stopping ended the run at once.
    hear_event(&button, "click", move |event: MouseEvent| {
        event.prevent_default();
        match untrack(|| draft.is_running()) {
            true if event.detail() < 2 => draft.stop(),
            true => {}
            false => draft.send(),
        }
    });
    effect(move || {
        let (kind, class, word) = match draft.is_running() {
            true => ("button", "icon stop", Say::Stop),
            false => ("submit", "icon", Say::Send),
        };
        set(&button, "type", kind);
        set(&button, "class", class);
        label(&button, word);
    });
    effect(move || {
        let placeholder = text(words, if draft.is_asked() { Say::AnswerPlaceholder } else { Say::MessagePlaceholder });
        set(&field(), "placeholder", &placeholder);
        // A text has its own direction, and a placeholder the page's. The text's copy sizes the field, which not every browser does by itself.
        let (direction, shown) = match written.get() {
            typed if typed.is_empty() => (words.with(|words| words.labels.dir().as_str()), placeholder),
            typed => ("auto", typed),
        };
        set(&field(), "dir", direction);
        set(&frame, "data-text", &shown);
    });
}

fn leads_up(event: &KeyboardEvent) -> bool {
    let with_others = event.shift_key() || event.ctrl_key() || event.alt_key() || event.meta_key();
    event.key() == "ArrowUp" && !with_others
}

/// Takes files that are pasted or dropped anywhere but in a card. If the agent takes no files, a notice says so: a browser would ignore a pasted
/// picture silently, and navigate to a dropped file.
fn take_files(draft: Draft, notice: Notice) {
    for name in ["paste", "dragover", "drop"] {
        hear_event(&window(), name, move |event: Event| {
            if has_files(&event) {
                event.prevent_default();
                draft.tray.with_value(|tray| match tray {
                    Some(tray) => tray.add(files_of(&event)),
                    None => notice.say(Say::TextOnly),
                });
            }
        });
    }
}
