//! What happens when the stream and the host move on.

use super::events;
use super::follow::QuestionShown;
use super::state::{CardState, Layout, Settled, Submission, is_over, takes_answer};
use super::steady::page_moved;
use crate::dom::Control;
use crate::draft::{Draft, Kind};
use crate::labels::isolate;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Phase};
use leptos::prelude::*;
use std::time::Duration;

/// How long a reply must have been on its way before that is worth a word.
const SENDING_AFTER: Duration = Duration::from_secs(1);

/// What the stream and the host tell.
impl CardState {
    /// Takes a changed snapshot over.
    pub(crate) fn follow(self, ask: &AskSnapshot) {
        let before = self.shown.phase.get_untracked();
        let now = self.phase_of(ask);
        let ends = !is_over(before) && is_over(now);
        if is_over(before) != is_over(now) {
            page_moved();
        }
        if ends {
            // Asked now: the form is about to go, and the focus with it.
            self.had_focus.set_value(self.has_focus());
            self.refused.set(false);
        }
        self.know_deadline(ask);
        if self.shown.follow(ask, now) {
            self.steady.moved();
        }
        self.know_kinds(ask);
        if now == Phase::Malformed {
            self.draft.update(|draft| draft.know(0, Kind::Single));
        }
        self.take_up(ask);
        if self.readonly {
            return;
        }
        if before == Phase::Streaming && takes_answer(now) {
            self.arrive(ask);
        }
        if before == Phase::Streaming && now == Phase::Malformed {
            self.announcer
                .say_once(&ask.tool_call_id, || self.labels.malformed.to_owned());
        }
        // What the user ended was announced then, and what had ended before they came is no news.
        if ends && !self.is_settled() && (now != Phase::Expired || self.deadline.is_news()) {
            self.announce_end(ask, now);
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
        let is_under_way = self
            .submission
            .with_untracked(|submission| match submission {
                Submission::Latched | Submission::Settled(Settled::Cancelled) => true,
                Submission::Open
                | Submission::Failed(_)
                | Submission::Settled(Settled::Messaged) => false,
            });
        // Asked of the snapshot itself: what is shown may be about to follow it.
        if is_under_way && !self.ask.with_untracked(|ask| is_over(ask.phase)) {
            self.reopen(Submission::Open);
        }
    }

    pub(super) fn fail(self, reason: &str) {
        let was_settled = self.is_settled();
        self.reopen(Submission::Failed(reason.to_owned()));
        if !was_settled && self.has_focus() && self.layout.get_untracked() == Layout::Explicit {
            self.focus(Control::Submit);
        }
    }

    /// Gives the user everything back.
    fn reopen(self, submission: Submission) {
        if self.is_settled() && self.has_focus() {
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
    }

    fn is_settled(self) -> bool {
        self.submission
            .with_untracked(|submission| submission.settled().is_some())
    }

    pub(super) fn know_kinds(self, ask: &AskSnapshot) {
        // Questions before the last known one are known: a stream opens the next only when it has closed the one before.
        let from = self.draft.with_untracked(Draft::known).saturating_sub(1);
        let kind_of = |shown: &QuestionShown| Some((shown.index, shown.kind.get_untracked()?));
        let news: Vec<_> = self.shown.questions.with_untracked(|questions| {
            let kinds = questions.iter().skip(from).filter_map(kind_of);
            self.draft.with_untracked(|draft| {
                kinds
                    .filter(|(index, kind)| draft.kind(*index) != Some(*kind))
                    .collect()
            })
        });
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
    }

    fn announce_ready(self, ask: &AskSnapshot) {
        let Some(first) = ask.questions.first() else {
            return;
        };
        let header = first
            .header
            .as_ref()
            .map_or("", |header| header.text.as_str());
        let say = || {
            (self.labels.ready)(
                ask.questions.len(),
                &isolate(header),
                &isolate(&first.question.text),
            )
        };
        self.announcer.say_once(&ask.tool_call_id, say);
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
                self.announcer.say(self.labels.sending);
            }
        };
        set_timeout(later, SENDING_AFTER);
    }

    fn announce_end(self, ask: &AskSnapshot, phase: Phase) {
        let text = match phase {
            Phase::Answered if self.own_reply_won(ask.outcome.as_ref()) => self.labels.sent,
            Phase::Declined => self.labels.declined,
            _ => self.labels.no_longer_waiting,
        };
        self.announcer.say(text);
    }
}
