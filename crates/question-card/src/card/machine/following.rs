//! Changes that come from the stream and the host.

use super::clock::SENDING_AFTER;
use super::shape::{asked, has_previews};
use super::{Card, Do, Life, Manner, Sent, Settled, Submission};
use crate::card::{Options, SubmitMode};
use crate::dom::{Control, call_key};
use crate::draft::{ChoiceKind, Field};
use crate::labels::{Word, isolate};
use crate::receipt::state_word;
use ask_user_question::input::InputKind;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use live_markdown::marks;

impl Card {
    /// Handles a changed snapshot.
    pub(super) fn follow(&mut self, ask: &AskSnapshot) {
        let before = self.phase;
        self.end_change(ask);
        let now = self.phase_of(ask);
        let ends = !before.is_over() && now.is_over();
        let opens_again = before.is_over() && now.takes_answer();
        let breaks = before != Phase::Malformed && now == Phase::Malformed;
        if (breaks || opens_again) && self.now.has_focus {
            self.plan(Do::GoOn);
        }
        if breaks {
            self.start_over();
        } else if now.takes_answer() {
            self.unreadable = false;
            // A pending message must not clear what the user has typed since.
            (self.keeps_draft, self.reasked) = (true, false);
        }
        if ends {
            self.refused = None;
            self.end_decline();
        }
        self.asked = ask.questions.len();
        self.phase = now;
        self.manner = self.manner_of(ask);
        if now != Phase::Malformed {
            self.know_kinds(ask);
        }
        self.take_up(ask);
        self.take_up_given(ask);
        if self.options.readonly {
            return;
        }
        if opens_again {
            self.wait_again();
        }
        if before == Phase::Streaming && now.takes_answer() {
            self.arrive(ask);
        }
        if breaks {
            self.announce_damage();
        }
        if ends {
            self.resolve();
            // The user's own message or decline was announced already, and an expiry from before the user came is no news.
            if self.submission.settled().is_none() && (now != Phase::Expired || self.deadline.looked) {
                self.announce_end(ask, now);
            }
        }
    }

    /// Handles an ask that may have changed, and its id with it.
    pub(super) fn know_ask(&mut self, ask: &AskSnapshot) {
        let key = call_key(&self.options.scope, &ask.tool_call_id);
        if key != self.key {
            let before = std::mem::replace(&mut self.key, key);
            self.plan(Do::Move(before));
        }
        self.know_deadline(ask);
        self.follow(ask);
        self.follow_reply(ask);
    }

    /// Replaces the options. Choices, text and replies stay as they are.
    pub(super) fn set(&mut self, ask: &AskSnapshot, mut options: Options) {
        (options.fresh, options.parts) = (self.options.fresh, self.options.parts);
        let before = std::mem::replace(&mut self.options, options);
        self.labels = self.options.labels.clone().unwrap_or_default();
        if self.draft.has_note() {
            // A note that was typed stays in sight, because it is sent.
            self.options.notes = self.options.notes.or(before.notes);
        }
        self.draft.limit(self.options.max_length);
        if self.options.persist.is_written() && !before.persist.is_written() {
            self.plan(Do::Move(self.key.clone()));
        }
        self.know_ask(ask);
    }

    /// Takes over the submission of an earlier card of the call, once the ask is known to be the same.
    pub(super) fn take_up_given(&mut self, ask: &AskSnapshot) {
        if ask.phase == Phase::Streaming {
            return;
        }
        let Some(given) = self.given_before.take().filter(|given| given.asked == asked(ask)) else {
            return;
        };
        self.sent = given.sent;
        // Only an ask that could not be read has a settled submission.
        if !ask.phase.is_over() && given.submission.settled().is_some() == (ask.phase == Phase::Malformed) {
            self.reply = given.reply;
            self.life.set(given.submission.settled().is_some());
            self.submission = given.submission;
        }
    }

