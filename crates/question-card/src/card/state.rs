//! What the views of one card share, and how it stands.

use super::SubmitMode;
use super::claim::Claim;
use super::deadline::{Deadline, HostTime};
use super::follow::Shown;
use super::keep::Keeper;
use super::preview::has_previews;
use super::status::Announcer;
use super::steady::Steady;
use crate::dom::{Ids, call_key};
use crate::draft::{Draft, Kind, Problem, Standing};
use crate::drafts::Persist;
use crate::labels::Labels;
use ask_user_question::reply::Selection;
use ask_user_question::{AskSnapshot, Phase, Reply};
use leptos::html::Section;
use leptos::prelude::*;

/// Everything that the views of one card share. Copied freely.
#[derive(Clone, Copy)]
pub(crate) struct CardState {
    pub(crate) ask: Signal<AskSnapshot>,
    pub(crate) shown: Shown,
    /// What the call is known by in this page and beyond it.
    pub(crate) key: StoredValue<String>,
    pub(crate) ids: Ids,
    pub(crate) labels: &'static Labels,
    pub(crate) shortcuts: bool,
    pub(crate) root: NodeRef<Section>,
    pub(crate) draft: RwSignal<Draft>,
    pub(crate) submission: RwSignal<Submission>,
    /// The host says that it keeps the reply until another ask has its own.
    pub(crate) held: Signal<bool>,
    /// The user tried to send: what is missing is shown from now on.
    pub(crate) validating: RwSignal<bool>,
    /// The question where Enter found nothing to confirm, and what is to be done first.
    pub(crate) nudged: RwSignal<Option<(usize, &'static str)>>,
    /// The option that has the focus.
    pub(crate) peeked: RwSignal<Option<(usize, usize)>>,
    /// Cancel was pressed with answers to lose, and is to be pressed again.
    pub(crate) confirming: RwSignal<bool>,
    pub(crate) layout: Memo<Layout>,
    pub(crate) steady: Steady,
    pub(crate) announcer: Announcer,
    pub(crate) claim: Claim,
    pub(crate) deadline: Deadline,
    /// Where the pointer last went down in the form.
    pub(super) pressed: StoredValue<Option<(f64, f64)>>,
    /// An input method is composing in one of the card's text fields.
    pub(crate) composing: StoredValue<bool>,
    /// The host would not take a message at this moment.
    pub(crate) refused: RwSignal<bool>,
    /// The ask cannot be read: the first question's own answer is a message, and all there is.
    pub(crate) unreadable: StoredValue<bool>,
    /// The page knows that the ask is over.
    pub(crate) resolved: StoredValue<bool>,
    /// The focus was in the form when the receipt took its place.
    pub(crate) had_focus: StoredValue<bool>,
    pub(crate) calls: Calls,
    pub(crate) offers: Offers,
    pub(crate) keeper: Keeper,
    pub(crate) readonly: bool,
    /// The ask came, or comes, while the user is there.
    pub(crate) arrives: bool,
    /// What was last handed to the host, to tell the own answer from one given elsewhere.
    pub(super) sent: StoredValue<Option<Sent>>,
    /// The host said that a reply is on its way, so that "idle" will say something too.
    pub(super) was_pending: StoredValue<bool>,
    /// How often a reply was on its way, to tell one time from the next.
    pub(super) latches: StoredValue<u32>,
}

/// What the host wants to hear.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    pub(crate) on_reply: Callback<Reply>,
    pub(crate) on_cancel: Callback<()>,
    pub(crate) on_reply_in_chat: Option<Callback<Vec<Selection>>>,
    pub(crate) on_late_message: Option<Callback<String, bool>>,
    pub(crate) on_extend: Option<Callback<()>>,
    pub(crate) on_change: Option<Callback<()>>,
    pub(crate) on_next: Option<Callback<()>>,
}

/// What the user may do beside answering.
#[derive(Clone, Copy)]
pub(crate) struct Offers {
    pub(crate) skip: bool,
    pub(crate) notes: bool,
}

/// How the host wants the card.
pub(crate) struct Settings {
    pub(crate) mode: SubmitMode,
    pub(crate) labels: &'static Labels,
    pub(crate) shortcuts: bool,
    pub(crate) offers: Offers,
    pub(crate) max_length: Option<usize>,
    pub(crate) time: HostTime,
    pub(crate) persist: Persist,
    pub(crate) readonly: bool,
    pub(crate) fresh: bool,
    pub(crate) scope: String,
    pub(crate) held: Signal<bool>,
}

/// How the options are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As text: it is not known yet whether one tap will answer.
    Undecided,
    /// As radio buttons and check boxes with a Submit button below.
    Explicit,
    /// As buttons of which one activation answers.
    OnPick,
}

/// Where the one submission of the call stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Submission {
    /// None yet.
    Open,
    /// Given to the host; nothing more is accepted.
    Latched,
    /// The host could not send it; open again.
    Failed {
        /// Why, in the host's words.
        reason: String,
        /// Whether it was a reply, which can be given again as it is.
        is_reply: bool,
    },
    /// Over for the user, whatever the phase: an ask that could not be read never gets another one.
    Settled(Settled),
}

/// How the user left an ask that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    Messaged,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Reply(Reply),
    Cancel,
}

