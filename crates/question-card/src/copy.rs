//! The button that copies a receipt.

use crate::anatomy::part;
use crate::announcer::Announcer;
use crate::clipboard::write_to_clipboard;
use crate::labels::{Labels, Word};
use crate::receipt::receipt_text;
use ask_user_question::AskSnapshot;
use leptos::html::Div;
use leptos::prelude::*;
use std::rc::Rc;
use std::time::Duration;

/// A button that copies a receipt as plain text, for the actions below one: a line for each question and for its answer.
///
/// A card whose ask ends while the user is there has this button by itself. The receipts of a history do not, since each would add a
/// listener and a stop for the Tab key.
#[component]
pub fn CopyReceipt(
    /// The ask.
    #[prop(into)]
    ask: Signal<AskSnapshot>,
    /// The built-in words.
    #[prop(optional)]
    labels: Labels,
) -> impl IntoView {
    let labels = StoredValue::new(labels);
    let text = move |word| labels.try_with_value(|labels| labels.text(word).to_owned()).unwrap_or_default();
    let copied = RwSignal::new(CopyState::No);
    let announcer = StoredValue::<Option<Rc<Announcer>>, LocalStorage>::new_local(None);
    let was_pressed = RwSignal::new(false);
    let times = StoredValue::new(0_u32);
    let take_back = move |time| {
        if times.try_get_value() == time {
            copied.try_set(CopyState::No);
        }
    };
    let copy = move |_| {
        let copy = ask.with_untracked(|ask| labels.with_value(|labels| receipt_text(ask, labels)));
        was_pressed.set(true);
        write_to_clipboard(&copy, move |is_done| {
            if !is_done {
                copied.try_set(CopyState::Failed);
            } else if copied.try_set(CopyState::Yes).is_none() {
                if let Some(Some(announcer)) = announcer.try_get_value() {
                    announcer.say(text(Word::Copied));
                }
                let time = times.try_update_value(|times| {
                    *times += 1;
                    *times
                });
                set_timeout(move || take_back(time), STAY);
            }
        });
    };
    let node = NodeRef::<Div>::new();
    node.on_load(move |region| {
        let own = Rc::new(Announcer::default());
        own.speak_in(Some(region.into()));
        // The browser may have copied before the region was there.
        if copied.try_get_untracked() == Some(CopyState::Yes) {
            own.say(text(Word::Copied));
        }
        announcer.try_set_value(Some(own));
    });
    let region = move || {
        let region = || {
            view! { <div class="qc-status qc-visually-hidden" node_ref=node role="status" aria-live="polite" aria-atomic="true"></div> }
        };
        was_pressed.get().then(region)
    };
    let name = move || match copied.get() {
        CopyState::Yes => text(Word::Copied),
        CopyState::No | CopyState::Failed => text(Word::CopyAnswers),
    };
    let failure = move || {
        (copied.get() == CopyState::Failed)
            .then(|| view! { <p class=part::WAIT role="alert">{text(Word::CopyFailed)}</p> })
    };
    view! {
        <button type="button" class=part::BUTTON on:click=copy>{name}</button>
        {failure}
        {region}
    }
}

/// The time for which the button shows that it has copied.
const STAY: Duration = Duration::from_secs(3);

/// The state of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CopyState {
    No,
    Yes,
    /// The browser refused; then the user has to know.
    Failed,
}
