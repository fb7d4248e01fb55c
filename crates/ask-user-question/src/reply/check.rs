//! Validates selections and builds replies from them. All answers are validated here.

use super::answer::{Answer, Given, Reply, Selected, Selection};
use super::files;
use super::flat::flat_selection;
use crate::attachment::MAX_URL_BYTES;
use crate::input::{Flaw, InputKind};
use crate::text::{is_blank, quoted};
use crate::validate::{AnyViolation, Code, MAX_REPLY_BYTES, Refuse, Report, Violation};
use crate::wire::{AskUserQuestion, Question};
use json_tree::Json;
use std::fmt;

impl Reply {
    /// Builds a reply from the user's selections. A blank note is dropped.
    ///
    /// # Errors
    /// All violations, each with a path such as `selections[0].selected[1]`, or `questions[1]` if no selection is for that question.
    pub fn check(ask: &AskUserQuestion, selections: Vec<Selection>) -> Result<Self, Vec<Violation>> {
        judge(ask, selections).map_err(Report::into_violations)
    }

    /// As [`check`](Self::check), but without violations, so that a program needs no code for their messages.
    #[must_use]
    pub fn of(ask: &AskUserQuestion, selections: Vec<Selection>) -> Option<Self> {
        judge::<AnyViolation>(ask, selections).ok()
    }
}

fn judge<R: Refuse>(ask: &AskUserQuestion, selections: Vec<Selection>) -> Result<Reply, R> {
    let mut draft = ReplyBuilder::<R>::new(ask);
    for (s, selection) in selections.into_iter().enumerate() {
        draft.take(AnswerPlace::Selection(s), selection);
    }
    draft.finish()
}

/// Where a selection comes from, for the paths of violations.
#[derive(Clone, Copy)]
pub(super) enum AnswerPlace<'a> {
    Selection(usize),
    Detail(usize),
    /// The answer in the flat map to the question with this text.
    Answer(&'a str),
}

impl fmt::Display for AnswerPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selection(s) => write!(f, "selections[{s}]"),
            Self::Detail(d) => write!(f, "details[{d}]"),
            Self::Answer(key) => write!(f, "answers[{}]", Json::from(*key)),
        }
    }
}

impl AnswerPlace<'_> {
    fn typed(self) -> String {
        match self {
            Self::Selection(_) => format!("{self}.other"),
            Self::Detail(_) => format!("{self}.value"),
            Self::Answer(_) => self.to_string(),
        }
    }
}

/// Builds a reply: collects at most one answer per question, and violations.
pub(super) struct ReplyBuilder<'a, R> {
    ask: &'a AskUserQuestion,
    answers: Vec<Answer>,
    /// Questions with an answer, even an invalid one, which is then not also reported as missing.
    pub(super) named: Vec<bool>,
    pub(super) report: R,
    /// The violations by question. They are dropped if the question turns out to be hidden.
    reports: Vec<R>,
}

impl<'a, R: Refuse> ReplyBuilder<'a, R> {
    pub(super) fn new(ask: &'a AskUserQuestion) -> Self {
        Self {
            ask,
            answers: Answer::blank(ask),
            named: vec![false; ask.questions.len()],
            report: R::default(),
            reports: ask.questions.iter().map(|_| R::default()).collect(),
        }
    }

    /// Adds a selection that was found at `place`.
    pub(super) fn take(&mut self, place: AnswerPlace<'_>, selection: Selection) {
        let count = self.ask.questions.len();
        let Some(question) = self.ask.questions.get(selection.question) else {
            return self.report.refuse(Code::UnknownQuestion, || {
                let message = format!("There is no question {}; the ask has {count}.", selection.question);
                (format!("{place}.question"), message)
            });
        };
        if self.names(selection.question) {
            return self.report_on(selection.question).refuse(Code::RepeatedQuestion, || {
                (place.to_string(), format!("Question {} is answered twice.", quoted(&question.question)))
            });
        }
        self.answer(place, question, selection);
    }

    /// The report for a question, or for the whole reply if there is no such question.
    pub(super) fn report_on(&mut self, question: usize) -> &mut R {
        self.reports.get_mut(question).unwrap_or(&mut self.report)
    }

