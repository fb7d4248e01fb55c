//! The composer, in which the person types.

use crate::cards::Cards;
use crate::effect::effect;
use crate::notice::Notice;
use crate::shell::part;
use crate::words::{Say, say, text, words};
use agent_chat::{AgentChat, Status};
use leptos::ev::{InputEvent, KeyboardEvent, MouseEvent, SubmitEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventInit, FocusOptions, HtmlTextAreaElement, NodeList};

const FORM: &str = "form.composer";
const FIELD: &str = ".composer textarea";

/// Marks a form whose message was sent before the program was there.
const HELD: &str = "data-held";

/// The key of the unsent text in the tab's storage.
const UNSENT: &str = "chat-page unsent";

/// The key code that browsers report for a key that an input method has taken.
const KEY_TAKEN_BY_INPUT_METHOD: u32 = 229;
const KEY_ENTER: u32 = 13;

/// The composer of the frame: a field that grows with its text, which outlives a reload of its tab until it is sent. Enter sends,
/// Shift+Enter breaks the line, and the arrow up leads from the empty field to the question that waits. While a run is open, the button
/// stops it.
#[component]
pub fn Composer(
    /// The conversation.
    chat: AgentChat,
    /// Shows why a message is not sent.
    notice: Notice,
    /// The cards above it, with what is picked on them.
    cards: Cards,
    /// Scrolls to the end of the transcript, as sending does.
    at_end: RwSignal<bool>,
) -> impl IntoView {
    let words = words();
    let written = RwSignal::new(field().value());
    let is_running = move || chat.status.with(|status| *status == Status::Running);
    // A line that was started before a question came answers it only at a second try.
    let asked = RwSignal::new(0);
    let is_older = RwSignal::new(false);
    effect(move || {
        let waiting = chat.waiting.with(Vec::len);
        if asked.get_untracked() < waiting && !chat.restoring.get_untracked() {
            is_older.set(!field().value().trim().is_empty());
        }
        asked.set(waiting);
    });
    let send = move || {
        let field = field();
        let text = field.value();
        if text.trim().is_empty() {
            return;
        }
        if is_running() {
            return notice.say(Say::StillWriting);
        }
        if is_older.get_untracked() {
            is_older.set(false);
            return notice.say(Say::QuestionCame);
        }
        if chat.send_with(&text, &cards.picks(chat)) {
            field.set_value("");
            written.set(String::new());
            keep_unsent("");
            at_end.set(true);
        } else if !matches!(chat.status.get_untracked(), Status::Failed(_)) {
            notice.say(Say::NotYet);
        }
    };
    // Sent before the program was there.
    let form: Element = part(FORM);
    let held = RwSignal::new(form.has_attribute(HELD));
    // Fails only for invalid names.
    let _ = form.remove_attribute(HELD);
    effect(move || {
        if held.get() && !chat.restoring.get() {
            held.set(false);
            untrack(send);
        }
    });
    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        send();
    };
    let on_input = move |event| {
        let text = event_target_value(&event);
        keep_unsent(&text);
        if text.is_empty() {
            is_older.set(false);
        }
        written.set(text);
        held.set(false);
        notice.end();
    };
    // Some input methods let the Enter that ends their word break the line as well, within one press.
    let composed_enter = StoredValue::new(false);
    let on_key = move |event: KeyboardEvent| {
        let is_empty = || written.with_untracked(String::is_empty);
        composed_enter.set_value(event.key() == "Enter" && !event.shift_key() && is_composing(&event));
        if sends(&event) {
            event.prevent_default();
            send();
        } else if leads_up(&event) && is_empty() && cards.lead_to_waiting(chat) {
            event.prevent_default();
        }
    };
    let on_before_input = move |event: InputEvent| {
        let breaks = ["insertLineBreak", "insertParagraph"].contains(&event.input_type().as_str());
        if breaks && composed_enter.get_value() && !event.is_composing() {
            event.prevent_default();
            send();
        }
        composed_enter.set_value(false);
    };
    // One button for both, so that focus stays on it. The second click of a double click on "Send" does not mean "Stop". Neither is left to
    // the form, which a frame may keep from being submitted. If the run ends at once, the button would also send again.
    let on_click = move |event: MouseEvent| {
        event.prevent_default();
        match is_running() {
            true if event.detail() < 2 => chat.stop(),
            true => {}
            false => send(),
        }
    };
    // A held key presses repeatedly: that would stop the message just sent.
    let on_button_key = move |event: KeyboardEvent| {
        if event.repeat() && event.key() == "Enter" {
            event.prevent_default();
        }
    };
    // A text has its own direction, and a placeholder the page's.
    let direction = move || match written.with(String::is_empty) {
        true => words.with(|words| words.labels.dir().as_str()),
        false => "auto",
    };
    let shown = move || match written.get() {
        typed if typed.is_empty() => text(words, Say::MessagePlaceholder),
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
                    placeholder=say(Say::MessagePlaceholder)
                    on:input=on_input
                    on:keydown=on_key
                    on:beforeinput=on_before_input
                ></textarea>
                <button
                    type=move || if is_running() { "button" } else { "submit" }
                    class="icon"
                    class:stop=is_running
                    aria-label=move || if is_running() { text(words, Say::Stop) } else { text(words, Say::Send) }
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

/// Returns true if the key belongs to an input method. A screen keyboard composes all text, but its Enter is a plain one.
fn is_composing(event: &KeyboardEvent) -> bool {
    let is_coarse =
        || window().match_media("(pointer: coarse)").is_ok_and(|query| query.is_some_and(|query| query.matches()));
    match event.key_code() {
        KEY_TAKEN_BY_INPUT_METHOD => true,
        KEY_ENTER => event.is_composing() && !is_coarse(),
        _ => event.is_composing(),
    }
}

/// Stores the unsent text, if the browser allows it.
fn keep_unsent(text: &str) {
    if let Ok(Some(storage)) = window().session_storage() {
        let _ = match text {
            "" => storage.remove_item(UNSENT),
            text => storage.set_item(UNSENT, text),
        };
    }
}

/// Moves the focus to the field, after the control that had it went away. If the page scrolls as a whole, the reader's position stays.
pub(crate) fn focus_composer() {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    // Focusing can't fail.
    let _ = field().focus_with_options(&options);
}

/// Moves the focus to the field if it is in this part of the page, whose controls are about to go.
pub(crate) fn take_focus_of(part: &str) {
    let active = document().active_element();
    if active.is_some_and(|active| active.closest(part).is_ok_and(|part| part.is_some())) {
        focus_composer();
    }
}

/// Takes over text that was typed into an item of the transcript that is about to go, below what is being written.
pub(crate) fn keep_typed(item: &Element) {
    let (field, fields) = (field(), item.query_selector_all("textarea"));
    let mut texts = vec![field.value()];
    for at in 0..fields.as_ref().map_or(0, NodeList::length) {
        let typed = fields.as_ref().ok().and_then(|fields| fields.item(at));
        texts.extend(typed.map(|typed| typed.unchecked_into::<HtmlTextAreaElement>().value()));
    }
    texts.retain(|text| !text.trim().is_empty());
    let text = texts.join("\n");
    if text != field.value() {
        field.set_value(&text);
        let init = EventInit::new();
        init.set_bubbles(true);
        // Dispatching can't fail.
        let _ = Event::new_with_event_init_dict("input", &init).map(|event| field.dispatch_event(&event));
    }
}

fn field() -> HtmlTextAreaElement {
    part(FIELD)
}
