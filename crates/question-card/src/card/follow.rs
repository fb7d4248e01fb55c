//! Follows a growing snapshot, and changes only the signals whose part of it changed.

use super::state::takes_answer;
use super::text::GrowingText;
use crate::draft::Kind;
use crate::effect::set_if_changed;
use ask_user_question::snapshot::{OptionSnapshot, QuestionSnapshot, TextPath};
use ask_user_question::{AskSnapshot, Phase};
use leptos::prelude::*;
use leptos::reactive::owner::WeakOwner;

/// What the views show of an ask.
///
/// [`follow`](Self::follow) is the one reader of the snapshot. While arguments stream it looks only at what is still open, so that its
/// work is the size of what arrived and not of the ask so far.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    pub(crate) phase: RwSignal<Phase>,
    pub(crate) questions: RwSignal<Vec<QuestionShown>>,
    /// How many questions at the front are complete and wholly shown.
    settled: StoredValue<usize>,
    /// Signals made while following live as long as the card, not as long as one run of the effect that follows. Held weakly: the owner
    /// keeps this value, and would keep itself alive.
    owner: StoredValue<WeakOwner>,
}

/// What the views show of a question.
#[derive(Clone, Copy)]
pub(crate) struct QuestionShown {
    pub(crate) index: usize,
    pub(crate) text: GrowingText,
    pub(crate) header: RwSignal<Option<GrowingText>>,
    pub(crate) kind: RwSignal<Option<Kind>>,
    pub(crate) options: RwSignal<Vec<OptionShown>>,
    /// Whether no further option can come.
    pub(crate) closed: RwSignal<bool>,
    settled: StoredValue<usize>,
}

impl QuestionShown {
    /// Whether no further option can come, and it is known how one is chosen.
    pub(crate) fn is_whole(self) -> bool {
        self.closed.get() && self.kind.get().is_some()
    }
}

/// What the views show of an option.
#[derive(Clone, Copy)]
pub(crate) struct OptionShown {
    pub(crate) question: usize,
    pub(crate) index: usize,
    pub(crate) label: GrowingText,
    pub(crate) description: RwSignal<Option<GrowingText>>,
    pub(crate) has_preview: RwSignal<bool>,
    /// Whether the option is complete; only then can it be chosen.
    pub(crate) closed: RwSignal<bool>,
}

impl Shown {
    /// Everything that the snapshot holds now. Must be called where the card is made.
    pub(crate) fn new(ask: &AskSnapshot) -> Self {
        let shown = Self {
            phase: RwSignal::new(ask.phase),
            questions: RwSignal::new(Vec::new()),
            settled: StoredValue::new(0),
            owner: StoredValue::new(Owner::current().unwrap_or_default().downgrade()),
        };
        shown.follow(ask, ask.phase);
        shown
    }

    /// Takes over what changed, and in which phase to show it. Says whether anything that can be seen did.
    pub(crate) fn follow(self, ask: &AskSnapshot, phase: Phase) -> bool {
        let Some(owner) = self.owner.get_value().upgrade() else {
            return false;
        };
        let changed = owner.with(|| match ask.phase {
            Phase::Streaming => self.grow(ask),
            // The end of the arguments may replace any text and drop any option, so everything is compared, once or twice in a call.
            _ => self.compare(ask),
        });
        let before = self.phase.get_untracked();
        // Nobody sees the run end: the card takes an answer as it did before.
        let is_as_before = takes_answer(before) && takes_answer(phase);
        (set_if_changed(self.phase, phase) && !is_as_before) || changed
    }

    fn grow(self, ask: &AskSnapshot) -> bool {
        let mut changed = match_count(self.questions, ask.questions.len(), QuestionShown::new);
        let from = self.settled.get_value();
        let closed = ask.questions.iter().skip(from).take_while(|question| question.closed).count();
        self.questions.with_untracked(|shown| {
            for (shown, question) in shown.iter().zip(&ask.questions).skip(from) {
                changed |= shown.grow(ask, question);
            }
        });
        self.settled.set_value(from + closed);
        changed
    }

