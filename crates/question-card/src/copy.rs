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
    // The number of presses, and the result of the last copy while the button shows it.
    let copies = RwSignal::new((0_u32, None::<bool>));
    let was_pressed = Memo::new(move |_| copies.get().0 > 0);
    let announcer = StoredValue::new_local(Rc::new(Announcer::default()));
    let fade = move |copy| {
        copies.try_update(|(last, result)| *result = result.filter(|_| *last != copy));
    };
    let copy = move |_| {
        let copy = ask.with_untracked(|ask| labels.with_value(|labels| receipt_text(ask, labels)));
        copies.update(|(count, _)| *count += 1);
        write_to_clipboard(&copy, move |is_done| {
            let copy = copies.try_update(|(count, result)| {
                *result = Some(is_done);
                *count
            });
            if let Some(copy) = copy.filter(|_| is_done) {
                announcer.try_with_value(|announcer| announcer.say(text(Word::Copied)));
                set_timeout(move || fade(copy), STAY);
            }
        });
    };
    let node = NodeRef::<Div>::new();
    node.on_load(move |region| {
        announcer.try_with_value(|announcer| announcer.speak_in(Some(region.into())));
    });
    let region = move || {
        let region = || {
            view! { <div class="qc-status qc-visually-hidden" node_ref=node role="status" aria-live="polite" aria-atomic="true"></div> }
        };
        was_pressed.get().then(region)
    };
    let name = move || match copies.get().1 {
        Some(true) => text(Word::Copied),
        Some(false) | None => {
            let count = ask.with(|ask| ask.questions.len());
            labels.try_with_value(|labels| labels.plural(Word::CopyAnswers, count, &[])).unwrap_or_default()
        }
    };
    let failure = move || {
        (copies.get().1 == Some(false)).then(|| view! { <p class=part::WAIT role="alert">{text(Word::CopyFailed)}</p> })
    };
    view! {
        <button type="button" class=part::BUTTON on:click=copy>{name}</button>
        {failure}
        {region}
    }
}

/// The time for which the button shows that it has copied.
const STAY: Duration = Duration::from_secs(3);
