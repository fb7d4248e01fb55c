//! Maps clicks to actions.

use super::shape::is_whole;
use super::{Card, CardEvent, Click, Do, FileInput, Manner, RowKind};
use crate::dom::Control;
use ask_user_question::{AskSnapshot, Phase};

impl Card {
    pub(super) fn click(&mut self, ask: &AskSnapshot, click: Click) {
        match click.on {
            Control::Option { question, option } | Control::Row { question, option } => {
                let control = Control::Option { question, option };
                match self.manner {
                    Manner::OnPick => self.click_pick(ask, control, click),
                    Manner::Explicit | Manner::Undecided => self.click_row(ask, control, click),
                }
            }
            Control::Other { question } | Control::OtherRow { question } | Control::OtherText { question } => {
                // If one tap answers, or the ask could not be read, the row has no radio button or check box.
                if self.manner == Manner::Explicit && self.phase != Phase::Malformed {
                    self.click_row(ask, Control::Other { question }, click);
                }
            }
            Control::Unfile { question, option } => {
                self.file(FileInput::Removed(question, option));
                self.plan(Do::Focus(Control::Attach { question }));
            }
            Control::Refile { option, .. } => self.file(FileInput::Again(option)),
            Control::Note { .. } | Control::Attach { .. } | Control::Filter { .. } => {}
            Control::All { question } => self.choose_shown(ask, question, true),
            Control::Clear { question } => self.choose_shown(ask, question, false),
            Control::AddNote { question } => {
                if !self.is_latched() {
                    self.open_note(question);
                    self.plan(Do::Focus(Control::Note { question }));
                }
            }
            Control::Up { .. } | Control::Down { .. } => {
                self.shift(ask, click.on, None);
            }
            Control::Skip { question } => self.skip(ask, question),
            Control::Way { question } => {
                let problems = self.problems(ask);
                if let Some((_, problem)) = problems.iter().find(|(index, _)| *index == question) {
                    self.go_to(ask, question, *problem);
                }
            }
            Control::Step { question } => self.turn_to(ask, question),
            Control::Back => self.turn(ask, true),
            Control::Onward => self.turn(ask, false),
            Control::Keep => self.keep_answering(),
            Control::CopyReceipt | Control::CopyLate => self.plan(Do::Copy(click.on)),
            Control::SendLate | Control::Dismiss if self.late.is_empty() => {}
            Control::AskAgain if !self.asks_again() => {}
            Control::AskAgain => self.ask_again(ask),
            Control::SendLate => self.message(self.late.clone()),
            Control::Dismiss => self.draft.forget(),
            // Not by the form's own submission, which a sandboxed frame may forbid.
            Control::Submit => {
                self.plan(Do::Prevent);
                self.submit(ask);
            }
            Control::Cancel => self.cancel(),
            Control::Undo => self.undo(),
            Control::Again => self.try_again(ask),
            Control::InChat => {
                if self.is_open() {
                    self.emit(CardEvent::ReplyInChat(self.given()));
                }
            }
            Control::MoreTime => self.emit(CardEvent::Extend),
            Control::Change if self.is_over() => self.change(ask),
            Control::Change | Control::Next => {
                // The button is about to be removed, so the focus moves first; the host may then move it elsewhere.
                self.turn_to(ask, self.step(ask).unwrap_or(0));
                self.emit(if click.on == Control::Change { CardEvent::Change } else { CardEvent::Next });
            }
        }
    }

    /// Handles a click on a row that answers at once.
    fn click_pick(&mut self, ask: &AskSnapshot, button: Control, click: Click) {
        let is_button = click.on == button;
        if click.is_bare && !is_button {
            self.plan(Do::Focus(button));
        }
        if is_button || click.is_bare {
            self.pick(ask, button);
        }
    }

    /// Handles a click on a row with a radio button or check box, which the browser changes by itself.
    fn click_row(&mut self, ask: &AskSnapshot, input: Control, click: Click) {
        let asked = input.question().and_then(|question| ask.questions.get(question));
        let is_input = asked.is_some_and(|asked| match input {
            Control::Option { option, .. } => matches!(RowKind::of(self, asked, option), RowKind::Input(_)),
            _ => is_whole(asked),
        });
        let is_refused = click.on == input && !self.takes_changes();
        if !is_input || is_refused {
            // Clicks on the label and on the input are both prevented, because `disabled` would drop the focus.
            self.plan(Do::Prevent);
        } else if click.is_bare {
            self.plan(Do::Forward(input));
        }
    }
}
