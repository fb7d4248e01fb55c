//! The page as a whole: who one talks to, the transcript, what went wrong, the composer.

use crate::agent::Agent;
use crate::attention::call_for_attention;
use crate::cards::Cards;
use crate::composer::{Composer, focus_composer};
use crate::effect::effect;
use crate::notice::{Notice, notice_line};
use crate::settings::Settings;
use crate::settings::browser;
use crate::settings::dialog::SettingsDialog;
use crate::transcript::Transcript;
use crate::words::{say, words};
use agent_chat::{AgentChat, Connection, Status, use_agent_chat};
use leptos::prelude::*;

/// The chat page, with the agent and everything else as it is set.
#[component]
pub fn ChatPage() -> impl IntoView {
    let (settings, words) = browser::provide_settings();
    let agent = Memo::new(move |_| settings.with(Agent::set));
    let address_changed = Trigger::new();
    let here = move || {
        settings.track();
        browser::here()
    };
    view! {
        <header class="bar">
            <div>
                <h1>{move || settings.with(|settings| settings.title(words.get()).to_owned())}</h1>
                <p>{move || settings.with(|settings| settings.subtitle(words.get()))}</p>
            </div>
            <a class="icon new-button" href=here aria-label=say(|words| words.new_conversation)></a>
            <SettingsDialog />
        </header>
        {move || {
            address_changed.track();
            conversation(agent.get(), settings, address_changed)
        }}
    }
}

fn conversation(agent: Agent, settings: RwSignal<Settings>, address_changed: Trigger) -> AnyView {
    let is_own = agent.is_own();
    let chat = use_agent_chat(agent.options());
    Notice::provide(chat);
    Cards::provide();
    effect(move || {
        if chat.left.get() {
            address_changed.notify();
        }
    });
    let at_end = RwSignal::new(true);
    call_for_attention(chat.waiting, settings, words());
    view! {
        <main class="chat">
            <Transcript chat at_end />
            <Show when=move || chat.entries.with(Vec::is_empty) && !chat.restoring.get()>
                <Welcome chat />
            </Show>
            <ConnectionLine chat is_own />
            <Trouble chat />
            {notice_line()}
            <Composer chat at_end />
        </main>
    }
    .into_any()
}

#[component]
fn Welcome(chat: AgentChat) -> impl IntoView {
    let words = words();
    let settings = expect_context::<RwSignal<Settings>>();
    let suggestion = move |index: usize| {
        let text = move || settings.with(|settings| settings.suggestions(words.get())[index]);
        let send = move |_| {
            chat.send(text());
            focus_composer();
        };
        view! {
            <li>
                <button type="button" class="suggestion" on:click=send>{text}</button>
            </li>
        }
    };
    view! {
        <section class="welcome" aria-labelledby="welcome-title">
            <h2 id="welcome-title">{say(|words| words.welcome)}</h2>
            <p>{say(|words| words.welcome_hint)}</p>
            <ul>{[0, 1, 2].map(suggestion).collect_view()}</ul>
        </section>
    }
}

/// Whether the agent can be reached, where it can't.
#[component]
fn ConnectionLine(
    chat: AgentChat,
    /// Whether the agent is the page's own, to which everything is sent in the end.
    is_own: bool,
) -> impl IntoView {
    let words = words();
    let text = move || match chat.connection.get() {
        Connection::Online => "",
        Connection::Reconnecting => words.get().reconnecting,
        Connection::Offline if is_own => words.get().offline,
        Connection::Offline => words.get().offline_elsewhere,
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
    let words = words();
    let reason = move || {
        chat.status.with(|status| match status {
            Status::Failed(trouble) => Some(words.get().explain(trouble)),
            Status::Idle | Status::Running => None,
        })
    };
    let retry = move |_| {
        chat.retry();
        focus_composer();
    };
    view! {
        <div class="trouble" role="alert">
            {move || {
                reason()
                    .map(|reason| {
                        view! {
                            <p dir="auto">{reason}</p>
                            <button type="button" on:click=retry>{say(|words| words.try_again)}</button>
                        }
                    })
            }}
        </div>
    }
}
