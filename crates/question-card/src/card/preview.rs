//! What an option would look like: shown beside the options for the one that has the focus or is chosen.

use super::follow::QuestionShown;
use super::state::CardState;
use crate::anatomy::part;
use crate::dom::Control;
use crate::draft::{Kind, Standing};
use crate::effect::set_if_changed;
use crate::labels::isolate;
use ask_user_question::snapshot::QuestionSnapshot;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent};

/// Whether a question shows previews: a single choice with at least one.
pub(crate) fn has_previews(shown: QuestionShown) -> bool {
    let any = || shown.options.with(|options| options.iter().any(|option| option.has_preview.get()));
    shown.kind.get() == Some(Kind::Single) && any()
}

/// The preview of a question, in a place of its own.
pub(crate) fn preview(card: CardState, shown: QuestionShown, stands: Memo<Standing>) -> impl IntoView {
    let question = shown.index;
    let any = Memo::new(move |_| has_previews(shown));
    let of = Memo::new(move |_| match card.peeked.get() {
        Some((peeked, option)) if peeked == question => Some(option),
        _ => stands.with(|stands| stands.chosen.first().copied()),
    });
    let content = move || {
        // The end of the arguments may bring a repaired text.
        card.shown.phase.track();
        let option = of.get()?;
        let found = |question: &QuestionSnapshot| {
            let option = question.options.get(option).filter(|option| option.closed)?;
            Some((option.label.text.clone(), option.preview.as_ref()?.text.clone()))
        };
        let ((label, text), lang) =
            card.ask.with_untracked(|ask| Some((found(ask.questions.get(question)?)?, ask.lang.clone())))?;
        Some(view! {
            <div role="group" aria-label=(card.labels.preview)(&isolate(&label))>
                // Its lines may be longer than the place: who has no pointer scrolls it by the keyboard.
                <pre class=part::PREVIEW_TEXT lang=lang dir="auto" tabindex="0">{text}</pre>
            </div>
        })
    };
    move || any.get().then(|| view! { <div class=part::PREVIEW>{content}</div> })
}

/// Takes over that something in the form got the focus. Where that is a preview, it stays the one that is shown.
pub(crate) fn on_focusin(card: CardState, event: &FocusEvent) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if target.as_ref().is_some_and(|target| target.class_name() == part::PREVIEW_TEXT) {
        return;
    }
    let peeked = match target.and_then(|target| card.ids.parse(&target.id())) {
        Some(Control::Option { question, option }) => Some((question, option)),
        Some(_) | None => None,
    };
    set_if_changed(card.peeked, peeked);
}