    /// Marks a question as answered. Returns true if it already was.
    pub(super) fn names(&mut self, question: usize) -> bool {
        std::mem::replace(&mut self.named[question], true)
    }

    pub(super) fn finish(mut self) -> Result<Reply, R> {
        if self.ask.questions.is_empty() {
            // An empty reply could be misread as consent.
            self.report.refuse(Code::Unanswered, || {
                ("questions".to_owned(), "The ask has no questions that could be answered.".to_owned())
            });
        }
        self.skip_hidden();
        for (q, question) in self.ask.questions.iter().enumerate() {
            if !self.named[q] {
                self.report.refuse(Code::Unanswered, || (format!("questions[{q}]"), unanswered(question)));
            }
        }
        let (mut typed_bytes, mut url_bytes) = (0_usize, 0_usize);
        for Answer { given, note, attachments, .. } in &self.answers {
            let names = attachments.iter().map(|attachment| &attachment.name);
            typed_bytes += given.typed().map_or(0, |typed| typed.len());
            typed_bytes += note.iter().chain(names).map(String::len).sum::<usize>();
            url_bytes += attachments.iter().map(|attachment| attachment.url.len()).sum::<usize>();
        }
        if typed_bytes > MAX_REPLY_BYTES {
            self.report.refuse(Code::TooLarge, || {
                (String::new(), format!("Typed texts must stay under {MAX_REPLY_BYTES} bytes together."))
            });
        }
        if url_bytes > MAX_URL_BYTES {
            self.report.refuse(Code::TooLarge, || {
                (String::new(), format!("The addresses of files must stay under {MAX_URL_BYTES} bytes together."))
            });
        }
        if !self.report.is_empty() {
            return Err(self.report);
        }
        Ok(Reply { needs_details: needs_details(self.ask, &self.answers), answers: self.answers })
    }

    /// Skips the questions that are hidden by these answers, dropping their answers and violations, and merges the other reports.
    fn skip_hidden(&mut self) {
        if self.ask.questions.iter().any(|question| question.show_if.is_some()) {
            let selections: Vec<Selection> = self.answers.iter().map(Answer::selection).collect();
            let blank = Answer::blank(self.ask);
            for (q, (is_hidden, blank)) in self.ask.hidden(&selections).into_iter().zip(blank).enumerate() {
                if is_hidden {
                    self.named[q] = true;
                    self.answers[q] = blank;
                    self.reports[q] = R::default();
                }
            }
        }
        self.reports.push(std::mem::take(&mut self.report));
        for report in self.reports.drain(..) {
            self.report.absorb(report);
        }
    }

    fn answer(&mut self, place: AnswerPlace<'_>, question: &Question, selection: Selection) {
        let selected = self.selected(place, question, &selection);
        let q = selection.question;
        let Selection { other, note, attachments, skipped, .. } = selection;
        if other.as_deref().is_some_and(is_blank) {
            self.report_on(q).refuse(Code::BlankOther, || {
                (format!("{place}.other"), "\"Other\" was chosen but nothing was typed.".to_owned())
            });
        }
        files::judge(self.report_on(q), &|| place.to_string(), &attachments);
        let given = selection.selected.len() + usize::from(other.is_some());
        // A number or a ranking can't be answered by files.
        let takes_files =
            question.input.as_ref().is_none_or(|input| matches!(input.kind, InputKind::Text | InputKind::Lines));
        let name = || quoted(&question.question);
        if skipped && (given > 0 || !attachments.is_empty()) {
            self.report_on(q).refuse(Code::AnsweredAndSkipped, || {
                (place.to_string(), format!("Question {} is marked skipped and answered too.", name()))
            });
        } else if !skipped && given == 0 && (attachments.is_empty() || !takes_files) {
            self.report_on(q).refuse(Code::Unanswered, || (place.to_string(), unanswered(question)));
        } else if given > 1 && !question.takes_several() {
            self.report_on(q).refuse(Code::TooManyAnswers, || {
                (place.to_string(), format!("Question {} takes one answer, not {given}.", name()))
            });
        }
        let given = match skipped {
            true if given == 0 => Given::Skipped,
            // The selection is invalid, but later questions may depend on it.
            true => Given::Picked { options: selected, other },
            false => self.given(place, q, selected, other),
        };
        let note = note.filter(|note| !is_blank(note));
        let answer = &mut self.answers[q];
        (answer.given, answer.note, answer.attachments) = (given, note, attachments);
    }

