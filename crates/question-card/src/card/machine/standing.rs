//! How the card stands: what the views read.

use super::{Again, Card, Manner, Sent, Submission, is_whole};
use crate::dom::Control;
use crate::draft::{Field, Problem};
use crate::labels::{Word, isolate};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::text::joined;
use ask_user_question::{AskSnapshot, Outcome, Phase};

impl Card {
    /// Whether the receipt stands in the place of the form.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.options.readonly || self.phase.is_over()
    }

    /// Whether the ask takes an answer now: complete, and none given.
    #[must_use]
    pub fn is_open(&self) -> bool {
        // An ask that could not be read takes no reply, but a message.
        let takes_message = self.phase == Phase::Malformed && self.options.offers.messages;
        (self.phase.takes_answer() || takes_message) && self.submission.is_open() && !self.options.readonly
    }

    /// Whether choices can still change: they can while other questions stream, and not once a reply was given.
    #[must_use]
    pub fn takes_changes(&self) -> bool {
        !self.is_over() && self.submission.is_open()
    }

    /// Whether a reply was given to the host and nothing has come of it yet.
    #[must_use]
    pub fn is_latched(&self) -> bool {
        self.submission == Submission::Latched
    }

    /// Whether the reply was given and waits for the one to another ask.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.options.held && self.is_latched()
    }

    /// Whether a reply was tried that can be given again as it is, where one tap answers: what was tapped shows it, and nothing is pressed.
    pub(crate) fn can_try_again(&self, ask: &AskSnapshot) -> bool {
        let is_reply = matches!(self.submission, Submission::Failed { is_reply: true, .. });
        self.manner == Manner::OnPick && is_reply && self.problems(ask).is_empty()
    }

    /// Whether the question can be sent back to the agent: its time ran out before the user's eyes.
    pub(crate) fn asks_again(&self) -> bool {
        let is_new = self.is_live() && self.again != Again::Sent;
        is_new && self.phase == Phase::Expired && self.options.offers.messages && !self.options.readonly
    }

    /// What is wrong with a question, once the user has tried to send.
    #[must_use]
    pub fn error(&self, question: usize) -> Option<Problem> {
        self.draft.problem(question).filter(|_| self.validating)
    }

    /// Every question that keeps the reply from being sent.
    #[must_use]
    pub fn problems(&self, ask: &AskSnapshot) -> Vec<(usize, Problem)> {
        self.draft.problems(ask.questions.len())
    }

    /// The questions to which a way is shown: more than one, where each is open.
    pub(crate) fn summary(&self, ask: &AskSnapshot) -> Vec<(usize, Problem)> {
        let shows = self.validating && self.manner == Manner::Explicit;
        let problems = if shows { self.problems(ask) } else { Vec::new() };
        if problems.len() > 1 { problems } else { Vec::new() }
    }

    /// What is to be done first, where Enter found nothing to confirm in this question.
    #[must_use]
    pub fn nudge(&self, question: usize) -> Option<&str> {
        self.nudged.filter(|(nudged, _)| *nudged == question).map(|(_, word)| self.labels.text(word))
    }

    /// A problem in words.
    #[must_use]
    pub fn error_text(&self, ask: &AskSnapshot, question: usize, problem: Problem) -> String {
        match (problem, ask.questions.get(question)) {
            // Where one tap answers, only Send can have been tried; where nothing could be read there is nothing to select.
            (Problem::Unanswered, Some(asked)) if self.manner == Manner::Explicit && self.phase != Phase::Malformed => {
                self.labels.filled(Word::ErrorSelect, &[("question", &name(asked))])
            }
            (Problem::Unanswered | Problem::OtherBlank, _) => self.labels.text(Word::ErrorOther).to_owned(),
            (Problem::OtherTooLong { over } | Problem::NoteTooLong { over }, _) => {
                self.labels.plural(Word::ErrorTooLong, over, &[])
            }
        }
    }

    /// Whether a text stands in the field of the own answer that will not be sent.
    pub(crate) fn is_unsent(&self, question: usize) -> bool {
        self.manner == Manner::Explicit && self.draft.is_other_unsent(question)
    }

    /// Whether there is a field for a note, and not only a button for it.
    pub(crate) fn is_noted(&self, question: usize) -> bool {
        self.noting.get(question) == Some(&true) || !self.draft.text(question, Field::Note).is_empty()
    }

    /// What Enter does in a field, in the words of `enterkeyhint`.
    pub(crate) fn enter_does(&self, field: Field) -> &'static str {
        match (self.manner, field) {
            (Manner::OnPick, Field::Note) => "enter",
            (Manner::Explicit, _) if self.rows.len() > 1 => "next",
            _ => "send",
        }
    }

    /// The digit that chooses the nth row, where there is one.
    pub(crate) fn shortcut(&self, row: usize) -> Option<&'static str> {
        const DIGITS: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        DIGITS.get(row).copied().filter(|_| self.options.shortcuts)
    }

    /// The digit that puts the caret into the text field of an own answer: the one after the last option's, once that is known.
    pub(crate) fn shortcut_of_text(&self, asked: &QuestionSnapshot) -> Option<&'static str> {
        let is_there = is_whole(asked) && self.phase != Phase::Malformed;
        is_there.then(|| self.shortcut(asked.options.len())).flatten()
    }

    /// The value of `data-state`.
    #[must_use]
    pub fn state_name(&self, ask: &AskSnapshot) -> &'static str {
        match self.phase {
            phase if self.options.readonly && !phase.is_over() => "readonly",
            Phase::Streaming if ask.questions.is_empty() => "composing",
            Phase::Ready | Phase::Answerable => match self.submission {
                Submission::Latched | Submission::Settled(_) => "submitting",
                Submission::Failed { .. } => "failed",
                Submission::Open if self.validating && !self.problems(ask).is_empty() => "invalid",
                Submission::Open => "awaiting",
            },
            phase => phase.as_str(),
        }
    }

    /// The value of `data-mode`.
    pub(crate) fn mode_name(&self) -> &'static str {
        match self.manner {
            Manner::Undecided => "undecided",
            Manner::Explicit => "explicit",
            Manner::OnPick => "on-pick",
        }
    }

    /// Whether the draft is worth keeping: until the ask is over, and then as long as something did not reach the agent.
    pub(crate) fn is_kept(&self) -> bool {
        match self.is_over() {
            true => !self.late.is_empty() || self.draft.is_waiting(),
            false => self.submission.settled().is_none(),
        }
    }

    /// Whether something would be lost with the card. What the user gave away or up is not.
    pub(crate) fn is_dirty(&self) -> bool {
        self.is_kept() && (self.is_over() || self.draft.is_dirty())
    }

    /// Where the user would go on: a question, and the controls to look for.
    pub(crate) fn next_open(&self, ask: &AskSnapshot) -> Option<(usize, Vec<Control>)> {
        let (question, _) = *self.problems(ask).first()?;
        Some((question, self.ways_into(ask, question)))
    }

    /// The controls of a question at which to enter it: what is chosen, or where a choice begins.
    pub(crate) fn ways_into(&self, ask: &AskSnapshot, question: usize) -> Vec<Control> {
        let text = Control::OtherText { question };
        let mut ways = match (self.draft.chosen(question), self.draft.is_other_chosen(question)) {
            (Some(option), _) => vec![Control::Option { question, option }],
            // Where one tap answers there is nothing but the text.
            (None, true) => vec![Control::Other { question }, text],
            (None, false) => Vec::new(),
        };
        ways.extend([entry(ask, question, Problem::Unanswered), text]);
        ways
    }

    /// Where to go on, where the ask cannot be read.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.unreadable
    }

    /// Whether the ask ended by the reply that this card gave, and not by one from elsewhere.
    pub(super) fn own_reply_won(&self, outcome: Option<&Outcome>) -> bool {
        match (&self.sent, outcome) {
            (Some(Sent::Reply(own)), Some(Outcome::Answered(won))) => own == won,
            (Some(Sent::Reply(_)), None) => self.phase == Phase::Answered,
            _ => false,
        }
    }

    /// What was chosen or typed and is not part of how the ask ended, as text to copy or to send as a message.
    pub(super) fn settle_late(&mut self, ask: &AskSnapshot) {
        let is_given = self.submission.settled().is_some() || self.sent == Some(Sent::Cancel);
        self.late = match self.is_over() {
            true if is_given => String::new(),
            // One text, which says by itself what it is about.
            true if self.unreadable => self.draft.text(0, Field::Other).to_owned(),
            true => self.left_text(ask, &self.sent_selections(ask)),
            false => String::new(),
        };
    }

    /// What was chosen or typed and is not part of what was sent.
    pub(super) fn left_text(&self, ask: &AskSnapshot, sent: &[Selection]) -> String {
        let count = ask.questions.len();
        let mut parts = Vec::new();
        // Where no question could be read, an own answer could be typed all the same.
        for question in 0..count.max(1) {
            let sent = sent.iter().find(|sent| sent.question == question);
            let left = self.draft.left_over(question, sent, self.labels.text(Word::List));
            let mut lines = Vec::new();
            lines.extend(left.answer);
            lines.extend(left.note.as_deref().map(|note| self.labels.filled(Word::Noted, &[("note", note)])));
            if !lines.is_empty() {
                // Of several, each says what it is about.
                if count > 1 {
                    lines.insert(0, ask.questions[question].question.text.clone());
                }
                parts.push(joined(&lines, "\n"));
            }
        }
        joined(&parts, "\n\n")
    }

    /// What the agent has of this ask.
    fn sent_selections(&self, ask: &AskSnapshot) -> Vec<Selection> {
        match &ask.outcome {
            Some(Outcome::Answered(reply)) => reply.selections(),
            Some(Outcome::RepliedInChat { partial, .. }) => partial.clone(),
            // The host does not say which answer it was: the one that was given here.
            None if ask.phase == Phase::Answered => match &self.sent {
                Some(Sent::Reply(reply)) => reply.selections(),
                Some(Sent::Cancel) | None => Vec::new(),
            },
            Some(Outcome::Declined | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled) | None => Vec::new(),
        }
    }
}

/// Where a problem of a question can be solved.
pub(super) fn entry(ask: &AskSnapshot, question: usize, problem: Problem) -> Control {
    let has_options = ask.questions.get(question).is_some_and(|asked| !asked.options.is_empty());
    match problem {
        Problem::NoteTooLong { .. } => Control::Note { question },
        Problem::Unanswered if has_options => Control::Option { question, option: 0 },
        Problem::Unanswered | Problem::OtherBlank | Problem::OtherTooLong { .. } => Control::OtherText { question },
    }
}

/// Whether a question shows previews: a single choice with at least one.
pub(crate) fn has_previews(asked: &QuestionSnapshot) -> bool {
    asked.multi_select == Some(false) && asked.options.iter().any(|option| option.preview.is_some())
}

/// What a question is called in a sentence: its header, or its text where it has none.
pub(crate) fn name(asked: &QuestionSnapshot) -> String {
    isolate(&asked.header.as_ref().unwrap_or(&asked.question).text)
}
