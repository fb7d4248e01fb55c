//! The state of the card, as the views read it.

use super::shape::{entry, is_whole};
use super::{Card, Manner, Sent, Submission};
use crate::dom::Control;
use crate::draft::{Field, Problem};
use crate::labels::{Word, isolate};
use ask_user_question::input::{Flaw, Input, InputKind};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::{QuestionSnapshot, ReplyState};
use ask_user_question::text::joined;
use ask_user_question::{AskSnapshot, Outcome, Phase};

impl Card {
    /// Returns true if the receipt has replaced the form.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.options.readonly || self.phase.is_over()
    }

    /// Returns true if the ask takes an answer now: it is complete, and none was given.
    #[must_use]
    pub fn is_open(&self) -> bool {
        // An ask that could not be read takes a message instead of a reply.
        let takes_message = self.phase == Phase::Malformed && self.options.offers.messages;
        (self.phase.takes_answer() || takes_message) && self.submission.is_open() && !self.options.readonly
    }

    /// Returns true while choices can change: also while other questions stream, but not once a reply was given.
    #[must_use]
    pub fn takes_changes(&self) -> bool {
        !self.is_over() && self.submission.is_open()
    }

    /// Returns true if a reply was given to the host and has no result yet.
    #[must_use]
    pub fn is_latched(&self) -> bool {
        self.submission == Submission::Latched
    }

    /// Returns true if the reply was given and waits for the reply to another ask.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.reply == ReplyState::Held && self.is_latched()
    }

    /// Returns true if a failed reply can be sent again as it is. Only if one tap answers: the tapped option shows the reply, and there is
    /// no Submit button to press.
    #[must_use]
    pub fn can_try_again(&self, ask: &AskSnapshot) -> bool {
        let is_reply = matches!(self.submission, Submission::Failed { is_reply: true, .. });
        self.manner == Manner::OnPick && is_reply && self.problems(ask).is_empty()
    }

    /// The reason why the last message was not accepted; `None` if none was refused.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        self.refused.as_deref().map(|reason| if reason.is_empty() { self.labels.text(Word::NotNow) } else { reason })
    }

    /// Returns true if the texts are a message of the user's own, because the ask could not be read.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.unreadable
    }

    /// Returns true if the question can be sent back to the agent, because its time ran out while the user was there.
    #[must_use]
    pub fn asks_again(&self) -> bool {
        let is_new = self.is_live() && (self.messaging || !self.reasked);
        is_new && self.phase == Phase::Expired && self.options.offers.messages && !self.options.readonly
    }

    /// The problem of a question to show: any problem once the user has tried to send, a flaw of JSON while it is typed.
    #[must_use]
    pub fn error(&self, question: usize) -> Option<Problem> {
        let is_json = || self.draft.input(question).is_some_and(|input| input.kind == InputKind::Json);
        let is_shown = |problem: &Problem| self.validating || matches!(problem, Problem::Flawed(_)) && is_json();
        self.draft.problem(question).filter(is_shown)
    }

    /// The problems that keep the reply from being sent, by question.
    #[must_use]
    pub fn problems(&self, ask: &AskSnapshot) -> Vec<(usize, Problem)> {
        let mut problems = self.draft.problems(ask.questions.len());
        problems.retain(|(question, _)| !self.is_hidden(*question));
        problems
    }

    /// The answers to the questions that are asked.
    pub(super) fn given(&self) -> Vec<Selection> {
        let mut given = self.draft.selections();
        given.retain(|selection| !self.is_hidden(selection.question));
        given
    }

    /// The questions to list above the buttons: all that have a problem, if there are several.
    #[must_use]
    pub fn summary(&self, ask: &AskSnapshot) -> Vec<(usize, Problem)> {
        let shows = self.validating && self.manner == Manner::Explicit;
        let problems = if shows { self.problems(ask) } else { Vec::new() };
        if problems.len() > 1 { problems } else { Vec::new() }
    }

    /// The hint for this question, after Enter found nothing to confirm in it.
    #[must_use]
    pub fn nudge(&self, question: usize) -> Option<&str> {
        self.nudged.filter(|(nudged, _)| *nudged == question).map(|(_, word)| self.labels.text(word))
    }

    /// The text of a problem of a question.
    #[must_use]
    pub fn error_text(&self, question: usize, problem: Problem) -> String {
        let input = self.draft.input(question);
        let is_selected = self.manner == Manner::Explicit && self.phase != Phase::Malformed;
        match problem {
            // If one tap answers, only Send can have been tried; if the ask cannot be read, there is nothing to select.
            Problem::Unanswered if is_selected && !input.is_some_and(Input::is_typed) => {
                self.labels.text(Word::ErrorSelect).to_owned()
            }
            // A native field also reports an empty value if its text is not of its kind.
            Problem::Unanswered | Problem::OtherBlank => {
                self.labels.text(input.map_or(Word::ErrorOther, |input| kind_word(input.kind))).to_owned()
            }
            Problem::FilesMissing => self.files_missing(question),
            Problem::Unranked => self.labels.text(Word::ErrorRank).to_owned(),
            Problem::Flawed(flaw) => self.flaw_text(question, flaw),
            Problem::OtherTooLong { over } | Problem::NoteTooLong { over } => {
                self.labels.plural(Word::ErrorTooLong, over, &[])
            }
        }
    }

    fn flaw_text(&self, question: usize, flaw: Flaw) -> String {
        let Some(input) = self.draft.input(question) else {
            return String::new();
        };
        let (word, limit) = match flaw {
            Flaw::Unreadable => return self.labels.text(kind_word(input.kind)).to_owned(),
            Flaw::Misfit => return self.labels.text(Word::ErrorFit).to_owned(),
            Flaw::TooLow => (Word::ErrorMin, &input.min),
            Flaw::TooHigh => (Word::ErrorMax, &input.max),
            Flaw::OffStep => (Word::ErrorStep, &input.step),
        };
        self.labels.filled(word, &[("limit", &isolate(limit.as_deref().unwrap_or_default()))])
    }

    /// Returns true if the free-text field holds a text that will not be sent.
    #[must_use]
    pub fn is_unsent(&self, question: usize) -> bool {
        self.manner == Manner::Explicit && self.draft.is_other_unsent(question)
    }

    /// Returns true if the note has a field, and not only a button.
    #[must_use]
    pub fn is_noted(&self, question: usize) -> bool {
        self.noting.get(question) == Some(&true) || !self.draft.text(question, Field::Note).is_empty()
    }

    /// The action of Enter in a field, as a value of `enterkeyhint`.
    #[must_use]
    pub fn enter_does(&self, field: Field) -> &'static str {
        match (self.manner, field) {
            (Manner::OnPick, Field::Note) => "enter",
            (Manner::Explicit, _) if self.asked > 1 => "next",
            _ => "send",
        }
    }

    /// The digit that chooses the nth row, if it has one.
    #[must_use]
    pub fn shortcut(row: usize) -> Option<&'static str> {
        const DIGITS: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        DIGITS.get(row).copied()
    }

    /// The digit that focuses the free-text field: the one after those of the `rows` that are shown, once that is known.
    #[must_use]
    pub fn shortcut_of_text(&self, asked: &QuestionSnapshot, rows: usize) -> Option<&'static str> {
        let is_there = is_whole(asked) && self.phase != Phase::Malformed;
        is_there.then(|| Self::shortcut(rows)).flatten()
    }

    /// The value of `data-state`.
    #[must_use]
    pub fn state_name(&self, ask: &AskSnapshot) -> &'static str {
        match self.phase {
            phase if self.options.readonly && !phase.is_over() => "readonly",
            Phase::Streaming if ask.questions.is_empty() => "composing",
            Phase::Ready | Phase::Answerable => match self.submission {
                Submission::Declining { .. } | Submission::Latched | Submission::Settled(_) => "submitting",
                Submission::Failed { .. } => "failed",
                Submission::Open if self.validating && !self.problems(ask).is_empty() => "invalid",
                Submission::Open => "awaiting",
            },
            phase => phase.as_str(),
        }
    }

    /// Returns true if the draft is to be stored: until the ask is over, and after that as long as a part has not reached the agent.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        match self.is_over() {
            true => !self.late.is_empty() || self.draft.is_waiting(),
            false => self.submission.settled().is_none(),
        }
    }

    /// Returns true if input would be lost with the card. Input that was sent or given up is not lost.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.is_kept() && (self.is_over() || self.draft.is_dirty())
    }

    /// The first question with a problem, and the controls to focus there, the best one first.
    #[must_use]
    pub fn next_open(&self, ask: &AskSnapshot) -> Option<(usize, Vec<Control>)> {
        let (question, _) = *self.problems(ask).first()?;
        Some((question, self.ways_into(ask, question)))
    }

    /// The controls to focus on entering a question, the best one first: the chosen option, or the first.
    pub(super) fn ways_into(&self, ask: &AskSnapshot, question: usize) -> Vec<Control> {
        let text = Control::OtherText { question };
        let mut ways = match (self.draft.chosen(question), self.draft.is_other_chosen(question)) {
            (Some(option), _) => vec![Control::Option { question, option }],
            // If one tap answers, the free-text row has only its field.
            (None, true) => vec![Control::Other { question }, text],
            (None, false) => Vec::new(),
        };
        ways.extend([entry(ask, question, Problem::Unanswered), text]);
        ways
    }

    /// Returns true if the ask ended by this card's own reply.
    pub(super) fn own_reply_won(&self, ask: &AskSnapshot) -> bool {
        match (&self.sent, ask.answer()) {
            (Some(Sent::Reply(own)), Some(won)) => own == won,
            (Some(Sent::Reply(_)), None) => ask.outcome.is_none() && self.phase == Phase::Answered,
            _ => false,
        }
    }

    /// Sets the late text: choices and text that are not in the outcome, for the user to copy or to send as a message.
    pub(super) fn settle_late(&mut self, ask: &AskSnapshot) {
        let is_given = self.submission.settled().is_some() || self.sent == Some(Sent::Cancel);
        self.late = match self.is_over() {
            true if is_given => String::new(),
            // A message has no question to name above it.
            true if self.unreadable => self.draft.text(0, Field::Other).to_owned(),
            true => self.left_text(ask, &self.sent_selections(ask)),
            false => String::new(),
        };
    }

    /// Choices and text that are not part of what was sent.
    pub(super) fn left_text(&self, ask: &AskSnapshot, sent: &[Selection]) -> String {
        let count = ask.questions.len();
        let mut parts = Vec::new();
        // A text could be typed even if no question could be read.
        for question in 0..count.max(1) {
            let sent = sent.iter().find(|sent| sent.question == question);
            let (answer, note) = self.draft.left_over(question, sent, self.labels.text(Word::List));
            let mut lines = Vec::new();
            lines.extend(answer);
            lines.extend(note.as_deref().map(|note| self.labels.filled(Word::Noted, &[("note", note)])));
            if !lines.is_empty() {
                // If there are several, each is headed by its question.
                if count > 1 {
                    lines.insert(0, ask.questions[question].question.text.clone());
                }
                parts.push(joined(&lines, "\n"));
            }
        }
        joined(&parts, "\n\n")
    }

    /// The selections that the agent has.
    fn sent_selections(&self, ask: &AskSnapshot) -> Vec<Selection> {
        if let Some(reply) = ask.answer() {
            return reply.selections();
        }
        match &ask.outcome {
            Some(Outcome::RepliedInChat { partial, .. }) => partial.clone(),
            // The host does not report the answer, so it is the one that was given here.
            None if ask.phase == Phase::Answered => match &self.sent {
                Some(Sent::Reply(reply)) => reply.selections(),
                Some(Sent::Cancel) | None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}

fn kind_word(kind: InputKind) -> Word {
    match kind {
        InputKind::Number => Word::ErrorNumber,
        InputKind::Integer => Word::ErrorWhole,
        InputKind::Date => Word::ErrorDate,
        InputKind::DateTime => Word::ErrorDateTime,
        InputKind::Email => Word::ErrorEmail,
        InputKind::Url => Word::ErrorUrl,
        InputKind::Json => Word::ErrorJson,
        _ => Word::ErrorOther,
    }
}
