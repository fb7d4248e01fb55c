//! The settings, as a dialog.

use super::{Setting, Settings, browser};
use crate::attention;
use crate::effect::effect;
use crate::nodes::{add, element, flag, goes_with_owner, hear, is_called, keep, says, set, write};
use crate::shell::{part, place};
use crate::words::{LANGUAGES, Pick, words};
use agent_chat::{keep_headers, kept_headers};
use leptos::ev::{Event, MouseEvent};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::OnceCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement, HtmlInputElement, HtmlTextAreaElement};

const TITLE_ID: &str = "settings-title";

/// Lets the frame's button open the settings. They are made when they are asked for.
pub fn settings_dialog(settings: RwSignal<Settings>) {
    let (owner, made) = (Owner::new(), OnceCell::new());
    let button: Element = part(".settings-button");
    hear(&button, "click", move |_: MouseEvent| {
        let dialog = made.get_or_init(|| owner.with(|| dialog(settings)));
        // Fails only where it is open already, or out of the page.
        let _ = dialog.show_modal();
    });
    is_called(&button, |words| words.settings.title);
    flag(&button, "disabled", false);
}

/// The dialog. What is changed there takes effect at once.
fn dialog(settings: RwSignal<Settings>) -> HtmlDialogElement {
    let around = add(&place(), "dialog", "settings");
    goes_with_owner(&around);
    set(&around, "closedby", "any");
    set(&around, "aria-labelledby", TITLE_ID);
    let title = add(&around, "h2", "");
    set(&title, "id", TITLE_ID);
    says(&title, |words| words.settings.title);
    language(&around, settings);
    choice(&around, settings, Setting::Theme, |words| words.settings.theme, &THEMES);
    choice(&around, settings, Setting::Submit, |words| words.settings.submit, &SUBMIT_MODES);
    notify(&around, settings);
    // Of no use to who only wants to talk; open where something of it is set.
    let developer = add(&around, "details", "");
    let is_set = |setting: &Setting| settings.with_untracked(|settings| !settings.get(*setting).is_empty());
    flag(&developer, "open", [Setting::Agent, Setting::Delivery].iter().any(is_set));
    says(&add(&developer, "summary", ""), |words| words.settings.developer);
    agent(&developer, settings);
    choice(&developer, settings, Setting::Delivery, |words| words.settings.delivery, &DELIVERIES);
    // Last, so that the first setting gets the focus.
    let close = add(&around, "button", "icon close-button");
    set(&close, "type", "button");
    is_called(&close, |words| words.settings.close);
    let dialog: HtmlDialogElement = around.unchecked_into();
    let closes = dialog.clone();
    hear(&close, "click", move |_: MouseEvent| closes.close());
    dialog
}

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

/// A new row of the dialog.
fn row(parent: &Element, class: &str, label: Pick, control: &Element) {
    let around = add(parent, "label", class);
    let text = element("span", "");
    says(&text, label);
    for part in [&text, control] {
        // Nothing keeps a new element from being a child.
        let _ = around.append_child(part);
    }
}