    /// The answer by the kind of the question. Typed values get their canonical spelling.
    fn given(
        &mut self,
        place: AnswerPlace<'_>,
        q: usize,
        mut options: Vec<Selected>,
        mut other: Option<String>,
    ) -> Given {
        let question = &self.ask.questions[q];
        let Some(input) = &question.input else {
            return picked(options, other);
        };
        match input.kind {
            InputKind::Rank if options.len() == question.options.len() && other.is_none() => {
                return Given::Ranked(options);
            }
            _ if input.is_closed() && (other.is_some() || question.is_ranking()) => {
                self.report_on(q).refuse(Code::WrongValue, || (place.to_string(), input.sentence(Flaw::Unreadable)));
            }
            InputKind::YesNo if options.len() == 1 && other.is_none() => {
                let option = options.swap_remove(0);
                return Given::YesNo { yes: option.index == 0, option };
            }
            InputKind::YesNo | InputKind::Choice | InputKind::Approval => {}
            _ => match other.as_deref().filter(|typed| !is_blank(typed)).map(|typed| input.value(typed)) {
                Some(Ok(typed)) if options.is_empty() => return Given::Typed(typed),
                Some(Ok(typed)) => other = Some(typed.text().into_owned()),
                Some(Err(flaw)) => {
                    self.report_on(q).refuse(Code::WrongValue, || (place.typed(), input.sentence(flaw)));
                }
                None => {}
            },
        }
        picked(options, other)
    }

    fn selected(&mut self, place: AnswerPlace<'_>, question: &Question, selection: &Selection) -> Vec<Selected> {
        let (report, indexes) = (self.report_on(selection.question), &selection.selected);
        let count = question.options.len();
        let mut chosen = vec![false; count];
        for (s, &index) in indexes.iter().enumerate() {
            let place = || format!("{place}.selected[{s}]");
            match chosen.get_mut(index) {
                Some(chosen) if !*chosen => *chosen = true,
                Some(_) => {
                    report.refuse(Code::RepeatedOption, || (place(), format!("Option {index} is chosen twice.")));
                }
                None => report.refuse(Code::UnknownOption, || {
                    (place(), format!("There is no option {index}; the question has {count}."))
                }),
            }
        }
        let in_order = question.in_order(indexes).into_iter();
        in_order.map(|index| Selected::of(index, &question.options[index])).collect()
    }
}

fn picked(options: Vec<Selected>, other: Option<String>) -> Given {
    if options.is_empty() && other.is_none() { Given::Attached } else { Given::Picked { options, other } }
}

fn unanswered(question: &Question) -> String {
    format!("Question {} is neither answered nor marked skipped.", quoted(&question.question))
}

/// Returns true if reading back the flat map alone could give different answers.
fn needs_details(ask: &AskUserQuestion, answers: &[Answer]) -> bool {
    answers.iter().zip(&ask.questions).any(|(answer, question)| {
        let shares_key = ask.questions[..answer.index].iter().any(|earlier| earlier.question == answer.question);
        let Given::Picked { options, other: None } = &answer.given else {
            return true;
        };
        shares_key
            || answer.note.is_some()
            || !answer.attachments.is_empty()
            || options.iter().any(|option| option.value.is_some())
            || is_ambiguous(answer, options, question)
    })
}

/// Returns true if the joined labels of an answer may be read as other labels.
fn is_ambiguous(answer: &Answer, options: &[Selected], question: &Question) -> bool {
    let uses = |label: &str| question.options.iter().filter(|option| option.label == label).count();
    if options.iter().any(|option| uses(&option.label) > 1) {
        return true;
    }
    // A label with a comma looks like two labels to a reader that does not know the options.
    let has_comma = |option: &Selected| option.label.contains(',');
    question.multi_select
        && (options.iter().any(has_comma)
            || flat_selection(question, answer.index, &answer.joined()).is_none_or(|read| {
                let picked = options.iter().map(|option| &option.index);
                read.other.is_some() || !read.selected.iter().eq(picked)
            }))
}
