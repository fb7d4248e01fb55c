//! The page as a whole: who one talks to, the transcript, what went wrong, the composer.

use crate::agent;
use crate::composer::{Composer, focus_composer};
use crate::transcript::Transcript;
use crate::words;
use agent_chat::{AgentChat, Connection, Limits, Status, use_agent_chat};
use leptos::prelude::*;

/// What the agent may ask at a time; the cards rely on it before the arguments are complete.
pub(crate) const LIMITS: Limits = Limits::CHAT;

/// The chat page, talking to the agent that its address names, or else to the one at its own origin.
#[component]
pub fn ChatPage() -> impl IntoView {
    let chat = use_agent_chat(agent::options(&LIMITS));
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
            <ConnectionLine chat />
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

/// Whether the agent can be reached, where it can't.
#[component]
fn ConnectionLine(chat: AgentChat) -> impl IntoView {
    let text = move || match chat.connection.get() {
        Connection::Online => "",
        Connection::Reconnecting => words::RECONNECTING,
        Connection::Offline => words::OFFLINE,
    };
    view! {
        <p class="connection" role="status">
            {text}
        </p>
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
