//! A long list of options: the filter over its rows, and the keys that walk them.

use super::{Card, Do, Manner, RowKind};
use crate::dom::Control;
use crate::draft::ChoiceKind;
use crate::fold::folded;
use crate::keyboard::Walk;
use crate::labels::Word;
use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::{OptionSnapshot, QuestionSnapshot};
use ask_user_question::text::joined;
use live_markdown::marks;

/// A list with more options has a filter.
const AT_A_GLANCE: usize = 8;
/// Milliseconds after the last key until the number of rows is announced, so that not every letter is.
const PAUSE: f64 = 700.0;

/// The filter of a list of options.
pub struct Filter(String);

impl Filter {
    /// Returns true if an option is shown.
    #[must_use]
    pub fn fits(&self, option: &OptionSnapshot) -> bool {
        // `str::contains` would add 2 KB to a page.
        let has = |text: &str| {
            folded(&marks::plain(text)).as_bytes().windows(self.0.len()).any(|part| part == self.0.as_bytes())
        };
        self.0.is_empty() || has(&option.label.text) || option.description.as_ref().is_some_and(|text| has(&text.text))
    }
}

/// Returns true if a list is so long that it has a filter.
#[must_use]
pub fn is_long(asked: &QuestionSnapshot) -> bool {
    asked.options.len() > AT_A_GLANCE
}

impl Card {
    /// The text in the filter of a question.
    #[must_use]
    pub fn filter_text(&self, question: usize) -> &str {
        self.filters.get(question).map_or("", String::as_str)
    }

    /// The filter of a question. While the reply is held, it is empty, so that all chosen options are shown.
    #[must_use]
    pub fn filter(&self, question: usize) -> Filter {
        Filter(if self.is_held() { String::new() } else { folded(self.filter_text(question).trim()) })
    }

    /// The options of a question that are shown, in their order.
    #[must_use]
    pub fn shown(&self, question: usize, asked: &QuestionSnapshot) -> Vec<usize> {
        let filter = self.filter(question);
        let mut shown = Vec::new();
        let count = asked.options.len();
        for place in 0..count {
            let index = self.draft.option_at(question, place, count);
            if asked.options.get(index).is_some_and(|option| filter.fits(option)) {
                shown.push(index);
            }
        }
        shown
    }

    /// The number of shown rows among all; if several may be chosen, also the number of chosen ones, shown or not.
    #[must_use]
    pub fn matches(&self, question: usize, asked: &QuestionSnapshot) -> String {
        let labels = &self.labels;
        let all = labels.number(asked.options.len());
        let shown = labels.plural(Word::Matches, self.shown(question, asked).len(), &[("all", &all)]);
        match self.draft.chosen_count(question) {
            chosen if chosen > 0 && asked.multi_select == Some(true) => {
                joined(&[shown, labels.plural(Word::Chosen, chosen, &[])], labels.text(Word::List))
            }
            _ => shown,
        }
    }

    pub(super) fn filter_by(&mut self, question: usize, text: &str) {
        if self.filters.len() <= question {
            self.filters.resize(question + 1, String::new());
        }
        text.clone_into(&mut self.filters[question]);
        self.count_at = Some((self.now.clock + PAUSE, question));
    }

    /// Announces how many rows are shown, once the user has paused.
    pub(super) fn say_matches(&mut self, ask: &AskSnapshot) {
        let clock = self.now.clock;
        if let Some((_, question)) = self.count_at.take_if(|(at, _)| *at <= clock)
            && let Some(asked) = ask.questions.get(question)
        {
            self.say(self.matches(question, asked));
        }
    }

    /// Chooses all rows that are shown, or none of them.
    pub(super) fn choose_shown(&mut self, ask: &AskSnapshot, question: usize, is_all: bool) {
        let Some(asked) = ask.questions.get(question) else {
            return;
        };
        let mut shown = self.shown(question, asked);
        if !is_all {
            // Removed from the end, so that the remaining choices need not be shifted.
            shown.reverse();
        }
        for option in shown {
            if self.draft.is_chosen(question, option) != is_all
                && matches!(RowKind::of(self, asked, option), RowKind::Input(ChoiceKind::Multi))
            {
                self.choose(ask, Control::Option { question, option });
            }
        }
        self.say(self.matches(question, asked));
    }

    /// Clears the filter. Returns false if it was empty.
    pub(super) fn unfilter(&mut self, question: usize) -> bool {
        let is_set = !self.filter_text(question).is_empty();
        if is_set {
            self.filter_by(question, "");
            self.plan(Do::Fill(Control::Filter { question }));
        }
        is_set
    }

    /// Moves the focus to another row of a long list. Returns false if the key is the browser's.
    pub(super) fn walk(&mut self, ask: &AskSnapshot, from: Control, walk: Walk) -> bool {
        let Some(question) = from.question() else {
            return false;
        };
        let Some(asked) = ask.questions.get(question).filter(|asked| is_long(asked)) else {
            return false;
        };
        let is_radio = self.manner == Manner::Explicit && asked.multi_select == Some(false);
        let shown = self.shown(question, asked);
        let here = match from {
            Control::Option { option, .. } => shown.iter().position(|shown| *shown == option),
            _ => None,
        };
        let to = match (walk, here) {
            (Walk::First, _) => Some(0),
            (Walk::Last, _) => shown.len().checked_sub(1),
            // Among radio buttons, the browser handles the arrow keys.
            _ if is_radio => None,
            (Walk::Next, here) => here.map(|here| here + 1),
            // From the free-text field.
            (Walk::Previous, None) => shown.len().checked_sub(1),
            (Walk::Previous, Some(here)) => here.checked_sub(1),
        };
        let to = to.and_then(|to| shown.get(to));
        if let Some(&option) = to {
            self.plan(Do::Focus(Control::Option { question, option }));
        }
        // Enter in the field of the filter would submit the form.
        to.is_some() || matches!(from, Control::Filter { .. })
    }
}
