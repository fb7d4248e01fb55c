//! One ask: its snapshot, and its internal state.

use super::change::Changes;
use super::form::{Decision, ReplyForm};
use super::phase::{Arguments, EndedBy, Facts, phase};
use crate::LEGACY;
use crate::message::Message;
use crate::outcome::Interrupt;
use crate::thread::Thread;
use ask_user_question::arriving::Arriving;
use ask_user_question::outcome::{ASKED_TEXT, AskMetadata, Outcome, OutcomeKind, Readers};
use ask_user_question::text::is_blank;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Reply};
use json_tree::{Json, codes};
use std::iter;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct TrackedAsk {
    slot: usize,
    pub(super) snapshot: AskSnapshot,
    pub(super) source: AskSource,
    pub(super) results_so_far: ResultsSoFar,
    pub(super) over_since: u64,
    pub(super) facts: Facts,
    /// The number of results when the agent last asked again. These no longer count.
    pub(super) passed: usize,
    /// The keys of other calls that ask the same and receive the same answer.
    pub(super) twins: Vec<String>,
    pub(super) wait: Option<Box<InterruptWait>>,
    /// The ask was read from an interrupt, since no call has readable arguments.
    pub(super) is_given: bool,
    /// For an ask without a call: the last message when it began.
    pub(super) after: Option<String>,
    pub(super) form: Option<Arc<dyn ReplyForm>>,
    readers: Readers,
    arriving: Option<Box<Arriving>>,
}

#[derive(Clone, Debug)]
pub(super) struct InterruptWait {
    /// Shared, since one interrupt may have several asks.
    pub(super) by: Arc<Interrupt>,
    /// Other interrupts of the same run about the same call without a question of their own. They receive the same answer.
    pub(super) also: Vec<Arc<Interrupt>>,
    /// The ask's place in the answer, if the interrupt asks for several decisions.
    pub(super) decision: Option<Decision>,
    /// The answer was sent, or the open run was started with it.
    pub(super) is_released: bool,
}

