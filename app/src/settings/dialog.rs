//! The settings, as a dialog.

use super::{Setting, Settings, browser};
use crate::agent::Agent;
use crate::attention;
use crate::effect::effect;
use crate::shell::show;
use crate::words::{LANGUAGES, Pick, say, words};
use agent_chat::keep_headers;
use leptos::html::{self, Textarea};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::iter;
use web_sys::HtmlInputElement;

const TITLE_ID: &str = "settings-title";

/// The values of a setting, and what they are called.
type Values = Vec<(&'static str, Pick)>;

const THEMES: [(&str, Pick); 3] = [
    ("", |words| words.settings.as_system),
    ("light", |words| words.settings.light),
    ("dark", |words| words.settings.dark),
];

const SUBMIT_MODES: [(&str, Pick); 2] =
    [("", |words| words.settings.submit_on_pick), ("explicit", |words| words.settings.submit_explicit)];

const DELIVERIES: [(&str, Pick); 5] = [
    ("", |words| words.settings.automatic),
    ("user-message", |words| words.settings.by_user_message),
    ("tool-result", |words| words.settings.by_tool_result),
    ("resume", |words| words.settings.by_resume),
    ("rest", |words| words.settings.by_rest),
];

/// The dialog that the [bar](crate::bar::Bar) opens. It is built when it is opened for the first time.
#[derive(Clone, Copy)]
pub struct SettingsDialog {
    settings: RwSignal<Settings>,
    agent: Memo<Agent>,
    dialog: NodeRef<html::Dialog>,
    owner: StoredValue<Owner>,
}

impl SettingsDialog {
    /// The dialog of these settings, for the agent that is set.
    #[must_use]
    pub fn new(settings: RwSignal<Settings>, agent: Memo<Agent>) -> Self {
        let owner = StoredValue::new(Owner::current().unwrap_or_default());
        Self { settings, agent, dialog: NodeRef::new(), owner }
    }

    pub(crate) fn open(self) {
        let Self { settings, agent, dialog, owner } = self;
        if dialog.get_untracked().is_none() {
            owner.with_value(|owner| owner.with(|| untrack(|| show(view! { <Dialog settings agent dialog /> }))));
        }
        if let Some(dialog) = dialog.get_untracked() {
            // Fails only if it is open already.
            let _ = dialog.show_modal();
        }
    }
}

/// The dialog itself. What is changed there takes effect at once.
#[component]
fn Dialog(settings: RwSignal<Settings>, agent: Memo<Agent>, dialog: NodeRef<html::Dialog>) -> impl IntoView {
    let (words, missing) = (words(), browser::missing_language());
    let as_browser: (_, Pick) = ("", |words| words.settings.as_browser);
    let languages: Values = iter::once(as_browser).chain(LANGUAGES).collect();
    let language_hint = move || if missing.get() { words.get().settings.language_missing } else { "" };
    let is_set = |setting: &Setting| settings.with_untracked(|settings| !settings.get(*setting).is_empty());
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    view! {
        <dialog class="settings" closedby="any" aria-labelledby=TITLE_ID node_ref=dialog>
            <h2 id=TITLE_ID>{say(|words| words.settings.title)}</h2>
            <Choice settings setting=Setting::Language label=|words| words.settings.language values=languages />
            <p class="hint" role="status">{language_hint}</p>
            <Choice settings setting=Setting::Theme label=|words| words.settings.theme values=THEMES />
            <Choice settings setting=Setting::Submit label=|words| words.settings.submit values=SUBMIT_MODES />
            {attention::can_notify().then(|| view! { <Notify settings /> })}
            // Of no use to who only wants to talk; open where something of it is set.
            <details open=[Setting::Agent, Setting::Delivery].iter().any(is_set)>
                <summary>{say(|words| words.settings.developer)}</summary>
                <AgentAddress settings />
                {move || agent.with(|agent| (!agent.is_own()).then(|| view! { <Headers settings agent=agent.clone() /> }))}
                <Choice settings setting=Setting::Delivery label=|words| words.settings.delivery values=DELIVERIES />
            </details>
            // Last, so that the first setting gets the focus.
            <button
                type="button"
                class="icon close-button"
                aria-label=say(|words| words.settings.close)
                on:click=close
            ></button>
        </dialog>
    }
}

/// A setting with few values.
#[component]
fn Choice(settings: RwSignal<Settings>, setting: Setting, label: Pick, #[prop(into)] values: Values) -> impl IntoView {
    let option = |(value, text): (&'static str, Pick)| {
        let is_set = settings.with_untracked(|settings| settings.get(setting) == value);
        view! { <option value=value selected=is_set>{say(text)}</option> }
    };
    let options = values.into_iter().map(option).collect_view();
    view! {
        <label class="setting">
            <span>{say(label)}</span>
            <select name=setting.name() on:change=move |event| change(settings, setting, &event_target_value(&event))>
                {options}
            </select>
        </label>
    }
}

/// The agent's address; empty for the page's own agent.
#[component]
fn AgentAddress(settings: RwSignal<Settings>) -> impl IntoView {
    let take = move |address: &str| {
        let address = address.lines().next().unwrap_or_default().trim_end();
        let is_valid = ["https://", "http://", "/"].iter().any(|beginning| address.starts_with(beginning));
        if !is_valid && !address.is_empty() {
            return false;
        }
        // The conversation was with the other one.
        browser::leave_conversation();
        change(settings, Setting::Agent, address);
        true
    };
    view! {
        <TextField
            name=Setting::Agent.name()
            label=|words| words.settings.agent
            hint=|words| words.settings.agent_hint
            problem=|words| words.settings.agent_invalid
            value=settings.with_untracked(|settings| settings.get(Setting::Agent).to_owned())
            take=Box::new(take)
        />
    }
}

/// The headers that an agent gets.
#[component]
fn Headers(settings: RwSignal<Settings>, agent: Agent) -> impl IntoView {
    let lines: Vec<_> = agent.headers.iter().map(|(name, value)| [name, ": ", value].concat()).collect();
    let take = move |lines: &str| {
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_owned(), value.trim().to_owned()))
        };
        let lines = lines.lines().filter(|line| !line.trim().is_empty());
        let headers: Option<Vec<_>> = lines.map(header).collect();
        let is_kept = headers.is_some_and(|headers| keep_headers(&agent.address, &headers));
        settings.notify();
        is_kept
    };
    view! {
        <TextField
            name="headers"
            label=|words| words.settings.headers
            hint=|words| words.settings.headers_hint
            problem=|words| words.settings.headers_invalid
            value=lines.join("\n")
            take=Box::new(take)
        />
    }
}

