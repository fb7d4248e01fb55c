//! What was said so far.

mod scroller;

use self::scroller::Scroller;
use crate::cards::Cards;
use crate::composer::focus_composer;
use crate::effect::effect;
use crate::markdown::Markdown;
use crate::notice::Notice;
use crate::settings::Settings;
use crate::tool_name::tool_name;
use crate::words::{say, words};
use agent_chat::{AgentChat, Ask, Entry, EntryKey, Item, Status};
use leptos::ev;
use leptos::html::{Div, Ol};
use leptos::prelude::*;
use question_card::drafts::Persist;
use question_card::{Layout, QuestionCard};
use std::cell::Cell;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};

/// The conversation as a log; it follows its end only while the reader is there.
#[component]
pub fn Transcript(
    /// The conversation.
    chat: AgentChat,
    /// Whether the reader is at its end; set it to lead there.
    at_end: RwSignal<bool>,
) -> impl IntoView {
    let frame = NodeRef::<Div>::new();
    let list = NodeRef::<Ol>::new();
    let news = RwSignal::new(false);
    // Where the page itself has scrolled to. What is elsewhere, the reader has scrolled.
    let led_to = StoredValue::new(0);
    let go_to_end = move || {
        if let (Some(frame), Some(list)) = (frame.get_untracked(), list.get_untracked()) {
            led_to.set_value(Scroller::of(&frame).go_to_end(&list));
        }
    };
    let on_scroll = move |_| {
        let (Some(frame), Some(list)) = (frame.get_untracked(), list.get_untracked()) else {
            return;
        };
        let scroller = Scroller::of(&frame);
        if scroller.place() != led_to.get_value() {
            let is_there = scroller.is_at_end(&list);
            if at_end.get_untracked() != is_there {
                at_end.set(is_there);
            }
        }
    };
    let of_page = window_event_listener(ev::scroll, on_scroll);
    // Comes before the scroll events of what a new size has moved, which would look like the reader's own.
    let on_new_size = window_event_listener(ev::resize, move |_| {
        if at_end.get_untracked() {
            go_to_end();
        }
    });
    on_cleanup(move || {
        of_page.remove();
        on_new_size.remove();
    });
    effect(move || {
        if at_end.get() {
            news.set(false);
            go_to_end();
        }
    });
    effect(move || {
        let (Some(frame), Some(list)) = (frame.get(), list.get()) else {
            return;
        };
        let height = Cell::new(0);
        on_resize([frame.into(), list.clone().into()], move || {
            let grown = height.replace(list.client_height()) < list.client_height();
            match at_end.get_untracked() {
                true => go_to_end(),
                false if grown => news.set(true),
                false => {}
            }
        });
    });
    // Nothing has come yet of the answer.
    let writing = Memo::new(move |_| {
        let unanswered = |entries: &Vec<Entry>| match entries.last().map(|entry| &entry.item) {
            Some(Item::User(_)) => true,
            Some(Item::Ask(ask)) => ask.is_answered(),
            _ => false,
        };
        running(chat.status.get()) && chat.entries.with(unanswered)
    });
    let dots = move || [(); 3].map(|()| view! { <span></span> }).collect_view();
    view! {
        <div class="transcript" role="log" aria-label=say(|words| words.conversation) aria-busy=move || chat.restoring.get().then_some("true") tabindex="0" node_ref=frame on:scroll=on_scroll>
            <ol node_ref=list>
                <For each=move || chat.entries.get() key=|entry| entry.key.clone() let(entry)>
                    <li>
                        <EntryView chat entry />
                    </li>
                </For>
                <Show when=move || writing.get()>
                    <li class="writing" aria-hidden="true">{dots}</li>
                </Show>
            </ol>
        </div>
        <ToTheEnd at_end news />
    }
}

/// The way back to the end, for a reader who is not there.
#[component]
fn ToTheEnd(at_end: RwSignal<bool>, news: RwSignal<bool>) -> impl IntoView {
    let words = words();
    let text = move || match news.get() {
        true => words.get().news,
        false => words.get().to_the_end,
    };
    // The button goes, and its focus would be nowhere.
    let go = move |_| {
        at_end.set(true);
        focus_composer();
    };
    view! {
        <div class="to-the-end">
            <Show when=move || !at_end.get()>
                <button type="button" data-news=move || news.get().then_some("") on:click=go>
                    <span>{text}</span>
                </button>
            </Show>
        </div>
    }
}

