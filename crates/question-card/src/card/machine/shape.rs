//! The shape of an ask: pure functions of its snapshot.

use crate::dom::{Control, fnv1a};
use crate::draft::Problem;
use crate::labels::isolate;
use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::QuestionSnapshot;
use live_markdown::marks;

/// A hash that identifies the question.
pub(super) fn asked(ask: &AskSnapshot) -> u64 {
    ask.questions.iter().fold(0, |all, asked| all.wrapping_mul(31).wrapping_add(fnv1a(asked.question.text.trim())))
}

/// Returns true if no further option can come and the kind of choice is known.
#[must_use]
pub fn is_whole(question: &QuestionSnapshot) -> bool {
    question.closed && question.multi_select.is_some()
}

/// Returns true if a question shows previews: there is at least one, and it is known how many options may be chosen.
#[must_use]
pub fn has_previews(asked: &QuestionSnapshot) -> bool {
    asked.multi_select.is_some() && asked.options.iter().any(|option| option.preview.is_some())
}

/// Returns true if the options stand side by side with their pictures. The first option decides, so that none moves later.
#[must_use]
pub fn has_pictures(asked: &QuestionSnapshot) -> bool {
    let first = asked.options.first();
    first.is_some_and(|first| first.picture().is_some() || first.image.is_some() && !first.closed)
}

/// The name of a question in a sentence: its header, or its text if it has none.
#[must_use]
pub fn name(asked: &QuestionSnapshot) -> String {
    isolate(&marks::plain(&asked.header.as_ref().unwrap_or(&asked.question).text))
}

/// The control that solves a problem.
pub(super) fn entry(ask: &AskSnapshot, question: usize, problem: Problem) -> Control {
    let has_options = ask.questions.get(question).is_some_and(|asked| !asked.options.is_empty());
    match problem {
        Problem::NoteTooLong { .. } => Control::Note { question },
        Problem::Unanswered | Problem::Unranked if has_options => Control::Option { question, option: 0 },
        _ => Control::OtherText { question },
    }
}
