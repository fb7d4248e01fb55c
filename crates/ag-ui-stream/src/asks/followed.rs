//! One ask and all that is known of it beside its snapshot.

use super::AskChange;
use super::form::Form;
use super::interrupts::Legacy;
use super::reply::AskedBy;
use crate::outcome::Interrupt;
use ask_user_question::arriving::Arriving;
use ask_user_question::outcome::{AskMetadata, Outcome, OutcomeKind};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Reply};
use json_tree::Json;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Followed {
    /// The snapshot's id, shared with every change.
    pub(super) id: Arc<str>,
    pub(super) snapshot: AskSnapshot,
    pub(super) source: Source,
    /// The run in which it began.
    pub(super) run: u64,
    /// The agent gave the call a result that is no answer.
    pub(super) acknowledged: bool,
    /// The call has a result, from the user or from elsewhere.
    pub(super) is_closed: bool,
    /// A result came in the stream, so that the agent has done with the call.
    pub(super) has_result: bool,
    /// The interrupt by which the agent waits for the answer.
    pub(super) interrupt: Option<Interrupt>,
    /// The legacy interrupt by which it does.
    pub(super) legacy: Option<Legacy>,
    /// How its reply becomes a payload, where it was made from a schema.
    pub(super) form: Option<Form>,
    arriving: Arriving,
}

/// Where an ask comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A call of the tool.
    Call,
    /// An interrupt that is about no call of it.
    Interrupt,
    /// A call of another tool that waits for a yes or no.
    Approval,
}

/// Results that some backends put in the place of an answer that is still to come.
const PLACEHOLDERS: [&str; 2] = ["Forwarded to client", "[Awaiting external execution]"];

/// How a result begins by which an agent refuses the call, so that nobody can answer it any more.
const REFUSALS: [&str; 2] = ["Invalid input:", "ask_user_question is not available to sub-agents"];

/// The member of a call's metadata that names the language of its texts.
const LANG: &str = "lang";

/// What stands for the ask of a call that could not be read.
static UNREAD: AskUserQuestion = AskUserQuestion { questions: Vec::new() };

impl Followed {
    pub(super) fn new(id: &str, source: Source, run: u64) -> Self {
        Self {
            id: id.into(),
            snapshot: AskSnapshot::new(id),
            source,
            run,
            acknowledged: false,
            is_closed: false,
            has_result: false,
            interrupt: None,
            legacy: None,
            form: None,
            arriving: Arriving::default(),
        }
    }

    /// The ask; one without questions where it could not be read.
    pub(super) fn ask(&self) -> &AskUserQuestion {
        self.snapshot.ask.as_deref().unwrap_or(&UNREAD)
    }

    /// Applies a patch and tells it.
    pub(super) fn patch(&mut self, patch: AskPatch, changes: &mut Vec<AskChange>) {
        self.snapshot.apply(&patch);
        changes.push(AskChange::Patched { tool_call_id: Arc::clone(&self.id), patch });
    }

    /// Takes the language of the texts, where the call's metadata name one.
    pub(super) fn take_lang(&mut self, metadata: Option<&Json<'_>>, changes: &mut Vec<AskChange>) {
        let lang = metadata.and_then(|metadata| metadata.get(LANG)?.as_str());
        if let Some(lang) = lang.filter(|lang| is_language_tag(lang)) {
            self.patch(AskPatch::Lang(lang.to_owned()), changes);
        }
    }

    /// Takes more of the arguments. Once they were complete, nothing changes what is shown.
    pub(super) fn feed(&mut self, delta: &str, changes: &mut Vec<AskChange>) {
        if self.snapshot.phase != Phase::Streaming {
            return;
        }
        let Self { id, snapshot, arriving, .. } = self;
        arriving.feed(delta, |patch| {
            snapshot.apply(&patch);
            changes.push(AskChange::Patched { tool_call_id: Arc::clone(id), patch });
        });
    }

    pub(super) fn end_arguments(&mut self, changes: &mut Vec<AskChange>) {
        if self.snapshot.phase != Phase::Streaming {
            return;
        }
        match std::mem::take(&mut self.arriving).finish(&self.snapshot) {
            Some(ask) => self.complete(ask, Phase::Ready, changes),
            None => self.patch(AskPatch::Phase(Phase::Malformed), changes),
        }
    }

    pub(super) fn complete(&mut self, ask: AskUserQuestion, phase: Phase, changes: &mut Vec<AskChange>) {
        self.patch(AskPatch::Complete(Arc::new(ask)), changes);
        self.patch(AskPatch::Phase(phase), changes);
    }

