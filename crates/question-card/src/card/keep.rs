//! Keeps the draft while the card is not there, and takes it up again.

use super::field;
use super::state::CardState;
use crate::draft::{Draft, Field, Kind};
use crate::drafts::{Persist, remember};
use ask_user_question::{AskSnapshot, Phase};
use leptos::ev;
use leptos::leptos_dom::helpers::{TimeoutHandle, WindowListenerHandle};
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;

/// How long changes are gathered before they are written.
const GATHER: Duration = Duration::from_millis(250);

/// Writes a card's draft, soon after it changed.
#[derive(Clone, Copy)]
pub(crate) struct Keeper {
    persist: StoredValue<Persist>,
    /// What was kept before was looked for: until then nothing must take its place.
    restored: StoredValue<bool>,
    /// Something is to be written: when its time has come, or when the page goes.
    pending: StoredValue<Option<(TimeoutHandle, WindowListenerHandle)>>,
}

impl Keeper {
    pub(crate) fn new(persist: Persist) -> Self {
        Self { persist: StoredValue::new(persist), restored: StoredValue::new(false), pending: StoredValue::new(None) }
    }
}

impl CardState {
    /// Takes up what was kept of this call.
    pub(crate) fn restore(self) {
        self.ask.with_untracked(|ask| {
            let kept = self.keeper.persist.with_value(|persist| self.key.with_value(|key| persist.load(key)));
            if let Some(kept) = kept {
                self.draft.update(|draft| draft.restore(kept));
                self.take_up(ask);
            }
        });
        self.keeper.restored.set_value(true);
    }

    /// Takes up what was kept of questions that are whole now; where the ask cannot be read, as part of a message.
    pub(super) fn take_up(self, ask: &AskSnapshot) {
        if self.draft.with_untracked(Draft::is_waiting) {
            self.take_up_answers(ask);
        }
        if ask.phase == Phase::Malformed {
            self.gather(ask);
        }
    }

    fn take_up_answers(self, ask: &AskSnapshot) {
        let no_more = ask.phase != Phase::Streaming;
        let taken = self.draft.try_update(|draft| draft.take_up(ask, no_more)).unwrap_or_default();
        for question in taken {
            self.fill(question, Field::Other);
            self.fill(question, Field::Note);
        }
    }

    /// Puts all that was chosen and typed into the one field that is left.
    fn gather(self, ask: &AskSnapshot) {
        let (is_more, is_message) = self.draft.with_untracked(|draft| {
            let is_more = draft.is_more_than_text();
            (is_more, !is_more && draft.kind(0) == Some(Kind::Single))
        });
        if is_message {
            return;
        }
        let text = untrack(|| match is_more {
            true => self.left_text(ask, &[]),
            false => self.draft.with(|draft| draft.text(0, Field::Other).to_owned()),
        });
        self.draft.update(|draft| draft.become_message(&text));
        self.fill(0, Field::Other);
    }

    /// A field that is there already does not follow the draft (see [`field`]).
    fn fill(self, question: usize, field: Field) {
        let control = self.made(field::control(question, field));
        let area = control.and_then(|control| control.dyn_into::<HtmlTextAreaElement>().ok());
        if let Some(area) = area {
            let text = self.draft.with_untracked(|draft| draft.text(question, field).to_owned());
            // Leptos gives a fresh field its value in a microtask of its own, which may be still to come.
            queue_microtask(move || area.set_value(&text));
        }
    }

    /// Keeps the draft as it is now, or `wanted` not any more. Called by an effect, at each change.
    pub(crate) fn keep(self, wanted: bool) {
        let kept = self.ask.with_untracked(|ask| self.draft.with(|draft| draft.kept(ask)));
        if !self.keeper.restored.get_value() {
            return;
        }
        let kept = kept.filter(|_| wanted);
        let changed = self.key.with_value(|key| remember(key, kept));
        let is_written = self.keeper.persist.with_value(Persist::is_written);
        if changed && is_written && self.keeper.pending.with_value(Option::is_none) {
            self.write_soon();
        }
    }

    fn write_soon(self) {
        if let Ok(timer) = set_timeout_with_handle(move || self.write_now(), GATHER) {
            let flush = window_event_listener(ev::pagehide, move |_| self.write_now());
            self.keeper.pending.set_value(Some((timer, flush)));
        }
    }

    /// Writes what is to be written; the last thing to do when the card goes away.
    pub(crate) fn write_now(self) {
        let pending = self.keeper.pending.try_update_value(Option::take);
        if let Some((timer, flush)) = pending.flatten() {
            timer.clear();
            flush.remove();
            self.keeper.persist.with_value(|persist| self.key.with_value(|key| persist.write(key)));
        }
    }
}
