//! Handles key presses, by the table in [`keyboard`](crate::keyboard).

use super::shape::is_whole;
use super::{Card, Do, Manner, RowKind};
use crate::dom::Control;
use crate::draft::ChoiceKind;
use crate::keyboard::{ENTER, FocusKind, Intent, KeyPress, intent, is_plain_escape};
use ask_user_question::input::Input;
use ask_user_question::{AskSnapshot, Phase};

impl Card {
    /// Handles a key press anywhere in the form.
    pub(super) fn press(&mut self, ask: &AskSnapshot, mut press: KeyPress<'_>, control: Option<Control>) {
        if let Some(Control::OtherText { question }) = control
            && self.draft.input(question).and_then(Input::field).is_some()
        {
            // A single-line field: the browser would submit its form.
            press.shift = false;
            if press.alt && press.key == ENTER {
                return self.plan(Do::Prevent);
            }
        }
        let intent = intent(press, self.place(control));
        if intent.is_some_and(|intent| self.act(ask, control, intent)) {
            self.plan(Do::Prevent);
        } else if self.changing.is_some() && is_plain_escape(press) {
            self.plan(Do::Prevent);
            self.cancel();
        } else if intent.is_none() {
            self.looks_same = true;
        }
    }

    fn place(&self, control: Option<Control>) -> FocusKind {
        let radio =
            |question, is_chosen: bool| match self.draft.kind(question) == Some(ChoiceKind::Single) && !is_chosen {
                true => FocusKind::UncheckedRadio,
                false => FocusKind::Choice,
            };
        match control {
            Some(Control::Option { .. }) if self.manner == Manner::OnPick => FocusKind::PickButton,
            Some(Control::Option { question, option }) => radio(question, self.draft.is_chosen(question, option)),
            Some(Control::Other { question }) => radio(question, self.draft.is_other_chosen(question)),
            Some(Control::OtherText { .. }) => FocusKind::Text,
            Some(Control::Note { .. }) => FocusKind::Note,
            Some(Control::Filter { .. }) => FocusKind::Filter,
            Some(
                Control::AddNote { .. }
                | Control::Skip { .. }
                | Control::All { .. }
                | Control::Clear { .. }
                | Control::Up { .. }
                | Control::Down { .. },
            ) => FocusKind::QuestionButton,
            _ => FocusKind::Button,
        }
    }

    /// Carries out an intent. Returns false if the key is the browser's.
    fn act(&mut self, ask: &AskSnapshot, control: Option<Control>, intent: Intent) -> bool {
        let question = control.and_then(Control::question);
        match (intent, control, question) {
            (Intent::Swallow, ..) => true,
            (Intent::Submit, ..) => {
                self.submit(ask);
                true
            }
            (Intent::Choose, Some(control @ (Control::Option { .. } | Control::Other { .. })), _) => {
                self.choose(ask, control);
                true
            }
            (Intent::Confirm, Some(control), Some(question)) => match (self.manner, control) {
                // If one tap answers, a note has nothing to confirm: its Enter is a line break.
                (Manner::OnPick, Control::Note { .. }) => false,
                (Manner::OnPick, _) => {
                    self.submit(ask);
                    true
                }
                (Manner::Explicit | Manner::Undecided, Control::OtherText { .. }) => {
                    self.confirm_text(ask, question);
                    true
                }
                (Manner::Explicit | Manner::Undecided, _) => {
                    self.confirm(ask, question);
                    true
                }
            },
            (Intent::Nth(nth), _, Some(question)) => self.take_nth(ask, question, nth),
            (Intent::Walk(walk), Some(control), _) => self.walk(ask, control, walk),
            (Intent::Unfilter, _, Some(question)) => self.unfilter(question),
            (Intent::LeaveText, _, Some(question)) => {
                let is_there = self.manner == Manner::Explicit && self.phase != Phase::Malformed;
                if is_there {
                    self.plan(Do::Focus(Control::Other { question }));
                }
                is_there
            }
            _ => false,
        }
    }

    fn take_nth(&mut self, ask: &AskSnapshot, question: usize, nth: usize) -> bool {
        let Some(asked) = ask.questions.get(question) else {
            return false;
        };
        let shown = self.shown(question, asked);
        if nth == shown.len() + 1 {
            let is_there = is_whole(asked) && self.manner != Manner::Undecided && asked.takes_words();
            if is_there {
                self.plan(Do::Focus(Control::OtherText { question }));
            }
            return is_there;
        }
        let Some(&option) = shown.get(nth - 1) else {
            return false;
        };
        let control = Control::Option { question, option };
        match RowKind::of(self, asked, option) {
            RowKind::Text => false,
            row => {
                self.plan(Do::Focus(control));
                if row != RowKind::Button {
                    self.choose(ask, control);
                }
                true
            }
        }
    }
}
