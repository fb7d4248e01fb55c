//! The state of an ask for a card, from the first byte of its arguments to its receipt.

use crate::input::{Input, InputKind};
use crate::outcome::{Outcome, OutcomeKind, Via};
use crate::parts::Grows;
use crate::reply::Reply;
use crate::wire::AskUserQuestion;
use json_tree::codes;
use std::sync::Arc;

pub use crate::members::{Growth, MemberPath, OptionSnapshot, QuestionSnapshot};
pub use crate::parts::TextSnapshot;

codes! {
    /// The phase of an ask, derived from the stream or a replayed history: the phases are in the order of an ask's life, each in lower
    /// case.
    #[derive(Default)]
    Phase {
        /// Arguments are arriving.
        #[default]
        Streaming "streaming",
        /// Arguments are complete and valid; the run is still open, so a reply is held until it ends.
        Ready "ready",
        /// Arguments ended and are unusable.
        Malformed "malformed",
        /// The run has ended and the ask waits for its reply.
        Answerable "answerable",
        /// A reply was given.
        Answered "answered",
        /// The user declined.
        Declined "declined",
        /// The user went on with something else, or the agent withdrew it.
        Superseded "superseded",
        /// The deadline passed.
        Expired "expired",
        /// The run failed or the stream broke before the arguments ended.
        Interrupted "interrupted",
        /// The agent went on with a result that is no readable answer; [`AskSnapshot::result`] has it as it is.
        Settled "settled",
    }
}

impl OutcomeKind {
    /// The phase of an ask that ended so.
    #[must_use]
    pub fn phase(self) -> Phase {
        match self {
            Self::Answered | Self::RepliedInChat => Phase::Answered,
            Self::Declined => Phase::Declined,
            Self::Expired => Phase::Expired,
            Self::Superseded | Self::Withdrawn => Phase::Superseded,
            Self::Cancelled => Phase::Interrupted,
        }
    }
}

impl Phase {
    /// Returns true if the ask has ended, so that a receipt takes the place of the form.
    #[must_use]
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Streaming | Self::Ready | Self::Malformed | Self::Answerable)
    }

    /// Returns true if the ask is complete and waits for its answer.
    #[must_use]
    pub fn takes_answer(self) -> bool {
        matches!(self, Self::Ready | Self::Answerable)
    }
}

/// The best value so far of one ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskSnapshot {
    /// The call.
    pub tool_call_id: String,
    /// The phase.
    pub phase: Phase,
    /// The questions to show, growing while arguments stream; from `Ready` on, those of [`ask`](Self::ask).
    pub questions: Vec<QuestionSnapshot>,
    /// The complete, repaired ask; present from [`Phase::Ready`] on. Shared by everyone who keeps a snapshot of it.
    pub ask: Option<Arc<AskUserQuestion>>,
    /// The outcome, if the history has it. Beside [`Phase::Answerable`] it is an answer that may have arrived: the run that took it failed.
    pub outcome: Option<Outcome>,
    /// The way by which the answer came, and who gave it, if a program brought it from elsewhere.
    pub via: Option<Via>,
    /// The answer that took the place of the one in [`outcome`](Self::outcome), beside [`Phase::Answered`]: the user changed it by a later message.
    pub replaced: Option<Reply>,
    /// The text of a result that is no readable answer, beside [`Phase::Settled`].
    pub result: Option<String>,
    /// The deadline (milliseconds since the Unix epoch), where the protocol gives one.
    pub expires_at: Option<u64>,
    /// The language of its texts (a BCP 47 tag), where the call names one.
    pub lang: Option<String>,
    /// The state of the user's reply until [`phase`](Self::phase) has its end. The host writes it; no agent does.
    pub reply: ReplyState,
}

impl AskSnapshot {
    /// A fresh ask of which nothing but the call is known.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>) -> Self {
        Self { tool_call_id: tool_call_id.into(), ..Self::default() }
    }

    /// A complete ask, as from an example or a history.
    #[must_use]
    pub fn complete(tool_call_id: impl Into<String>, ask: AskUserQuestion, phase: Phase) -> Self {
        let mut snapshot = Self::new(tool_call_id);
        snapshot.finish(ask);
        snapshot.phase = phase;
        snapshot
    }

    /// The same in this phase.
    #[must_use]
    pub fn with_phase(mut self, phase: Phase) -> Self {
        self.phase = phase;
        self
    }

    /// The same with this outcome.
    #[must_use]
    pub fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// Takes the repaired ask: it takes the place of the growing questions.
    pub fn finish(&mut self, ask: impl Into<Arc<AskUserQuestion>>) {
        let ask = ask.into();
        self.questions = Grows::shown(&ask.questions);
        self.ask = Some(ask);
    }

    /// The ask as it has grown: the complete one, if nothing in its arguments was odd.
    #[must_use]
    pub fn grown(&self) -> AskUserQuestion {
        AskUserQuestion::new(self.questions.sent())
    }

    /// The answer that counts: the one that the user [changed it to](Self::replaced), or else the one in [`outcome`](Self::outcome).
    #[must_use]
    pub fn answer(&self) -> Option<&Reply> {
        match &self.outcome {
            Some(Outcome::Answered(reply)) if self.replaced.is_none() => Some(reply),
            _ => self.replaced.as_ref(),
        }
    }

    /// Moves it to this phase. An ask that is asked again has not ended: it loses its outcome or result.
    pub fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
        if phase == Phase::Answerable {
            (self.outcome, self.result, self.via) = (None, None, None);
        }
    }

    /// Takes over what a later state of the same ask has beyond this one. While the arguments arrive, that costs no more than what they added.
    /// The [reply](Self::reply) stays, since the host writes it.
    pub fn follow(&mut self, of: &Self) {
        match &of.ask {
            None => self.questions.follow(&of.questions),
            Some(ask) if self.ask.as_ref().is_some_and(|own| Arc::ptr_eq(own, ask)) => {}
            Some(ask) => {
                self.questions.clone_from(&of.questions);
                self.ask = Some(Arc::clone(ask));
            }
        }
        self.outcome.clone_from(&of.outcome);
        self.via.clone_from(&of.via);
        self.replaced.clone_from(&of.replaced);
        self.result.clone_from(&of.result);
        self.lang.clone_from(&of.lang);
        (self.phase, self.expires_at) = (of.phase, of.expires_at);
    }
}

impl QuestionSnapshot {
    /// Returns true if it asks for this instead of a choice.
    #[must_use]
    pub fn asks_for(&self, kind: InputKind) -> bool {
        self.input.as_ref().is_some_and(|input| input.kind == kind)
    }

    /// Returns true if own words can answer it.
    #[must_use]
    pub fn takes_words(&self) -> bool {
        !self.input.as_ref().is_some_and(Input::is_closed)
    }
}

/// The state of the user's reply to an ask.
///
/// A host that has reported a failure reports `Sending` or `None` when it gets the next reply: the same failure twice in a row is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReplyState {
    /// The host has none, or it gave the reply back: the user can change it and send it again.
    #[default]
    None,
    /// It goes out with the reply to another ask; until then the user can take it back.
    Held,
    /// It is on its way. The card refuses a second one.
    Sending,
    /// It could not be sent, for a reason that is shown to the user. The card opens again with everything that was chosen.
    Failed(String),
}

impl ReplyState {
    /// Returns true if a reply is held or on its way.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        matches!(self, Self::Held | Self::Sending)
    }
}
