//! The state of an ask for a card, from the first byte of its arguments to its receipt.

use crate::codes::codes;
use crate::input::InputKind;
use crate::members::change;
use crate::outcome::Outcome;
use crate::parts::{Change, Grows, nth_or_next};
use crate::wire::AskUserQuestion;
use std::borrow::Borrow;
use std::sync::Arc;

pub use crate::members::{MemberPath, OptionSnapshot, QuestionSnapshot};
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
        /// The user went on with something else.
        Superseded "superseded",
        /// The deadline passed.
        Expired "expired",
        /// The run failed or the stream broke before the arguments ended.
        Interrupted "interrupted",
        /// The agent went on with a result that is no readable answer; [`AskSnapshot::result`] has it as it is.
        Settled "settled",
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
    /// The text of a result that is no readable answer, beside [`Phase::Settled`].
    pub result: Option<String>,
    /// The deadline (milliseconds since the Unix epoch), where the protocol gives one.
    pub expires_at: Option<u64>,
    /// The language of its texts (a BCP 47 tag), where the call names one.
    pub lang: Option<String>,
    /// The state of the user's reply until [`phase`](Self::phase) has its end. The host writes it; no agent does.
    pub reply: ReplyState,
}

/// One change to an [`AskSnapshot`]. It is as large as the delta that made it, so a host that keeps a snapshot copies nothing twice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskPatch {
    /// A text began or grew.
    Append {
        /// Which text.
        text: MemberPath,
        /// The appended text; may be empty at the beginning.
        delta: String,
    },
    /// A text is complete.
    CloseText {
        /// Which text.
        text: MemberPath,
    },
    /// A flag is known.
    Flag {
        /// Which flag.
        flag: MemberPath,
        /// Its value.
        value: bool,
    },
    /// An option began (it may be empty so far).
    OpenOption {
        /// The question's index.
        question: usize,
        /// The option's index.
        option: usize,
    },
    /// An option's object is complete.
    CloseOption {
        /// The question's index.
        question: usize,
        /// The option's index.
        option: usize,
    },
    /// A question began.
    OpenQuestion {
        /// The question's index.
        question: usize,
    },
    /// A question's object is complete.
    CloseQuestion {
        /// The question's index.
        question: usize,
    },
    /// The arguments are complete: the repaired ask takes the place of the growing questions.
    Complete(Arc<AskUserQuestion>),
    /// The ask is elsewhere now.
    Phase(Phase),
    /// The outcome of the ask.
    Outcome(Outcome),
    /// The ask ended with a result that is no readable answer.
    Result(String),
    /// The ask has a deadline.
    ExpiresAt(Option<u64>),
    /// The call names the language of its texts.
    Lang(String),
    /// The host has news of the user's reply.
    Reply(ReplyState),
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
        snapshot.apply(AskPatch::Complete(Arc::new(ask)));
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

    /// The same with texts in this language, if one is named.
    #[must_use]
    pub fn with_lang(mut self, lang: Option<String>) -> Self {
        self.lang = lang;
        self
    }

    /// Takes a change over, given as it is or by reference. The cost is the size of the change.
    ///
    /// A patch may name the next question or option before it is opened. A patch that names a later one is of another snapshot and changes
    /// nothing.
    pub fn apply(&mut self, patch: impl Borrow<AskPatch>) {
        self.take(patch.borrow());
    }

    fn take(&mut self, patch: &AskPatch) {
        match *patch {
            AskPatch::Append { text, ref delta } => change(&mut self.questions, text, Change::Append(delta)),
            AskPatch::CloseText { text } => change(&mut self.questions, text, Change::Close),
            AskPatch::Flag { flag, value } => change(&mut self.questions, flag, Change::Set(value)),
            AskPatch::OpenOption { question, option } => {
                self.option_mut(question, option);
            }
            AskPatch::CloseOption { question, option } => {
                if let Some(option) = self.option_mut(question, option) {
                    option.end();
                }
            }
            AskPatch::OpenQuestion { question } => {
                nth_or_next(&mut self.questions, question);
            }
            AskPatch::CloseQuestion { question } => {
                if let Some(question) = nth_or_next(&mut self.questions, question) {
                    question.end();
                }
            }
            AskPatch::Complete(ref ask) => {
                self.questions.settle(&ask.questions);
                self.ask = Some(Arc::clone(ask));
            }
            AskPatch::Phase(phase) => {
                self.phase = phase;
                if phase == Phase::Answerable {
                    // An ask that is asked again has not ended.
                    (self.outcome, self.result) = (None, None);
                }
            }
            AskPatch::Outcome(ref outcome) => self.outcome = Some(outcome.clone()),
            AskPatch::Result(ref result) => (self.outcome, self.result) = (None, Some(result.clone())),
            AskPatch::ExpiresAt(deadline) => self.expires_at = deadline,
            AskPatch::Lang(ref lang) => self.lang = Some(lang.clone()),
            AskPatch::Reply(ref reply) => self.reply = reply.clone(),
        }
    }

    fn option_mut(&mut self, question: usize, option: usize) -> Option<&mut OptionSnapshot> {
        nth_or_next(&mut nth_or_next(&mut self.questions, question)?.options, option)
    }
}

impl QuestionSnapshot {
    /// Returns true if it asks for this instead of a choice.
    #[must_use]
    pub fn asks_for(&self, kind: InputKind) -> bool {
        self.input.as_ref().is_some_and(|input| input.kind == kind)
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
