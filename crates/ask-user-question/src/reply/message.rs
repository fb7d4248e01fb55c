//! The text of a reply, and the way back from it.

use super::answer::{Answer, Reply, Selection};
use super::flat;
use crate::attachment::{self, Attachment};
use crate::text::{is_blank, joined};
use crate::wire::{AskUserQuestion, Question};

/// The text of a skipped question in the next user message.
pub const SKIPPED_TEXT: &str = "(skipped)";

/// The most questions, or parts of one answer, that are searched for in a message. No profile comes near it; it bounds the work on hostile
/// asks.
pub const MOST_PARTS: usize = 64;

const NOTE: &str = " (note: ";

impl Reply {
    /// The text of the next user message: the label itself for one question, `Header: answer` lines for several. A note follows its
    /// answer in parentheses, as the names of its files do, and a skipped question reads [`SKIPPED_TEXT`].
    #[must_use]
    pub fn message(&self) -> String {
        match &self.answers[..] {
            [only] => only.message(),
            answers => {
                let mut lines = String::new();
                for answer in answers {
                    if !lines.is_empty() {
                        lines.push('\n');
                    }
                    lines.push_str(&line_start(answer.title()));
                    lines.push_str(&answer.message());
                }
                lines
            }
        }
    }

    /// Reads a text that [`message`](Self::message) wrote. Returns the reply with this message; if several have it, the one with the most
    /// options; `None` if none has. (More than 64 picks or notes of one answer are read as the user's own words.)
    /// The crate `question-compat` reads typed texts.
    ///
    /// ```
    /// use ask_user_question::{AskUserQuestion, Reply};
    /// let ask: AskUserQuestion = serde_json::from_str(
    ///     r#"{"questions": [{"question": "When?", "options": [{"label": "Now, please"}, {"label": "Later"}]}]}"#,
    /// )?;
    /// let reply = Reply::read_message(&ask, "Now, please (note: before noon)").expect("one has it");
    /// assert_eq!(reply.answers()[0].given.options()[0].index, 0);
    /// assert_eq!(reply.answers()[0].note.as_deref(), Some("before noon"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn read_message(ask: &AskUserQuestion, text: &str) -> Option<Self> {
        Self::read_message_with(ask, text, Vec::new())
    }

    /// As [`read_message`](Self::read_message), of a message that has these files, each with the index of its question.
    #[must_use]
    pub fn read_message_with(ask: &AskUserQuestion, text: &str, attachments: Vec<(usize, Attachment)>) -> Option<Self> {
        let answers = match &ask.questions[..] {
            [_] => vec![text],
            questions => split(questions, text)?,
        };
        let mut selections = Vec::new();
        for (index, (question, answer)) in ask.questions.iter().zip(answers).enumerate() {
            let attached = attachments.iter().filter(|(of, _)| *of == index).map(|(_, file)| file.clone());
            let attached: Vec<_> = attached.collect();
            let mut selection = with_files(question, answer, &attached)?;
            (selection.question, selection.attachments) = (index, attached);
            selections.push(selection);
        }
        Self::of(ask, selections)
    }
}

/// The message by which a user changes an answer that the agent has.
impl Reply {
    /// The text of a user message that takes the place of an earlier answer. A model needs nothing beside it.
    ///
    /// ```
    /// use ask_user_question::{AskUserQuestion, Reply};
    /// let ask: AskUserQuestion =
    ///     serde_json::from_str(r#"{"questions": [{"question": "When?", "options": [{"label": "Now"}, {"label": "Later"}]}]}"#)?;
    /// let later = Reply::read_message(&ask, "Later").expect("it is an option");
    /// assert_eq!(later.change_message(), "I changed my answer to “When?”: Later");
    /// assert_eq!(Reply::read_change(&ask, &later.change_message()), Some(later));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn change_message(&self) -> String {
        let questions: Vec<&str> = self.answers.iter().map(|answer| answer.question.as_str()).collect();
        change_start(&questions) + &self.message()
    }

    /// Reads a text that [`change_message`](Self::change_message) wrote.
    #[must_use]
    pub fn read_change(ask: &AskUserQuestion, text: &str) -> Option<Self> {
        let questions: Vec<&str> = ask.questions.iter().map(|asked| asked.question.as_str()).collect();
        Self::read_message(ask, text.strip_prefix(&change_start(&questions))?)
    }
}

fn change_start(questions: &[&str]) -> String {
    match questions {
        [only] => format!("I changed my answer to “{}”: ", on_one_line(only)),
        _ => "I changed my answers:\n".to_owned(),
    }
}

impl Answer {
    fn message(&self) -> String {
        let mut text = self.text().unwrap_or_else(|| SKIPPED_TEXT.to_owned());
        if let Some(note) = &self.note {
            text = text + NOTE + note + ")";
        }
        let files = attachment::sentence(&self.attachments);
        if self.given.says_something() && !files.is_empty() { text + " (" + &files + ")" } else { text }
    }
}

