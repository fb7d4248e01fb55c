//! Maps clicks to actions, and ignores taps on things that just moved.

use super::{Card, CardEvent, Click, Do, Manner, STILL};
use crate::dom::Control;
use ask_user_question::{AskSnapshot, Phase};

impl Card {
    pub(super) fn click(&mut self, ask: &AskSnapshot, click: Click) {
        let stands_still = self.stands_still(self.moved_at, click);
        let is_meant = click.is_tap && stands_still;
        match click.on {
            Control::Option { question, option } | Control::Row { question, option } => {
                let control = Control::Option { question, option };
                match self.manner {
                    Manner::OnPick => self.click_pick(ask, control, click, is_meant),
                    Manner::Explicit | Manner::Undecided => self.click_row(control, click),
                }
            }
            Control::Other { question } | Control::OtherRow { question } | Control::OtherText { question } => {
                // If one tap answers, or the ask could not be read, there is only the field.
                if self.manner == Manner::Explicit && self.phase != Phase::Malformed {
                    self.click_row(Control::Other { question }, click);
                }
            }
            Control::Note { .. } | Control::Filter { .. } => {}
            Control::All { question } => self.choose_shown(ask, question, true),
            Control::Clear { question } => self.choose_shown(ask, question, false),
            Control::AddNote { question } => {
                if !self.is_latched() {
                    self.open_note(question);
                    self.plan(Do::Focus(Control::Note { question }));
                }
            }
            Control::Up { question, option } => self.shift(ask, question, option, true),
            Control::Down { question, option } => self.shift(ask, question, option, false),
            Control::Skip { question } => self.skip(ask, question, is_meant),
            Control::Way { question } => {
                let problems = self.problems(ask);
                if let Some((_, problem)) = problems.iter().find(|(index, _)| *index == question) {
                    self.go_to(ask, question, *problem);
                }
            }
            // Turning to a step changes no answer, so it needs no guard; a double click turns one page.
            Control::Step { question } => self.turn_to(ask, question),
            Control::Back | Control::Onward if !self.stands_still(self.turned_at, click) => {}
            Control::Back => self.turn(ask, true),
            Control::Onward => self.turn(ask, false),
            Control::Keep => self.keep_answering(),
            Control::CopyReceipt | Control::CopyLate => self.plan(Do::Copy(click.on)),
            // A tap that was meant for the form must not discard the text.
            Control::SendLate | Control::Dismiss if !stands_still || self.late.is_empty() => {}
            Control::AskAgain if !stands_still || !self.asks_again() => {}
            Control::AskAgain => self.ask_again(ask),
            Control::SendLate => self.message(self.late.clone()),
            Control::Dismiss => self.draft.forget(),
            // Never by the form, which a frame may keep from being submitted.
            Control::Submit => {
                self.plan(Do::Prevent);
                if is_meant {
                    self.submit(ask);
                }
            }
            _ if !is_meant => {}
            Control::Cancel => self.cancel(),
            Control::Again => self.try_again(ask),
            Control::InChat => {
                if self.is_open() {
                    self.emit(CardEvent::ReplyInChat(self.given()));
                }
            }
            Control::MoreTime => self.emit(CardEvent::Extend),
            Control::Change | Control::Next => {
                // The button is about to go; a host that moves the focus elsewhere takes it along.
                self.turn_to(ask, self.step(ask).unwrap_or(0));
                self.emit(if click.on == Control::Change { CardEvent::Change } else { CardEvent::Next });
            }
        }
    }

    /// Handles a click on a row that answers at once.
    fn click_pick(&mut self, ask: &AskSnapshot, button: Control, click: Click, is_meant: bool) {
        let is_button = click.on == button;
        if click.is_bare && !is_button {
            self.plan(Do::Focus(button));
        }
        let is_front = self.stands_still(self.now.came_forward_at, Click { at: click.down_at, ..click });
        if (is_button || click.is_bare) && is_meant && is_front {
            self.pick(ask, button);
        }
    }

    /// Handles a click on a row with a radio button or check box, which the browser changes by itself.
    fn click_row(&mut self, input: Control, click: Click) {
        // A user who turned the page knows that other rows came; a double click does not mean them.
        let turned_at = if click.is_near { self.turned_at } else { f64::NEG_INFINITY };
        let is_up = self.row_up(input).is_some_and(|up| self.stands_still(up.max(turned_at), click));
        let is_refused = click.on == input && !self.takes_changes();
        if !click.is_tap || !is_up || is_refused {
            // Neither the label nor the input itself may take it: `disabled` would drop the focus.
            self.plan(Do::Prevent);
        } else if click.is_bare {
            self.plan(Do::Forward(input));
        }
    }

    /// Returns true if something that moved at that time had stood still for long enough. A click without a pointer always counts.
    fn stands_still(&self, moved_at: f64, click: Click) -> bool {
        !click.has_pointer || click.at - moved_at.max(self.now.page_moved_at) >= STILL
    }
}
