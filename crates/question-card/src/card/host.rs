//! What happens when the stream and the host move on.

use super::events;
use super::focus::focus_quietly;
use super::follow::QuestionShown;
use super::state::{CardState, Layout, Sent, Settled, Submission, is_over, takes_answer};
use super::steady::page_moved;
use crate::dom::Control;
use crate::draft::{Draft, Kind};
use crate::labels::isolate;
use crate::receipt::state_label;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use leptos::prelude::*;
use std::time::Duration;
use web_sys::HtmlElement;

/// How long a reply must have been on its way before that is worth a word.
const SENDING_AFTER: Duration = Duration::from_secs(1);

/// The one field of an ask that cannot be read.
const OWN_ANSWER: Control = Control::OtherText { question: 0 };

/// What the stream and the host tell.
impl CardState {
    /// Takes a changed snapshot over.
    pub(crate) fn follow(self, ask: &AskSnapshot) {
        let before = self.shown.phase.get_untracked();
        let now = self.phase_of(ask);
        let ends = !is_over(before) && is_over(now);
        let opens_again = is_over(before) && takes_answer(now);
        let breaks = before != Phase::Malformed && now == Phase::Malformed;
        if is_over(before) != is_over(now) {
            page_moved();
        }
        if (breaks || opens_again) && self.has_focus() {
            self.go_on_soon();
        }
        if breaks {
            self.start_over();
        } else if takes_answer(now) {
            self.unreadable.set_value(false);
        }
        if ends {
            // Asked now: the form is about to go, and the focus with it.
            self.had_focus.set_value(self.has_focus());
            self.refused.set(false);
        }
        self.know_deadline(ask);
        let layout = self.layout.get_untracked();
        if self.shown.follow(ask, now) {
            self.steady.moved();
        }
        let is_other_kind = now != Phase::Malformed && self.know_kinds(ask);
        if is_other_kind || self.layout.get_untracked() != layout {
            self.keep_focus();
        }
        self.take_up(ask);
        if self.readonly {
            return;
        }
        if opens_again {
            self.wait_again();
        }
        if before == Phase::Streaming && takes_answer(now) {
            self.arrive(ask);
        }
        if breaks {
            self.announce_damage();
        }
        // What the user ended was announced then, and what had ended before they came is no news.
        if ends && !self.is_settled() && (now != Phase::Expired || self.deadline.is_news()) {
            self.announce_end(ask, now);
        }
    }

    /// Puts the focus, which is about to go with what has it, where the user goes on once the views have followed.
    fn go_on_soon(self) {
        let go_on = move || match self.unreadable.try_get_value() {
            // On Send a key that was meant for a text would send it.
            Some(true) => match self.control(OWN_ANSWER) {
                Some(_) => self.focus(OWN_ANSWER),
                None => self.focus(Control::Cancel),
            },
            Some(false) => {
                self.focus_next();
            }
            // The card is gone.
            None => {}
        };
        set_timeout(go_on, Duration::ZERO);
    }

    /// Nothing that was said of the answers, or asked about them, is true of the message that takes their place.
    fn start_over(self) {
        self.unreadable.set_value(true);
        self.validating.set(false);
        self.nudged.set(None);
        self.confirming.set(false);
        // The field in which something was composed goes.
        self.composing.set_value(false);
        if self.submission.get_untracked() == Submission::Latched {
            // No reply to it can go through.
            self.submission.set(Submission::Open);
        }
    }

    /// Tells the page that the ask is over, unless it knows, and puts the focus on what took the place of the form, where it was there and
    /// the page does not see to it.
    pub(crate) fn resolve(self, place: &HtmlElement) {
        let is_known = self.resolved.get_value();
        self.resolved.set_value(true);
        let is_ours = is_known || events::dispatch(self.root, events::RESOLVED);
        if is_ours && self.had_focus.get_value() {
            focus_quietly(place);
        }
        self.had_focus.set_value(false);
    }

    /// Tells the page that an answer is waited for again, if it heard that none is.
    fn wait_again(self) {
        if self.resolved.get_value() {
            self.resolved.set_value(false);
            events::dispatch(self.root, events::WAITING);
        }
    }

    /// The question is complete, and is so while the user is there.
    pub(crate) fn arrive(self, ask: &AskSnapshot) {
        self.announce_ready(ask);
        events::dispatch(self.root, events::WAITING);
        self.claim_focus();
    }

    /// Takes over where the host stands with the reply.
    pub(crate) fn follow_sending(self, sending: &Sending) {
        let was_pending = self.was_pending.get_value();
        self.was_pending.set_value(*sending == Sending::Pending);
        match sending {
            Sending::Idle if was_pending => self.take_back(),
            // As it was before the host took anything: a reply just given waits on.
            Sending::Idle => {}
            Sending::Pending => {
                if self.submission.with_untracked(Submission::is_open) {
                    self.submission.set(Submission::Latched);
                    self.announce_sending();
                }
            }
            Sending::Failed(reason) => self.fail(reason),
        }
    }

