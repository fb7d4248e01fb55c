//! Writes a reply as the text of a user message, and reads it back.

use super::answer::{Answer, Reply, Selection};
use super::flat;
use crate::attachment::{self, Attachment};
use crate::text::{is_blank, joined};
use crate::wire::{AskUserQuestion, Question};

/// The text of a skipped question in a user message.
pub const SKIPPED_TEXT: &str = "(skipped)";

/// The maximum number of questions, or of parts of one answer, that are searched for in a message. No profile comes close; it bounds the work on
/// hostile asks.
pub const MOST_PARTS: usize = 64;

const NOTE: &str = " (note: ";

impl Reply {
    /// The text of the next user message: only the answer if there is one question, else a line `Header: answer` for each. A note and the names of
    /// files follow their answer, and a skipped question reads [`SKIPPED_TEXT`].
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

    /// Reads a text that [`message`](Self::message) wrote. Returns the reply with this message; if several replies have it, the one with the most
    /// options; `None` if none has it. (Beyond 64 options or notes in one answer, the text is read as own words.) The crate `question-compat` reads
    /// texts that users typed.
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

    /// As [`read_message`](Self::read_message), for a message with files, each with the index of its question.
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

/// The message by which a user changes an answer that was already sent.
impl Reply {
    /// The text of a user message that replaces an earlier answer. It is self-contained, so a model needs no metadata.
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

    /// Reads a text that [`change_message`](Self::change_message) wrote; `None` for any other text.
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

/// Reads an answer that ends with, or consists of, the names of these files.
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

/// The start of a line that answers one of several questions: its title on one line, and a colon.
fn line_start(title: &str) -> String {
    on_one_line(title) + ": "
}

fn on_one_line(text: &str) -> String {
    joined(&text.split_whitespace().collect::<Vec<_>>(), " ")
}

/// Splits a message into the answers to several questions. An answer may have several lines, so it ends at the next question's title.
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

/// Splits a text at the first line that starts with `start` and has visible text before it.
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

/// Reads an answer that has only options or was skipped, possibly with a note.
#[must_use]
pub fn picked(question: &Question, text: &str) -> Option<Selection> {
    // Tried first, since a label may look like one with a note.
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

/// Reads an answer with own words, possibly after options and with a note.
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

/// All ways to read the end of a text as a note with visible text.
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

/// The options whose labels the text starts with, joined as in a message, and the rest. The longest label wins, unless two options share it.
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
