//! What happens when the user chooses, sends or cancels.

use super::follow::OptionShown;
use super::state::{CardState, Layout, Sent, Settled, Submission, is_over};
use crate::dom::Control;
use crate::draft::{Draft, Field, Problem, Room};
use crate::effect::set_if_changed;
use ask_user_question::text::is_blank;
use ask_user_question::{Phase, Reply};
use leptos::ev::MouseEvent;
use leptos::prelude::*;

/// What the user does.
impl CardState {
    /// Chooses an option, or toggles it where several may be chosen.
    pub(crate) fn choose(self, option: OptionShown) {
        if self.takes_changes() {
            self.ask.with_untracked(|ask| {
                let label = option.label.of(ask);
                self.draft.update(|draft| draft.toggle(option.question, option.index, label));
            });
            self.settle_change();
        }
    }

    /// Chooses the own answer, or leaves it out where several may be chosen.
    pub(crate) fn choose_other(self, question: usize) {
        if self.takes_changes() {
            self.draft.update(|draft| draft.toggle_other(question));
            self.settle_change();
        }
    }

    /// Takes over what was typed; says it when that becomes too long.
    pub(crate) fn type_text(self, question: usize, field: Field, text: &str) {
        if self.takes_changes() {
            let room = || self.draft.with_untracked(|draft| draft.room(question, field));
            let before = room();
            self.draft.update(|draft| draft.type_text(question, field, text));
            if let (Some(Room::Left(_)), Some(Room::Over(over))) = (before, room()) {
                self.announcer.say((self.labels.chars_over)(over));
            }
            self.settle_change();
        }
    }

    /// Skips a question, or takes that back; where one tap answers, this one does.
    pub(crate) fn skip(self, question: usize, click: &MouseEvent) {
        match self.layout.get_untracked() {
            Layout::OnPick if self.is_open_untracked() && self.is_meant(click) => {
                self.draft.update(|draft| draft.skip(question));
                self.settle_change();
                self.check_and_send();
            }
            Layout::Explicit if self.takes_changes() => {
                self.draft.update(|draft| draft.toggle_skip(question));
                self.settle_change();
            }
            Layout::OnPick | Layout::Explicit | Layout::Undecided => {}
        }
    }

    /// Whether choices can still change: they can while other questions stream, and not once a reply was given.
    pub(crate) fn takes_changes(self) -> bool {
        !is_over(self.shown.phase.get_untracked()) && self.submission.with_untracked(Submission::is_open)
    }

    fn settle_change(self) {
        set_if_changed(self.nudged, None);
        set_if_changed(self.confirming, false);
        set_if_changed(self.refused, false);
        let has_failed = self.submission.with_untracked(|submission| matches!(submission, Submission::Failed { .. }));
        if has_failed {
            self.submission.set(Submission::Open);
        }
    }

    /// Answers at once with this option.
    pub(crate) fn pick(self, option: OptionShown) {
        if self.is_open_untracked() {
            self.choose(option);
            self.check_and_send();
        }
    }

    /// Gives the reply that failed once more.
    pub(crate) fn try_again(self) {
        if self.is_open_untracked() {
            // The button is about to go, and the focus with it.
            self.enter_question(0);
            self.check_and_send();
        }
    }

    /// Goes to the next question without an answer after `question`, or sends where there is none.
    pub(crate) fn confirm(self, question: usize) {
        let problems = self.problems_untracked();
        match problems.iter().find(|(index, _)| *index == question) {
            Some((_, Problem::Unanswered)) => self.nudge(question, self.labels.nudge),
            Some(_) => self.submit(),
            None => match problems.iter().find(|(index, _)| *index > question).or(problems.first()) {
                Some((next, problem)) => self.focus_question(*next, *problem),
                None => self.submit(),
            },
        }
    }

    /// As [`confirm`](Self::confirm), out of the text field. Where that is blank nothing is sent, whatever is chosen: who presses Enter there
    /// meant to type.
    pub(crate) fn confirm_text(self, question: usize) {
        let blank = self.draft.with_untracked(|draft| is_blank(draft.text(question, Field::Other)));
        match blank && self.shown.phase.get_untracked() != Phase::Malformed {
            true => self.nudge(question, self.labels.error_other),
            false => self.confirm(question),
        }
    }

    /// Says beside the question what is to be done first.
    fn nudge(self, question: usize, text: &'static str) {
        self.nudged.set(Some((question, text)));
        self.announcer.say(text);
    }

