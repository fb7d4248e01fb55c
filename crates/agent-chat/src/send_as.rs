//! The meaning of a typed text for the question that waits.

use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome, Reply};
use question_compat::match_message;
use std::sync::Arc;

/// What a typed text means for a waiting question, as chosen by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SendAs {
    /// The answer, unless it asks something itself or several questions wait in one card.
    #[default]
    Matched,
    /// The answer in the user's own words, also if it ends in a question mark.
    Answer,
    /// A message. It supersedes the question.
    Message,
}

/// The meaning of a text for a waiting question.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The call whose question it is for.
    pub tool_call_id: String,
    /// The questions of that call.
    pub ask: Arc<AskUserQuestion>,
    /// The outcome that the agent would read.
    pub outcome: Outcome,
}

impl SendAs {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::Answer => "answer",
            Self::Message => "message",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Matched, Self::Answer, Self::Message].into_iter().find(|meaning| meaning.name() == name)
    }

    /// Reads a text for these asks, which wait, with the picks on their cards. `None` if none waits.
    pub(crate) fn read(
        self,
        waits: &[(String, Arc<AskUserQuestion>)],
        text: &str,
        picks: &dyn Fn(&str, &AskUserQuestion) -> Vec<Selection>,
    ) -> Option<Reading> {
        let read = waits.iter().map(|(id, ask)| {
            let partial = picks(id, ask);
            match self {
                Self::Matched => match_message(ask, text, partial),
                Self::Answer => in_own_words(ask, text, partial),
                Self::Message => Outcome::replied_in_chat(ask, text, partial),
            }
        });
        let mut outcomes: Vec<Outcome> = read.collect();
        // One text can't answer two calls: it answers the one that offers it, or else the first.
        let meant = outcomes.iter().position(picks_an_option).unwrap_or(0);
        let (tool_call_id, ask) = waits.get(meant)?.clone();
        Some(Reading { tool_call_id, ask, outcome: outcomes.swap_remove(meant) })
    }
}

/// The text as the answer to a single question. With multiple choice, the options picked so far stay selected.
fn in_own_words(ask: &AskUserQuestion, text: &str, partial: Vec<Selection>) -> Outcome {
    let [question] = &ask.questions[..] else { return match_message(ask, text, partial) };
    let mut selection = partial.first().cloned().unwrap_or_default();
    if !question.multi_select {
        selection.selected.clear();
    }
    selection.skipped = false;
    selection.other = Some(text.to_owned());
    let reply = Reply::of(ask, vec![selection]);
    reply.map_or_else(|| Outcome::replied_in_chat(ask, text, partial), Outcome::Answered)
}

/// Returns true if an outcome has only offered options, and no text of the user.
fn picks_an_option(outcome: &Outcome) -> bool {
    let Outcome::Answered(reply) = outcome else {
        return false;
    };
    reply.answers().iter().all(|answer| answer.given.typed().is_none())
}
