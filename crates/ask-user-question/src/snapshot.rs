//! The state of an ask as a card shows it, from the first byte of its arguments to its receipt.

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
    /// The phase of an ask, derived from the stream or from a history. The variants are in the order of an ask's life.
    #[derive(Default)]
    Phase {
        /// The arguments are streaming.
        #[default]
        Streaming "streaming",
        /// The arguments are complete and valid, but the run is still open, so a reply is held until it ends.
        Ready "ready",
        /// The arguments ended and can't be used.
        Malformed "malformed",
        /// The run has ended, and the ask waits for its reply.
        Answerable "answerable",
        /// The user replied.
        Answered "answered",
        /// The user declined.
        Declined "declined",
        /// The user continued with something else, or the agent withdrew the ask.
        Superseded "superseded",
        /// The deadline passed.
        Expired "expired",
        /// The arguments stayed incomplete because the run failed or the stream broke off, or the run was stopped.
        Interrupted "interrupted",
        /// The agent continued after a result that is no readable answer; [`AskSnapshot::result`] has its text.
        Settled "settled",
    }
}

impl OutcomeKind {
    /// The phase of an ask with this outcome.
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
    /// Returns true if the ask has ended, so that a receipt is shown instead of the form.
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

/// The current state of one ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskSnapshot {
    /// The key of the call, or the id of the interrupt.
    pub tool_call_id: String,
    /// The phase; it decides which of the other fields are set.
    pub phase: Phase,
    /// The questions to show, growing while arguments stream. Once [`ask`](Self::ask) is set, they are its questions.
    pub questions: Vec<QuestionSnapshot>,
    /// The complete, repaired ask, from [`Phase::Ready`] on. Shared between all copies of the snapshot.
    pub ask: Option<Arc<AskUserQuestion>>,
    /// How the ask ended, if known. With [`Phase::Answerable`], it is an answer that may be lost because the run that took it failed.
    pub outcome: Option<Outcome>,
    /// The channel of the answer and who gave it, if the answer came from another program.
    pub via: Option<Via>,
    /// With [`Phase::Answered`]: the answer that replaced the one in [`outcome`](Self::outcome), since the user changed it by a later message.
    pub replaced: Option<Reply>,
    /// With [`Phase::Settled`]: the text of the result that is no readable answer.
    pub result: Option<String>,
    /// The deadline in milliseconds since the Unix epoch; `None` if there is none.
    pub expires_at: Option<u64>,
    /// The language of the texts as a BCP 47 tag, if the call names one.
    pub lang: Option<String>,
    /// The state of the user's reply while the ask is open. Set by the host, never by the agent.
    pub reply: ReplyState,
}

impl AskSnapshot {
    /// Creates the snapshot of an ask about which only the call is known.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>) -> Self {
        Self { tool_call_id: tool_call_id.into(), ..Self::default() }
    }

    /// Creates the snapshot of a complete ask, such as from an example or a history.
    #[must_use]
    pub fn complete(tool_call_id: impl Into<String>, ask: AskUserQuestion, phase: Phase) -> Self {
        let mut snapshot = Self::new(tool_call_id);
        snapshot.finish(ask);
        snapshot.phase = phase;
        snapshot
    }

    /// Sets the phase without any other change.
    #[must_use]
    pub fn with_phase(mut self, phase: Phase) -> Self {
        self.phase = phase;
        self
    }

    /// Sets the outcome without any other change.
    #[must_use]
    pub fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// Sets the repaired ask, which replaces the growing questions.
    pub fn finish(&mut self, ask: impl Into<Arc<AskUserQuestion>>) {
        let ask = ask.into();
        self.questions = Grows::shown(&ask.questions);
        self.ask = Some(ask);
    }

    /// The ask made of the questions so far. It equals the complete one if the arguments were in the tool's own form.
    #[must_use]
    pub fn grown(&self) -> AskUserQuestion {
        AskUserQuestion::new(self.questions.sent())
    }

    /// The valid answer: the one that the user [changed it to](Self::replaced), or else the one in [`outcome`](Self::outcome).
    #[must_use]
    pub fn answer(&self) -> Option<&Reply> {
        match &self.outcome {
            Some(Outcome::Answered(reply)) if self.replaced.is_none() => Some(reply),
            _ => self.replaced.as_ref(),
        }
    }

    /// Sets the phase. [`Phase::Answerable`] clears the outcome, the result and the channel of an earlier answer.
    pub fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
        if phase == Phase::Answerable {
            (self.outcome, self.result, self.via) = (None, None, None);
        }
    }

    /// Updates this snapshot to a later state of the same ask. While arguments stream, the cost depends only on what they added.
    /// [`reply`](Self::reply) is kept, since the host sets it.
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
    /// Returns true if the question asks for this kind of input.
    #[must_use]
    pub fn asks_for(&self, kind: InputKind) -> bool {
        self.input.as_ref().is_some_and(|input| input.kind == kind)
    }

    /// Returns true if the question can be answered in own words.
    #[must_use]
    pub fn takes_words(&self) -> bool {
        !self.input.as_ref().is_some_and(Input::is_closed)
    }
}

/// The state of the user's reply to an ask.
///
/// After `Failed`, a host must set `Sending` or `None` for the next reply: two equal failures in a row count as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReplyState {
    /// No reply is being sent. If the host gave a reply back, the user can change and resend it.
    #[default]
    None,
    /// The reply waits to be sent together with the reply to another ask. The user can still take it back.
    Held,
    /// The reply is being sent, and the card accepts no other.
    Sending,
    /// Sending failed, with a reason that is shown to the user. The card opens again with all selections.
    Failed(String),
}

impl ReplyState {
    /// Returns true if a reply is held or being sent.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        matches!(self, Self::Held | Self::Sending)
    }
}
