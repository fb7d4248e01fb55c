//! The transcript of the conversation.

mod rows;
mod scroller;

use self::rows::{Rows, running};
use self::scroller::Reader;
use crate::copying::copy_code_in;
use crate::effect::effect;
use crate::field::{focus_composer, take_focus_of};
use crate::nodes::{add, element, goes_with_owner, hear, hear_first, set};
use crate::settings::Settings;
use crate::words::{Say, say, text, words};
use agent_chat::{AgentChat, Entry, Item};
use leptos::html::Div;
use leptos::prelude::*;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};

/// The conversation as a log. It follows its end only while the reader is there.
#[component]
pub fn Transcript(
    /// The conversation.
    chat: AgentChat,
    /// The settings, which choose how cards take an answer.
    settings: RwSignal<Settings>,
    /// True while the reader is at the end; set it to scroll there.
    at_end: RwSignal<bool>,
) -> impl IntoView {
    let (frame, whole, news) = (NodeRef::<Div>::new(), RwSignal::new(true), RwSignal::new(false));
    effect(move || {
        let Some(frame) = frame.get() else { return };
        let list = add(&frame, "ol", "");
        goes_with_owner(&list);
        copy_code_in(&list);
        Rows::show_in(&list, dots(&list, chat), chat, settings, whole);
        follow(Rc::new(Reader::of(frame.into(), list.unchecked_into())), chat, at_end, news, whole);
    });
    // A restored history is not read out.
    let is_busy = move || chat.restoring.get() || !whole.get();
    view! {
        <div
            class="transcript"
            role="log"
            tabindex="0"
            aria-label=say(Say::Conversation)
            aria-busy=move || is_busy().then_some("true")
            node_ref=frame
        ></div>
        <ToTheEnd chat at_end news />
    }
}

/// Keeps the reader at their position.
fn follow(reader: Rc<Reader>, chat: AgentChat, at_end: RwSignal<bool>, news: RwSignal<bool>, whole: RwSignal<bool>) {
    let on_scroll = {
        let reader = reader.clone();
        move || {
            let frame = reader.frame();
            // A valid name.
            let _ = frame.toggle_attribute_with_force("data-scrolled", frame.scroll_top() > 0);
            if let Some(is_there) = reader.has_scrolled()
                && at_end.get_untracked() != is_there
            {
                at_end.set(is_there);
            }
        }
    };
    // A tap or a key can fold a card before the scroll event of the way to it comes.
    for press in ["pointerdown", "keydown"] {
        let (reader, on_scroll) = (reader.clone(), on_scroll.clone());
        hear_first(&reader.list().clone(), press, move || {
            on_scroll();
            reader.is_here();
        });
    }
    hear(reader.frame(), "scroll", on_scroll.clone());
    hear(&window(), "scroll", on_scroll);
    let stays = reader.clone();
    // Comes before the scroll events of what a new size has moved, which would look like the reader's own.
    hear(&window(), "resize", move || {
        stays.drop_height();
        if at_end.get_untracked() {
            stays.go_to_end();
        }
    });
    let goes = reader.clone();
    let mut begins = true;
    effect(move || {
        // At the start of the list, its first size leads to its end.
        if at_end.get() && !std::mem::take(&mut begins) {
            news.set(false);
            goes.go_to_end();
        }
    });
    let (count, anew) = (Cell::new(0), reader.clone());
    effect(move || {
        let entries = chat.entries.with(Vec::len);
        if entries < count.get() {
            anew.drop_height();
        }
        // The list may be lower with them: a receipt is lower than its card.
        if count.replace(entries) < entries && !at_end.get_untracked() {
            news.set(true);
        }
    });
    let height = Cell::new(0);
    on_resize([reader.frame().clone(), reader.list().clone()], move || {
        let grown = height.replace(reader.list().client_height()) < reader.list().client_height();
        match at_end.get_untracked() {
            true => reader.go_to_end(),
            false if grown && whole.get_untracked() => news.set(true),
            false => {}
        }
    });
}

/// The last item of the list while nothing has come yet of the answer.
fn dots(list: &Element, chat: AgentChat) -> Element {
    let dots = element("li", "writing");
    set(&dots, "aria-hidden", "true");
    for _ in 0..3 {
        add(&dots, "span", "");
    }
    let (list, writing) = (list.clone(), dots.clone());
    effect(move || {
        let unanswered = |entries: &Vec<Entry>| match entries.last().map(|entry| &entry.item) {
            Some(Item::User(_)) => true,
            Some(Item::Ask(ask)) => ask.is_answered(),
            _ => false,
        };
        let is_there = writing.parent_node().is_some();
        match running(chat) && chat.entries.with(unanswered) {
            // It can be a child.
            true if !is_there => drop(list.append_child(&writing)),
            false if is_there => writing.remove(),
            true | false => {}
        }
    });
    dots
}

/// The way back to the end, for a reader who is not there.
#[component]
fn ToTheEnd(chat: AgentChat, at_end: RwSignal<bool>, news: RwSignal<bool>) -> impl IntoView {
    let words = words();
    // The button goes, and its focus would be nowhere.
    let go = move |_| {
        at_end.set(true);
        focus_composer();
    };
    let waiting = move || chat.waiting.with(Vec::len);
    let text = move || match waiting() {
        0 if news.get() => text(words, Say::News),
        0 => text(words, Say::ToTheEnd),
        count => words.with(|words| words.counted(Say::QuestionsWait, count)),
    };
    let button = move || {
        view! {
            <button type="button" data-news=move || (news.get() || waiting() > 0).then_some("") on:click=go>
                // A browser that translates the page takes text nodes out of it.
                <span prop:textContent=text></span>
            </button>
        }
    };
    let shown = move || {
        take_focus_of(".to-the-end");
        (!at_end.get()).then(button)
    };
    view! { <div class="to-the-end">{shown}</div> }
}

/// Calls `act` whenever one of these changes its size, until the current owner is cleaned up.
fn on_resize(elements: [Element; 2], act: impl Fn() + 'static) {
    let callback = Closure::<dyn Fn()>::new(act);
    let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else {
        return;
    };
    for element in &elements {
        observer.observe(element);
    }
    let held = StoredValue::new_local((observer, callback));
    on_cleanup(move || {
        held.with_value(|(observer, _)| observer.disconnect());
    });
}