    /// How the options are shown, once that is certain, because it must not change afterwards. Only the end of the arguments tells that a
    /// question is alone: agents send more questions than the tool allows.
    pub(super) fn manner_of(&self, ask: &AskSnapshot) -> Manner {
        if self.options.mode == SubmitMode::Explicit || self.phase == Phase::Malformed || self.changing.is_some() {
            return Manner::Explicit;
        }
        let Some(first) = ask.questions.first() else {
            return Manner::Undecided;
        };
        if ask.questions.len() > 1
            || first.multi_select == Some(true)
            || first.asks_for(InputKind::Rank)
            || has_previews(first)
        {
            return Manner::Explicit;
        }
        match self.phase != Phase::Streaming && first.multi_select.is_some() {
            true => Manner::OnPick,
            false => Manner::Undecided,
        }
    }

    /// Resets errors and confirmations, which were about answers: the ask only takes a message now.
    fn start_over(&mut self) {
        self.unreadable = true;
        self.validating = false;
        self.nudged = None;
        self.confirming = false;
        if self.is_latched() {
            // A reply to an ask that cannot be read can't go through.
            self.submission = Submission::Open;
        }
    }

    /// Reports the end of the ask to the page, unless the page knows. The focus moves from the form to what replaces it, unless the page
    /// prevents that.
    pub(super) fn resolve(&mut self) {
        let is_known = self.life != Life::Waiting;
        self.life.set(true);
        self.plan(Do::Resolve { is_known, had_focus: self.now.has_focus });
    }

    /// Reports that an answer is awaited again, if the page was told of an end.
    fn wait_again(&mut self) {
        if self.life != Life::Waiting {
            self.life = Life::Waiting;
            self.plan(Do::Waiting);
        }
    }

    /// Announces an ask that became complete while the user is there.
    pub(super) fn arrive(&mut self, ask: &AskSnapshot) {
        if let Some(first) = ask.questions.first() {
            let header = first.header.as_ref().map_or("", |header| header.text.as_str());
            let [header, question] = [header, first.question.text.as_str()].map(|text| isolate(&marks::plain(text)));
            let text = self.labels.ready(ask.questions.len(), &header, &question, first.options.len());
            self.plan(Do::SayOnce(String::new(), text));
        }
        self.plan(Do::Waiting);
    }

    /// Handles a change in what the host reports about the reply.
    pub(super) fn follow_reply(&mut self, ask: &AskSnapshot) {
        if ask.reply == self.reply {
            return;
        }
        let before = std::mem::replace(&mut self.reply, ask.reply.clone());
        match &ask.reply {
            ReplyState::None if before.is_pending() => self.take_back(ask),
            // The host has not taken the reply yet, so it stays pending.
            ReplyState::None => {}
            ReplyState::Held | ReplyState::Sending => {
                if self.submission.is_open() || self.is_declining() {
                    self.submission = Submission::Latched;
                    self.announce_sending();
                }
            }
            ReplyState::Failed(reason) if self.messaging => self.refuse_message(reason),
            ReplyState::Failed(reason) => self.fail(reason),
        }
    }

    /// Handles that no reply is on its way any more. Unless the ask is over, the host returned the reply, and the form opens again.
    fn take_back(&mut self, ask: &AskSnapshot) {
        let is_under_way = match self.submission {
            Submission::Latched | Submission::Settled(Settled::Cancelled) => true,
            Submission::Open
            | Submission::Declining { .. }
            | Submission::Failed { .. }
            | Submission::Settled(Settled::Messaged) => false,
        };
        // From the snapshot, because `self.phase` may not have followed it yet.
        if is_under_way && (!ask.phase.is_over() || self.changing.is_some()) {
            let was_reply = self.submission.settled().is_none() && self.sent != Some(Sent::Cancel);
            self.reopen(Submission::Open);
            if was_reply {
                self.say_word(Word::TakenBack);
            }
        }
    }

    pub(super) fn fail(&mut self, reason: &str) {
        let was_settled = self.submission.settled().is_some();
        let is_cancel = self.sent == Some(Sent::Cancel);
        self.reopen(Submission::Failed { reason: reason.to_owned(), is_reply: !was_settled && !is_cancel });
        if !was_settled && self.now.has_focus && self.manner == Manner::Explicit {
            self.plan(Do::Focus(Control::Submit));
        }
        self.plan(Do::ShowFocus);
    }

