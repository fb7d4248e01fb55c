//! Actions of the user: choosing, typing, sending, cancelling.

use super::clock::COPIED_FOR;
use super::shape::entry;
use super::{Card, CardEvent, Do, Manner, Sent, Settled, Submission};
use crate::dom::Control;
use crate::draft::{Field, Problem, QuestionDraft, Remaining};
use crate::labels::{Word, concat};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::text::{is_blank, joined};
use ask_user_question::{AskSnapshot, Phase, Reply};
use live_markdown::marks;

impl Card {
    /// Chooses an option or the free-text answer; toggles it if several may be chosen.
    pub(super) fn choose(&mut self, ask: &AskSnapshot, control: Control) {
        if !self.takes_changes() {
            return;
        }
        match control {
            Control::Option { question, option } => {
                let asked = ask.questions.get(question);
                if let Some(option_asked) = asked.and_then(|asked| asked.options.get(option)) {
                    self.draft.toggle(question, option, &option_asked.label.text);
                }
            }
            Control::Other { question } => self.draft.change(question, QuestionDraft::toggle_other),
            _ => return,
        }
        self.settle_change();
    }

    /// Moves a ranked option by its button: one place, or to the place of the row where the button was dropped. Announces the new place.
    /// Returns false if the option stays where it is.
    pub(super) fn shift(&mut self, ask: &AskSnapshot, on: Control, over: Option<Control>) -> bool {
        let (question, option, step) = match on {
            Control::Up { question, option } => (question, option, -1),
            Control::Down { question, option } => (question, option, 1),
            _ => return false,
        };
        let rank = |option| self.draft.rank(question, option).unwrap_or_default();
        let to = match over.map(Control::place) {
            None => rank(option).wrapping_add_signed(step),
            Some((its, _, Some(over))) if its == Some(question) => rank(over),
            Some(_) => return false,
        };
        let asked = ask.questions.get(question).and_then(|asked| asked.options.get(option));
        if let Some(asked) = asked
            && self.takes_changes()
            && self.draft.shift(question, option, to)
        {
            // The row may be rebuilt at its new place.
            self.plan(Do::Focus(on));
            let all = self.labels.number(self.draft.chosen_count(question));
            let place = self.draft.rank(question, option).unwrap_or_default();
            let place = self.labels.plural(Word::Matches, place, &[("all", &all)]);
            self.say(joined(&[marks::plain(&asked.label.text), place], self.labels.text(Word::List)));
            self.settle_change();
            return true;
        }
        false
    }

    /// Stores typed text, and announces when it becomes too long.
    pub(super) fn type_text(&mut self, question: usize, field: Field, text: &str) {
        if !self.takes_changes() {
            return;
        }
        let before = self.draft.room(question, field);
        self.draft.type_text(question, field, text);
        if let (Some(Remaining::Left(_)), Some(Remaining::Over(over))) = (before, self.draft.room(question, field)) {
            self.say(self.labels.plural(Word::CharsOver, over, &[]));
        }
        if field == Field::Note {
            self.open_note(question);
        }
        self.settle_change();
    }

    /// Opens the field for a note. It stays open.
    pub(super) fn open_note(&mut self, question: usize) {
        if self.noting.len() <= question {
            self.noting.resize(question + 1, false);
        }
        self.noting[question] = true;
    }

    /// Skips a question, or undoes that. If one tap answers, this tap answers.
    pub(super) fn skip(&mut self, ask: &AskSnapshot, question: usize) {
        match self.manner {
            Manner::OnPick if self.is_open() => {
                self.draft.change(question, QuestionDraft::skip);
                self.settle_change();
                self.check_and_send(ask);
            }
            Manner::Explicit if self.takes_changes() => {
                self.draft.change(question, QuestionDraft::toggle_skip);
                self.settle_change();
            }
            Manner::OnPick | Manner::Explicit | Manner::Undecided => {}
        }
    }

    pub(super) fn settle_change(&mut self) {
        self.nudged = None;
        self.confirming = false;
        self.refused = None;
        if matches!(self.submission, Submission::Failed { .. }) {
            self.submission = Submission::Open;
        }
    }

