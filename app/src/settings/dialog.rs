//! The settings, as a dialog.

use super::{Setting, Settings, browser};
use crate::attention;
use crate::shell::{hear, is_called, part};
use crate::words::{Words, say, words};
use agent_chat::{keep_headers, kept_headers};
use leptos::ev::MouseEvent;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::Element;

const TITLE_ID: &str = "settings-title";
const BUTTON: &str = ".settings-button";

/// One of the texts of a language.
type Pick = fn(&Words) -> &'static str;

/// The dialog that the frame's button opens. What is changed there takes effect at once.
#[component]
pub fn SettingsDialog() -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    let button: Element = part(BUTTON);
    hear(&button, "click", move |_: MouseEvent| {
        if let Some(dialog) = dialog.get_untracked() {
            // Fails only where it is open already, or out of the page.
            let _ = dialog.show_modal();
        }
    });
    is_called(BUTTON, |words| words.settings.title);
    // Fails only for names that are none.
    let _ = button.remove_attribute("disabled");
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    // Of no use to who only wants to talk; open where something of it is set.
    let developer = [agent(), choice(Setting::Delivery, |words| words.settings.delivery, &DELIVERIES)];
    let is_set = settings().with_untracked(|settings| {
        [Setting::Agent, Setting::Delivery].iter().any(|setting| !settings.get(*setting).is_empty())
    });
    let everybodys = [
        choice(Setting::Language, |words| words.settings.language, &LANGUAGES),
        choice(Setting::Theme, |words| words.settings.theme, &THEMES),
        choice(Setting::Submit, |words| words.settings.submit, &SUBMIT_MODES),
        notify(),
    ];
    view! {
        <dialog class="settings" closedby="any" aria-labelledby=TITLE_ID node_ref=dialog>
            <h2 id=TITLE_ID>{say(|words| words.settings.title)}</h2>
            {everybodys.into_iter().collect_view()}
            <details open=is_set>
                <summary>{say(|words| words.settings.developer)}</summary>
                {developer.into_iter().collect_view()}
            </details>
            // Last, so that the first setting gets the focus.
            <button type="button" class="icon close-button" aria-label=say(|words| words.settings.close) on:click=close></button>
        </dialog>
    }
}

const LANGUAGES: [(&str, Pick); 6] = [
    ("", |words| words.settings.as_browser),
    ("en", |_| Words::all()[0].name),
    ("de", |_| Words::all()[1].name),
    ("ar", |_| Words::all()[2].name),
    ("ja", |_| Words::all()[3].name),
    ("es", |_| Words::all()[4].name),
];

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

/// A setting with few values.
fn choice(setting: Setting, label: Pick, values: &'static [(&'static str, Pick)]) -> AnyView {
    let settings = settings();
    let option = |(value, text): &(&'static str, Pick)| {
        let selected = settings.with_untracked(|settings| settings.get(setting) == *value);
        view! { <option value=*value selected=selected>{say(*text)}</option> }
    };
    let options = values.iter().map(option).collect_view();
    view! {
        <label class="setting">
            <span>{say(label)}</span>
            <select name=setting.name() on:change=move |event| change(settings, setting, &event_target_value(&event))>
                {options}
            </select>
        </label>
    }
    .into_any()
}

/// The agent's address and, where it is not the page's own, what headers it gets.
fn agent() -> AnyView {
    let settings = settings();
    let address = Memo::new(move |_| settings.with(|settings| settings.get(Setting::Agent).to_owned()));
    let address_field = text_field(
        [Setting::Agent.name(), "agent-hint"],
        |words| words.settings.agent,
        [|words| words.settings.agent_hint, |words| words.settings.agent_invalid],
        address.get_untracked(),
        move |address| {
            let address = address.lines().next().unwrap_or_default().trim_end();
            let is_valid = ["https://", "http://", "/"].iter().any(|beginning| address.starts_with(beginning));
            if !is_valid && !address.is_empty() {
                return false;
            }
            // The conversation was with the other one.
            browser::leave_conversation();
            change(settings, Setting::Agent, address);
            true
        },
    );
    let headers_field = move || match address.get() {
        own if own.is_empty() => ().into_any(),
        agent => {
            let kept = kept_headers(&agent);
            let lines: Vec<_> = kept.iter().map(|(name, value)| [name, ": ", value].concat()).collect();
            text_field(
                ["headers", "headers-hint"],
                |words| words.settings.headers,
                [|words| words.settings.headers_hint, |words| words.settings.headers_invalid],
                lines.join("\n"),
                move |lines| {
                    let header = |line: &str| {
                        let (name, value) = line.split_once(':')?;
                        Some((name.trim().to_owned(), value.trim().to_owned()))
                    };
                    let lines = lines.lines().filter(|line| !line.trim().is_empty());
                    let headers: Option<Vec<_>> = lines.map(header).collect();
                    let is_kept = headers.is_some_and(|headers| keep_headers(&agent, &headers));
                    settings.notify();
                    is_kept
                },
            )
        }
    };
    (address_field, headers_field).into_any()
}

/// A setting that is a text, with a hint: the first of the two, or the second where what was entered was not taken.
fn text_field(
    [name, hint_id]: [&'static str; 2],
    label: Pick,
    [hint, problem]: [Pick; 2],
    value: String,
    take: impl Fn(&str) -> bool + 'static,
) -> AnyView {
    let words = words();
    let invalid = RwSignal::new(false);
    let hint = move || match invalid.get() {
        true => problem(words.get()),
        false => hint(words.get()),
    };
    let on_change = move |event| invalid.set(!take(event_target_value(&event).trim()));
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
                aria-describedby=hint_id
                aria-invalid=move || invalid.get().to_string()
                on:change=on_change
            >
                {value}
            </textarea>
        </label>
        <p class="hint" id=hint_id role="status">{hint}</p>
    }
    .into_any()
}

/// Whether to notify. The browser is asked for its leave in the click that switches this on, and at no other time.
fn notify() -> AnyView {
    if !attention::can_notify() {
        return ().into_any();
    }
    let settings = settings();
    let words = words();
    let input = NodeRef::<Input>::new();
    let blocked = RwSignal::new(false);
    let on_change = move |event| {
        blocked.set(false);
        if !event_target_checked(&event) {
            change(settings, Setting::Notify, "");
            return;
        }
        spawn_local(async move {
            if attention::may_notify().await {
                change(settings, Setting::Notify, "on");
            } else if let Some(input) = input.get_untracked() {
                input.set_checked(false);
                blocked.set(true);
            }
        });
    };
    view! {
        <label class="setting check">
            <input
                type="checkbox"
                name=Setting::Notify.name()
                checked=settings.with_untracked(Settings::notifies)
                node_ref=input
                on:change=on_change
            />
            <span>{say(|words| words.settings.notify)}</span>
        </label>
        <p class="hint" role="status">{move || if blocked.get() { words.get().settings.notify_blocked } else { "" }}</p>
    }
    .into_any()
}

fn change(settings: RwSignal<Settings>, setting: Setting, value: &str) {
    browser::keep(setting, value);
    settings.update(|settings| settings.set(setting, value));
}

fn settings() -> RwSignal<Settings> {
    expect_context()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::{LANGUAGES, Words};

    #[test]
    fn each_language_goes_by_its_own_name() {
        assert_eq!(LANGUAGES.len(), Words::all().len() + 1);
        for ((tag, name), words) in LANGUAGES[1..].iter().zip(Words::all()) {
            assert_eq!((*tag, name(words)), (words.labels.lang, words.name));
        }
    }
}