    /// Nothing is on its way any more. Unless the ask is over, the host gave the reply back: it can be changed and given again.
    fn take_back(self) {
        let is_under_way = self.submission.with_untracked(|submission| match submission {
            Submission::Latched | Submission::Settled(Settled::Cancelled) => true,
            Submission::Open | Submission::Failed { .. } | Submission::Settled(Settled::Messaged) => false,
        });
        // Asked of the snapshot itself: what is shown may be about to follow it.
        if is_under_way && !self.ask.with_untracked(|ask| is_over(ask.phase)) {
            let was_reply = !self.is_settled() && self.sent.with_value(|sent| *sent != Some(Sent::Cancel));
            self.reopen(Submission::Open);
            if was_reply {
                self.announcer.say(self.labels.taken_back);
            }
        }
    }

    pub(super) fn fail(self, reason: &str) {
        let was_settled = self.is_settled();
        let is_cancel = self.sent.with_value(|sent| *sent == Some(Sent::Cancel));
        self.reopen(Submission::Failed { reason: reason.to_owned(), is_reply: !was_settled && !is_cancel });
        if !was_settled && self.has_focus() && self.layout.get_untracked() == Layout::Explicit {
            self.focus(Control::Submit);
        }
        self.show_focus_soon();
    }

    /// Gives the user everything back.
    fn reopen(self, submission: Submission) {
        let was_settled = self.is_settled();
        if was_settled && self.has_focus() {
            // The note that has the focus goes; the controls come back when the views have followed.
            set_timeout(move || self.focus(Control::Cancel), Duration::ZERO);
        }
        if self.layout.get_untracked() == Layout::OnPick {
            // Nothing shows it where one tap answers, and it would be asked about as an answer to lose.
            self.draft.update(|draft| draft.unskip(0));
        }
        self.sent.set_value(None);
        self.submission.set(submission);
        self.steady.moved();
        if was_settled {
            self.wait_again();
        }
    }

    fn is_settled(self) -> bool {
        self.submission.with_untracked(|submission| submission.settled().is_some())
    }

    /// Takes over of which kinds the questions are. Says whether one is of another than before.
    pub(super) fn know_kinds(self, ask: &AskSnapshot) -> bool {
        // Questions before the last known one are known: a stream opens the next only when it has closed the one before.
        let from = self.draft.with_untracked(Draft::known).saturating_sub(1);
        let kind_of = |shown: &QuestionShown| Some((shown.index, shown.kind.get_untracked()?));
        let news: Vec<_> = self.shown.questions.with_untracked(|questions| {
            let kinds = questions.iter().skip(from).filter_map(kind_of);
            self.draft.with_untracked(|draft| kinds.filter(|(index, kind)| draft.kind(*index) != Some(*kind)).collect())
        });
        let was_known = |(index, _): &(usize, Kind)| self.draft.with_untracked(|draft| draft.kind(*index).is_some());
        let is_other = news.iter().any(was_known);
        if !news.is_empty() {
            self.draft.update(|draft| {
                for (index, kind) in news {
                    draft.know(index, kind);
                }
            });
        }
        if let Some(complete) = &ask.ask
            && self.draft.with_untracked(|draft| !draft.fits(complete))
        {
            self.draft.update(|draft| draft.reconcile(complete));
        }
        is_other
    }

    fn announce_ready(self, ask: &AskSnapshot) {
        let Some(first) = ask.questions.first() else {
            return;
        };
        let header = first.header.as_ref().map_or("", |header| header.text.as_str());
        let say = || (self.labels.ready)(ask.questions.len(), &isolate(header), &isolate(&first.question.text));
        self.key.with_value(|key| self.announcer.say_once(key, say));
    }

    /// Says that the question cannot be read.
    pub(crate) fn announce_damage(self) {
        let say = || self.labels.malformed.to_owned();
        // Apart from the word that it is there to be answered.
        let key = self.key.with_value(|key| [key, " damaged"].concat());
        self.announcer.say_once(&key, say);
    }

    /// Says that the reply is on its way, once it has been so for a while.
    pub(super) fn announce_sending(self) {
        let Some(latch) = self.latches.try_update_value(|latches| {
            *latches += 1;
            *latches
        }) else {
            return;
        };
        let later = move || {
            if self.latches.try_get_value() == Some(latch)
                && self.submission.get_untracked() == Submission::Latched
                && !is_over(self.shown.phase.get_untracked())
            {
                self.announcer.say(match self.held.get_untracked() {
                    true => self.labels.held,
                    false => self.labels.sending,
                });
            }
        };
        set_timeout(later, SENDING_AFTER);
    }

    /// Whether the host sent a reply that this card never gave, such as what was typed into its composer.
    fn is_hosts_own(self) -> bool {
        let is_latched = self.submission.get_untracked() == Submission::Latched;
        is_latched && self.sent.with_value(Option::is_none)
    }

    fn announce_end(self, ask: &AskSnapshot, phase: Phase) {
        let text = match phase {
            Phase::Answered if self.own_reply_won(ask.outcome.as_ref()) => self.labels.sent,
            Phase::Declined => self.labels.declined,
            // Who typed it knows.
            _ if matches!(ask.outcome, Some(Outcome::RepliedInChat { .. })) => return,
            Phase::Answered if self.is_hosts_own() => return,
            Phase::Answered => self.labels.answered_elsewhere,
            // The words of the receipt that takes the form's place.
            _ => state_label(phase, ask, self.labels),
        };
        self.announcer.say(text);
    }
}
