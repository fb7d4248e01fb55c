//! From selections to a reply: the one place where answers are judged.

use super::parse::flat_selection;
use super::{Answer, Reply, Selected, Selection};
use crate::text::{is_blank, quoted};
use crate::validate::{Code, MAX_REPLY_BYTES, Report, Violation};
use crate::wire::{AskUserQuestion, Question, QuestionOption};
use std::fmt::Display;

pub(super) fn check(ask: &AskUserQuestion, selections: Vec<Selection>) -> Result<Reply, Vec<Violation>> {
    let mut draft = Draft::new(ask);
    for (s, selection) in selections.into_iter().enumerate() {
        draft.take(&format!("selections[{s}]"), selection);
    }
    draft.finish()
}

/// A reply in the making: at most one answer for each question, and what was wrong on the way.
pub(super) struct Draft<'a> {
    ask: &'a AskUserQuestion,
    answers: Vec<Option<Answer>>,
    /// Questions that something was said about, so that a wrong answer is not reported as a missing one too.
    named: Vec<bool>,
    typed_bytes: usize,
    report: Report,
}

impl<'a> Draft<'a> {
    pub(super) fn new(ask: &'a AskUserQuestion) -> Self {
        Self {
            ask,
            answers: vec![None; ask.questions.len()],
            named: vec![false; ask.questions.len()],
            typed_bytes: 0,
            report: Report::default(),
        }
    }

    /// Takes one selection, found at `path`.
    pub(super) fn take(&mut self, path: &str, selection: Selection) {
        let Some(question) = self.ask.questions.get(selection.question) else {
            let message =
                format!("There is no question {}; the ask has {}.", selection.question, self.ask.questions.len());
            return self.report.add(format_args!("{path}.question"), Code::UnknownQuestion, message);
        };
        if self.names(selection.question) {
            let message = format!("Question {} is answered twice.", quoted(&question.question));
            return self.report.add(path, Code::RepeatedQuestion, message);
        }
        let answer = self.answer(path, question, selection);
        let index = answer.index;
        self.answers[index] = Some(answer);
    }

    /// Marks a question as spoken of, and says whether it was before.
    pub(super) fn names(&mut self, question: usize) -> bool {
        std::mem::replace(&mut self.named[question], true)
    }

    pub(super) fn is_named(&self, question: usize) -> bool {
        self.named[question]
    }

    pub(super) fn report(&mut self, path: impl Display, code: Code, message: impl Display) {
        self.report.add(path, code, message);
    }

    pub(super) fn finish(mut self) -> Result<Reply, Vec<Violation>> {
        if self.ask.questions.is_empty() {
            // An empty reply would read as consent to who knows what.
            self.report.add("questions", Code::Unanswered, "The ask has no questions that could be answered.");
        }
        for (q, question) in self.ask.questions.iter().enumerate() {
            if !self.named[q] {
                self.report.add(format_args!("questions[{q}]"), Code::Unanswered, unanswered(question));
            }
        }
        if self.typed_bytes > MAX_REPLY_BYTES {
            self.report.add(
                "",
                Code::TooLarge,
                format_args!("Typed texts must stay under {MAX_REPLY_BYTES} bytes together."),
            );
        }
        if !self.report.is_empty() {
            return Err(self.report.into_violations());
        }
        let answers: Vec<Answer> = self.answers.into_iter().flatten().collect();
        Ok(Reply { needs_details: needs_details(self.ask, &answers), answers })
    }

    fn answer(&mut self, path: &str, question: &Question, selection: Selection) -> Answer {
        let selected = self.selected(path, question, &selection.selected);
        let Selection { other, note, skipped, .. } = selection;
        if other.as_deref().is_some_and(is_blank) {
            self.report.add(
                format_args!("{path}.other"),
                Code::BlankOther,
                "\"Other\" was chosen but nothing was typed.",
            );
        }
        let given = selection.selected.len() + usize::from(other.is_some());
        if skipped && given > 0 {
            let message = format!("Question {} is marked skipped and answered too.", quoted(&question.question));
            self.report.add(path, Code::AnsweredAndSkipped, message);
        } else if !skipped && given == 0 {
            self.report.add(path, Code::Unanswered, unanswered(question));
        } else if given > 1 && !question.multi_select {
            let message = format!("Question {} takes one answer, not {given}.", quoted(&question.question));
            self.report.add(path, Code::TooManyAnswers, message);
        }
        let note = note.filter(|note| !is_blank(note));
        for typed in other.iter().chain(&note) {
            self.typed_bytes = self.typed_bytes.saturating_add(typed.len());
        }
        Answer {
            index: selection.question,
            question: question.question.clone(),
            header: question.header.clone(),
            selected,
            other,
            note,
            skipped,
        }
    }

    fn selected(&mut self, path: &str, question: &Question, indexes: &[usize]) -> Vec<Selected> {
        let mut chosen = vec![false; question.options.len()];
        for (s, &index) in indexes.iter().enumerate() {
            let path = format_args!("{path}.selected[{s}]");
            match chosen.get_mut(index) {
                Some(chosen) if !*chosen => *chosen = true,
                Some(_) => self.report.add(path, Code::RepeatedOption, format_args!("Option {index} is chosen twice.")),
                None => {
                    let message = format!("There is no option {index}; the question has {}.", question.options.len());
                    self.report.add(path, Code::UnknownOption, message);
                }
            }
        }
        let options = question.options.iter().zip(chosen).enumerate();
        let selected = |(index, (option, chosen)): (usize, (&QuestionOption, bool))| {
            chosen.then(|| Selected { index, label: option.label.clone() })
        };
        options.filter_map(selected).collect()
    }
}

fn unanswered(question: &Question) -> String {
    format!("Question {} is neither answered nor marked skipped.", quoted(&question.question))
}

/// Whether reading the flat map back would not give these answers, or a reader could not be sure that it does.
fn needs_details(ask: &AskUserQuestion, answers: &[Answer]) -> bool {
    answers.iter().zip(&ask.questions).any(|(answer, question)| {
        let shares_key = ask.questions[..answer.index].iter().any(|earlier| earlier.question == answer.question);
        shares_key
            || answer.skipped
            || answer.other.is_some()
            || answer.note.is_some()
            || is_ambiguous(answer, question)
    })
}

/// Whether the flat text of chosen labels might stand for other labels.
fn is_ambiguous(answer: &Answer, question: &Question) -> bool {
    if shares_label(answer, question) {
        return true;
    }
    // A comma inside a label reads as two labels to a reader that does not know the options.
    let has_comma = |selected: &Selected| selected.label.contains(',');
    question.multi_select
        && (answer.selected.iter().any(has_comma)
            || flat_selection(question, answer.index, &answer.joined()) != Some(answer.selection()))
}

/// Whether a chosen label is that of another option too.
fn shares_label(answer: &Answer, question: &Question) -> bool {
    let uses = |label: &str| question.options.iter().filter(|option| option.label == label).count();
    answer.selected.iter().any(|selected| uses(&selected.label) > 1)
}
