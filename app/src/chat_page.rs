//! The page as a whole: who one talks to, the transcript, what went wrong, the composer.

use crate::composer::{Composer, focus_composer};
use crate::transcript::Transcript;
use crate::words;
use agent_chat::{AgentChat, ChatOptions, Limits, Status, use_agent_chat};
use leptos::prelude::*;

/// What the agent may ask at a time; the cards rely on it before the arguments are complete.
pub(crate) const LIMITS: Limits = Limits::CHAT;

/// The chat page, talking to the agent behind `agent` at the page's own origin.
#[component]
pub fn ChatPage() -> impl IntoView {
    let chat = use_agent_chat(ChatOptions::new("agent").with_limits(&LIMITS));
    view! {
        <header class="bar">
            <h1>{words::TITLE}</h1>
            <p>{words::SUBTITLE}</p>
        </header>
        <main class="chat">
            <Transcript chat />
            <Show when=move || chat.entries.with(Vec::is_empty)>
                <Welcome chat />
            </Show>
            <Trouble chat />
            <Composer chat />
        </main>
    }
}

#[component]
fn Welcome(chat: AgentChat) -> impl IntoView {
    view! {
        <section class="welcome" aria-labelledby="welcome-title">
            <h2 id="welcome-title">{words::WELCOME}</h2>
            <p>{words::WELCOME_HINT}</p>
            <ul>
                {words::SUGGESTIONS
                    .map(|text| {
                        view! {
                            <li>
                                <button type="button" class="suggestion" on:click=move |_| {
                                    chat.send(text);
                                        focus_composer();
                                }>
                                    {text}
                                </button>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </section>
    }
}

/// What went wrong with the last run, and the way out of it.
#[component]
fn Trouble(chat: AgentChat) -> impl IntoView {
    let reason = move || {
        chat.status.with(|status| match status {
            Status::Failed(reason) => Some(reason.to_string()),
            Status::Idle | Status::Running => None,
        })
    };
    view! {
        <div class="trouble" role="alert">
            {move || {
                reason()
                    .map(|reason| {
                        view! {
                            <p dir="auto">{reason}</p>
                            <button type="button" on:click=move |_| {
                                chat.retry();
                                focus_composer();
                            }>
                                {words::TRY_AGAIN}
                            </button>
                        }
                    })
            }}
        </div>
    }
}
