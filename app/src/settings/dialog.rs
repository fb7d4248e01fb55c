//! The dialog of the settings, which `index.html` has.

use super::headers::store_headers;
use super::{Setting, Settings, browser};
use crate::agent::Agent;
use crate::attention;
use crate::effect::effect;
use crate::nodes::{add, hear, hear_event, set, shows, toggle, write};
use crate::shell::{hint, part};
use crate::spoken::{say, say_if};
use crate::words::Say;
use leptos::prelude::*;
use leptos::task::spawn_local;
use question_card::LANGUAGES;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

/// The name of the field of headers, which are no setting.
const HEADERS: &str = "headers";

/// Lets the button of the bar open the dialog. A change in it takes effect at once.
pub fn hear_settings(settings: RwSignal<Settings>, agent: Memo<Agent>) {
    let dialog: HtmlDialogElement = part("dialog.settings");
    let [button, languages]: [Element; 2] = [".settings-button", "select[name=lang]"].map(part);
    for (tag, name) in LANGUAGES {
        let option = add(&languages, "option", "");
        set(&option, "value", tag);
        write(&option, name);
    }
    toggle(&button, "disabled", false);
    let is_set = |setting: &Setting| settings.with_untracked(|settings| !settings.get(*setting).is_empty());
    toggle(&part("dialog details"), "open", [Setting::Agent, Setting::Delivery].iter().any(is_set));
    let opens = dialog.clone();
    hear(&button, "click", move || {
        shows(&row(&part("input[name=notify]")), attention::can_notify());
        // Fails only if it is open already.
        let _ = opens.show_modal();
    });
    let closes = dialog.clone();
    hear(&part::<Element>(".close-button"), "click", move || closes.close());
    hear_event(&dialog, "change", move |event: Event| {
        let Some(field) = event.target().and_then(|field| field.dyn_into::<Element>().ok()) else { return };
        take(settings, agent, &field);
    });
    effect(move || {
        settings.with(|settings| {
            for setting in [Setting::Language, Setting::Theme, Setting::Submit, Setting::Delivery] {
                let field: HtmlSelectElement = part(&["select[name=", setting.name(), "]"].concat());
                field.set_value(settings.get(setting));
                // An unknown value counts as none.
                if field.selected_index() < 0 {
                    field.set_selected_index(0);
                }
            }
            part::<HtmlInputElement>("input[name=notify]").set_checked(settings.notifies());
        });
    });
    effect(move || {
        agent.with(|agent| {
            let lines: Vec<_> = agent.headers.iter().map(|(name, value)| [name, ": ", value].concat()).collect();
            let [address, headers]: [HtmlTextAreaElement; 2] =
                ["textarea[name=agent]", "textarea[name=headers]"].map(part);
            for (field, value) in [(&address, &agent.address), (&headers, &lines.join("\n"))] {
                field.set_value(value);
                judge(field, true);
            }
            shows(&row(&headers), !agent.is_own());
            shows(&hint(HEADERS), !agent.is_own());
        });
    });
}

/// Takes over what the user has entered into a field.
fn take(settings: RwSignal<Settings>, agent: Memo<Agent>, field: &Element) {
    let Some(name) = field.get_attribute("name") else { return };
    if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
        return notify(settings, input.clone());
    }
    if let Some(field) = field.dyn_ref::<HtmlSelectElement>() {
        return change(settings, &name, &field.value());
    }
    let Some(field) = field.dyn_ref::<HtmlTextAreaElement>() else { return };
    let is_taken = match name == HEADERS {
        true => agent.with_untracked(|agent| take_headers(agent, &field.value())),
        false => take_address(settings, field.value().trim()),
    };
    judge(field, is_taken);
    if name == HEADERS {
        settings.notify();
    }
}

/// Shows the hint of a text, or its problem if it was refused.
fn judge(field: &HtmlTextAreaElement, is_taken: bool) {
    set(field, "aria-invalid", if is_taken { "false" } else { "true" });
    let word = match (field.name() == HEADERS, is_taken) {
        (true, true) => Say::SettingsHeadersHint,
        (true, false) => Say::SettingsHeadersInvalid,
        (false, true) => Say::SettingsAgentHint,
        (false, false) => Say::SettingsAgentInvalid,
    };
    say(&hint(&field.name()), word);
}

/// Takes over the agent's address; empty for the page's own agent. Returns false if it is none.
fn take_address(settings: RwSignal<Settings>, entered: &str) -> bool {
    let address = entered.lines().next().unwrap_or_default().trim_end();
    let is_valid = ["https://", "http://", "/"].iter().any(|beginning| address.starts_with(beginning));
    if !is_valid && !address.is_empty() {
        return false;
    }
    // The conversation belongs to the previous agent.
    browser::leave_conversation();
    change(settings, Setting::Agent.name(), address);
    true
}

/// Stores the headers that an agent gets. Returns false if one of the lines is none.
fn take_headers(agent: &Agent, lines: &str) -> bool {
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    };
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    let headers: Option<Vec<_>> = lines.map(header).collect();
    headers.is_some_and(|headers| store_headers(&agent.address, &headers))
}

/// Switches notifications. The browser is asked for permission only in the click that switches them on.
fn notify(settings: RwSignal<Settings>, input: HtmlInputElement) {
    say_if(&hint(Setting::Notify.name()), None);
    if !input.checked() {
        return change(settings, Setting::Notify.name(), "");
    }
    spawn_local(async move {
        if attention::may_notify().await {
            change(settings, Setting::Notify.name(), "on");
        } else {
            input.set_checked(false);
            say(&hint(Setting::Notify.name()), Say::SettingsNotifyBlocked);
        }
    });
}

fn change(settings: RwSignal<Settings>, name: &str, value: &str) {
    if let Some(setting) = Setting::named(name) {
        browser::keep(setting, value);
        settings.update(|settings| settings.set(setting, value));
    }
}

/// A field with its label.
///
/// # Panics
/// If the field is not one of the settings.
fn row(field: &Element) -> Element {
    field.parent_element().expect("a field is in its label")
}
