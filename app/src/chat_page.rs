//! The page as a whole: bar, transcript, error, composer.

use crate::agent::Agent;
use crate::attention::call_for_attention;
use crate::bar::Bar;
use crate::composer::Composer;
use crate::conversations::list_conversations;
use crate::copying::name_buttons;
use crate::draft::{Draft, hear_keys};
use crate::effect::{effect, in_next_task};
use crate::field::{focus_composer, take_focus_of};
use crate::nodes::{add, goes_with_owner, set, write};
use crate::notice::Notice;
use crate::settings::{Settings, browser, dialog::SettingsDialog, headers::stored_headers};
use crate::shell::{adopt, has_adopted, place, show};
use crate::transcript::Transcript;
use crate::words::{Say, say, text, words};
use agent_chat::{AgentChat, Connection, Status, use_agent_chat};
use leptos::prelude::*;

/// The chat page, with the agent and everything else as it is set. It is mounted in the frame's [place](crate::shell::place), and takes
/// over the bar, the welcome and the composer that `index.html` has drawn around that.
#[component]
pub fn ChatPage() -> impl IntoView {
    let (settings, _) = browser::provide_settings();
    let agent = Memo::new(move |_| settings.with(|settings| Agent::set(settings, stored_headers)));
    let address_changed = Trigger::new();
    let dialog = SettingsDialog::new(settings, agent);
    adopt(".bar", view! { <Bar settings dialog /> });
    effect(move || {
        address_changed.track();
        converse(agent.get(), settings, address_changed);
    });
}

/// Shows a conversation with an agent until the current owner is cleaned up. `address_changed` is notified when the page's address names
/// another conversation.
fn converse(agent: Agent, settings: RwSignal<Settings>, address_changed: Trigger) {
    let address = agent.address.clone();
    let chat = use_agent_chat(agent.options());
    let (notice, at_end) = (Notice::of(chat), RwSignal::new(true));
    effect(move || {
        if chat.address_changed.get() {
            address_changed.notify();
        }
    });
    let words = words();
    effect(move || {
        words.track();
        chat.explain_again();
    });
    call_for_attention(chat.waiting, settings, words);
    list_conversations(chat, address);
    adopt(".welcome", view! { <Welcome chat settings /> });
    let draft = Draft::of(chat, notice, at_end);
    adopt(".composer", view! { <Composer chat notice draft /> });
    has_adopted(".composer");
    hear_keys(draft);
    // The lines are always there, so that a text is announced when it comes.
    in_next_task(move || {
        show(view! { <Transcript chat settings at_end /> });
        say_in("connection", connection(chat));
        show(view! { <Trouble chat /> });
        say_in("connection notice", notice.text());
        name_buttons();
        draft.show();
        draft.take_files(settings);
    });
}

/// Says something in a line of this class, until the current owner is cleaned up. A browser that translates the page takes texts out of the
/// line, which is written whole.
fn say_in(class: &str, text: impl Fn() -> String + 'static) {
    let line = add(&place(), "p", class);
    set(&line, "role", "status");
    goes_with_owner(&line);
    effect(move || write(&line, &text()));
}

/// The welcome of the frame, which a newcomer sees until something is said.
#[component]
fn Welcome(chat: AgentChat, settings: RwSignal<Settings>) -> impl IntoView {
    let words = words();
    let is_new = move || chat.entries.with(Vec::is_empty) && !chat.restoring.get();
    let suggestion = |index: usize| {
        let suggested = move || text(words, settings.with(|settings| settings.suggestions()[index]));
        let send = move |_| {
            chat.send(&untrack(suggested));
            focus_composer();
        };
        view! { <li><button type="button" class="suggestion" on:click=send>{suggested}</button></li> }
    };
    view! {
        <section class="welcome" aria-labelledby="welcome-title" prop:hidden=move || !is_new()>
            <h2 id="welcome-title">{say(Say::Welcome)}</h2>
            <p>{say(Say::WelcomeHint)}</p>
            <ul>{[0, 1, 2].map(suggestion)}</ul>
        </section>
    }
}

/// The message that the agent can't be reached, or no text. All messages without a network are sent in the end.
fn connection(chat: AgentChat) -> impl Fn() -> String {
    let words = words();
    move || match chat.connection.get() {
        Connection::Online if chat.silent.get() => text(words, Say::Silent),
        Connection::Online => String::new(),
        Connection::Reconnecting => text(words, Say::Reconnecting),
        Connection::Offline => text(words, Say::Offline),
    }
}

/// A hint for developers who run `trunk serve` without a server.
const START_SERVER: &str = " In this folder, `cargo run -p question-server` starts one.";

/// The error of the last run, with a button to try again.
#[component]
fn Trouble(chat: AgentChat) -> impl IntoView {
    let words = words();
    let reason = move || {
        let is_offline = chat.connection.get() == Connection::Offline;
        chat.status.with(|status| match status {
            // One sentence is enough, and the connection's is the right one.
            Status::Failed(agent_chat::Trouble::Unreachable | agent_chat::Trouble::Elsewhere { .. }) if is_offline => {
                None
            }
            // Trunk's answer if no server is behind it.
            Status::Failed(agent_chat::Trouble::Refused { status: 500, message: None }) if cfg!(debug_assertions) => {
                Some(words.get().explain(&agent_chat::Trouble::Unreachable) + START_SERVER)
            }
            Status::Failed(trouble) => Some(words.get().explain(trouble)),
            Status::Idle | Status::Running => None,
        })
    };
    let retry = move |_| {
        chat.retry();
        focus_composer();
    };
    // A browser that translates the page takes text nodes out of it.
    let told = move |reason: String| {
        view! {
            <p dir="auto" prop:textContent=reason></p>
            <button type="button" on:click=retry prop:textContent=say(Say::TryAgain)></button>
        }
    };
    let shown = move || {
        take_focus_of(".trouble");
        reason().map(told)
    };
    view! { <div class="trouble" role="alert">{shown}</div> }
}