/// Reads an answer that names these files, after what was said or alone.
fn with_files(question: &Question, text: &str, attached: &[Attachment]) -> Option<Selection> {
    let files = attachment::sentence(attached);
    if !files.is_empty() {
        if let Some(said) = text.strip_suffix(&format!(" ({files})")) {
            return picked(question, said).or_else(|| own_words(question, said));
        }
        let rest = text.strip_prefix(&*files)?;
        let note = rest.strip_prefix(NOTE).and_then(|rest| rest.strip_suffix(')')).map(str::to_owned);
        return (rest.is_empty() || note.is_some()).then(|| Selection { note, ..Selection::default() });
    }
    picked(question, text).or_else(|| own_words(question, text))
}

/// The start of a line that answers one of several questions: its title, without line breaks so that the line can be found by it.
fn line_start(title: &str) -> String {
    on_one_line(title) + ": "
}

fn on_one_line(text: &str) -> String {
    joined(&text.split_whitespace().collect::<Vec<_>>(), " ")
}

/// The answers in a message for several questions. An answer may have several lines, so it goes on to the next question's title.
fn split<'a>(questions: &[Question], text: &'a str) -> Option<Vec<&'a str>> {
    let (first, others) = questions.split_first()?;
    let mut rest = text.strip_prefix(&line_start(first.title()))?;
    let mut answers = Vec::new();
    for next in others {
        let (answer, behind) = split_at_line(rest, &line_start(next.title()))?;
        answers.push(answer);
        rest = behind;
    }
    answers.push(rest);
    Some(answers)
}

/// Splits a text at the first line that begins so and has something visible before it.
fn split_at_line<'a>(text: &'a str, start: &str) -> Option<(&'a str, &'a str)> {
    for (end, _) in text.match_indices('\n') {
        let (answer, line) = text.split_at_checked(end)?;
        if let Some(behind) = line.strip_prefix('\n')?.strip_prefix(start)
            && !is_blank(answer)
        {
            return Some((answer, behind));
        }
    }
    None
}

/// The answer that says nothing but options, or that the question was skipped; perhaps with a note.
#[must_use]
pub fn picked(question: &Question, text: &str) -> Option<Selection> {
    // A label may look as if it had a note.
    if let Some(picked) = only_picked(question, text) {
        return Some(picked);
    }
    for (answer, note) in with_notes(text).into_iter().take(MOST_PARTS) {
        if let Some(picked) = only_picked(question, answer) {
            return Some(picked.with_note(note));
        }
    }
    None
}

fn only_picked(question: &Question, text: &str) -> Option<Selection> {
    let (selected, rest) = labels(question, text);
    if rest.is_none() && (selected.len() == 1 || question.takes_several()) {
        return Some(Selection::picked(0, selected));
    }
    (text == SKIPPED_TEXT).then(|| Selection::skipped(0))
}

/// The answer that has text of the user's own, perhaps behind options, and perhaps with a note.
fn own_words(question: &Question, text: &str) -> Option<Selection> {
    let (selected, own) = match labels(question, text) {
        (selected, Some(own)) if question.takes_several() && !is_blank(own) => (selected, own),
        _ => (Vec::new(), text),
    };
    let (other, note) = match with_notes(own).pop() {
        Some((other, note)) if !is_blank(other) => (other, Some(note.to_owned())),
        _ => (own, None),
    };
    (!is_blank(other)).then(|| Selection { selected, other: Some(other.to_owned()), note, ..Selection::default() })
}

/// Every way to read the end of a text as a note. A note has something visible.
fn with_notes(text: &str) -> Vec<(&str, &str)> {
    let mut ways = Vec::new();
    let inner = text.strip_suffix(')').unwrap_or_default();
    for (at, _) in inner.match_indices(' ') {
        if let Some((answer, behind)) = inner.split_at_checked(at)
            && let Some(note) = behind.strip_prefix(NOTE)
            && !is_blank(note)
        {
            ways.push((answer, note));
        }
    }
    ways
}

/// The options whose labels a text begins with, joined as in a message, and the rest if there is any. At each place the longest label counts,
/// unless two options share it.
fn labels<'a>(question: &Question, text: &'a str) -> (Vec<usize>, Option<&'a str>) {
    let labels = question.labels();
    flat::parts(text, MOST_PARTS, &mut |found, rest| {
        let from = found.last().filter(|_| !question.is_ranking()).map_or(0, |last| last + 1);
        let next = flat::longest(&labels, from, rest, |behind| match behind {
            "" => Some(None),
            _ => behind.strip_prefix(", ").map(Some),
        });
        next.filter(|&(option, _)| !labels[..option].contains(&labels[option]) && !found.contains(&option))
    })
}
