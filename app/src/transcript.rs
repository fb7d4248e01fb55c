//! The transcript of the conversation.

mod rows;
mod scroller;

use self::rows::{Rows, running};
use self::scroller::Reader;
use crate::copying::copy_code_in;
use crate::effect::{at_cleanup, effect};
use crate::field::{focus_composer, take_focus_of};
use crate::nodes::{add, button, element, fill, goes_with_owner, hear, hear_first, set, toggle, write};
use crate::settings::Settings;
use crate::shell::place;
use crate::spoken::label;
use crate::words::{Say, text, words};
use agent_chat::{AgentChat, Entry, Item};
use leptos::prelude::*;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};

/// Shows the conversation as a log, until the current owner is cleaned up. It follows its end only while the reader is there: `at_end` is true
/// while they are, and leads them there when it is set. The settings choose how cards take an answer.
pub(crate) fn show_transcript(chat: AgentChat, settings: RwSignal<Settings>, at_end: RwSignal<bool>) {
    let (whole, news) = (RwSignal::new(true), RwSignal::new(false));
    let frame = add(&place(), "div", "transcript");
    set(&frame, "role", "log");
    label(&frame, Say::Conversation);
    goes_with_owner(&frame);
    let list = add(&frame, "ol", "");
    copy_code_in(&list);
    Rows::show_in(&list, dots(&list, chat), chat, settings, whole);
    let reader = Reader::of(frame.clone().unchecked_into(), list.unchecked_into());
    follow(Rc::new(reader), chat, at_end, news, whole);
    let scrolled = frame.clone();
    effect(move || match chat.entries.with(Vec::is_empty) {
        // It fails only for invalid names.
        true => drop(scrolled.remove_attribute("tabindex")),
        // A scrolled part must be reachable by the keyboard.
        false => set(&scrolled, "tabindex", "0"),
    });
    effect(move || {
        // A restored history is not read out.
        let is_busy = chat.restoring.get() || !whole.get();
        match is_busy {
            true => set(&frame, "aria-busy", "true"),
            // It fails only for invalid names.
            false => drop(frame.remove_attribute("aria-busy")),
        }
    });
    show_way_to_end(chat, at_end, news);
}

/// Keeps the reader at their position.
fn follow(reader: Rc<Reader>, chat: AgentChat, at_end: RwSignal<bool>, news: RwSignal<bool>, whole: RwSignal<bool>) {
    let on_scroll = {
        let reader = reader.clone();
        move || {
            let frame = reader.frame();
            toggle(frame, "data-scrolled", frame.scroll_top() > 0);
            if let Some(is_there) = reader.has_scrolled()
                && at_end.get_untracked() != is_there
            {
                at_end.set(is_there);
            }
        }
    };
    // A tap or a key can fold a card before the scroll event arrives that the way to it caused.
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
    // `resize` comes before the scroll events that the new size causes. Those would look like the reader's own.
    hear(&window(), "resize", move || {
        stays.drop_height();
        if at_end.get_untracked() {
            stays.go_to_end();
        }
    });
    let goes = reader.clone();
    let mut begins = true;
    effect(move || {
        // The first run is skipped: the first size of the list leads to its end.
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
        // New entries are news even if the list does not grow: a receipt is lower than its card.
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

/// The last item of the list while a run is open and nothing of its answer has arrived.
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

/// Shows a button that leads to the end while the reader is elsewhere.
fn show_way_to_end(chat: AgentChat, at_end: RwSignal<bool>, news: RwSignal<bool>) {
    let (words, place) = (words(), add(&place(), "div", "to-the-end"));
    goes_with_owner(&place);
    // The button is about to be hidden, so the focus moves to the composer.
    let go = button("", move || {
        at_end.set(true);
        focus_composer();
    });
    let told = add(&go, "span", "");
    effect(move || {
        let (waiting, is_news, at_end) = (chat.waiting.with(Vec::len), news.get(), at_end.get());
        match waiting {
            0 => write(&told, &text(words, if is_news { Say::News } else { Say::ToTheEnd })),
            count => write(&told, &words.with(|words| words.counted(Say::QuestionsWait, count))),
        }
        toggle(&go, "data-news", is_news || waiting > 0);
        if at_end {
            take_focus_of(".to-the-end");
        }
        fill(&place, &[&go], !at_end);
    });
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
    at_cleanup(move || {
        observer.disconnect();
        drop(callback);
    });
}