impl CardState {
    pub(crate) fn new(ask: Signal<AskSnapshot>, calls: Calls, settings: Settings) -> Self {
        let Settings { mode, labels, shortcuts, offers, max_length, time, persist, readonly, fresh, scope, held } =
            settings;
        let (shown, key) = ask.with_untracked(|ask| {
            let key = call_key(&scope, &ask.tool_call_id);
            (Shown::new(ask), key)
        });
        let state = Self {
            ask,
            shown,
            ids: Ids::new(&key),
            key: StoredValue::new(key),
            labels,
            shortcuts,
            root: NodeRef::new(),
            draft: RwSignal::new(Draft::new(max_length)),
            submission: RwSignal::new(Submission::Open),
            held,
            validating: RwSignal::new(false),
            nudged: RwSignal::new(None),
            peeked: RwSignal::new(None),
            confirming: RwSignal::new(false),
            layout: Memo::new(move |_| layout(shown, mode)),
            steady: Steady::new(),
            announcer: Announcer::new(),
            claim: Claim::new(),
            deadline: Deadline::new(time),
            pressed: StoredValue::new(None),
            composing: StoredValue::new(false),
            refused: RwSignal::new(false),
            unreadable: StoredValue::new(shown.phase.get_untracked() == Phase::Malformed),
            resolved: StoredValue::new(false),
            had_focus: StoredValue::new(false),
            calls,
            offers,
            keeper: Keeper::new(persist),
            readonly,
            arrives: fresh || shown.phase.get_untracked() == Phase::Streaming,
            sent: StoredValue::new(None),
            was_pending: StoredValue::new(false),
            latches: StoredValue::new(0),
        };
        ask.with_untracked(|ask| {
            state.know_kinds(ask);
            state.know_deadline(ask);
        });
        state
    }

    /// Whether the ask takes an answer now: complete, and none given.
    pub(crate) fn is_open(self) -> bool {
        self.can_send(self.shown.phase.get()) && self.submission.with(Submission::is_open)
    }

    /// As [`is_open`](Self::is_open), for handlers.
    pub(crate) fn is_open_untracked(self) -> bool {
        self.can_send(self.shown.phase.get_untracked()) && self.submission.with_untracked(Submission::is_open)
    }

    /// An ask that could not be read takes no reply, but a message.
    fn can_send(self, phase: Phase) -> bool {
        takes_answer(phase) || (phase == Phase::Malformed && self.calls.on_late_message.is_some())
    }

    /// Whether a reply was given to the host and nothing has come of it yet.
    pub(crate) fn is_latched(self) -> bool {
        self.submission.with(|submission| *submission == Submission::Latched)
    }

    /// Whether the reply was given and waits for the one to another ask.
    pub(crate) fn is_held(self) -> bool {
        self.is_latched() && self.held.get()
    }

    /// Whether a reply was tried that can be given again as it is, where one tap answers: what was tapped shows it, and nothing is pressed.
    pub(crate) fn can_try_again(self) -> bool {
        let is_reply = |submission: &Submission| matches!(submission, Submission::Failed { is_reply: true, .. });
        self.layout.get() == Layout::OnPick && self.submission.with(is_reply) && self.problems().is_empty()
    }

    /// What is wrong with a question, once the user has tried to send.
    pub(crate) fn error(self, stands: Memo<Standing>) -> Option<Problem> {
        if !self.validating.get() {
            return None;
        }
        stands.with(|stands| stands.problem)
    }

    /// How the answer to a question stands. Its views read this and not the draft, which changes with each letter.
    pub(crate) fn standing(self, question: usize) -> Memo<Standing> {
        Memo::new(move |_| self.draft.with(|draft| draft.standing(question)))
    }

    /// Every question that keeps the reply from being sent.
    pub(crate) fn problems(self) -> Vec<(usize, Problem)> {
        let count = self.shown.questions.with(Vec::len);
        self.draft.with(|draft| draft.problems(count))
    }

    pub(super) fn problems_untracked(self) -> Vec<(usize, Problem)> {
        let count = self.shown.questions.with_untracked(Vec::len);
        self.draft.with_untracked(|draft| draft.problems(count))
    }
}

impl Submission {
    pub(crate) fn is_open(&self) -> bool {
        match self {
            Self::Open | Self::Failed { .. } => true,
            Self::Latched | Self::Settled(_) => false,
        }
    }

    pub(crate) fn settled(&self) -> Option<Settled> {
        match self {
            Self::Settled(settled) => Some(*settled),
            Self::Open | Self::Latched | Self::Failed { .. } => None,
        }
    }
}

/// Whether an answer is waited for.
pub(crate) fn takes_answer(phase: Phase) -> bool {
    matches!(phase, Phase::Ready | Phase::Answerable)
}

/// Whether the receipt has taken the place of the form.
pub(crate) fn is_over(phase: Phase) -> bool {
    match phase {
        Phase::Streaming | Phase::Ready | Phase::Malformed | Phase::Answerable => false,
        Phase::Answered | Phase::Declined | Phase::Superseded | Phase::Expired | Phase::Interrupted => true,
    }
}

/// How the options are shown, once that is certain: a kind that is shown does not change. That a question is alone is certain at the end of
/// the arguments, whatever the agent's tool allows: agents ask what it does not.
fn layout(shown: Shown, mode: SubmitMode) -> Layout {
    if mode == SubmitMode::Explicit || shown.phase.get() == Phase::Malformed {
        return Layout::Explicit;
    }
    let questions = shown.questions.get();
    let Some(first) = questions.first() else {
        return Layout::Undecided;
    };
    let kind = first.kind.get();
    if questions.len() > 1 || kind == Some(Kind::Multi) || has_previews(*first) {
        return Layout::Explicit;
    }
    match shown.phase.get() != Phase::Streaming && kind.is_some() {
        true => Layout::OnPick,
        false => Layout::Undecided,
    }
}
