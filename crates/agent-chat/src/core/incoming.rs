//! Incoming data: events and histories of the server, and this browser's store.

use super::{Core, Link};
use crate::ids::now;
use crate::json;
use crate::status::Status;
use crate::store::ConversationStore;
use crate::subscription::Subscription;
use crate::trouble::Trouble;
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::sse::Frame;
use ag_ui_stream::thread::RunState;
use json_tree::Json;
use leptos::prelude::*;

impl Core {
    pub(crate) fn take_frame(&mut self, frame: Frame) {
        if frame.event == "state_change" {
            let state = json::parse(&frame.data);
            self.set_deadline(&state);
        }
        let is_reading = self.running.as_ref().is_some_and(|running| running.is_run);
        let Some(subscription) = self.subscription_mut() else {
            return;
        };
        let update = subscription.take(frame, is_reading);
        if update.is_reset {
            self.conversation.start_replay();
        }
        update.events.into_iter().for_each(|event| self.take_event(event));
        self.conversation.flush();
        self.drop_answered_calls();
        if update.is_reset {
            self.conversation.finish_replay();
            self.settle_outbox();
        }
    }

    fn take_event(&mut self, event: Event) {
        let status = match event.kind() {
            EventType::RunStarted => Some(Status::Running),
            EventType::RunFinished => Some(self.idle()),
            EventType::RunError => Some(Status::Failed(Trouble::Agent(event.text("message").to_owned()))),
            _ => None,
        };
        self.conversation.handle_event(now(), event);
        if let Some(status) = status {
            self.status.set(status);
        }
    }

    /// Applies the server's description of the conversation. Returns false and changes nothing if the text is none, such as a sign-in page.
    pub(crate) fn take_description(&mut self, text: &str) -> bool {
        let description = json::parse(text);
        let last_id = json::text(&description, "lastEventId").unwrap_or_default();
        let run_id = json::text(&description, "runId");
        let state = description.get("state").unwrap_or(&Json::Null);
        let has_failed = json::text(state, "type") == Some("failed");
        let is_at_work = matches!(json::text(state, "type"), Some("llm_requesting" | "tool_executing"));
        let has_dead_run = is_at_work && run_id.is_none();
        let mut history = vec![("messages", description.get("messages").cloned().unwrap_or_default())];
        if has_failed || has_dead_run {
            let outcome = if has_failed { EndOutcome::Error } else { EndOutcome::Truncated };
            history.push(("ended", outcome.as_str().into()));
        }
        let history = Json::object(history);
        if !self.take_history(history, last_id, run_id) {
            self.fail(Trouble::Unreadable(text.chars().take(100).collect()));
            return false;
        }
        for ask in json::items(&description, "pending") {
            self.set_deadline(ask);
        }
        if let Some(subscription) = self.subscription_mut() {
            subscription.set_dead_run(has_dead_run);
        }
        if !has_dead_run && !self.outbox.has_held() {
            // What was lost has arrived.
            self.lost = 0;
        }
        if has_failed {
            let reason = json::text(state, "reason").unwrap_or_default();
            let trouble = Trouble::Agent(reason.to_owned());
            self.status.set(Status::Failed(trouble));
        }
        true
    }

    /// Sets the deadline from the server's description of a waiting ask, if it has one.
    fn set_deadline(&mut self, ask: &Json<'_>) {
        let (call, deadline) = (json::text(ask, "toolCallId"), json::text(ask, "expiresAt"));
        if let (Some(call), Some(deadline)) = (call, deadline) {
            self.conversation.set_deadline(now(), call, deadline);
        }
    }

    /// Replaces the conversation by a history. Returns false and changes nothing if it is none.
    fn take_history(&mut self, history: Json<'_>, last_id: &str, run_id: Option<&str>) -> bool {
        if !self.conversation.restore(now(), history) {
            return false;
        }
        let thread_id = self.config.defaults.thread_id.clone();
        let run = run_id.map(|run_id| (thread_id.as_str(), run_id));
        let started = self.subscription_mut().and_then(|subscription| subscription.catch_up(last_id, run));
        self.status.set(Status::Idle);
        if let Some(started) = started {
            self.take_event(started);
            self.conversation.flush();
        }
        self.settle_outbox();
        true
    }

    /// Handles the loss of the conversation on the server.
    pub(crate) fn handle_gone(&mut self) {
        let was_there = !self.subscription().is_some_and(Subscription::is_unconfirmed);
        self.link = Link::Subscribed(Box::new(Subscription::new()));
        self.tab_lock = None;
        self.conversation.abandon_asks(now());
        self.settle_outbox();
        // A message that is about to be sent starts it again.
        if was_there && !self.outbox.has_pending_message() {
            self.status.set(Status::Failed(Trouble::Gone));
        }
    }

    pub(crate) fn restore_stored(&mut self) {
        let Link::Local(Some(store)) = &self.link else { return };
        let is_restored = store.restore(&mut self.conversation);
        let has_ended_well = match self.conversation.thread().run() {
            RunState::Ended { outcome } => {
                !matches!(outcome, EndOutcome::Error | EndOutcome::Truncated | EndOutcome::Rejected)
            }
            _ => true,
        };
        if is_restored && !has_ended_well {
            self.status.set(Status::Failed(Trouble::BrokeOff));
        }
        self.settle_outbox();
    }

    /// Restores the conversation if another tab has stored it under this key.
    pub(crate) fn restore_changed_key(&mut self, key: &str) {
        if self.store().is_some_and(|store| store.has_key(key)) && self.is_free() {
            self.restore_stored();
        }
    }

    /// Restores the conversation if another tab has stored it since.
    pub(crate) fn restore_if_changed(&mut self) {
        if self.store().is_some_and(ConversationStore::has_changed) {
            self.restore_stored();
        }
    }

    /// Drops outbox items whose ask or message is settled, once the history is known, and shows the rest on the cards.
    fn settle_outbox(&mut self) {
        self.restoring.set(false);
        self.outbox.settle(self.conversation.asks(), self.conversation.thread());
        self.drop_answered_calls();
        self.show_outbox();
    }
}
