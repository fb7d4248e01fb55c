//! The page as a whole: who one talks to, the transcript, what went wrong, the composer.

use crate::agent::Agent;
use crate::attention::call_for_attention;
use crate::cards::Cards;
use crate::composer::{composer, focus_composer};
use crate::effect::effect;
use crate::nodes::{add, element, flag, goes_with_owner, hear, is_called, keep, says, set, write};
use crate::notice::Notice;
use crate::settings::Settings;
use crate::settings::browser;
use crate::settings::dialog::settings_dialog;
use crate::shell::{part, place};
use crate::transcript::transcript;
use crate::words::words;
use agent_chat::{AgentChat, Connection, Status, kept_headers, use_agent_chat};
use leptos::ev::MouseEvent;
use leptos::prelude::*;
use web_sys::Element;

/// Shows the chat page, with the agent and everything else as it is set, in the frame that `index.html` has drawn.
pub fn chat_page() {
    let (settings, words) = browser::provide_settings();
    let moved = RwSignal::new(0);
    keep(&part(".bar h1"), move |title| settings.with(|settings| write(title, settings.title(words.get()))));
    keep(&part(".bar p"), move |subtitle| settings.with(|settings| write(subtitle, settings.subtitle(words.get()))));
    let new: Element = part(".new-button");
    is_called(&new, |words| words.new_conversation);
    keep(&new, move |link| {
        settings.track();
        set(link, "href", &browser::here());
    });
    let (page, mut shown) = (Owner::new(), None);
    effect(move || {
        let agent = settings.with(|settings| Agent::set(settings, kept_headers));
        let present = Some((agent.clone(), moved.get()));
        if std::mem::replace(&mut shown, present.clone()) != present {
            page.cleanup();
            page.with(|| untrack(|| conversation(agent, settings, moved)));
        }
    });
    settings_dialog(settings);
}

fn conversation(agent: Agent, settings: RwSignal<Settings>, moved: RwSignal<u32>) {
    let is_own = agent.is_own();
    let chat = use_agent_chat(agent.options());
    let (notice, cards, at_end) = (Notice::of(chat), Cards::new(), RwSignal::new(true));
    effect(move || {
        if chat.address_changed.get() {
            *moved.write() += 1;
        }
    });
    call_for_attention(chat.waiting, settings, words());
    welcome(chat, settings);
    composer(chat, notice, cards, at_end);
    transcript(chat, settings, notice, cards, at_end);
    connection(chat, is_own);
    trouble(chat);
    notice.show_in(&line("connection notice", "status"));
}

/// A new line of the conversation's, which is always there, so that its text is announced when it comes.
fn line(class: &str, role: &str) -> Element {
    let line = add(&place(), if role == "alert" { "div" } else { "p" }, class);
    set(&line, "role", role);
    goes_with_owner(&line);
    line
}

/// What a newcomer sees, until something is said.
fn welcome(chat: AgentChat, settings: RwSignal<Settings>) {
    let words = words();
    keep(&part(".welcome"), move |welcome| {
        let is_new = chat.entries.with(Vec::is_empty) && !chat.restoring.get();
        flag(welcome, "hidden", !is_new);
    });
    says(&part(".welcome h2"), |words| words.welcome);
    says(&part(".welcome p"), |words| words.welcome_hint);
    for index in 0..3 {
        let text = move || settings.with(|settings| settings.suggestions(words.get())[index]);
        let suggestion: Element = part(&format!(".welcome li:nth-child({}) button", index + 1));
        keep(&suggestion, move |button| write(button, text()));
        hear(&suggestion, "click", move |_: MouseEvent| {
            chat.send(untrack(text));
            focus_composer();
        });
    }
}

/// Says whether the agent can be reached, where it can't, or says nothing. To the page's own agent everything is sent in the end.
fn connection(chat: AgentChat, is_own: bool) {
    let words = words();
    keep(&line("connection", "status"), move |line| {
        let words = words.get();
        let text = match chat.connection.get() {
            Connection::Online if chat.silent.get() => words.silent,
            Connection::Online => "",
            Connection::Reconnecting => words.reconnecting,
            Connection::Offline if is_own => words.offline,
            Connection::Offline => words.offline_elsewhere,
        };
        write(line, text);
    });
}

/// Says what went wrong with the last run, and the way out of it.
fn trouble(chat: AgentChat) {
    let words = words();
    let (reason, retry) = (element("p", ""), element("button", ""));
    set(&reason, "dir", "auto");
    set(&retry, "type", "button");
    says(&retry, |words| words.try_again);
    hear(&retry, "click", move |_: MouseEvent| {
        chat.retry();
        focus_composer();
    });
    keep(&line("trouble", "alert"), move |alert| {
        let told = chat.status.with(|status| match status {
            Status::Failed(trouble) => Some(words.get().explain(trouble)),
            Status::Idle | Status::Running => None,
        });
        let Some(told) = told else {
            return alert.set_text_content(None);
        };
        write(&reason, &told);
        if retry.parent_node().is_none() {
            // Nothing keeps new elements from being children.
            let _ = alert.append_child(&reason);
            let _ = alert.append_child(&retry);
        }
    });
}
