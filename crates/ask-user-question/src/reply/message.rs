//! The text of a reply, and the way back from it.

use super::flat::{self, Behind};
use super::{Answer, Reply, Selection};
use crate::text::{is_blank, joined};
use crate::wire::{AskUserQuestion, Question};

/// How the next user message says that a question was skipped.
pub const SKIPPED_TEXT: &str = "(skipped)";

/// How many questions, or parts of one answer, a message is searched for. No profile comes near it; it bounds the work on hostile asks.
pub(crate) const MOST_PARTS: usize = 64;

/// What stands before a note; a closing parenthesis ends it.
const NOTE: &str = " (note: ";

impl Reply {
    /// The text of the next user message: the label itself for one question, `Header: answer` lines for several. A note follows its
    /// answer in parentheses, and a skipped question reads [`SKIPPED_TEXT`].
    #[must_use]
    pub fn message(&self) -> String {
        match &self.answers[..] {
            [only] => only.message(),
            answers => {
                let lines: Vec<String> =
                    answers.iter().map(|answer| line_start(answer.title()) + &answer.message()).collect();
                joined(&lines, "\n")
            }
        }
    }

    /// Reads what [`message`](Self::message) wrote: the reply with this message, and where several have it, the one that says most by
    /// options. `None` where none has. (More than 64 picks or notes of one answer are read as the user's own words.) What a person typed is for [`match_message`](crate::matching::match_message) to read.
    ///
    /// ```
    /// use ask_user_question::{AskUserQuestion, Reply};
    /// let ask: AskUserQuestion = serde_json::from_str(
    ///     r#"{"questions": [{"question": "When?", "options": [{"label": "Now, please"}, {"label": "Later"}]}]}"#,
    /// )?;
    /// let reply = Reply::read_message(&ask, "Now, please (note: before noon)").expect("one has it");
    /// assert_eq!(reply.answers()[0].selected[0].index, 0);
    /// assert_eq!(reply.answers()[0].note.as_deref(), Some("before noon"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn read_message(ask: &AskUserQuestion, text: &str) -> Option<Self> {
        let answers = match &ask.questions[..] {
            [_] => vec![text],
            questions => split(questions, text)?,
        };
        let mut selections = Vec::new();
        for (index, (question, answer)) in ask.questions.iter().zip(answers).enumerate() {
            let mut selection = picked(question, answer).or_else(|| own_words(question, answer))?;
            selection.question = index;
            selections.push(selection);
        }
        Self::of(ask, selections)
    }
}

impl Answer {
    fn message(&self) -> String {
        let text = self.text().unwrap_or_else(|| SKIPPED_TEXT.to_owned());
        match &self.note {
            Some(note) => text + NOTE + note + ")",
            None => text,
        }
    }
}

/// What a line begins with that answers one of several questions: the title without line breaks, for the line is found again by it.
fn line_start(title: &str) -> String {
    let words: Vec<&str> = title.split_whitespace().collect();
    joined(&words, " ") + ": "
}

/// The answers in a message for several questions. An answer may have several lines, so it goes on to the next question's title.
fn split<'a>(questions: &[Question], text: &'a str) -> Option<Vec<&'a str>> {
    let (first, others) = questions.split_first()?;
    let mut rest = text.strip_prefix(&line_start(first.title()))?;
    let mut answers = Vec::new();
    for next in others {
        let start = line_start(next.title());
        let mut lines = rest.match_indices('\n').filter_map(|(end, _)| rest.split_at_checked(end));
        let (answer, behind) = lines.find_map(|(answer, line)| {
            let behind = line.strip_prefix('\n')?.strip_prefix(&start)?;
            (!is_blank(answer)).then_some((answer, behind))
        })?;
        answers.push(answer);
        rest = behind;
    }
    answers.push(rest);
    Some(answers)
}

/// The answer that says nothing but options, or that the question was skipped; perhaps with a note.
pub(crate) fn picked(question: &Question, text: &str) -> Option<Selection> {
    // A label may look as if it had a note.
    only_picked(question, text).or_else(|| {
        let mut split = with_notes(text).take(MOST_PARTS).filter_map(|(answer, note)| {
            let note = Some(note.to_owned());
            let read = only_picked(question, answer)?;
            Some(Selection { note, ..read })
        });
        split.next()
    })
}

fn only_picked(question: &Question, text: &str) -> Option<Selection> {
    let (selected, rest) = labels(question, text);
    if rest.is_none() && (selected.len() == 1 || question.multi_select) {
        return Some(Selection { selected, ..Selection::default() });
    }
    (text == SKIPPED_TEXT).then(|| Selection { skipped: true, ..Selection::default() })
}

/// The answer that has text of the user's own, perhaps behind options, and perhaps with a note.
fn own_words(question: &Question, text: &str) -> Option<Selection> {
    let (selected, own) = match labels(question, text) {
        (selected, Some(own)) if question.multi_select && !is_blank(own) => (selected, own),
        _ => (Vec::new(), text),
    };
    let (other, note) = match with_notes(own).last() {
        Some((other, note)) if !is_blank(other) => (other, Some(note.to_owned())),
        _ => (own, None),
    };
    (!is_blank(other)).then(|| Selection { selected, other: Some(other.to_owned()), note, ..Selection::default() })
}

/// Every way to take the end of a text for a note. A note that nobody can see is none.
fn with_notes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let inner = text.strip_suffix(')').unwrap_or_default();
    let begins = NOTE.chars().next().unwrap_or_default();
    let split = inner.match_indices(begins).filter_map(|(at, _)| inner.split_at_checked(at));
    split.filter_map(|(answer, note)| Some((answer, note.strip_prefix(NOTE)?))).filter(|(_, note)| !is_blank(note))
}

/// The options whose labels a text begins with, joined as a message joins them: in order, the longest that fits at each place, unless two options
/// share it. And what follows them, if anything does.
fn labels<'a>(question: &Question, text: &'a str) -> (Vec<usize>, Option<&'a str>) {
    let labels = question.labels();
    flat::parts(text, MOST_PARTS, &mut |found, rest| {
        let from = found.last().map_or(0, |last| last + 1);
        let next = flat::longest(&labels, from, rest, ends_as_written);
        next.filter(|&(option, _)| !labels[..option].contains(&labels[option]))
    })
}

fn ends_as_written(text: &str) -> Option<Behind<'_>> {
    if text.is_empty() { Some(None) } else { text.strip_prefix(", ").map(Some) }
}
