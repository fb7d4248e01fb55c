//! What happens when the user chooses, sends or cancels.

use super::follow::OptionShown;
use super::state::{CardState, Layout, Sent, Settled, Submission, is_over};
use crate::dom::Control;
use crate::draft::{Draft, Problem, is_blank};
use ask_user_question::{Phase, Reply};
use leptos::prelude::*;

/// What the user does.
impl CardState {
    /// Chooses an option, or toggles it where several may be chosen.
    pub(crate) fn choose(self, option: OptionShown) {
        if self.takes_changes() {
            self.ask.with_untracked(|ask| {
                let label = option.label.of(ask);
                self.draft
                    .update(|draft| draft.toggle(option.question, option.index, label));
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

    /// Takes over what was typed.
    pub(crate) fn type_other(self, question: usize, text: &str) {
        if self.takes_changes() {
            self.draft.update(|draft| draft.type_other(question, text));
            self.settle_change();
        }
    }

    /// Whether choices can still change: they can while other questions stream, and not once a reply was given.
    pub(crate) fn takes_changes(self) -> bool {
        !is_over(self.shown.phase.get_untracked())
            && self.submission.with_untracked(Submission::is_open)
    }

    fn settle_change(self) {
        self.nudged.set(None);
        self.confirming.set(false);
        self.refused.set(false);
        if let Submission::Failed(_) = self.submission.get_untracked() {
            self.submission.set(Submission::Open);
        }
    }

    /// Answers at once with this option.
    pub(crate) fn pick(self, option: OptionShown) {
        if self.is_open_untracked() {
            self.choose(option);
            self.send();
        }
    }

    /// Goes to the next question without an answer after `question`, or sends where there is none.
    pub(crate) fn confirm(self, question: usize) {
        let problems = self.problems_untracked();
        match problems.iter().find(|(index, _)| *index == question) {
            Some((_, Problem::Unanswered)) => self.nudge(question),
            Some((_, Problem::OtherBlank)) => self.submit(),
            None => match problems
                .iter()
                .find(|(index, _)| *index > question)
                .or(problems.first())
            {
                Some((next, problem)) => self.focus_question(*next, *problem),
                None => self.submit(),
            },
        }
    }

    fn nudge(self, question: usize) {
        self.nudged.set(Some(question));
        self.announcer.say(self.labels.nudge);
    }

    /// Answers with the typed text, where a tap on an option would answer too.
    fn submit_text(self) {
        match self
            .draft
            .with_untracked(|draft| is_blank(draft.other_text(0)))
        {
            true => {
                self.validating.set(true);
                self.steady.moved();
                self.announcer.say(self.labels.error_other);
                self.focus(Control::OtherText { question: 0 });
            }
            false => {
                self.draft.update(|draft| draft.choose_other(0));
                self.send();
            }
        }
    }

    /// Checks every question; sends, or shows what is missing and goes there.
    pub(crate) fn submit(self) {
        if !self.is_open_untracked() {
            return;
        }
        if self.shown.phase.get_untracked() == Phase::Malformed {
            return self.send_message();
        }
        if self.layout.get_untracked() == Layout::OnPick {
            return self.submit_text();
        }
        let problems = self.problems_untracked();
        let Some((first, problem)) = problems.first() else {
            return self.send();
        };
        self.validating.set(true);
        self.nudged.set(None);
        self.steady.moved();
        let count = self.shown.questions.with_untracked(Vec::len);
        self.announcer
            .say((self.labels.unanswered)(problems.len(), count));
        self.focus_question(*first, *problem);
    }

    fn send_message(self) {
        let text = self
            .draft
            .with_untracked(|draft| draft.other_text(0).to_owned());
        if is_blank(&text) {
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
        let checked = self
            .ask
            .with_untracked(|ask| ask.ask.as_ref().map(|ask| Reply::check(ask, selections)));
        match checked {
            None => {}
            Some(Ok(reply)) => {
                self.sent.set_value(Some(Sent::Reply(reply.clone())));
                self.latch();
                self.calls.on_reply.run(reply);
            }
            // The draft let it pass and the shared rules did not: say why instead of doing nothing.
            Some(Err(violations)) => {
                let reasons: Vec<_> = violations
                    .into_iter()
                    .map(|violation| violation.message)
                    .collect();
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
