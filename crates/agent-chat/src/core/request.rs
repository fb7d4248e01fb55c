//! A request from its launch to its end.

use super::{Core, Post, Running};
use crate::browser;
use crate::ids::now;
use crate::outbox::SendState;
use crate::status::Status;
use crate::transport::{Abort, AgentRequest, TransportError};
use crate::trouble::Trouble;
use ag_ui_stream::thread::RunState;
use js_sys::encode_uri_component;
use json_tree::Json;
use leptos::prelude::*;

pub(crate) struct Launch {
    pub(crate) request: AgentRequest,
    pub(crate) post: Post,
}

pub(crate) enum RunEnd {
    /// It ended by the protocol.
    Done,
    /// The user stopped it.
    Stopped,
    /// It failed after the agent had accepted it.
    Failed(Trouble),
    /// It failed before the agent had accepted it, as far as is known.
    Unsent(TransportError),
}

impl Core {
    /// Marks a request as running. A message is shown at once; an answer only when the agent has it, and until then its card shows
    /// "sending".
    pub(super) fn launch(&mut self, post: Post) -> Launch {
        let is_run = matches!(post, Post::Run(_));
        let (action, body) = match &post {
            Post::Endpoint { action, body } => (Some(*action), body.clone()),
            Post::Run(run) => {
                if let Some(subscription) = self.subscription_mut() {
                    subscription.start_own_run(&run.run_id);
                }
                if let Some(runner) = &self.runner {
                    runner.note_run(&run.run_id, self.outbox.has_sent());
                }
                self.status.set(Status::Running);
                self.conversation.note_activity(now());
                // This path names the conversation for a load balancer.
                (self.server.map(|_| "/agent"), run.body.clone())
            }
        };
        let request = self.request(action, body);
        self.running = Some(Running { abort: request.abort.clone(), is_run, is_offline: !browser::is_online() });
        self.show_outbox();
        self.save();
        Launch { request, post }
    }

    /// A request to the agent or, with `rest`, to that path of the conversation beside it.
    pub(crate) fn request(&self, rest: Option<&str>, body: String) -> AgentRequest {
        let id = || String::from(encode_uri_component(&self.config.defaults.thread_id));
        let path = rest.map(|rest| ["conversations/", &id(), rest].concat());
        AgentRequest { endpoint: self.config.endpoint.clone(), path, body, abort: Abort::new() }
    }

    pub(crate) fn handle_accepted(&mut self, post: &Post) {
        self.lost = 0;
        if let Some(subscription) = self.subscription_mut() {
            subscription.confirm();
        }
        match post {
            Post::Run(run) => {
                self.last_run = None;
                self.conversation.start_run(now(), run);
                if let Some(runner) = &self.runner {
                    runner.note_accepted();
                }
            }
            Post::Endpoint { .. } => {
                for (tool_call_id, outcome) in self.outbox.sent() {
                    self.conversation.settle(now(), tool_call_id, outcome);
                }
            }
        }
        self.outbox.remove_sent();
        self.share_held(None);
        self.show_outbox();
        self.save();
    }

    pub(crate) fn settle(&mut self, end: RunEnd) {
        let running = self.running.take();
        if running.as_ref().is_some_and(|running| running.is_run) {
            self.status.set(Status::Idle);
        }
        match end {
            RunEnd::Done => {}
            RunEnd::Failed(trouble) => match self.subscription_mut() {
                // The run continues without this tab, or its server died: the history has the result.
                Some(subscription) if trouble == Trouble::BrokeOff => subscription.forget_own_runs(),
                _ => self.fail(trouble),
            },
            RunEnd::Stopped => {
                self.take_back_all();
                if let Some(subscription) = self.subscription_mut() {
                    subscription.forget_own_runs();
                }
            }
            RunEnd::Unsent(error) => self.settle_unsent(error, running.is_some_and(|running| running.is_offline)),
        }
        self.show_outbox();
        self.save();
    }

    fn settle_unsent(&mut self, error: TransportError, was_offline: bool) {
        let is_lost = error.is_lost();
        self.lost = if is_lost { self.lost + 1 } else { 0 };
        if !is_lost {
            self.last_run = None;
        }
        if let Some(subscription) = self.subscription_mut() {
            if is_lost || error.is_conflict() || matches!(error, TransportError::Aborted) {
                subscription.forget_own_runs();
            }
            if is_lost {
                // The items are held until the server is back. Its history then shows whether they arrived.
                return self.outbox.replace_state(&SendState::Sent, &SendState::Held);
            }
        }
        if was_offline && matches!(error, TransportError::Network) && self.outbox.has_sent() && !browser::is_online() {
            // It never left this machine, so that the agent can't take it twice.
            self.waits_for_network = true;
            return self.outbox.replace_state(&SendState::Sent, &SendState::Held);
        }
        let winner = match &error {
            TransportError::Status { body, .. } => body.winner.clone(),
            TransportError::Aborted | TransportError::Network | TransportError::NoStream { .. } => None,
        };
        if let TransportError::Status { status, body } = &error
            && body.message.is_none()
        {
            leptos::logging::error!("agent-chat: {}: HTTP {status} {}", self.config.endpoint.url, body.start);
        }
        let trouble = Trouble::from_transport(error, &self.origin);
        self.log_details(&trouble);
        if !self.outbox.has_sent() {
            return self.status.set(Status::Failed(trouble));
        }
        let failed = SendState::Failed(trouble);
        self.outbox.replace_state(&SendState::Sent, &failed);
        if let Some(winner) = winner {
            self.show_outbox();
            self.conversation.push_message(now(), winner);
            // Another client's answer came first: that reply is settled, and everything else is sent again.
            if self.outbox.settle(self.conversation.asks(), self.conversation.thread()) {
                self.outbox.replace_state(&failed, &SendState::Held);
            }
        }
    }

    /// The request that stops the open run on its server, and this page's own request for that run. `None` if no run is open.
    pub(crate) fn stop(&mut self) -> Option<(AgentRequest, Option<Abort>)> {
        let RunState::Running { run_id } = self.conversation.thread().run() else {
            return None;
        };
        let run = [("runId", self.subscription()?.run_id().unwrap_or(run_id).into())];
        let request = self.request(Some("/cancel"), Json::object(run).to_string());
        self.take_back_all();
        Some((request, self.running.as_ref().map(|running| running.abort.clone())))
    }

    pub(crate) fn abort(&self) {
        if let Some(running) = &self.running {
            running.abort.abort();
        }
    }
}
