//! What was said so far.

mod rows;
mod scroller;

use self::rows::Rows;
use self::scroller::Reader;
use crate::cards::Cards;
use crate::composer::focus_composer;
use crate::effect::effect;
use crate::nodes::{add, element, flag, goes_with_owner, hear, is_called, keep, set, write};
use crate::notice::Notice;
use crate::settings::Settings;
use crate::shell::place;
use crate::words::words;
use agent_chat::{AgentChat, Entry, Item, Status};
use leptos::ev::{Event, MouseEvent};
use leptos::prelude::*;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};

/// Shows the conversation as a log. It follows its end only while the reader is there, which is what `at_end` says; set it to lead there.
pub(crate) fn transcript(
    chat: AgentChat,
    settings: RwSignal<Settings>,
    notice: Notice,
    cards: Cards,
    at_end: RwSignal<bool>,
) {
    let frame = add(&place(), "div", "transcript");
    goes_with_owner(&frame);
    set(&frame, "role", "log");
    set(&frame, "tabindex", "0");
    is_called(&frame, |words| words.conversation);
    let list = add(&frame, "ol", "");
    let news = RwSignal::new(false);
    let dots = dots(&list, chat);
    let whole = Rows::show_in(&list, dots, chat, settings, notice, cards);
    // What comes back of a history is not read out.
    keep(&frame, move |frame| match chat.restoring.get() || !whole.get() {
        true => set(frame, "aria-busy", "true"),
        // Fails only for names that are none.
        false => drop(frame.remove_attribute("aria-busy")),
    });
    follow(Rc::new(Reader::of(frame.unchecked_into(), list.unchecked_into())), chat, at_end, news, whole);
    to_the_end(at_end, news);
}

/// Keeps the reader where they want to be.
fn follow(reader: Rc<Reader>, chat: AgentChat, at_end: RwSignal<bool>, news: RwSignal<bool>, whole: ReadSignal<bool>) {
    let on_scroll = {
        let reader = reader.clone();
        move |_: Event| {
            if let Some(is_there) = reader.has_scrolled()
                && at_end.get_untracked() != is_there
            {
                at_end.set(is_there);
            }
        }
    };
    hear(reader.frame(), "scroll", on_scroll.clone());
    hear(&window(), "scroll", on_scroll);
    let stays = reader.clone();
    // Comes before the scroll events of what a new size has moved, which would look like the reader's own.
    hear(&window(), "resize", move |_: Event| {
        if at_end.get_untracked() {
            stays.go_to_end();
        }
    });
    let goes = reader.clone();
    let mut begins = true;
    effect(move || {
        // Where the list begins, its first size leads to its end.
        if at_end.get() && !std::mem::take(&mut begins) {
            news.set(false);
            goes.go_to_end();
        }
    });
    let count = Cell::new(0);
    effect(move || {
        let entries = chat.entries.with(Vec::len);
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
            // Nothing keeps it from being a child.
            true if !is_there => drop(list.append_child(&writing)),
            false if is_there => writing.remove(),
            true | false => {}
        }
    });
    dots
}

/// The way back to the end, for a reader who is not there.
fn to_the_end(at_end: RwSignal<bool>, news: RwSignal<bool>) {
    let words = words();
    let around = add(&place(), "div", "to-the-end");
    goes_with_owner(&around);
    let button = element("button", "");
    set(&button, "type", "button");
    // The button goes, and its focus would be nowhere.
    hear(&button, "click", move |_: MouseEvent| {
        at_end.set(true);
        focus_composer();
    });
    let text = add(&button, "span", "");
    keep(&around, move |around| {
        if at_end.get() {
            return button.remove();
        }
        flag(&button, "data-news", news.get());
        write(&text, if news.get() { words.get().news } else { words.get().to_the_end });
        if button.parent_node().is_none() {
            // Nothing keeps it from being a child.
            let _ = around.append_child(&button);
        }
    });
}

fn running(chat: AgentChat) -> bool {
    chat.status.with(|status| *status == Status::Running)
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