/// A setting with few values.
fn choice(
    parent: &Element,
    settings: RwSignal<Settings>,
    setting: Setting,
    label: Pick,
    values: &[(&'static str, Pick)],
) -> Element {
    let select = element("select", "");
    set(&select, "name", setting.name());
    for (value, text) in values {
        says(&value_of(&select, settings, setting, value), *text);
    }
    hear(&select, "change", move |event: Event| change(settings, setting, &event_target_value(&event)));
    row(parent, "setting", label, &select);
    select
}

/// One of those values.
fn value_of(select: &Element, settings: RwSignal<Settings>, setting: Setting, value: &str) -> Element {
    let option = add(select, "option", "");
    set(&option, "value", value);
    flag(&option, "selected", settings.with_untracked(|settings| settings.get(setting) == value));
    option
}

/// The language, each by its own name.
fn language(parent: &Element, settings: RwSignal<Settings>) {
    let as_browser: (_, Pick) = ("", |words| words.settings.as_browser);
    let select = choice(parent, settings, Setting::Language, |words| words.settings.language, &[as_browser]);
    for (tag, name) in LANGUAGES {
        write(&value_of(&select, settings, Setting::Language, tag), name);
    }
    let (words, missing) = (words(), browser::missing_language());
    keep(&hint_line(parent, ""), move |line| {
        write(line, if missing.get() { words.get().settings.language_missing } else { "" });
    });
}

/// The agent's address and, where it is not the page's own, what headers it gets.
fn agent(parent: &Element, settings: RwSignal<Settings>) {
    text_field(
        parent,
        [Setting::Agent.name(), "agent-hint"],
        |words| words.settings.agent,
        [|words| words.settings.agent_hint, |words| words.settings.agent_invalid],
        &settings.with_untracked(|settings| settings.get(Setting::Agent).to_owned()),
        Rc::new(move |address| {
            let address = address.lines().next().unwrap_or_default().trim_end();
            let is_valid = ["https://", "http://", "/"].iter().any(|beginning| address.starts_with(beginning));
            if !is_valid && !address.is_empty() {
                return false;
            }
            // The conversation was with the other one.
            browser::leave_conversation();
            change(settings, Setting::Agent, address);
            true
        }),
    );
    let place = add(parent, "div", "headers");
    let (owner, mut shown) = (Owner::new(), String::new());
    effect(move || {
        let agent = settings.with(|settings| settings.get(Setting::Agent).to_owned());
        if std::mem::replace(&mut shown, agent.clone()) == agent {
            return;
        }
        place.set_text_content(None);
        owner.cleanup();
        if agent.is_empty() {
            return;
        }
        let kept = kept_headers(&agent);
        let lines: Vec<_> = kept.iter().map(|(name, value)| [name, ": ", value].concat()).collect();
        owner.with(|| {
            text_field(
                &place,
                ["headers", "headers-hint"],
                |words| words.settings.headers,
                [|words| words.settings.headers_hint, |words| words.settings.headers_invalid],
                &lines.join("\n"),
                Rc::new(move |lines| {
                    let header = |line: &str| {
                        let (name, value) = line.split_once(':')?;
                        Some((name.trim().to_owned(), value.trim().to_owned()))
                    };
                    let lines = lines.lines().filter(|line| !line.trim().is_empty());
                    let headers: Option<Vec<_>> = lines.map(header).collect();
                    let is_kept = headers.is_some_and(|headers| keep_headers(&agent, &headers));
                    settings.notify();
                    is_kept
                }),
            );
        });
    });
}

/// A setting that is a text, with a hint: the first of the two, or the second where what was entered was not taken.
fn text_field(
    parent: &Element,
    [name, hint_id]: [&'static str; 2],
    label: Pick,
    [hint, problem]: [Pick; 2],
    value: &str,
    take: Rc<dyn Fn(&str) -> bool>,
) {
    let field = element("textarea", "");
    for (name, value) in [
        ("rows", "1"),
        ("dir", "ltr"),
        ("autocomplete", "off"),
        ("autocapitalize", "none"),
        ("spellcheck", "false"),
        ("name", name),
        ("aria-describedby", hint_id),
    ] {
        set(&field, name, value);
    }
    field.unchecked_ref::<HtmlTextAreaElement>().set_value(value);
    let invalid = RwSignal::new(false);
    hear(&field, "change", move |event: Event| invalid.set(!take(event_target_value(&event).trim())));
    keep(&field, move |field| set(field, "aria-invalid", if invalid.get() { "true" } else { "false" }));
    row(parent, "setting", label, &field);
    let words = words();
    keep(&hint_line(parent, hint_id), move |line| {
        write(line, if invalid.get() { problem(words.get()) } else { hint(words.get()) });
    });
}

/// A line below a setting, which is announced when it changes.
fn hint_line(parent: &Element, id: &str) -> Element {
    let line = add(parent, "p", "hint");
    set(&line, "role", "status");
    if !id.is_empty() {
        set(&line, "id", id);
    }
    line
}

/// Whether to notify. The browser is asked for its leave in the click that switches this on, and at no other time.
fn notify(parent: &Element, settings: RwSignal<Settings>) {
    if !attention::can_notify() {
        return;
    }
    let words = words();
    let input: HtmlInputElement = element("input", "").unchecked_into();
    input.set_type("checkbox");
    set(&input, "name", Setting::Notify.name());
    input.set_checked(settings.with_untracked(Settings::notifies));
    let blocked = RwSignal::new(false);
    let around = add(parent, "label", "setting check");
    // Nothing keeps a new element from being a child.
    let _ = around.append_child(&input);
    says(&add(&around, "span", ""), |words| words.settings.notify);
    keep(&hint_line(parent, ""), move |line| {
        write(line, if blocked.get() { words.get().settings.notify_blocked } else { "" });
    });
    let asked = input.clone();
    hear(&input, "change", move |_: Event| {
        blocked.set(false);
        if !asked.checked() {
            change(settings, Setting::Notify, "");
            return;
        }
        let asked = asked.clone();
        spawn_local(async move {
            if attention::may_notify().await {
                change(settings, Setting::Notify, "on");
            } else {
                asked.set_checked(false);
                blocked.set(true);
            }
        });
    });
}

fn change(settings: RwSignal<Settings>, setting: Setting, value: &str) {
    browser::keep(setting, value);
    settings.update(|settings| settings.set(setting, value));
}
