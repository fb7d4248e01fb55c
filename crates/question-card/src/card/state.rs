//! The card's acts: what happens when the user chooses, sends or cancels, and when the host moves on.

use super::SubmitMode;
use super::follow::{OptionShown, QuestionShown, Shown};
use super::preview::has_previews;
use super::status::Announcer;
use super::steady::Steady;
use crate::dom::{Control, Ids};
use crate::draft::{Draft, Kind, Problem, is_blank};
use crate::labels::Labels;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Limits, Outcome, Phase, Reply};
use leptos::html::Section;
use leptos::prelude::*;

/// Everything that the views of one card share. Copied freely.
#[derive(Clone, Copy)]
pub(crate) struct CardState {
    pub(crate) ask: Signal<AskSnapshot>,
    pub(crate) shown: Shown,
    pub(crate) ids: Ids,
    pub(crate) labels: Labels,
    pub(crate) shortcuts: bool,
    pub(crate) root: NodeRef<Section>,
    pub(crate) draft: RwSignal<Draft>,
    pub(crate) submission: RwSignal<Submission>,
    /// The user tried to send: what is missing is shown from now on.
    pub(crate) validating: RwSignal<bool>,
    /// The question where Enter found nothing to confirm.
    pub(crate) nudged: RwSignal<Option<usize>>,
    /// The option that has the focus.
    pub(crate) peeked: RwSignal<Option<(usize, usize)>>,
    /// Cancel was pressed with answers to lose, and is to be pressed again.
    pub(crate) confirming: RwSignal<bool>,
    pub(crate) layout: Memo<Layout>,
    pub(crate) steady: Steady,
    pub(crate) announcer: Announcer,
    /// An input method is composing in one of the card's text fields.
    pub(crate) composing: StoredValue<bool>,
    /// The focus was in the form when the receipt took its place.
    pub(crate) had_focus: StoredValue<bool>,
    pub(crate) calls: Calls,
    /// What was last handed to the host, to tell the own answer from one given elsewhere.
    sent: StoredValue<Option<Sent>>,
}