    /// Opens the form again, with the whole draft.
    pub(super) fn reopen(&mut self, submission: Submission) {
        let was_settled = self.submission.settled().is_some();
        if was_settled && self.now.has_focus {
            // The note that has the focus is about to be removed.
            self.plan(Do::Focus(Control::Cancel));
        }
        if self.manner == Manner::OnPick {
            // If one tap answers, a skip would be invisible, and Cancel would treat it as an answer to lose.
            self.draft.unskip(0);
        }
        self.sent = None;
        self.submission = submission;
        if was_settled {
            self.wait_again();
        }
    }

    pub(super) fn know_kinds(&mut self, ask: &AskSnapshot) {
        // Questions before the last known one are known: a stream opens the next only when it has closed the one before.
        let from = self.draft.known().saturating_sub(1);
        for (index, asked) in ask.questions.iter().enumerate().skip(from) {
            if let Some(multi_select) = asked.multi_select {
                self.draft.know(index, ChoiceKind::of(multi_select, asked.input.as_ref()));
            }
            if asked.question.closed {
                self.draft.know_text(index, &asked.question.text);
            }
        }
        if let Some(complete) = &ask.ask
            && self.draft.reconcile(complete)
        {
            for (index, question) in complete.questions.iter().enumerate() {
                if question.input.as_ref().is_some_and(|input| input.default.is_some()) {
                    self.plan(Do::Fill(Field::Other.control(index)));
                }
            }
        }
    }

    /// Restores the stored answers to questions that are complete by now; into the message, if the ask cannot be read.
    pub(super) fn take_up(&mut self, ask: &AskSnapshot) {
        if self.draft.is_waiting() {
            for question in self.draft.take_up(ask, ask.phase != Phase::Streaming) {
                self.plan(Do::Fill(Field::Other.control(question)));
                self.plan(Do::Fill(Field::Note.control(question)));
            }
        }
        if ask.phase == Phase::Malformed {
            self.gather(ask);
        }
    }

    /// Moves all choices and text into the message, which is the only field that is left.
    fn gather(&mut self, ask: &AskSnapshot) {
        let is_more = self.draft.is_more_than_text();
        if !is_more && self.draft.kind(0) == Some(ChoiceKind::Single) {
            return;
        }
        let text = match is_more {
            true => self.left_text(ask, &[]),
            false => self.draft.text(0, Field::Other).to_owned(),
        };
        self.draft.become_message(&text);
        self.plan(Do::Fill(Field::Other.control(0)));
    }

    /// Announces that the question cannot be read.
    pub(super) fn announce_damage(&mut self) {
        // A key of its own, because the arrival of the question may have been announced before.
        self.plan(Do::SayOnce(" damaged".to_owned(), self.labels.text(Word::Malformed).to_owned()));
    }

    /// Schedules the announcement that the reply is still on its way.
    pub(super) fn announce_sending(&mut self) {
        self.sending_at = Some(self.now.clock + SENDING_AFTER);
    }

    fn announce_end(&mut self, ask: &AskSnapshot, phase: Phase) {
        // The host sent a reply of its own, such as a text from its composer.
        let is_hosts_own = self.is_latched() && self.sent.is_none();
        let word = match phase {
            Phase::Answered if self.own_reply_won(ask) => Word::Sent,
            // The user typed that reply.
            _ if matches!(ask.outcome, Some(Outcome::RepliedInChat { .. })) => return,
            Phase::Answered if is_hosts_own => return,
            // It was announced when the user declined.
            Phase::Declined if self.sent == Some(Sent::Cancel) && self.can_undo() => return,
            Phase::Answered => Word::AnsweredElsewhere,
            // The words of the receipt that replaces the form.
            _ => state_word(phase, ask),
        };
        self.say_word(word);
    }
}
