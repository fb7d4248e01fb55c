//! Calls for the attention of a person elsewhere while a question waits: by a mark in the title, and by a notification if that is wanted.

use crate::effect::effect;
use crate::nodes::hear;
use crate::settings::Settings;
use crate::words::{Say, Words};
use agent_chat::Ask;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Notification, NotificationOptions, NotificationPermission};

/// The mark before the title while a question waits unseen.
const MARK: &str = "● ";

/// The tag of all notifications of the page, so that a new one replaces an old one.
const TAG: &str = "question";

/// Keeps the document's title, and calls for attention while the page is hidden and one of these asks waits. An answer is never announced.
pub fn call_for_attention(waiting: ReadSignal<Vec<Ask>>, settings: RwSignal<Settings>, words: ReadSignal<Words>) {
    let hidden = RwSignal::new(document().hidden());
    hear(&window(), "visibilitychange", move || hidden.set(document().hidden()));
    // Read only while the page is hidden: nothing else follows the waiting asks.
    let unseen = move || match hidden.get() {
        true => waiting.with(|waiting| waiting.first().map(|ask| ask.tool_call_id.clone())),
        false => None,
    };
    effect(move || {
        let mark = if unseen().is_some() { MARK } else { "" };
        settings.with(|settings| {
            words.with(|words| document().set_title(&[mark, settings.title(words)].concat()));
        });
    });
    let (mut told, mut notification) = (None, None);
    effect(move || {
        let unseen = unseen();
        if std::mem::replace(&mut told, unseen.clone()) == unseen {
            return;
        }
        notification.take();
        let wanted = unseen.is_some()
            && settings.with_untracked(Settings::notifies)
            && has_notifications()
            && Notification::permission() == NotificationPermission::Granted;
        if wanted {
            let header = waiting.with_untracked(|waiting| waiting.first().and_then(header));
            let words = words.get_untracked();
            notification = notify(&words, &header.unwrap_or_default());
        }
    });
}

/// A notification that is shown until this is dropped.
struct Notified {
    notification: Notification,
    /// The click handler, which lives as long as the notification.
    _on_click: Closure<dyn FnMut()>,
}

impl Drop for Notified {
    fn drop(&mut self) {
        self.notification.set_onclick(None);
        self.notification.close();
    }
}

fn has_notifications() -> bool {
    js_sys::Reflect::has(&window(), &JsValue::from_str("Notification")) == Ok(true)
}

/// Returns true if a page of this browser can notify. On Android only service workers can, and the constructor throws, also without
/// permission; elsewhere it shows nothing then.
pub(crate) fn can_notify() -> bool {
    has_notifications()
        && (Notification::permission() == NotificationPermission::Granted || Notification::new("").is_ok())
}

/// Asks the browser, which may ask the user, for permission to notify.
pub(crate) async fn may_notify() -> bool {
    let Ok(asked) = Notification::request_permission() else {
        return false;
    };
    let answer = JsFuture::from(asked).await;
    answer.is_ok_and(|answer| answer.as_string().as_deref() == Some("granted"))
}

fn header(ask: &Ask) -> Option<String> {
    ask.snapshot.with_untracked(|ask| {
        let first = ask.questions.first()?;
        Some(live_markdown::marks::plain(&first.header.as_ref()?.text))
    })
}

/// Notifies, if the browser allows it. A click on it leads back.
fn notify(words: &Words, header: &str) -> Option<Notified> {
    let options = NotificationOptions::new();
    options.set_body(header);
    options.set_tag(TAG);
    options.set_lang(words.labels.lang());
    // Some browsers have the function and throw.
    let notification = Notification::new_with_options(words.text(Say::QuestionWaits), &options).ok()?;
    let shown = notification.clone();
    let on_click = Closure::<dyn FnMut()>::new(move || {
        let _ = window().focus();
        shown.close();
    });
    notification.set_onclick(Some(on_click.as_ref().unchecked_ref()));
    Some(Notified { notification, _on_click: on_click })
}