/// What the host wants to hear.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    pub(crate) on_reply: Callback<Reply>,
    pub(crate) on_cancel: Callback<()>,
    pub(crate) on_reply_in_chat: Option<Callback<Vec<Selection>>>,
    pub(crate) on_late_message: Option<Callback<String>>,
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
    Failed(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Sent {
    Reply(Reply),
    Cancel,
}

impl CardState {
    pub(crate) fn new(
        ask: Signal<AskSnapshot>,
        labels: Labels,
        shortcuts: bool,
        calls: Calls,
        how: (SubmitMode, Option<Limits>),
    ) -> Self {
        let (shown, ids) = ask.with_untracked(|ask| (Shown::new(ask), Ids::new(&ask.tool_call_id)));
        let (mode, limits) = how;
        let single_only = limits.is_some_and(|limits| *limits.questions().end() == 1);
        let state = Self {
            ask,
            shown,
            ids,
            labels,
            shortcuts,
            root: NodeRef::new(),
            draft: RwSignal::new(Draft::default()),
            submission: RwSignal::new(Submission::Open),
            validating: RwSignal::new(false),
            nudged: RwSignal::new(None),
            peeked: RwSignal::new(None),
            confirming: RwSignal::new(false),
            layout: Memo::new(move |_| layout(shown, mode, single_only)),
            steady: Steady::new(),
            announcer: Announcer::new(),
            composing: StoredValue::new(false),
            had_focus: StoredValue::new(false),
            calls,
            sent: StoredValue::new(None),
        };
        ask.with_untracked(|ask| state.know_kinds(ask));
        state
    }

    /// Whether the ask takes an answer now: complete, and none given.
    pub(crate) fn is_open(self) -> bool {
        self.can_send(self.shown.phase.get()) && self.submission.with(Submission::is_open)
    }

    /// As [`is_open`](Self::is_open), for handlers.
    pub(crate) fn is_open_untracked(self) -> bool {
        self.can_send(self.shown.phase.get_untracked())
            && self.submission.with_untracked(Submission::is_open)
    }

    /// An ask that could not be read takes no reply, but a message.
    fn can_send(self, phase: Phase) -> bool {
        takes_answer(phase) || (phase == Phase::Malformed && self.calls.on_late_message.is_some())
    }

    /// Whether a reply was given to the host and nothing has come of it yet.
    pub(crate) fn is_latched(self) -> bool {
        self.submission
            .with(|submission| *submission == Submission::Latched)
    }

    /// What is wrong with a question, once the user has tried to send.
    pub(crate) fn error(self, question: usize) -> Option<Problem> {
        if !self.validating.get() {
            return None;
        }
        self.draft.with(|draft| match self.layout.get() {
            Layout::OnPick => is_blank(draft.other_text(question)).then_some(Problem::OtherBlank),
            Layout::Explicit | Layout::Undecided => draft.problem(question),
        })
    }

    /// Every question that keeps the reply from being sent.
    pub(crate) fn problems(self) -> Vec<(usize, Problem)> {
        let count = self.shown.questions.with(Vec::len);
        self.draft.with(|draft| draft.problems(count))
    }

    fn problems_untracked(self) -> Vec<(usize, Problem)> {
        let count = self.shown.questions.with_untracked(Vec::len);
        self.draft.with_untracked(|draft| draft.problems(count))
    }
}

/// What the stream and the host tell.
impl CardState {
    /// Takes a changed snapshot over.
    pub(crate) fn follow(self, ask: &AskSnapshot) {
        let before = self.shown.phase.get_untracked();
        let ends = !is_over(before) && is_over(ask.phase);
        if ends {
            // Asked now: the form is about to go, and the focus with it.
            self.had_focus.set_value(self.has_focus());
        }
        if self.shown.follow(ask) {
            self.steady.moved();
        }
        self.know_kinds(ask);
        if ask.phase == Phase::Malformed {
            self.draft.update(|draft| draft.know(0, Kind::Single));
        }
        let now = ask.phase;
        if before == Phase::Streaming && takes_answer(now) {
            self.announce_ready(ask);
            super::events::dispatch(self.root, super::events::WAITING);
        }
        if ends {
            self.announce_end(now);
        }
    }

    /// Takes over where the host stands with the reply.
    pub(crate) fn follow_sending(self, sending: &Sending) {
        let latched = self
            .submission
            .with_untracked(|submission| *submission == Submission::Latched);
        match sending {
            Sending::Idle => {
                let held_by_host_alone = latched && self.sent.with_value(Option::is_none);
                if held_by_host_alone {
                    self.submission.set(Submission::Open);
                }
            }
            Sending::Pending if latched => {}
            Sending::Pending => self.submission.set(Submission::Latched),
            Sending::Failed(reason) => self.fail(reason),
        }
    }

    fn fail(self, reason: &str) {
        self.sent.set_value(None);
        self.submission.set(Submission::Failed(reason.to_owned()));
        self.steady.moved();
        if self.has_focus() && self.layout.get_untracked() == Layout::Explicit {
            self.focus(Control::Submit);
        }
    }

    fn know_kinds(self, ask: &AskSnapshot) {
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

    fn announce_end(self, phase: Phase) {
        let text = match phase {
            Phase::Answered => self.labels.sent,
            Phase::Declined => self.labels.declined,
            _ => self.labels.no_longer_waiting,
        };
        self.announcer.say(text);
    }
}

/// What the user does.
impl CardState {
    /// Chooses an option, or toggles it where several may be chosen.
    pub(crate) fn choose(self, option: OptionShown) {
        if self.takes_changes() {
            self.ask.with_untracked(|ask| {
                let label = option.label.of(ask);
                self.draft
                    .update(|draft| draft.toggle(option.question, option.index, label));
            });
            self.settle_change();
        }
    }

    /// Chooses the own answer, or leaves it out where several may be chosen.
    pub(crate) fn choose_other(self, question: usize) {
        if self.takes_changes() {
            self.draft.update(|draft| draft.toggle_other(question));
            self.settle_change();
        }
    }

    /// Takes over what was typed.
    pub(crate) fn type_other(self, question: usize, text: &str) {
        if self.takes_changes() {
            self.draft.update(|draft| draft.type_other(question, text));
            self.settle_change();
        }
    }

    /// Whether choices can still change: they can while other questions stream, and not once a reply was given.
    pub(crate) fn takes_changes(self) -> bool {
        !is_over(self.shown.phase.get_untracked())
            && self.submission.with_untracked(Submission::is_open)
    }

    fn settle_change(self) {
        self.nudged.set(None);
        self.confirming.set(false);
        if let Submission::Failed(_) = self.submission.get_untracked() {
            self.submission.set(Submission::Open);
        }
    }

    /// Answers at once with this option.
    pub(crate) fn pick(self, option: OptionShown) {
        if self.is_open_untracked() {
            self.choose(option);
            self.send();
        }
    }

    /// Goes to the next question without an answer after `question`, or sends where there is none.
    pub(crate) fn confirm(self, question: usize) {
        let problems = self.problems_untracked();
        match problems.iter().find(|(index, _)| *index == question) {
            Some((_, Problem::Unanswered)) => self.nudge(question),
            Some((_, Problem::OtherBlank)) => self.submit(),
            None => match problems
                .iter()
                .find(|(index, _)| *index > question)
                .or(problems.first())
            {
                Some((next, problem)) => self.focus_question(*next, *problem),
                None => self.submit(),
            },
        }
    }

    fn nudge(self, question: usize) {
        self.nudged.set(Some(question));
        self.announcer.say(self.labels.nudge);
    }

    /// Answers with the typed text, where a tap on an option would answer too.
    fn submit_text(self) {
        match self
            .draft
            .with_untracked(|draft| is_blank(draft.other_text(0)))
        {
            true => {
                self.validating.set(true);
                self.steady.moved();
                self.announcer.say(self.labels.error_other);
                self.focus(Control::OtherText { question: 0 });
            }
            false => {
                self.draft.update(|draft| draft.choose_other(0));
                self.send();
            }
        }
    }

    /// Checks every question; sends, or shows what is missing and goes there.
    pub(crate) fn submit(self) {
        if !self.is_open_untracked() {
            return;
        }
        if self.shown.phase.get_untracked() == Phase::Malformed {
            return self.send_message();
        }
        if self.layout.get_untracked() == Layout::OnPick {
            return self.submit_text();
        }
        let problems = self.problems_untracked();
        let Some((first, problem)) = problems.first() else {
            return self.send();
        };
        self.validating.set(true);
        self.nudged.set(None);
        self.steady.moved();
        let count = self.shown.questions.with_untracked(Vec::len);
        self.announcer
            .say((self.labels.unanswered)(problems.len(), count));
        self.focus_question(*first, *problem);
    }

    fn send_message(self) {
        let text = self
            .draft
            .with_untracked(|draft| draft.other_text(0).to_owned());
        match self.calls.on_late_message.filter(|_| !is_blank(&text)) {
            Some(on_late_message) => {
                self.latch();
                on_late_message.run(text);
            }
            None => self.focus(Control::OtherText { question: 0 }),
        }
    }

    fn send(self) {
        let selections = self.draft.with_untracked(Draft::selections);
        let checked = self
            .ask
            .with_untracked(|ask| ask.ask.as_ref().map(|ask| Reply::check(ask, selections)));
        match checked {
            None => {}
            Some(Ok(reply)) => {
                self.sent.set_value(Some(Sent::Reply(reply.clone())));
                self.latch();
                self.calls.on_reply.run(reply);
            }
            // The draft let it pass and the shared rules did not: say why instead of doing nothing.
            Some(Err(violations)) => {
                let reasons: Vec<_> = violations
                    .into_iter()
                    .map(|violation| violation.message)
                    .collect();
                self.fail(&reasons.join(" "));
            }
        }
    }

    fn latch(self) {
        self.submission.set(Submission::Latched);
        self.confirming.set(false);
        self.validating.set(false);
        self.steady.moved();
        let later = move || {
            if self.submission.try_get_untracked() == Some(Submission::Latched)
                && !is_over(self.shown.phase.get_untracked())
            {
                self.announcer.say(self.labels.sending);
            }
        };
        set_timeout(later, std::time::Duration::from_secs(1));
    }

    /// Declines; with answers to lose, only at the second press.
    pub(crate) fn cancel(self) {
        let open = self.submission.with_untracked(Submission::is_open);
        if !open || self.shown.phase.get_untracked() == Phase::Streaming {
            return;
        }
        self.steady.moved();
        if self.draft.with_untracked(Draft::is_dirty) && !self.confirming.get_untracked() {
            self.confirming.set(true);
            return;
        }
        self.sent.set_value(Some(Sent::Cancel));
        self.latch();
        self.calls.on_cancel.run(());
    }

    /// Takes the first press of Cancel back.
    pub(crate) fn keep_answering(self) {
        self.confirming.set(false);
        self.steady.moved();
        self.focus(Control::Cancel);
    }
}

/// What did not reach the agent.
impl CardState {
    /// What was chosen or typed and is not part of how the ask ended, as text to copy or to send as a message.
    pub(crate) fn late_text(self, outcome: Option<&Outcome>) -> String {
        let sent = self.sent.get_value();
        let own_reply_won = match (&sent, outcome) {
            (Some(Sent::Reply(own)), Some(Outcome::Answered(won))) => own == won,
            (Some(Sent::Reply(_)), None) => self.shown.phase.get_untracked() == Phase::Answered,
            _ => false,
        };
        if sent == Some(Sent::Cancel) || matches!(outcome, Some(Outcome::RepliedInChat { .. })) {
            return String::new();
        }
        let questions = self.shown.questions.with_untracked(Vec::len);
        let left = |question| {
            self.draft
                .with_untracked(|draft| draft.left_over(question, own_reply_won))
        };
        let named = |question: usize| {
            let answer = left(question)?;
            let asked = self
                .ask
                .with_untracked(|ask| Some(ask.questions.get(question)?.question.text.clone()))?;
            Some(format!("{asked}\n{answer}"))
        };
        match questions {
            1 => left(0).unwrap_or_default(),
            _ => (0..questions)
                .filter_map(named)
                .collect::<Vec<_>>()
                .join("\n\n"),
        }
    }
}

impl Submission {
    pub(crate) fn is_open(&self) -> bool {
        !matches!(self, Self::Latched)
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
        Phase::Answered
        | Phase::Declined
        | Phase::Superseded
        | Phase::Expired
        | Phase::Interrupted => true,
    }
}

fn layout(shown: Shown, mode: SubmitMode, single_only: bool) -> Layout {
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
    let alone = single_only || shown.phase.get() != Phase::Streaming;
    match alone && kind.is_some() {
        true => Layout::OnPick,
        false => Layout::Undecided,
    }
}

/// Keeps a text's own direction from spilling over into the sentence around it.
fn isolate(text: &str) -> String {
    match text {
        "" => String::new(),
        _ => format!("\u{2068}{text}\u{2069}"),
    }
}
