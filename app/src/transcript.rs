//! What was said so far.

use crate::chat_page::LIMITS;
use crate::markdown::Markdown;
use crate::words;
use agent_chat::{AgentChat, Ask, Entry, Item, Status};
use leptos::html::{Div, Ol};
use leptos::prelude::*;
use question_card::drafts::Persist;
use question_card::{QuestionCard, SubmitMode};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::ResizeObserver;

/// How far from the end, in CSS pixels, a reader still counts as being there.
const NEAR_THE_END: i32 = 48;

/// The conversation as a log; it follows its end only while the reader is there.
#[component]
pub fn Transcript(
    /// The conversation.
    chat: AgentChat,
) -> impl IntoView {
    let frame = NodeRef::<Div>::new();
    let list = NodeRef::<Ol>::new();
    let at_end = StoredValue::new(true);
    let on_scroll = move |_| {
        if let Some(frame) = frame.get_untracked() {
            at_end.set_value(
                frame.scroll_height() - frame.scroll_top() - frame.client_height() <= NEAR_THE_END,
            );
        }
    };
    Effect::new(move |_| {
        let (Some(frame), Some(list)) = (frame.get(), list.get()) else {
            return;
        };
        follow_end(&list, move || {
            if at_end.get_value() {
                frame.set_scroll_top(frame.scroll_height());
            }
        });
    });
    view! {
        <div class="transcript" role="log" aria-label=words::CONVERSATION tabindex="0" node_ref=frame on:scroll=on_scroll>
            <ol node_ref=list>
                <For each=move || chat.entries.get() key=|entry| entry.key.clone() let(entry)>
                    <li>
                        <EntryView chat entry />
                    </li>
                </For>
            </ol>
        </div>
    }
}

#[component]
fn EntryView(chat: AgentChat, entry: Entry) -> impl IntoView {
    match entry.item {
        Item::User(text) => view! {
            <article data-role="user" aria-label=words::YOU>
                <p dir="auto">{text}</p>
            </article>
        }
        .into_any(),
        Item::Assistant(text) => {
            // What streams in is read out when it is whole, not word by word.
            let is_new = running(chat.status.get_untracked());
            let growing = Memo::new(move |_| is_new && running(chat.status.get()));
            view! {
                <article data-role="assistant" aria-label=words::AGENT aria-busy=move || growing.get().to_string()>
                    <Markdown text growing />
                </article>
            }
            .into_any()
        }
        Item::Tool { name, done } => view! {
            <p class="tool" dir="auto">
                {name} " " {move || if done.get() { words::TOOL_DONE } else { words::TOOL_RUNNING }}
            </p>
        }
        .into_any(),
        Item::Ask(ask) => view! { <AskView chat ask /> }.into_any(),
    }
}

#[component]
fn AskView(chat: AgentChat, ask: Ask) -> impl IntoView {
    let Ask {
        tool_call_id,
        ask,
        sending,
    } = ask;
    let id = StoredValue::new(tool_call_id);
    let fresh = running(chat.status.get_untracked());
    view! {
        <QuestionCard
            ask
            sending
            mode=SubmitMode::OnPick
            limits=LIMITS
            fresh
            persist=Persist::Session
            on_reply=Callback::new(move |reply| id.with_value(|id| chat.reply(id, reply)))
            on_cancel=Callback::new(move |()| id.with_value(|id| chat.cancel(id)))
            on_late_message=Callback::new(move |text: String| chat.send(&text))
        />
    }
}

fn running(status: Status) -> bool {
    status == Status::Running
}

/// Calls `on_growth` whenever the list changes its size, until the current owner is cleaned up.
fn follow_end(list: &web_sys::Element, on_growth: impl Fn() + 'static) {
    let callback = Closure::<dyn Fn()>::new(on_growth);
    let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else {
        return;
    };
    observer.observe(list);
    let held = StoredValue::new_local((observer, callback));
    on_cleanup(move || {
        held.with_value(|(observer, _)| observer.disconnect());
    });
}
