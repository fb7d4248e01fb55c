//! The page as a whole: bar, transcript, error, composer.

use crate::agent::Agent;
use crate::attention::call_for_attention;
use crate::composer::compose;
use crate::conversations::list_conversations;
use crate::draft::{Draft, hear_keys};
use crate::effect::{effect, in_next_task};
use crate::field::{focus_composer, take_focus_of};
use crate::nodes::{add, button, element, fill, goes_with_owner, hear, set, shows, write};
use crate::notice::Notice;
use crate::settings::{Settings, browser, dialog::hear_settings, headers::stored_headers};
use crate::shell::{has_adopted, part, parts, place};
use crate::spoken::{say, say_if};
use crate::transcript::show_transcript;
use crate::words::{Say, text, words};
use agent_chat::{AgentChat, Connection, Status, Trouble, use_agent_chat};
use leptos::prelude::*;
use web_sys::Element;

/// The chat page, with the agent and everything else as it is set. It takes over the frame that `index.html` has drawn.
#[component]
pub fn ChatPage() -> impl IntoView {
    let (settings, _) = browser::provide_settings();
    let agent = Memo::new(move |_| settings.with(|settings| Agent::set(settings, stored_headers)));
    let address_changed = Trigger::new();
    show_bar(settings);
    hear_settings(settings, agent);
    effect(move || {
        address_changed.track();
        converse(agent.get(), settings, address_changed);
    });
}

/// Keeps the bar up to date: the agent's name, and the address of a new conversation.
fn show_bar(settings: RwSignal<Settings>) {
    let words = words();
    let [title, subtitle, new]: [Element; 3] = ["h1 button", ".bar p", ".new-button"].map(part);
    effect(move || {
        settings.with(|settings| {
            words.with(|words| {
                write(&title, settings.title(words));
                write(&subtitle, settings.subtitle(words));
            });
        });
        set(&new, "href", &browser::here());
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
    welcome(chat, settings);
    let draft = Draft::of(chat, notice, at_end);
    compose(chat, notice, draft);
    has_adopted(".composer");
    hear_keys(draft);
    // The status lines are always in the page, because only a change in an existing one is announced.
    in_next_task(move || {
        show_transcript(chat, settings, at_end);
        say_in("connection", move || connection(chat));
        show_trouble(chat);
        say_in("connection notice", move || notice.word());
        draft.show();
        draft.take_files(settings);
    });
}

/// Says a word in a line of this class, until the current owner is cleaned up.
fn say_in(class: &str, word: impl Fn() -> Option<Say> + 'static) {
    let line = add(&place(), "p", class);
    set(&line, "role", "status");
    goes_with_owner(&line);
    effect(move || say_if(&line, word()));
}

/// The welcome of the frame, which a newcomer sees until something is said.
fn welcome(chat: AgentChat, settings: RwSignal<Settings>) {
    let (words, welcome) = (words(), part(".welcome"));
    effect(move || shows(&welcome, chat.entries.with(Vec::is_empty) && !chat.restoring.get()));
    for (at, button) in parts(".suggestion").into_iter().enumerate() {
        let suggested = move || settings.with(|settings| settings.suggestions().get(at).map(|word| text(words, *word)));
        hear(&button, "click", move || {
            chat.send(&untrack(suggested).unwrap_or_default());
            focus_composer();
        });
        effect(move || write(&button, &suggested().unwrap_or_default()));
    }
}

/// The message that the agent can't be reached, if it can't. Messages written without a network are sent once there is one.
fn connection(chat: AgentChat) -> Option<Say> {
    match chat.connection.get() {
        Connection::Online => chat.silent.get().then_some(Say::Silent),
        Connection::Reconnecting => Some(Say::Reconnecting),
        Connection::Offline => Some(Say::Offline),
    }
}

/// A hint for developers who run `trunk serve` without a server.
const START_SERVER: &str = " In this folder, `cargo run -p question-server` starts one.";

/// Shows the error of the last run, with a button to try again.
fn show_trouble(chat: AgentChat) {
    let words = words();
    let reason = move || {
        let is_offline = chat.connection.get() == Connection::Offline;
        chat.status.with(|status| match status {
            // The line of the connection already says this.
            Status::Failed(Trouble::Unreachable | Trouble::Elsewhere { .. }) if is_offline => None,
            // Trunk's answer if no server is behind it.
            Status::Failed(Trouble::Refused { status: 500, message: None }) if cfg!(debug_assertions) => {
                Some(words.get().explain(&Trouble::Unreachable) + START_SERVER)
            }
            Status::Failed(trouble) => Some(words.get().explain(trouble)),
            Status::Idle | Status::Running => None,
        })
    };
    let line = add(&place(), "div", "trouble");
    set(&line, "role", "alert");
    goes_with_owner(&line);
    let told = element("p", "");
    set(&told, "dir", "auto");
    let again = button("", move || {
        chat.retry();
        focus_composer();
    });
    effect(move || {
        let reason = reason();
        match reason {
            // The language may have changed while the button was not in the page.
            Some(_) => say(&again, Say::TryAgain),
            None => take_focus_of(".trouble"),
        }
        write(&told, reason.as_deref().unwrap_or_default());
        fill(&line, &[&told, &again], reason.is_some());
    });
}
