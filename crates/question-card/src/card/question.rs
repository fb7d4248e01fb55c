//! One question: a fieldset with its legend, hint, error and rows.

use super::extras::extras;
use super::follow::QuestionShown;
use super::option_row::option_row;
use super::other::other_row;
use super::preview::preview;
use super::state::{CardState, Layout};
use crate::anatomy::part;
use crate::draft::{Kind, Problem};
use crate::labels::isolate;
use ask_user_question::Phase;
use leptos::prelude::*;

/// A question of the ask.
pub(crate) fn question(card: CardState, shown: QuestionShown) -> impl IntoView {
    let index = shown.index;
    let kind = shown.kind;
    let stands = card.standing(index);
    let error = Memo::new(move |_| card.error(stands));
    let is_radio_group = move || kind.get() == Some(Kind::Single) && card.layout.get() == Layout::Explicit;
    let answered = move || stands.with(|stands| stands.problem.is_none());
    let is_missing = move || error.get().is_some_and(Problem::is_missing);
    let has_line = move || error.get().is_some() || nudge(card, index).is_some();
    let describe = move || match has_line() {
        true => format!("{} {}", card.ids.hint(index), card.ids.error(index)),
        false => card.ids.hint(index),
    };
    view! {
        <fieldset
            class=part::QUESTION
            role=move || is_radio_group().then_some("radiogroup")
            aria-required=move || (is_radio_group() && !card.offers.skip).then_some("true")
            aria-invalid=move || (is_radio_group() && is_missing()).then_some("true")
            aria-describedby=describe
            data-status=move || if answered() { "answered" } else { "unanswered" }
            data-multiple=move || (kind.get() == Some(Kind::Multi)).then_some("")
            data-invalid=move || error.get().map(|_| "")
            data-skipped=move || stands.with(|stands| stands.skipped).then_some("")
        >
            <legend class=part::LEGEND id=card.ids.legend(index) dir="auto">
                {chip(card, shown)}
                {shown.text.view(card.ask, part::QUESTION_TEXT)}
            </legend>
            {hint(card, shown)}
            {move || (card.layout.get() != Layout::OnPick).then(|| error_line(card, index, error))}
            <div class=part::BODY>
                <div class=part::OPTIONS>
                    <For
                        each=move || shown.options.get()
                        key=|option| option.index
                        children=move |option| option_row(card, shown, option, stands)
                    />
                    {other_row(card, shown, stands)}
                </div>
                {preview(card, shown, stands)}
            </div>
            {extras(card, shown, stands)}
        </fieldset>
    }
}

fn chip(card: CardState, shown: QuestionShown) -> impl IntoView {
    move || {
        shown.header.get().map(|header| {
            view! {
                <span class=part::CHIP dir="auto">
                    {header.view(card.ask, "")}
                </span>
                // Keeps the two apart in the legend's name.
                " "
            }
        })
    }
}

/// The line is there from the start, so that nothing moves when it is known what it says.
fn hint(card: CardState, shown: QuestionShown) -> impl IntoView {
    let text = move || match shown.kind.get() {
        Some(Kind::Single) => card.labels.select_one,
        Some(Kind::Multi) => card.labels.select_many,
        None => "\u{a0}",
    };
    view! { <p class=part::HINT id=card.ids.hint(shown.index)>{text}</p> }
}

/// What is wrong, or what is to be done first. Where one tap answers only a text can be wrong: there it stands at its field.
pub(crate) fn error_line(card: CardState, index: usize, error: Memo<Option<Problem>>) -> impl IntoView {
    move || {
        let text = match error.get() {
            Some(problem) => card.error_text(index, problem),
            None => nudge(card, index)?.to_owned(),
        };
        Some(view! { <p class=part::ERROR id=card.ids.error(index)>{text}</p> })
    }
}

/// What is to be done first, where Enter found nothing to confirm in this question.
fn nudge(card: CardState, question: usize) -> Option<&'static str> {
    let (nudged, text) = card.nudged.get()?;
    (nudged == question).then_some(text)
}

impl CardState {
    /// A problem in words.
    pub(crate) fn error_text(self, question: usize, problem: Problem) -> String {
        let shown = self.shown.questions.with_untracked(|shown| shown.get(question).copied());
        match (problem, shown) {
            // Where one tap answers, only Send can have been tried; where nothing could be read there is nothing to select.
            (Problem::Unanswered, Some(shown))
                if self.layout.get_untracked() == Layout::Explicit
                    && self.shown.phase.get_untracked() != Phase::Malformed =>
            {
                (self.labels.error_select)(&name(self, shown))
            }
            (Problem::Unanswered | Problem::OtherBlank, _) => self.labels.error_other.to_owned(),
            (Problem::OtherTooLong { over } | Problem::NoteTooLong { over }, _) => (self.labels.error_too_long)(over),
        }
    }
}

/// What a question is called in a sentence: its header, or its text where it has none.
pub(crate) fn name(card: CardState, shown: QuestionShown) -> String {
    let text = shown.header.get_untracked().unwrap_or(shown.text);
    card.ask.with_untracked(|ask| isolate(text.of(ask)))
}
