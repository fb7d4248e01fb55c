//! The settings, as a dialog.

use super::headers::store_headers;
use super::{Setting, Settings, browser};
use crate::agent::Agent;
use crate::attention;
use crate::effect::effect;
use crate::shell::show;
use crate::words::{Say, say, text, words};
use leptos::html::{self, Textarea};
use leptos::prelude::*;
use leptos::task::spawn_local;
use question_card::LANGUAGES;
use std::iter;
use web_sys::HtmlInputElement;

const TITLE_ID: &str = "settings-title";

/// The values of a setting, with their labels.
type Values = Vec<(&'static str, Label)>;

/// The label of a value: a word, or the own name of a language.
#[derive(Clone, Copy)]
enum Label {
    Word(Say),
    Name(&'static str),
}

const THEMES: [(&str, Label); 3] = [
    ("", Label::Word(Say::SettingsAsSystem)),
    ("light", Label::Word(Say::SettingsLight)),
    ("dark", Label::Word(Say::SettingsDark)),
];

const SUBMIT_MODES: [(&str, Label); 2] =
    [("", Label::Word(Say::SettingsSubmitOnPick)), ("explicit", Label::Word(Say::SettingsSubmitExplicit))];

const DELIVERIES: [(&str, Label); 5] = [
    ("", Label::Word(Say::SettingsAutomatic)),
    ("user-message", Label::Word(Say::SettingsByUserMessage)),
    ("tool-result", Label::Word(Say::SettingsByToolResult)),
    ("resume", Label::Word(Say::SettingsByResume)),
    ("rest", Label::Word(Say::SettingsByRest)),
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

/// The dialog itself. A change takes effect at once.
#[component]
fn Dialog(settings: RwSignal<Settings>, agent: Memo<Agent>, dialog: NodeRef<html::Dialog>) -> impl IntoView {
    let (words, missing) = (words(), browser::missing_language());
    let languages = LANGUAGES.iter().map(|(tag, name)| (*tag, Label::Name(name)));
    let languages: Values = iter::once(("", Label::Word(Say::SettingsAsBrowser))).chain(languages).collect();
    let language_hint = move || if missing.get() { text(words, Say::SettingsLanguageMissing) } else { String::new() };
    let is_set = |setting: &Setting| settings.with_untracked(|settings| !settings.get(*setting).is_empty());
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    view! {
        <dialog class="settings" closedby="any" aria-labelledby=TITLE_ID node_ref=dialog>
            <h2 id=TITLE_ID>{say(Say::SettingsTitle)}</h2>
            <Choice settings setting=Setting::Language label=Say::SettingsLanguage values=languages />
            <p class="hint" role="status">{language_hint}</p>
            <Choice settings setting=Setting::Theme label=Say::SettingsTheme values=THEMES />
            <Choice settings setting=Setting::Submit label=Say::SettingsSubmit values=SUBMIT_MODES />
            {attention::can_notify().then(|| view! { <Notify settings /> })}
            // Useless to a person who only wants to talk; open if one of its settings is changed.
            <details open=[Setting::Agent, Setting::Delivery].iter().any(is_set)>
                <summary>{say(Say::SettingsDeveloper)}</summary>
                <AgentAddress settings />
                {move || agent.with(|agent| (!agent.is_own()).then(|| view! { <Headers settings agent=agent.clone() /> }))}
                <Choice settings setting=Setting::Delivery label=Say::SettingsDelivery values=DELIVERIES />
            </details>
            // Last, so that the first setting gets the focus.
            <button
                type="button"
                class="icon close-button"
                aria-label=say(Say::SettingsClose)
                on:click=close
            ></button>
        </dialog>
    }
}

/// A setting with few values.
#[component]
fn Choice(settings: RwSignal<Settings>, setting: Setting, label: Say, #[prop(into)] values: Values) -> impl IntoView {
    let words = words();
    let option = |(value, label): (&'static str, Label)| {
        let is_set = settings.with_untracked(|settings| settings.get(setting) == value);
        let called = move || match label {
            Label::Word(word) => text(words, word),
            Label::Name(name) => name.to_owned(),
        };
        view! { <option value=value selected=is_set>{called}</option> }
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
            label=Say::SettingsAgent
            hint=Say::SettingsAgentHint
            problem=Say::SettingsAgentInvalid
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
        let is_kept = headers.is_some_and(|headers| store_headers(&agent.address, &headers));
        settings.notify();
        is_kept
    };
    view! {
        <TextField
            name="headers"
            label=Say::SettingsHeaders
            hint=Say::SettingsHeadersHint
            problem=Say::SettingsHeadersInvalid
            value=lines.join("\n")
            take=Box::new(take)
        />
    }
}

/// A setting that is a text, with a hint, or with the problem while `take` has refused what was entered.
#[component]
fn TextField(
    name: &'static str,
    label: Say,
    hint: Say,
    problem: Say,
    value: String,
    take: Box<dyn Fn(&str) -> bool>,
) -> impl IntoView {
    let words = words();
    let hint_id = [name, "-hint"].concat();
    let invalid = RwSignal::new(false);
    // Not as a property: the field of another agent may be the same one, with the text typed for the first.
    let field = NodeRef::<Textarea>::new();
    effect(move || {
        if let Some(field) = field.get() {
            field.set_value(&value);
        }
    });
    let told = move || text(words, if invalid.get() { problem } else { hint });
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
        <p class="hint" role="status" id=hint_id>{told}</p>
    }
}

/// The switch of notifications. The browser is asked for permission only in the click that switches them on.
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
    let hint = move || if blocked.get() { text(words, Say::SettingsNotifyBlocked) } else { String::new() };
    view! {
        <label class="setting check">
            <input
                type="checkbox"
                name=Setting::Notify.name()
                prop:checked=move || settings.with(Settings::notifies)
                on:change=on_change
            />
            <span>{say(Say::SettingsNotify)}</span>
        </label>
        <p class="hint" role="status">{hint}</p>
    }
}

fn change(settings: RwSignal<Settings>, setting: Setting, value: &str) {
    browser::keep(setting, value);
    settings.update(|settings| settings.set(setting, value));
}