#[component]
fn EntryView(chat: AgentChat, entry: Entry) -> impl IntoView {
    match entry.item {
        Item::User(text) => {
            let text = ReadSignal::from(text);
            // Whoever said it knows.
            view! {
                <article data-role="user" aria-live="off" aria-label=say(|words| words.you)>
                    <p dir="auto">{move || text.get()}</p>
                </article>
            }
            .into_any()
        }
        Item::Assistant(text) => {
            let growing = growing(chat, entry.key);
            view! {
                <article data-role="assistant" aria-label=say(|words| words.agent) aria-busy=move || growing.get().to_string()>
                    <Markdown text growing />
                </article>
            }
            .into_any()
        }
        Item::Tool { name, done } => tool_line(chat, &name, done),
        Item::Ask(ask) => view! { <AskView chat ask /> }.into_any(),
    }
}

/// Whether a message's text is arriving: what streams in is read out when it is whole, not word by word. Nothing that is whole is asked again.
fn growing(chat: AgentChat, key: EntryKey) -> Memo<bool> {
    let is_it =
        move |ids: &Vec<String>| ids.iter().any(|id| matches!(&key, EntryKey::Message(known, _) if known == id));
    Memo::new(move |before: Option<&bool>| before != Some(&false) && chat.arriving.with(&is_it))
}

/// What else the agent does, in a line that nobody needs to read aloud.
fn tool_line(chat: AgentChat, name: &str, done: ArcReadSignal<bool>) -> AnyView {
    let words = words();
    let done = ReadSignal::from(done);
    // Of a later run it is no part.
    let in_its_run = Memo::new(move |before: Option<&bool>| before != Some(&false) && running(chat.status.get()));
    let state = move || match (done.get(), in_its_run.get()) {
        (true, _) => "done",
        (false, true) => "running",
        (false, false) => "open",
    };
    let said = move || match state() {
        "done" => words.get().tool_done,
        "running" => words.get().tool_running,
        _ => "",
    };
    view! {
        <p class="tool" aria-live="off" data-state=state>
            <bdi>{tool_name(name)}</bdi>
            " "
            <span class="visually-hidden">{said}</span>
        </p>
    }
    .into_any()
}

/// A question, in the words and the manner that are set; where these change, its card is made anew.
#[component]
fn AskView(chat: AgentChat, ask: Ask) -> impl IntoView {
    let Ask { tool_call_id, ask, sending, picks } = ask;
    let (ask, sending) = (ReadSignal::from(ask), ReadSignal::from(sending));
    let picks = RwSignal::from(picks);
    let cards: Cards = expect_context();
    let notice: Notice = expect_context();
    let handle = cards.handle(&tool_call_id);
    let id = StoredValue::new(tool_call_id);
    let fresh = running(chat.status.get_untracked());
    let words = words();
    let settings = expect_context::<RwSignal<Settings>>();
    let mode = Memo::new(move |_| settings.with(Settings::submit_mode));
    move || {
        view! {
            <QuestionCard
                ask
                sending
                mode=mode.get()
                layout=Layout::Stepped
                handle
                scope=chat.conversation_id()
                held=Signal::derive(move || id.with_value(|id| chat.holds(id)))
                on_change=Callback::new(move |()| id.with_value(|id| { chat.take_back(id); }))
                on_next=Callback::new(move |()| { cards.lead_to_waiting(chat); })
                labels=words.get().labels
                fresh
                persist=Persist::Session
                on_reply=Callback::new(move |reply| id.with_value(|id| chat.reply(id, reply)))
                on_cancel=Callback::new(move |()| id.with_value(|id| chat.cancel(id)))
                on_picks=Callback::new(move |picked| picks.set(picked))
                on_reply_in_chat=Callback::new(move |picked: Vec<_>| {
                    focus_composer();
                    // Of a single question what is typed is the whole answer.
                    if !picked.is_empty() && ask.with_untracked(|ask| ask.questions.len() > 1) {
                        notice.say(|words| words.picks_go_along);
                    }
                })
                on_late_message=Callback::new(move |text: String| chat.send_alone(&text))
            />
        }
    }
}

fn running(status: Status) -> bool {
    status == Status::Running
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
