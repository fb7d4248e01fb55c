//! What comes from elsewhere: the events and the history that the server tells, and what this browser has kept.

use super::{Core, Link};
use crate::following::Following;
use crate::ids::now;
use crate::json;
use crate::kept::Keep;
use crate::status::Status;
use crate::trouble::Trouble;
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::sse::Frame;
use ag_ui_stream::thread::RunState;
use json_tree::Json;
use leptos::prelude::*;

impl Core {
    /// Takes a frame of the conversation's events.
    pub(crate) fn take_frame(&mut self, frame: Frame) {
        if frame.event == "state_change" {
            let state = json::parse(&frame.data);
            self.know_deadline(&state);
        }
        let is_reading = self.running.as_ref().is_some_and(|running| running.is_run);
        let Some(following) = self.following_mut() else {
            return;
        };
        let news = following.take(frame, is_reading);
        if news.is_anew {
            self.conversation.start_replay();
        }
        news.events.into_iter().for_each(|event| self.take_event(event));
        self.conversation.lay();
        self.drop_answered_calls();
        if news.is_anew {
            self.conversation.finish_replay();
            self.settle_outbox();
        }
    }

    fn take_event(&mut self, event: Event) {
        let status = match event.kind() {
            EventType::RunStarted => Some(Status::Running),
            EventType::RunFinished => Some(Status::Idle),
            EventType::RunError => Some(Status::Failed(Trouble::Agent(event.text("message").to_owned()))),
            _ => None,
        };
        self.conversation.take(now(), event);
        if let Some(status) = status {
            self.status.set(status);
        }
    }

    /// Takes what the server says of the conversation as a whole. False, and nothing has changed, where that is something else, such as a page to
    /// sign in.
    pub(crate) fn take_description(&mut self, text: &str) -> bool {
        let description = json::parse(text);
        let last_id = json::text(&description, "lastEventId").unwrap_or_default();
        let run_id = json::text(&description, "runId");
        let state = description.get("state").unwrap_or(&Json::Null);
        let has_failed = json::text(state, "type") == Some("failed");
        let is_at_work = matches!(json::text(state, "type"), Some("llm_requesting" | "tool_executing"));
        let has_died = is_at_work && run_id.is_none();
        let mut history = vec![("messages", description.get("messages").cloned().unwrap_or_default())];
        if has_failed || has_died {
            let outcome = if has_failed { EndOutcome::Error } else { EndOutcome::Truncated };
            history.push(("ended", outcome.as_str().into()));
        }
        let history = Json::object(history);
        if !self.take_history(history, last_id, run_id) {
            self.fail(Trouble::Unreadable(text.chars().take(100).collect()));
            return false;
        }
        for ask in json::items(&description, "pending") {
            self.know_deadline(ask);
        }
        if let Some(following) = self.following_mut() {
            following.set_died(has_died);
        }
        if has_failed {
            let reason = json::text(state, "reason").unwrap_or_default();
            let trouble = Trouble::Agent(reason.to_owned());
            self.status.set(Status::Failed(trouble));
        }
        true
    }

    /// Takes the deadline from what the server says of an ask that waits, where it has one.
    fn know_deadline(&mut self, ask: &Json<'_>) {
        let (call, deadline) = (json::text(ask, "toolCallId"), json::text(ask, "expiresAt"));
        if let (Some(call), Some(deadline)) = (call, deadline) {
            self.conversation.know_deadline(now(), call, deadline);
        }
    }

    /// Takes the whole history over. False, and nothing has changed, where it is none.
    fn take_history(&mut self, history: Json<'_>, last_id: &str, run_id: Option<&str>) -> bool {
        if !self.conversation.restore(now(), history, Vec::new()) {
            return false;
        }
        let thread_id = self.config.setup.thread_id.clone();
        let run = run_id.map(|run_id| (thread_id.as_str(), run_id));
        let started = self.following_mut().and_then(|following| following.catch_up(last_id, run));
        self.status.set(Status::Idle);
        if let Some(started) = started {
            self.take_event(started);
            self.conversation.lay();
        }
        self.settle_outbox();
        true
    }

    /// The server does not have the conversation any more.
    pub(crate) fn lose_conversation(&mut self) {
        let was_there = !self.following().is_some_and(Following::is_unsure);
        self.link = Link::Following(Box::new(Following::of_new()));
        self.turn = None;
        self.conversation.abandon_asks(now());
        self.settle_outbox();
        // The message that is about to be sent starts it again.
        if was_there && !self.outbox.has_open_message() {
            self.status.set(Status::Failed(Trouble::Gone));
        }
    }

    /// Takes over what this browser has kept of the conversation.
    pub(crate) fn read_kept(&mut self) {
        let Link::Alone(Some(kept)) = &self.link else { return };
        let is_restored = kept.read(&mut self.conversation);
        let has_ended_well = match self.conversation.thread().run() {
            RunState::Ended { outcome } => {
                !matches!(outcome, EndOutcome::Error | EndOutcome::Truncated | EndOutcome::Rejected)
            }
            RunState::Idle | RunState::Running { .. } => true,
        };
        if is_restored && !has_ended_well {
            self.status.set(Status::Failed(Trouble::BrokeOff));
        }
        self.settle_outbox();
    }

    /// Takes over what another tab has kept under a key, where that is this conversation.
    pub(crate) fn read_others(&mut self, key: &str) {
        if self.kept().is_some_and(|kept| kept.is_under(key)) && self.is_free() {
            self.read_kept();
        }
    }

    /// Takes over what another tab has kept meanwhile.
    pub(crate) fn read_news(&mut self) {
        if self.kept().is_some_and(Keep::has_changed) {
            self.read_kept();
        }
    }

    /// Now that everything is known, drops what is held for nothing, and shows on the cards what is held and what is not.
    fn settle_outbox(&mut self) {
        self.restoring.set(false);
        let (thread, asks) = (self.conversation.thread(), self.conversation.asks());
        let is_said = |id: &str| thread.message(id).is_some();
        self.outbox.settle(asks, is_said);
        self.drop_answered_calls();
        self.show_mail();
    }
}