    /// Answers at once with this option.
    pub(super) fn pick(&mut self, ask: &AskSnapshot, option: Control) {
        if self.is_open() {
            self.choose(ask, option);
            self.check_and_send(ask);
        }
    }

    /// Sends the reply that failed once more.
    pub(super) fn try_again(&mut self, ask: &AskSnapshot) {
        if self.is_open() && self.can_try_again(ask) {
            // The button is about to be removed, and would take the focus along.
            self.turn_to(ask, 0);
            self.check_and_send(ask);
        }
    }

    /// Goes to the next question without an answer after `question`, or sends if there is none.
    pub(super) fn confirm(&mut self, ask: &AskSnapshot, question: usize) {
        let problems = self.problems(ask);
        match problems.iter().find(|(index, _)| *index == question) {
            Some((_, Problem::Unanswered)) => self.nudge_to(question, Word::Nudge),
            Some(_) => self.submit(ask),
            None => match problems.iter().find(|(index, _)| *index > question).or(problems.first()) {
                Some((next, problem)) => self.go_to(ask, *next, *problem),
                // On a second pass, Enter still stops at every step before submitting.
                None => match self.step(ask).and_then(|_| self.next(ask, question)) {
                    Some(next) => self.turn_to(ask, next),
                    None => self.submit(ask),
                },
            },
        }
    }

    /// As [`confirm`](Self::confirm), from the text field. A blank text sends nothing, even if an option is chosen: the user meant to type.
    pub(super) fn confirm_text(&mut self, ask: &AskSnapshot, question: usize) {
        let blank = is_blank(self.draft.text(question, Field::Other)) && self.draft.files(question).is_empty();
        match blank && self.phase != Phase::Malformed {
            true => self.nudge_to(question, Word::ErrorOther),
            false => self.confirm(ask, question),
        }
    }

    /// Shows a hint beside the question, and announces it.
    fn nudge_to(&mut self, question: usize, word: Word) {
        self.nudged = Some((question, word));
        self.say_word(word);
    }

    /// Brings a question into view, with the focus on the control that solves its problem.
    pub(super) fn go_to(&mut self, ask: &AskSnapshot, question: usize, problem: Problem) {
        self.enter(ask, question, vec![entry(ask, question, problem)]);
    }

    pub(super) fn submit(&mut self, ask: &AskSnapshot) {
        if !self.is_open() {
            return;
        }
        if self.can_try_again(ask) {
            return self.check_and_send(ask);
        }
        let is_malformed = self.phase == Phase::Malformed;
        if is_malformed || self.manner == Manner::OnPick {
            // A tap on an option would have answered, so this button sends the text.
            self.draft.change(0, QuestionDraft::choose_other);
        }
        match is_malformed {
            true => self.send_message(),
            false => self.check_and_send(ask),
        }
    }

    /// Checks every question; sends, or shows what is missing and goes there.
    pub(super) fn check_and_send(&mut self, ask: &AskSnapshot) {
        let problems = self.problems(ask);
        let Some((first, problem)) = problems.first() else {
            return self.send(ask, self.given());
        };
        self.refuse(self.what_is_wrong(ask, &problems));
        self.go_to(ask, *first, *problem);
    }

    /// Announces why nothing was sent, and shows the problems from now on.
    fn refuse(&mut self, why: String) {
        self.validating = true;
        self.nudged = None;
        self.say(why);
    }

    fn what_is_wrong(&self, ask: &AskSnapshot, problems: &[(usize, Problem)]) -> String {
        let is_missing = |(_, problem): &(usize, Problem)| problem.is_missing();
        let is_explicit = self.manner == Manner::Explicit;
        match problems {
            [(question, problem), ..] if !is_explicit || !problems.iter().any(is_missing) => {
                self.error_text(*question, *problem)
            }
            _ => self.labels.unanswered(problems.len(), self.count(ask)),
        }
    }

    fn send_message(&mut self) {
        if let Some(problem) = self.draft.problem(0) {
            self.refuse(self.error_text(0, problem));
            self.plan(Do::Focus(Control::OtherText { question: 0 }));
        } else {
            self.message(self.draft.text(0, Field::Other).to_owned());
        }
    }