    /// Sends what the main button sends.
    pub(crate) fn submit(self) {
        if !self.is_open_untracked() {
            return;
        }
        let is_malformed = self.shown.phase.get_untracked() == Phase::Malformed;
        if is_malformed || self.layout.get_untracked() == Layout::OnPick {
            // A tap on an option would have answered, where there are any: this button is the text's.
            self.draft.update(|draft| draft.choose_other(0));
        }
        match is_malformed {
            true => self.send_message(),
            false => self.check_and_send(),
        }
    }

    /// Checks every question; sends, or shows what is missing and goes there.
    fn check_and_send(self) {
        let problems = self.problems_untracked();
        let Some((first, problem)) = problems.first() else {
            return self.send();
        };
        self.refuse(self.what_is_wrong(&problems));
        self.focus_question(*first, *problem);
    }

    /// Says why nothing was sent, and shows it from now on.
    fn refuse(self, why: String) {
        self.validating.set(true);
        self.nudged.set(None);
        self.steady.moved();
        self.announcer.say(why);
    }

    fn what_is_wrong(self, problems: &[(usize, Problem)]) -> String {
        let is_missing = |(_, problem): &(usize, Problem)| problem.is_missing();
        let is_explicit = self.layout.get_untracked() == Layout::Explicit;
        match problems {
            [(question, problem), ..] if !is_explicit || !problems.iter().any(is_missing) => {
                self.error_text(*question, *problem)
            }
            _ => {
                let count = self.shown.questions.with_untracked(Vec::len);
                (self.labels.unanswered)(problems.len(), count)
            }
        }
    }

    fn send_message(self) {
        let (text, problem) =
            self.draft.with_untracked(|draft| (draft.text(0, Field::Other).to_owned(), draft.problem(0)));
        if let Some(problem) = problem {
            self.refuse(self.error_text(0, problem));
            self.focus(Control::OtherText { question: 0 });
        } else if self.hand_over(text) {
            self.settle(Settled::Messaged);
        }
    }

    /// Gives a text to the host, to be sent as a message of its own. Says whether the host took it; where not, the user is told.
    pub(crate) fn hand_over(self, text: String) -> bool {
        let Some(on_late_message) = self.calls.on_late_message else {
            return false;
        };
        let taken = on_late_message.run(text);
        self.refused.set(!taken);
        if !taken {
            self.steady.moved();
            self.announcer.say(self.labels.not_now);
        }
        taken
    }

    /// Ends the card by itself, where no phase will.
    fn settle(self, settled: Settled) {
        self.had_focus.set_value(self.has_focus());
        self.submission.set(Submission::Settled(settled));
        self.confirming.set(false);
        self.steady.moved();
        self.announcer.say(match settled {
            Settled::Messaged => self.labels.sent,
            Settled::Cancelled => self.labels.declined,
        });
    }

    fn send(self) {
        let selections = self.draft.with_untracked(Draft::selections);
        let checked = self.ask.with_untracked(|ask| ask.ask.as_ref().map(|ask| Reply::check(ask, selections)));
        match checked {
            None => {}
            Some(Ok(reply)) => {
                self.sent.set_value(Some(Sent::Reply(reply.clone())));
                self.latch();
                self.calls.on_reply.run(reply);
            }
            // The draft let it pass and the shared rules did not: say why instead of doing nothing.
            Some(Err(violations)) => {
                let reasons: Vec<_> = violations.into_iter().map(|violation| violation.message).collect();
                self.fail(&reasons.join(" "));
            }
        }
    }

    fn latch(self) {
        self.submission.set(Submission::Latched);
        self.confirming.set(false);
        self.validating.set(false);
        self.steady.moved();
        self.announce_sending();
    }

    /// Declines; with answers to lose, only at the second press.
    pub(crate) fn cancel(self) {
        let open = self.submission.with_untracked(Submission::is_open);
        if !open || self.shown.phase.get_untracked() == Phase::Streaming {
            return;
        }
        self.steady.moved();
        if self.draft.with_untracked(Draft::is_dirty) && !self.confirming.get_untracked() {
            self.confirming.set(true);
            self.announcer.say(self.labels.cancel_confirm);
            return;
        }
        if self.shown.phase.get_untracked() == Phase::Malformed {
            self.settle(Settled::Cancelled);
        } else {
            self.sent.set_value(Some(Sent::Cancel));
            self.latch();
        }
        self.calls.on_cancel.run(());
    }

    /// Takes the first press of Cancel back.
    pub(crate) fn keep_answering(self) {
        self.confirming.set(false);
        self.steady.moved();
        self.focus(Control::Cancel);
    }
}
