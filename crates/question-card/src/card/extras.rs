//! Optional features of a card. Each is a value that holds its code, so that a page without it does not carry the code.

use super::machine::Card;
use super::view::{QUIET_BUTTON, QuestionView, button, note, skip};
use crate::dom::Control;
use crate::draft::Field;
use crate::labels::concat;
use crate::writer::NodeWriter;
use crate::writer::prelude::*;
use ask_user_question::AskSnapshot;
use ask_user_question::reply::Selection;

/// The value of [`Options::notes`](super::Options::notes).
#[derive(Clone, Copy, Debug)]
pub struct Notes(pub(crate) fn(&mut Writer, QuestionView<'_>));

impl Notes {
    /// "Add a note", and the field that it opens.
    #[must_use]
    pub fn field() -> Self {
        Self(note)
    }
}

/// The value of [`Options::skip`](super::Options::skip).
#[derive(Clone, Copy, Debug)]
pub struct Skip(pub(crate) fn(&mut Writer, QuestionView<'_>));

impl Skip {
    /// A button that answers, or that is pressed and can be released again.
    #[must_use]
    pub fn button() -> Self {
        Self(skip)
    }
}

/// The value of [`Options::agent_decides`](super::Options::agent_decides).
#[derive(Clone, Debug)]
pub struct Decide {
    pub(crate) words: String,
    pub(crate) draw: fn(&mut Writer, &Card, &str),
    pub(crate) act: fn(&mut Card, &AskSnapshot),
}

impl Decide {
    /// A button with these words, such as "Let the agent decide".
    #[must_use]
    pub fn button(words: impl Into<String>) -> Self {
        Self { words: words.into(), draw: draw_decide, act: leave_to_agent }
    }
}

fn draw_decide(w: &mut Writer, card: &Card, words: &str) {
    button(w, card, QUIET_BUTTON, Control::Decide, words, !card.is_open());
}

/// Leaves every open question to the agent: skipped, with the host's words as its note, before what the user noted there.
fn leave_to_agent(card: &mut Card, ask: &AskSnapshot) {
    let problems = card.problems(ask);
    let Some(words) = card.options.agent_decides.as_ref().map(|decide| &decide.words).filter(|_| card.is_open()) else {
        return;
    };
    if problems.iter().any(|(_, problem)| !problem.is_missing()) {
        return card.check_and_send(ask);
    }
    let mut selections = Vec::new();
    let mut own = card.draft.selections().into_iter();
    for question in 0..ask.questions.len() {
        match problems.iter().any(|(missing, _)| *missing == question) {
            true => selections.push(Selection {
                question,
                skipped: true,
                note: Some(match card.draft.text(question, Field::Note).trim() {
                    "" => words.clone(),
                    note => concat(&[words, "\n", note]),
                }),
                ..Selection::default()
            }),
            false => selections.extend(own.find(|own| own.question == question)),
        }
    }
    card.send(ask, selections);
}

/// Names each element as a part: its class without the `qc-`, and its states, as in `option chosen`. A page can style nothing but parts in
/// a shadow tree.
#[derive(Clone, Copy, Debug)]
pub struct Parts(pub(crate) fn(&mut NodeWriter, &'static str));

impl Parts {
    /// The names of the classes and states.
    #[must_use]
    pub fn named() -> Self {
        Self(NodeWriter::name_parts)
    }
}