    /// Takes what a tool result says: how the ask ended, or nothing but that the agent heard of it.
    pub(super) fn take_result(
        &mut self,
        content: &str,
        metadata: Option<&Json<'_>>,
        same_run: bool,
        changes: &mut Vec<AskChange>,
    ) {
        self.is_closed = true;
        if self.snapshot.phase == Phase::Malformed {
            return self.take_cancellation(content, changes);
        }
        if !self.is_open() && self.snapshot.phase != Phase::Expired {
            return;
        }
        let is_approval = self.source == Source::Approval;
        let ask = self.snapshot.ask.as_ref();
        let outcome = match is_approval {
            true => self.read_approval(content),
            false => ask.and_then(|ask| Outcome::parse(ask, content)),
        };
        let about = about(metadata).filter(|about| about.tool_call_id == self.snapshot.tool_call_id);
        match (outcome, about) {
            (Some(outcome), _) => self.settle(Some(outcome), None, changes),
            (None, Some(about)) => self.settle(None, Some(about.outcome), changes),
            (None, None) if REFUSALS.iter().any(|refusal| content.starts_with(refusal)) => {
                self.patch(AskPatch::Phase(Phase::Malformed), changes);
            }
            (None, None) if !is_approval && (same_run || PLACEHOLDERS.contains(&content)) => {
                self.acknowledged = true;
            }
            (None, None) => self.settle(None, Some(OutcomeKind::Answered), changes),
        }
    }

    /// The outcome that the answer to its interrupt stands for.
    pub(super) fn read_payload(&self, payload: &Json<'static>) -> Option<Outcome> {
        let ask = self.snapshot.ask.as_deref();
        match (payload.as_str(), &self.form) {
            // Plain text is what a plain question gets.
            (Some(text), _) => {
                Outcome::parse(self.ask(), text).or_else(|| Some(Outcome::Answered(Reply::read_message(ask?, text)?)))
            }
            (None, Some(form)) => form.read(ask?, payload),
            (None, None) => Outcome::from_json(ask?, payload),
        }
    }

    /// What nobody can answer, its user can still put away.
    fn take_cancellation(&mut self, content: &str, changes: &mut Vec<AskChange>) {
        if Outcome::parse(&UNREAD, content) == Some(Outcome::Declined) {
            self.settle(Some(Outcome::Declined), None, changes);
        }
    }

    /// Ends the ask by an outcome, or where that cannot be told any more, by its kind.
    pub(super) fn settle(&mut self, outcome: Option<Outcome>, kind: Option<OutcomeKind>, changes: &mut Vec<AskChange>) {
        let Some(kind) = outcome.as_ref().map(Outcome::kind).or(kind) else {
            return;
        };
        let outcome = outcome.or(match kind {
            OutcomeKind::Answered | OutcomeKind::RepliedInChat => None,
            OutcomeKind::Declined => Some(Outcome::Declined),
            OutcomeKind::Expired => Some(Outcome::Expired),
            OutcomeKind::Superseded => Some(Outcome::Superseded),
            OutcomeKind::Cancelled => Some(Outcome::Cancelled),
        });
        if let Some(outcome) = outcome {
            self.patch(AskPatch::Outcome(outcome), changes);
        }
        let phase = match kind {
            OutcomeKind::Answered | OutcomeKind::RepliedInChat => Phase::Answered,
            OutcomeKind::Declined => Phase::Declined,
            OutcomeKind::Expired => Phase::Expired,
            OutcomeKind::Superseded => Phase::Superseded,
            OutcomeKind::Cancelled => Phase::Interrupted,
        };
        self.patch(AskPatch::Phase(phase), changes);
    }

    /// What the agent did to ask.
    pub(super) fn asked_by(&self) -> AskedBy {
        if self.source == Source::Interrupt || self.is_suspended() {
            AskedBy::Interrupt
        } else if self.acknowledged {
            AskedBy::AcknowledgedCall
        } else {
            AskedBy::Call
        }
    }

    /// Whether the agent waits for its answer by an interrupt.
    pub(super) fn is_suspended(&self) -> bool {
        self.interrupt.is_some() || self.legacy.is_some()
    }

    /// The agent asks by an interrupt, perhaps once more: whatever became of the ask, it waits now.
    pub(super) fn ask_again(&mut self, changes: &mut Vec<AskChange>) {
        let phase = if self.snapshot.ask.is_some() { Phase::Answerable } else { Phase::Malformed };
        if self.snapshot.phase != phase {
            self.patch(AskPatch::Phase(phase), changes);
        }
    }

    /// Whether it may still be answered, or at least put away.
    pub(super) fn can_be_ended(&self) -> bool {
        self.is_open() || self.snapshot.phase == Phase::Malformed
    }

    /// Whether it may still be answered.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.snapshot.phase, Phase::Streaming | Phase::Ready | Phase::Answerable)
    }
}

/// Whether a text has the form of a BCP 47 tag, such as `de-AT`; whether there is such a language, nobody here knows.
fn is_language_tag(text: &str) -> bool {
    let is_subtag = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let begins = text
        .split('-')
        .next()
        .is_some_and(|language| language.len() > 1 && language.bytes().all(|byte| byte.is_ascii_alphabetic()));
    begins && text.len() <= 35 && text.split('-').all(is_subtag)
}

/// What a message's metadata say about an ask.
pub(super) fn about(metadata: Option<&Json<'_>>) -> Option<AskMetadata> {
    AskMetadata::read(metadata?.get(AskMetadata::KEY)?)
}
