//! The sources of settings and their effects. If a browser refuses to store, only the storage fails.

use super::{OwnAgent, Setting, Settings};
use crate::effect::effect;
use crate::nodes::hear_event;
use crate::shell::hint;
use crate::spoken::{say, say_if, speak_all};
use crate::words::{Say, Words};
use agent_chat::text_beside_page;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlElement, Storage, StorageEvent, UrlSearchParams};

/// Provides the settings to all views of the current owner, and the words in their language. The document follows the settings.
#[must_use]
pub fn provide_settings() -> (RwSignal<Settings>, ReadSignal<Words>) {
    let settings = RwSignal::new(settings());
    let languages = languages();
    let language = settings.with_untracked(|settings| settings.language(&languages));
    // The sheet that `boot.js` has put into the frame, if it has arrived.
    let words = said("data-words").and_then(|sheet| Words::read(language, &sheet));
    let words = RwSignal::new(words.unwrap_or_default());
    provide_context(words.read_only());
    // The setting was changed in another tab, or by the offer of `web-push/offer.js`.
    hear_event(&window(), "storage", move |event: StorageEvent| {
        if event.key().is_some_and(|key| key == Setting::Notify.key()) {
            settings.update(|settings| settings.set(Setting::Notify, &event.new_value().unwrap_or_default()));
        }
    });
    let mut has_spoken = false;
    effect(move || {
        let (language, colors) = settings.with(|settings| (settings.language(&languages), settings.color_scheme()));
        let spoken = Words::spoken(language);
        let is_missing = spoken.is_none();
        let now = spoken.unwrap_or_else(|| words.get_untracked());
        dress(&now, colors);
        let is_new = words.get_untracked() != now;
        // The first time, because the frame comes without some of its words.
        if is_new || !std::mem::replace(&mut has_spoken, true) {
            speak_all(&now);
        }
        if is_new {
            words.set(now);
        }
        say_if(&hint(Setting::Language.name()), None);
        if is_missing {
            spawn_local(async move {
                let sheet = text_beside_page(&["languages/", language, ".json"].concat()).await;
                match sheet.and_then(|sheet| Words::read(language, &sheet)) {
                    // The effect runs again, for the language that is set by now.
                    Some(_) => settings.notify(),
                    None => say(&hint(Setting::Language.name()), Say::SettingsLanguageMissing),
                }
            });
        }
    });
    (settings, words.read_only())
}

/// The settings of the address, and the stored ones for the rest.
fn settings() -> Settings {
    let (asked, stored) = (asked(), stored());
    Settings::read(|setting| {
        let asked = asked.as_ref().and_then(|asked| asked.get(setting.name()));
        asked.or_else(|| stored.as_ref()?.get_item(&setting.key()).ok()?)
    })
    .of_own_agent(own_agent())
}

fn own_agent() -> OwnAgent {
    OwnAgent { name: said("data-agent").unwrap_or_default(), profile: said("data-profile").unwrap_or_default() }
}

/// Data that `boot.js` has written into the frame.
fn said(name: &str) -> Option<String> {
    document().get_element_by_id("shell")?.get_attribute(name)
}

/// Stores a setting, and removes it from the address: otherwise a reload would undo the choice.
pub(crate) fn keep(setting: Setting, value: &str) {
    let name = setting.name();
    if let Some(stored) = stored() {
        let _ = match value {
            "" => stored.remove_item(&setting.key()),
            value => stored.set_item(&setting.key(), value),
        };
    }
    if let Some(asked) = asked().filter(|asked| asked.has(name)) {
        asked.delete(name);
        let _ = go_by(&asked);
    }
}

/// Leaves the conversation that the address names, so that another can begin.
pub(crate) fn leave_conversation() {
    let _ = go_to(&here());
}

/// The page's address without the conversation.
pub(crate) fn here() -> String {
    let location = window().location();
    let part = |part: Result<String, JsValue>| part.unwrap_or_default();
    part(location.pathname()) + &part(location.search())
}

/// The languages that the user prefers, the best first.
fn languages() -> Vec<String> {
    let languages = window().navigator().languages();
    languages.iter().filter_map(|tag| tag.as_string()).collect()
}

/// Makes the document one in this language, with these colours.
fn dress(words: &Words, color_scheme: &str) {
    let Some(root) = document().document_element() else {
        return;
    };
    // All of these names and values are valid.
    let _ = root.set_attribute("lang", words.labels.lang());
    let _ = root.set_attribute("dir", words.labels.dir().as_str());
    if let Ok(root) = root.dyn_into::<HtmlElement>() {
        let _ = root.style().set_property("color-scheme", color_scheme);
    }
}

fn asked() -> Option<UrlSearchParams> {
    let search = window().location().search().ok()?;
    UrlSearchParams::new_with_str(&search).ok()
}

/// The storage of the browser, if it has one for the page.
pub(crate) fn stored() -> Option<Storage> {
    window().local_storage().ok()?
}

/// Sets the query of the address.
fn go_by(asked: &UrlSearchParams) -> Result<(), JsValue> {
    let location = window().location();
    let query = String::from(asked.to_string());
    let mark = if query.is_empty() { "" } else { "?" };
    go_to(&[&location.pathname()?, mark, &query, &location.hash()?].concat())
}

/// Changes the address without leaving the page.
fn go_to(address: &str) -> Result<(), JsValue> {
    let history = window().history()?;
    history.replace_state_with_url(&history.state()?, "", Some(address))
}
