//! What happens when the stream and the host move on.

use super::standing::has_previews;
use super::{Again, Card, Do, Life, Manner, Row, RowsUp, Sent, Settled, Submission, asked, is_whole};
use crate::card::{Options, SubmitMode};
use crate::dom::{Control, call_key};
use crate::draft::{Field, Kind};
use crate::labels::{Word, isolate};
use crate::receipt::state_word;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Outcome, Phase};

impl Card {
    /// Takes a changed snapshot over.
    pub(super) fn follow(&mut self, ask: &AskSnapshot) {
        let before = self.phase;
        let now = self.phase_of(ask);
        let ends = !before.is_over() && now.is_over();
        let opens_again = before.is_over() && now.takes_answer();
        let breaks = before != Phase::Malformed && now == Phase::Malformed;
        if before.is_over() != now.is_over() {
            self.plan(Do::PageMoved);
        }
        if (breaks || opens_again) && self.now.has_focus {
            self.plan(Do::GoOn);
        }
        if breaks {
            self.start_over();
        } else if now.takes_answer() {
            self.unreadable = false;
            self.again = Again::No;
        }
        if ends {
            self.refused = false;
        }
        let manner = self.manner;
        // What stands beside the buttons of a single question goes into the question when another one comes.
        let is_joined = self.rows.len() == 1 && ask.questions.len() > 1;
        self.show(ask, now);
        let is_other_kind = now != Phase::Malformed && self.know_kinds(ask);
        if let Some(focused) = self.now.focused
            && (is_other_kind || is_joined || self.manner != manner)
        {
            self.plan(Do::KeepFocus(focused));
        }
        self.note_rows(ask);
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
            // What the user ended was announced then, and what had ended before they came is no news.
            if self.submission.settled().is_none() && (now != Phase::Expired || self.deadline.is_news()) {
                self.announce_end(ask, now);
            }
        }
    }

    /// Takes the ask over, by whatever name it goes now.
    pub(super) fn know_ask(&mut self, ask: &AskSnapshot) {
        let key = call_key(&self.options.scope, &ask.tool_call_id);
        if key != self.key {
            let before = std::mem::replace(&mut self.key, key);
            self.plan(Do::Rename(before));
        }
        self.know_deadline(ask);
        self.follow(ask);
    }

    /// Takes other options over. What was chosen, typed and given stays as it is.
    pub(super) fn set(&mut self, ask: &AskSnapshot, mut options: Options) {
        (options.fresh, options.parts) = (self.options.fresh, self.options.parts);
        let was_over = self.is_over();
        let before = std::mem::replace(&mut self.options, options);
        self.labels = self.options.labels.clone().unwrap_or_default();
        if self.draft.has_note() {
            // Nothing is sent that is not in sight.
            self.options.notes = self.options.notes.or(before.notes);
        }
        self.draft.limit(self.options.max_length);
        self.plan(Do::Write);
        self.know_ask(ask);
        self.unchanged = (0, 0);
        self.rewritten = true;
        if self.is_over() != was_over {
            self.plan(Do::PageMoved);
        }
        if before.outline() != self.options.outline() {
            self.moved();
        }
    }

    /// Takes up what an earlier card of the call gave to the host, once it is known whether this is the same ask.
    pub(super) fn take_up_given(&mut self, ask: &AskSnapshot) {
        if ask.phase == Phase::Streaming {
            return;
        }
        let Some(given) = self.given_before.take().filter(|given| given.asked == asked(ask)) else {
            return;
        };
        self.sent = given.sent;
        // Only what could not be read ends by itself.
        if !ask.phase.is_over() && given.submission.settled().is_some() == (ask.phase == Phase::Malformed) {
            // Should the host say that nothing is on its way, the reply is the user's again.
            self.was_pending = true;
            self.life.set(given.submission.settled().is_some());
            self.submission = given.submission;
        }
    }

    /// Takes over what is to be seen of the ask, and how much of that is as it was.
    fn show(&mut self, ask: &AskSnapshot, phase: Phase) {
        let before = std::mem::replace(&mut self.phase, phase);
        let manner = self.manner;
        self.manner = self.manner_of(ask);
        // Nobody sees the run end: the card takes an answer as it did before.
        let is_as_before = before == phase || (before.takes_answer() && phase.takes_answer());
        if ask.phase == Phase::Streaming {
            if before == phase && manner == self.manner && !self.draft.is_waiting() {
                self.unchanged = self.complete;
            }
            self.complete = complete(ask, self.complete);
            self.moved();
            return;
        }
        // The end of the arguments may replace any text and drop any option.
        self.rewritten = true;
        self.complete = (0, 0);
        let outline = outline(ask);
        if std::mem::replace(&mut self.outline, outline) != outline || !is_as_before {
            self.moved();
        }
    }

    /// How the options are shown, once that is certain: a kind that is shown does not change. That a question is alone is certain at the end
    /// of the arguments, whatever the agent's tool allows: agents ask what it does not.
    pub(super) fn manner_of(&self, ask: &AskSnapshot) -> Manner {
        if self.options.mode == SubmitMode::Explicit || self.phase == Phase::Malformed {
            return Manner::Explicit;
        }
        let Some(first) = ask.questions.first() else {
            return Manner::Undecided;
        };
        if ask.questions.len() > 1 || first.multi_select == Some(true) || has_previews(first) {
            return Manner::Explicit;
        }
        match self.phase != Phase::Streaming && first.multi_select.is_some() {
            true => Manner::OnPick,
            false => Manner::Undecided,
        }
    }

    /// Remembers when rows came up: a tap that lands then was meant for what was there before.
    pub(super) fn note_rows(&mut self, ask: &AskSnapshot) {
        let (from, clock) = (self.unchanged.0, self.now.clock);
        let was_up = (!self.arrives).then_some(f64::NEG_INFINITY);
        let is_choice = self.manner != Manner::OnPick;
        let note = |up: Option<Option<f64>>, is_up: bool| match up.unwrap_or(was_up) {
            _ if !is_up => None,
            None => Some(clock),
            known => known,
        };
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize_with(ask.questions.len(), RowsUp::default);
        for (index, asked) in ask.questions.iter().enumerate().skip(from) {
            let up = &mut rows[index];
            let is_up = |option| matches!(Row::of(self, asked, option), Row::Input(_));
            if !is_choice {
                *up = RowsUp::default();
                continue;
            }
            let before = std::mem::take(&mut up.options);
            for option in 0..asked.options.len() {
                up.options.push(note(before.get(option).copied(), is_up(option)));
            }
            up.other = Some(note(up.other, self.manner == Manner::Explicit && is_whole(asked)));
        }
        self.rows = rows;
    }

    /// When the row of a control came up, if it did.
    pub(super) fn row_up(&self, control: Control) -> Option<f64> {
        let up = self.rows.get(control.question()?)?;
        match control {
            Control::Option { option, .. } | Control::Row { option, .. } => *up.options.get(option)?,
            _ => up.other?,
        }
    }

    /// Nothing that was said of the answers, or asked about them, is true of the message that takes their place.
    fn start_over(&mut self) {
        self.unreadable = true;
        self.validating = false;
        self.nudged = None;
        self.confirming = false;
        if self.is_latched() {
            // No reply to it can go through.
            self.submission = Submission::Open;
        }
    }

    /// Tells the page that the ask is over, unless it knows. If the form had the focus, it moves to what replaces the form, unless the page
    /// prevents that.
    pub(super) fn resolve(&mut self) {
        let is_known = self.life != Life::Waiting;
        self.life.set(true);
        self.plan(Do::Resolve { is_known, had_focus: self.now.has_focus });
    }

    /// Tells the page that an answer is waited for again, if it heard that none is.
    fn wait_again(&mut self) {
        if self.life != Life::Waiting {
            self.life = Life::Waiting;
            self.plan(Do::Waiting);
        }
    }

    /// The question is complete, and is so while the user is there.
    pub(super) fn arrive(&mut self, ask: &AskSnapshot) {
        if let Some(first) = ask.questions.first() {
            let header = first.header.as_ref().map_or("", |header| header.text.as_str());
            let (header, question) = (isolate(header), isolate(&first.question.text));
            let text = self.labels.ready(ask.questions.len(), &header, &question, first.options.len());
            self.plan(Do::SayOnce("", text));
        }
        self.plan(Do::Waiting);
        self.plan(Do::Claim);
    }

    /// Takes over where the host stands with the reply.
    pub(super) fn follow_sending(&mut self, ask: &AskSnapshot, sending: &Sending) {
        let was_pending = std::mem::replace(&mut self.was_pending, *sending == Sending::Pending);
        match sending {
            Sending::Idle if was_pending => self.take_back(ask),
            // As it was before the host took anything: a reply just given waits on.
            Sending::Idle => {}
            Sending::Pending => {
                if self.submission.is_open() {
                    self.submission = Submission::Latched;
                    self.announce_sending();
                }
            }
            Sending::Failed(reason) => self.fail(reason),
        }
    }

    /// Nothing is on its way any more. Unless the ask is over, the host gave the reply back: it can be changed and given again.
    fn take_back(&mut self, ask: &AskSnapshot) {
        let is_under_way = match self.submission {
            Submission::Latched | Submission::Settled(Settled::Cancelled) => true,
            Submission::Open | Submission::Failed { .. } | Submission::Settled(Settled::Messaged) => false,
        };
        // Asked of the snapshot itself: what is shown may be about to follow it.
        if is_under_way && !ask.phase.is_over() {
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

    /// Gives the user everything back.
    fn reopen(&mut self, submission: Submission) {
        let was_settled = self.submission.settled().is_some();
        if was_settled && self.now.has_focus {
            // The note that has the focus goes.
            self.plan(Do::Focus(Control::Cancel));
        }
        if self.manner == Manner::OnPick {
            // Nothing shows it where one tap answers, and it would be asked about as an answer to lose.
            self.draft.unskip(0);
        }
        self.sent = None;
        self.submission = submission;
        self.moved();
        if was_settled {
            self.wait_again();
        }
    }

    /// Takes over of which kinds the questions are. Says whether one is of another than before.
    pub(super) fn know_kinds(&mut self, ask: &AskSnapshot) -> bool {
        // Questions before the last known one are known: a stream opens the next only when it has closed the one before.
        let from = self.draft.known().saturating_sub(1);
        let mut is_other = false;
        for (index, asked) in ask.questions.iter().enumerate().skip(from) {
            let known = self.draft.kind(index);
            if let Some(kind) = asked.multi_select.map(Kind::of)
                && known != Some(kind)
            {
                is_other |= known.is_some();
                self.draft.know(index, kind);
            }
        }
        if let Some(complete) = &ask.ask
            && !self.draft.fits(complete)
        {
            self.draft.reconcile(complete);
        }
        is_other
    }

    /// Takes up what was kept of questions that are whole now; where the ask cannot be read, as part of a message.
    pub(super) fn take_up(&mut self, ask: &AskSnapshot) {
        if self.draft.is_waiting() {
            for question in self.draft.take_up(ask, ask.phase != Phase::Streaming) {
                self.plan(Do::Fill(question, Field::Other));
                self.plan(Do::Fill(question, Field::Note));
            }
        }
        if ask.phase == Phase::Malformed {
            self.gather(ask);
        }
    }

    /// Puts all that was chosen and typed into the one field that is left.
    fn gather(&mut self, ask: &AskSnapshot) {
        let is_more = self.draft.is_more_than_text();
        if !is_more && self.draft.kind(0) == Some(Kind::Single) {
            return;
        }
        let text = match is_more {
            true => self.left_text(ask, &[]),
            false => self.draft.text(0, Field::Other).to_owned(),
        };
        self.draft.become_message(&text);
        self.plan(Do::Fill(0, Field::Other));
    }

    /// Says that the question cannot be read.
    pub(super) fn announce_damage(&mut self) {
        // Apart from the word that it is there to be answered.
        self.plan(Do::SayOnce(" damaged", self.labels.text(Word::Malformed).to_owned()));
    }

    /// Says that the reply is on its way, once it has been so for a while.
    pub(super) fn announce_sending(&mut self) {
        self.latches += 1;
        self.plan(Do::AskIfSending(self.latches));
    }

    pub(super) fn still_sending(&mut self, latch: u32) {
        if latch == self.latches && self.is_latched() && !self.phase.is_over() {
            self.say_word(match self.options.held {
                true => Word::Held,
                false => Word::Sending,
            });
        }
    }

    fn announce_end(&mut self, ask: &AskSnapshot, phase: Phase) {
        // The host sent a reply that this card never gave, such as what was typed into its composer.
        let is_hosts_own = self.is_latched() && self.sent.is_none();
        let word = match phase {
            Phase::Answered if self.own_reply_won(ask.outcome.as_ref()) => Word::Sent,
            // Who typed it knows.
            _ if matches!(ask.outcome, Some(Outcome::RepliedInChat { .. })) => return,
            Phase::Answered if is_hosts_own => return,
            Phase::Answered => Word::AnsweredElsewhere,
            // The words of the receipt that takes the form's place.
            _ => state_word(phase, ask),
        };
        self.say_word(word);
    }
}

/// What of a growing ask is complete and will not change any more: the number of questions, and of options of the next one. What was
/// complete before need not be looked at again.
fn complete(ask: &AskSnapshot, (from, _): (usize, usize)) -> (usize, usize) {
    let closed = ask.questions.iter().skip(from).take_while(|asked| asked.closed).count();
    let next = ask.questions.get(from + closed).filter(|asked| asked.multi_select.is_some());
    let options = next.map_or(0, |asked| asked.options.iter().take_while(|option| option.closed).count());
    (from + closed, options)
}

/// Tells how an ask is made up, without its texts.
pub(super) fn outline(ask: &AskSnapshot) -> u64 {
    let mut outline = 0_u64;
    let mut add = |facts: [bool; 4]| {
        let facts = facts.into_iter().fold(1, |all, fact| all << 1 | u64::from(fact));
        outline = outline.wrapping_mul(31).wrapping_add(facts);
    };
    for asked in &ask.questions {
        add([true, asked.header.is_some(), asked.closed, asked.multi_select == Some(true)]);
        add([true, asked.multi_select.is_some(), false, false]);
        for option in &asked.options {
            add([false, option.description.is_some(), option.preview.is_some(), option.closed]);
        }
    }
    outline
}