/// A setting that is a text, with a hint, or with the problem while `take` has refused what was entered.
#[component]
fn TextField(
    name: &'static str,
    label: Pick,
    hint: Pick,
    problem: Pick,
    value: String,
    take: Box<dyn Fn(&str) -> bool>,
) -> impl IntoView {
    let words = words();
    let hint_id = [name, "-hint"].concat();
    let invalid = RwSignal::new(false);
    // Not as a property: the field of another agent may be the same one, with what was typed for the first.
    let field = NodeRef::<Textarea>::new();
    effect(move || {
        if let Some(field) = field.get() {
            field.set_value(&value);
        }
    });
    let text = move || if invalid.get() { problem(words.get()) } else { hint(words.get()) };
    view! {
        <label class="setting">
            <span>{say(label)}</span>
            <textarea
                rows="1"
                dir="ltr"
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
                name=name
                aria-describedby=hint_id.clone()
                aria-invalid=move || if invalid.get() { "true" } else { "false" }
                node_ref=field
                on:change=move |event| invalid.set(!take(event_target_value(&event).trim()))
            ></textarea>
        </label>
        <p class="hint" role="status" id=hint_id>{text}</p>
    }
}

/// Whether to notify. The browser is asked for its leave in the click that switches this on, and at no other time.
#[component]
fn Notify(settings: RwSignal<Settings>) -> impl IntoView {
    let words = words();
    let blocked = RwSignal::new(false);
    let on_change = move |event| {
        let input: HtmlInputElement = event_target(&event);
        blocked.set(false);
        if !input.checked() {
            change(settings, Setting::Notify, "");
            return;
        }
        spawn_local(async move {
            if attention::may_notify().await {
                change(settings, Setting::Notify, "on");
            } else {
                input.set_checked(false);
                blocked.set(true);
            }
        });
    };
    let hint = move || if blocked.get() { words.get().settings.notify_blocked } else { "" };
    view! {
        <label class="setting check">
            <input
                type="checkbox"
                name=Setting::Notify.name()
                prop:checked=settings.with_untracked(Settings::notifies)
                on:change=on_change
            />
            <span>{say(|words| words.settings.notify)}</span>
        </label>
        <p class="hint" role="status">{hint}</p>
    }
}

fn change(settings: RwSignal<Settings>, setting: Setting, value: &str) {
    browser::keep(setting, value);
    settings.update(|settings| settings.set(setting, value));
}
