//! The page as a whole: who one talks to, the transcript, what went wrong, the composer.

use crate::agent::Agent;
use crate::attention::call_for_attention;
use crate::cards::Cards;
use crate::composer::{composer, focus_composer};
use crate::effect::effect;
use crate::notice::{Notice, notice_line};
use crate::settings::Settings;
use crate::settings::browser;
use crate::settings::dialog::SettingsDialog;
use crate::shell::{hear, is_called, keep, part, says, set};
use crate::transcript::Transcript;
use crate::words::{say, words};
use agent_chat::{AgentChat, Connection, Status, kept_headers, use_agent_chat};
use leptos::ev::MouseEvent;
use leptos::prelude::*;

/// The chat page, with the agent and everything else as it is set, in the frame that `index.html` has drawn.
#[component]
pub fn ChatPage() -> impl IntoView {
    let (settings, words) = browser::provide_settings();
    let agent = Memo::new(move |_| settings.with(|settings| Agent::set(settings, kept_headers)));
    let address_changed = Trigger::new();
    keep(".bar h1", move |title| settings.with(|settings| title.set_text_content(Some(settings.title(words.get())))));
    keep(".bar p", move |subtitle| {
        settings.with(|settings| subtitle.set_text_content(Some(settings.subtitle(words.get()))));
    });
    is_called(".new-button", |words| words.new_conversation);
    keep(".new-button", move |link| {
        settings.track();
        set(link, "href", &browser::here());
    });
    view! {
        {move || {
            address_changed.track();
            conversation(agent.get(), settings, address_changed)
        }}
        <SettingsDialog />
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
    welcome(chat, settings);
    composer(chat, at_end);
    view! {
        <Transcript chat at_end />
        <ConnectionLine chat is_own />
        <Trouble chat />
        {notice_line()}
    }
    .into_any()
}

/// What a newcomer sees, until something is said.
fn welcome(chat: AgentChat, settings: RwSignal<Settings>) {
    let words = words();
    keep(".welcome", move |welcome| {
        let is_new = chat.entries.with(Vec::is_empty) && !chat.restoring.get();
        // Fails only for names that are none.
        let _ = welcome.toggle_attribute_with_force("hidden", !is_new);
    });
    says(".welcome h2", |words| words.welcome);
    says(".welcome p", |words| words.welcome_hint);
    for index in 0..3 {
        let text = move || settings.with(|settings| settings.suggestions(words.get())[index]);
        let suggestion = format!(".welcome li:nth-child({}) button", index + 1);
        keep(&suggestion, move |button| button.set_text_content(Some(text())));
        hear(&part(&suggestion), "click", move |_: MouseEvent| {
            chat.send(untrack(text));
            focus_composer();
        });
    }
}

/// Whether the agent can be reached, where it can't, or says nothing.
#[component]
fn ConnectionLine(
    chat: AgentChat,
    /// Whether the agent is the page's own, to which everything is sent in the end.
    is_own: bool,
) -> impl IntoView {
    let words = words();
    let text = move || match chat.connection.get() {
        Connection::Online if chat.silent.get() => words.get().silent,
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