codes! {
    /// What an ask was read from.
    AskSource {
        /// A call of the tool.
        Call "call",
        /// An interrupt that is not about a call of the tool.
        Interrupt "interrupt",
        /// A call of another tool that waits for approval.
        Approval "approval",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ResultsSoFar {
    None,
    /// Only placeholders for an answer that is still to come, or results from before the agent asked again.
    Placeholder,
    /// The agent does not wait for the answer and takes it as a message, so neither its words nor unmarked user messages end the ask.
    Asked,
    /// A result in other words. It ends the ask once the agent speaks on.
    Words,
}

impl ResultsSoFar {
    pub(super) fn of(result: &Message) -> Self {
        match &*result.text() {
            ASKED_TEXT => Self::Asked,
            text if is_placeholder(text) || says_nothing(text) => Self::Placeholder,
            _ => Self::Words,
        }
    }
}

/// Prefixes of results by which `question-agent` refuses a call: invalid arguments, or a call by a sub-agent. Such an ask can't be answered.
const REFUSALS: [&str; 2] = ["Invalid input:", "ask_user_question is not available to sub-agents"];

const LANG: &str = "lang";

static UNREAD: AskUserQuestion = AskUserQuestion::empty();

impl TrackedAsk {
    pub(super) fn new(id: &str, slot: usize, source: AskSource, run: u64, readers: Readers) -> Self {
        Self {
            slot,
            snapshot: AskSnapshot::new(id),
            source,
            results_so_far: ResultsSoFar::None,
            over_since: run,
            facts: Facts { arguments: Arguments::Partial, is_running: source == AskSource::Call, end: None },
            passed: 0,
            twins: Vec::new(),
            wait: None,
            is_given: false,
            after: None,
            form: None,
            readers,
            arriving: None,
        }
    }

    /// The key of its call, or the id of its interrupt.
    pub(super) fn id(&self) -> &str {
        &self.snapshot.tool_call_id
    }

    pub(super) fn ask(&self) -> &AskUserQuestion {
        self.snapshot.ask.as_deref().unwrap_or(&UNREAD)
    }

    pub(super) fn alter(&mut self, changes: &mut Changes) -> &mut AskSnapshot {
        changes.alter(self.slot);
        &mut self.snapshot
    }

    pub(super) fn set_result(&mut self, result: String, changes: &mut Changes) {
        let snapshot = self.alter(changes);
        (snapshot.outcome, snapshot.result) = (None, Some(result));
    }

    pub(super) fn take_lang(&mut self, metadata: Option<&Json<'_>>, changes: &mut Changes) {
        let lang = metadata.and_then(|metadata| metadata.string(LANG));
        if let Some(lang) = lang.filter(|lang| is_language_tag(lang)) {
            self.alter(changes).lang = Some(lang.to_owned());
        }
    }

    #[inline(never)]
    pub(super) fn feed(&mut self, delta: &str, changes: &mut Changes) {
        let arriving = self.arriving.get_or_insert_with(|| Box::new(Arriving::new(self.readers.repairs)));
        if let Some(growth) = arriving.feed(delta, &mut self.snapshot) {
            changes.grow(self.slot, growth);
        }
    }

    pub(super) fn end_arguments(&mut self, arguments: &str, is_running: bool, changes: &mut Changes) {
        let arriving = self.arriving.take().map_or_else(|| Arriving::new(self.readers.repairs), |arriving| *arriving);
        let is_readable = arriving.finish(arguments, self.alter(changes));
        let arguments = if is_readable { Arguments::Readable } else { Arguments::Unreadable };
        self.set(Facts { arguments, is_running, ..self.facts }, changes);
    }

    pub(super) fn complete(&mut self, ask: AskUserQuestion, changes: &mut Changes) {
        self.alter(changes).finish(ask);
        self.set(Facts { arguments: Arguments::Readable, ..self.facts }, changes);
    }

    /// Reads how a result ends the ask; `None` if it is no answer.
    pub(super) fn read_result(&self, result: &Message) -> Option<(EndedBy, Option<Outcome>)> {
        let content = &result.text();
        let outcome = match self.source {
            AskSource::Approval if LEGACY => self.read_approval(content),
            _ => match Outcome::parse(self.ask(), content) {
                // Reads it again, since a reader may know that this text is no answer.
                Some(Outcome::Answered(_)) => self.read_words(result),
                outcome => outcome,
            },
        };
        let about = about(result.metadata()).filter(|about| about.tool_call_id == result.wire_call_id());
        let is_refusal = || REFUSALS.iter().any(|refusal| content.starts_with(refusal));
        let end = match (&outcome, about) {
            (Some(outcome), _) => EndedBy::Outcome(outcome.kind()),
            (None, Some(about)) => EndedBy::Outcome(about.outcome),
            _ if is_refusal() => EndedBy::Refusal,
            _ if self.source == AskSource::Approval && !is_placeholder(content) => {
                EndedBy::Outcome(OutcomeKind::Answered)
            }
            _ => return None,
        };
        Some((end, outcome))
    }

    /// Reads a result in any words that the readers know. The result of a failed call is never an answer.
    pub(super) fn read_words(&self, result: &Message) -> Option<Outcome> {
        let outcome = (self.readers.result)(self.ask(), &result.text())?;
        let is_failure = result.error().is_some_and(|error| !is_blank(error));
        (!is_failure || outcome.kind() != OutcomeKind::Answered).then_some(outcome)
    }

    pub(super) fn read_payload(&self, payload: &Json<'static>) -> Option<Outcome> {
        if let Some(decision) = self.decision() {
            let decided = if decision.is_list { payload } else { payload.get("decisions")? };
            let decided = decided.as_list()?.get(decision.at)?;
            return decision.form.read(self.ask(), decided);
        }
        let ask = self.snapshot.ask.as_deref();
        match (payload.as_str(), &self.form) {
            // A plain question is answered by plain text.
            (Some(text), _) => {
                Outcome::parse(self.ask(), text).or_else(|| Some(Outcome::Answered(Reply::read_message(ask?, text)?)))
            }
            (None, Some(form)) => form.read(ask?, payload),
            // Another client may have answered in its own words.
            (None, None) => (self.readers.result)(ask?, &payload.text()),
        }
    }

    /// Ends the ask. `outcome` is `None` if only its kind is known.
    pub(super) fn end(&mut self, end: EndedBy, outcome: Option<Outcome>, run: u64, changes: &mut Changes) {
        self.over_since = run;
        let bare = if let EndedBy::Outcome(kind) = end { kind.bare() } else { None };
        if let Some(outcome) = outcome.or(bare.map(|(outcome, _)| outcome)) {
            self.alter(changes).outcome = Some(outcome);
        }
        self.set(Facts { end: Some(end), ..self.facts }, changes);
    }

    /// Records the way by which the user answered, if the message names one.
    pub(super) fn take_via(&mut self, message: &Message, changes: &mut Changes) {
        if let Some(via) = about(message.metadata()).and_then(|about| about.via) {
            self.alter(changes).via = Some(via);
        }
    }

    pub(super) fn end_run(&mut self, changes: &mut Changes) {
        self.set(Facts { is_running: false, ..self.facts }, changes);
    }

    pub(super) fn set(&mut self, facts: Facts, changes: &mut Changes) {
        self.facts = facts;
        let phase = phase(facts);
        if self.snapshot.phase != phase {
            self.alter(changes).set_phase(phase);
        }
    }

    /// Returns true if no later message can change how the ask ended.
    pub(super) fn is_final(&self) -> bool {
        matches!(self.facts.end, Some(EndedBy::Outcome(_) | EndedBy::Result))
    }

    /// Returns true if the ask was ended by a message that names no ask.
    pub(super) fn is_inferred(&self) -> bool {
        matches!(self.facts.end, Some(EndedBy::Words(_)))
    }

    /// The interrupt that waits for the answer; `None` once a run was started to answer it.
    pub(super) fn waits_by(&self) -> Option<&Interrupt> {
        self.wait.as_ref().filter(|wait| !wait.is_released).map(|wait| &*wait.by)
    }

    /// As [`waits_by`](Self::waits_by), with the interrupts that receive the same answer.
    pub(super) fn waits_by_all(&self) -> impl Iterator<Item = &Interrupt> {
        let wait = self.wait.as_deref().filter(|wait| !wait.is_released);
        wait.into_iter().flat_map(|wait| iter::once(&wait.by).chain(&wait.also)).map(|by| &**by)
    }

    pub(super) fn decision(&self) -> Option<&Decision> {
        self.wait.as_ref()?.decision.as_ref().filter(|_| LEGACY)
    }

    /// The agent asks again, so the ask waits, whatever its phase was.
    pub(super) fn ask_again(&mut self, thread: &Thread, changes: &mut Changes) {
        self.passed = self.results(&self.twins, thread).len();
        self.results_so_far = self.results_so_far.min(ResultsSoFar::Placeholder);
        let arguments = match self.facts.arguments {
            Arguments::Partial => Arguments::Unreadable,
            arguments => arguments,
        };
        self.set(Facts { arguments, is_running: false, end: None }, changes);
    }

    pub(super) fn results<'t>(&self, twins: &[String], thread: &'t Thread) -> Vec<&'t Message> {
        let mut results = thread.results(self.id());
        for twin in twins {
            results.append(&mut thread.results(twin));
        }
        results
    }

    /// Returns true if a result is from before the agent asked again.
    pub(super) fn has_passed(&self, result: &Message, thread: &Thread) -> bool {
        self.passed > 0
            && self.results(&self.twins, thread).iter().take(self.passed).any(|passed| passed.id() == result.id())
    }

    /// Returns true if there is no readable ask, or the agent refused the call.
    pub(super) fn is_lost(&self) -> bool {
        self.snapshot.ask.is_none() || self.facts.end == Some(EndedBy::Refusal)
    }

    /// Returns true if the agent does not wait for the answer.
    pub(super) fn is_background(&self) -> bool {
        self.results_so_far == ResultsSoFar::Asked
    }

    /// Returns true if a call restarts its ask: an interrupt's ask is over, the arguments stayed incomplete, or the new arguments are readable. The
    /// adapter of `LangGraph` ends Gemini's calls without arguments, which then come only in its snapshot
    /// (<https://github.com/ag-ui-protocol/ag-ui/issues/2653>).
    pub(super) fn makes_way(&self, whole: Option<&str>) -> bool {
        let is_unread = self.snapshot.ask.is_none();
        match (self.source, self.facts) {
            (AskSource::Interrupt, _) => self.snapshot.phase.is_over(),
            (_, Facts { arguments: Arguments::Unreadable, end: None, .. }) => {
                is_unread && whole.is_some_and(|whole| (self.readers.repairs.read_text)(whole).is_some())
            }
            _ => is_unread && self.snapshot.phase == Phase::Interrupted,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        !self.snapshot.phase.is_over() && self.snapshot.phase != Phase::Malformed
    }
}

/// Returns true if a text has the syntax of a language tag (BCP 47), such as `de-AT`. The language itself is not checked.
fn is_language_tag(text: &str) -> bool {
    let is_subtag = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let begins = text
        .split('-')
        .next()
        .is_some_and(|language| language.len() > 1 && language.bytes().all(|byte| byte.is_ascii_alphabetic()));
    begins && text.len() <= 35 && text.split('-').all(is_subtag)
}

/// The metadata of a message that ends an ask.
pub(super) fn about(metadata: Option<&Json<'_>>) -> Option<AskMetadata> {
    metadata.and_then(AskMetadata::of).filter(|about| about.replaces.is_none())
}

/// The call whose answer a message changes. Such a message ends no ask, and otherwise counts like any message.
pub(super) fn replaces(metadata: Option<&Json<'_>>) -> Option<String> {
    metadata.and_then(AskMetadata::of).filter(|about| about.replaces.is_some()).map(|about| about.tool_call_id)
}

/// Results that stand for an answer still to come: from `ag_ui_strands` (<https://github.com/CopilotKit/CopilotKit/issues/3406>) and `AgentScope`
/// (<https://github.com/agentscope-ai/agentscope-java/issues/2798>). A blank result means the same.
const PLACEHOLDERS: [&str; 2] = ["Forwarded to client", "[Awaiting external execution]"];

fn is_placeholder(content: &str) -> bool {
    // Some agents write every result as JSON.
    let text = content.trim().trim_matches('"');
    is_blank(text) || PLACEHOLDERS.contains(&text)
}

/// Returns true for the result of a function that returns nothing, in JSON, Python or JavaScript, and for one that says that it still waits.
fn says_nothing(content: &str) -> bool {
    let waits = |status: &str| ["pending", "waiting", "awaiting"].iter().any(|word| status.starts_with(word));
    matches!(content.trim(), "null" | "{}" | "None" | "undefined")
        || Json::parse(content).is_ok_and(|result| result.string("status").is_some_and(waits))
}
