//! The composer, in which the person types.

use crate::draft::Draft;
use crate::effect::effect;
use crate::notice::Notice;
use crate::shell::part;
use crate::words::{Say, say, text, words};
use agent_chat::AgentChat;
use leptos::ev::{InputEvent, KeyboardEvent, MouseEvent, SubmitEvent};
use leptos::prelude::*;
use question_card::{InputMethod, files_of, has_files};
use web_sys::Element;

const FORM: &str = "form.composer";

/// Marks a form whose message was sent before the program was there.
const HELD: &str = "data-held";

/// The composer of the frame: a field that grows with its text, which outlives a reload of its tab until it is sent. Enter sends,
/// Shift+Enter breaks the line, and the arrow up leads from the empty field to the question that waits. While a run is open, Enter lets the
/// text wait for its end, and the button stops it.
#[component]
pub fn Composer(
    /// The conversation.
    chat: AgentChat,
    /// Shows why something is not sent.
    notice: Notice,
    /// The text in it.
    draft: Draft,
) -> impl IntoView {
    let (words, written) = (words(), draft.written);
    let is_running = move || draft.is_running();
    // Sent before the program was there.
    let form: Element = part(FORM);
    let held = RwSignal::new(form.has_attribute(HELD));
    // Fails only for invalid names.
    let _ = form.remove_attribute(HELD);
    effect(move || {
        if held.get() && !chat.restoring.get() {
            held.set(false);
            untrack(|| draft.send_early());
        }
    });
    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        draft.send();
    };
    let on_input = move |event| {
        held.set(false);
        draft.set(event_target_value(&event));
    };
    let input_method = StoredValue::new_local(InputMethod::default());
    let on_key = move |event: KeyboardEvent| {
        let is_empty = || written.with_untracked(String::is_empty);
        if input_method.with_value(|method| method.takes_key(&event)) {
            return;
        }
        if event.key() == "Enter" && !event.shift_key() {
            event.prevent_default();
            // A key that is held says nothing new.
            if !event.repeat() {
                draft.send();
            }
        } else if leads_up(&event) && is_empty() && chat.focus_waiting() {
            event.prevent_default();
        }
    };
    let on_before_input = move |event: InputEvent| {
        if input_method.with_value(|method| method.confirms(&event)) {
            event.prevent_default();
            draft.send();
        }
    };
    take_files(draft, notice);
    // One button for both, so that focus stays on it. The second click of a double click on "Send" does not mean "Stop". Neither is left to
    // the form, which a frame may keep from being submitted. If the run ends at once, the button would also send again.
    let on_click = move |event: MouseEvent| {
        event.prevent_default();
        match is_running() {
            true if event.detail() < 2 => draft.stop(),
            true => {}
            false => draft.send(),
        }
    };
    // A text has its own direction, and a placeholder the page's.
    let direction = move || match written.with(String::is_empty) {
        true => words.with(|words| words.labels.dir().as_str()),
        false => "auto",
    };
    let placeholder =
        move || text(words, if draft.is_asked() { Say::AnswerPlaceholder } else { Say::MessagePlaceholder });
    let shown = move || match written.get() {
        typed if typed.is_empty() => placeholder(),
        typed => typed,
    };
    view! {
        <form class="composer" on:submit=on_submit>
            <label class="visually-hidden" for="message">{say(Say::Message)}</label>
            // The text's copy sizes the field, which not every browser does by itself.
            <div class="field" data-text=shown>
                <textarea
                    id="message"
                    name="message"
                    rows="1"
                    enterkeyhint="send"
                    dir=direction
                    placeholder=placeholder
                    on:input=on_input
                    on:keydown=on_key
                    on:keyup=move |event| input_method.with_value(|method| method.note(&event))
                    on:beforeinput=on_before_input
                ></textarea>
                <button
                    type=move || if is_running() { "button" } else { "submit" }
                    class="icon"
                    class:stop=is_running
                    aria-label=move || if is_running() { text(words, Say::Stop) } else { text(words, Say::Send) }
                    on:click=on_click
                ></button>
            </div>
        </form>
    }
}

fn leads_up(event: &KeyboardEvent) -> bool {
    let with_others = event.shift_key() || event.ctrl_key() || event.alt_key() || event.meta_key();
    event.key() == "ArrowUp" && !with_others
}

/// Takes files that are pasted or dropped anywhere but in a card. Without a place for them they are refused in words: a browser would drop a
/// pasted picture in silence, and leave the page for a file.
fn take_files(draft: Draft, notice: Notice) {
    for name in ["paste", "dragover", "drop"] {
        let listener = window_event_listener_untyped(name, move |event| {
            if has_files(&event) {
                event.prevent_default();
                draft.tray.with_value(|tray| match tray {
                    Some(tray) => tray.add(files_of(&event)),
                    None => notice.say(Say::TextOnly),
                });
            }
        });
        on_cleanup(move || listener.remove());
    }
}