    /// Emits a message to the host, unless an earlier one is still pending.
    pub(super) fn message(&mut self, text: String) {
        if !std::mem::replace(&mut self.messaging, true) {
            self.keeps_draft = false;
            self.emit(CardEvent::Message(text));
        }
    }

    /// Sends the questions back as a message, so that the agent can ask them once more.
    pub(super) fn ask_again(&mut self, ask: &AskSnapshot) {
        if self.messaging {
            return;
        }
        let mut text = vec![concat(&[self.labels.text(Word::AskAgain), ":"])];
        text.extend(ask.questions.iter().map(|asked| asked.question.text.clone()));
        self.message(joined(&text, if ask.questions.len() == 1 { " " } else { "\n" }));
        (self.keeps_draft, self.reasked) = (true, true);
    }

    /// Handles that the host did not accept the message.
    pub(super) fn refuse_message(&mut self, reason: &str) {
        (self.messaging, self.reasked) = (false, false);
        self.refused = Some(reason.to_owned());
        self.say(self.refusal().unwrap_or_default().to_owned());
    }

    /// Handles that the host accepted the message.
    pub(super) fn message_taken(&mut self) {
        self.messaging = false;
        self.refused = None;
        match self.is_over() {
            true if self.keeps_draft => {}
            true => self.draft.forget(),
            false if self.phase == Phase::Malformed => self.settle(Settled::Messaged),
            // The form has opened again since the message was sent.
            false => {}
        }
    }

    /// Ends the card of an ask that could not be read: no phase will do so.
    pub(super) fn settle(&mut self, settled: Settled) {
        self.submission = Submission::Settled(settled);
        self.confirming = false;
        self.resolve();
        self.say_word(match settled {
            Settled::Messaged => Word::Sent,
            Settled::Cancelled => Word::Cancelled,
        });
    }

    fn send(&mut self, ask: &AskSnapshot, selections: Vec<Selection>) {
        match ask.ask.as_ref().map(|ask| Reply::of(ask, selections)) {
            None => {}
            Some(Some(reply)) if self.changing.is_some() && ask.answer() == Some(&reply) => self.keep_answer(),
            Some(Some(reply)) => {
                self.sent = Some(Sent::Reply(reply.clone()));
                self.latch();
                self.emit(if self.changing.is_some() { CardEvent::Update(reply) } else { CardEvent::Reply(reply) });
            }
            // The draft allowed what the shared rules refuse: report it instead of doing nothing.
            Some(None) => self.fail(""),
        }
    }

    pub(super) fn latch(&mut self) {
        self.submission = Submission::Latched;
        // Earlier reports of the host were about an earlier reply; later ones will be about this one, and not about a message.
        self.reply = ReplyState::None;
        (self.messaging, self.reasked) = (false, false);
        self.confirming = false;
        self.validating = false;
        self.announce_sending();
    }

    /// Declines; if answers would be lost, only at the second press. While an answer is being changed, keeps that answer.
    pub(super) fn cancel(&mut self) {
        if self.changing.is_some() {
            return self.keep_answer();
        }
        if !self.takes_changes() || self.phase == Phase::Streaming {
            return;
        }
        if self.draft.is_dirty() && !self.confirming {
            self.confirming = true;
            self.say(self.discard_text());
            return;
        }
        self.decline();
    }

    /// The text that asks whether to discard the answers.
    #[must_use]
    pub fn discard_text(&self) -> String {
        self.labels.plural(Word::CancelConfirm, self.asked.max(1), &[])
    }

    /// Undoes the first press of Cancel.
    pub(super) fn keep_answering(&mut self) {
        self.confirming = false;
        self.plan(Do::Focus(Control::Cancel));
    }

    pub(super) fn note_copy(&mut self, control: Control, is_done: bool) {
        self.copied = Some((control, is_done));
        self.copied_until = is_done.then_some(self.now.clock + COPIED_FOR);
        if is_done {
            self.say_word(Word::Copied);
        }
    }
}