    fn compare(self, ask: &AskSnapshot) -> bool {
        let mut changed = match_count(self.questions, ask.questions.len(), QuestionShown::new);
        self.questions.with_untracked(|shown| {
            for (shown, question) in shown.iter().zip(&ask.questions) {
                changed |= shown.compare(ask, question);
            }
        });
        changed
    }
}

impl QuestionShown {
    fn new(index: usize) -> Self {
        Self {
            index,
            text: GrowingText::new(TextPath::Question(index)),
            header: RwSignal::new(None),
            kind: RwSignal::new(None),
            options: RwSignal::new(Vec::new()),
            closed: RwSignal::new(false),
            settled: StoredValue::new(0),
        }
    }

    fn grow(self, ask: &AskSnapshot, question: &QuestionSnapshot) -> bool {
        let mut changed = self.match_outline(question);
        changed |= self.text.catch_up(ask);
        changed |= self.header.get_untracked().is_some_and(|header| header.catch_up(ask));
        let from = self.settled.get_value();
        let closed = question.options.iter().skip(from).take_while(|option| option.closed).count();
        self.options.with_untracked(|shown| {
            for (shown, option) in shown.iter().zip(&question.options).skip(from) {
                changed |= shown.grow(ask, option);
            }
        });
        self.settled.set_value(from + closed);
        changed
    }

    fn compare(self, ask: &AskSnapshot, question: &QuestionSnapshot) -> bool {
        let mut changed = self.match_outline(question);
        self.text.rewrite(ask);
        if let Some(header) = self.header.get_untracked() {
            header.rewrite(ask);
        }
        self.options.with_untracked(|shown| {
            for (shown, option) in shown.iter().zip(&question.options) {
                changed |= shown.match_outline(option);
                shown.rewrite(ask);
            }
        });
        changed
    }

    fn match_outline(self, question: &QuestionSnapshot) -> bool {
        let header = || GrowingText::new(TextPath::Header(self.index));
        let mut changed = match_presence(self.header, question.header.is_some(), header);
        changed |= set_if_changed(self.kind, question.multi_select.map(Kind::of));
        changed |= match_count(self.options, question.options.len(), |option| OptionShown::new(self.index, option));
        changed | set_if_changed(self.closed, question.closed)
    }
}

impl OptionShown {
    fn new(question: usize, index: usize) -> Self {
        Self {
            question,
            index,
            label: GrowingText::new(TextPath::Label(question, index)),
            description: RwSignal::new(None),
            has_preview: RwSignal::new(false),
            closed: RwSignal::new(false),
        }
    }

    fn grow(self, ask: &AskSnapshot, option: &OptionSnapshot) -> bool {
        let mut changed = self.match_outline(option);
        changed |= self.label.catch_up(ask);
        changed | self.description.get_untracked().is_some_and(|description| description.catch_up(ask))
    }

    fn rewrite(self, ask: &AskSnapshot) {
        self.label.rewrite(ask);
        if let Some(description) = self.description.get_untracked() {
            description.rewrite(ask);
        }
    }

    fn match_outline(self, option: &OptionSnapshot) -> bool {
        let description = || GrowingText::new(TextPath::Description(self.question, self.index));
        let mut changed = match_presence(self.description, option.description.is_some(), description);
        changed |= set_if_changed(self.has_preview, option.preview.is_some());
        changed | set_if_changed(self.closed, option.closed)
    }
}

/// Makes or drops handles at the end until there are `count`.
fn match_count<T: Send + Sync + 'static>(list: RwSignal<Vec<T>>, count: usize, make: impl Fn(usize) -> T) -> bool {
    let have = list.with_untracked(Vec::len);
    match have.cmp(&count) {
        std::cmp::Ordering::Less => list.update(|list| list.extend((have..count).map(make))),
        std::cmp::Ordering::Equal => return false,
        std::cmp::Ordering::Greater => list.update(|list| list.truncate(count)),
    }
    true
}

fn match_presence(slot: RwSignal<Option<GrowingText>>, present: bool, make: impl Fn() -> GrowingText) -> bool {
    let changed = slot.with_untracked(Option::is_some) != present;
    if changed {
        slot.set(present.then(make));
    }
    changed
}
