//! A request from its launch to its end.

use super::{Core, Post, Running, tell_developers};
use crate::ids::now;
use crate::outbox::Mail;
use crate::status::Status;
use crate::transport::{Abort, Endpoint, TransportError, conversation_path};
use crate::trouble::Trouble;
use ag_ui_stream::thread::RunState;
use json_tree::Json;
use leptos::prelude::*;

/// A request that was launched: what its task needs.
pub(crate) struct Launch {
    pub(crate) endpoint: Endpoint,
    /// Where it goes beside the agent, if not to the agent.
    pub(crate) path: Option<String>,
    pub(crate) body: String,
    pub(crate) abort: Abort,
    pub(crate) post: Post,
}

/// How a server is asked to end a run.
pub(crate) struct Stop {
    pub(crate) endpoint: Endpoint,
    pub(crate) path: String,
    pub(crate) body: String,
    /// This page's own request for that run.
    pub(crate) request: Option<Abort>,
}

/// How a launched request ended.
pub(crate) enum RunEnd {
    /// As the protocol has it.
    Done,
    /// The user stopped it.
    Stopped,
    /// After the agent had taken it.
    Failed(Trouble),
    /// Before the agent had taken it, as far as is known.
    Unsent(TransportError),
}

impl Core {
    /// Marks a request as under way. What the user just said shows at once; an answer only when the agent has it, until then its card says
    /// "sending".
    pub(super) fn launch(&mut self, post: Post) -> Launch {
        let is_run = matches!(post, Post::Run(_));
        let (action, body) = match &post {
            Post::Endpoint { action, body } => (Some(*action), body.clone()),
            Post::Run(run) => {
                if let Some(following) = self.following_mut() {
                    following.start_run(&run.run_id);
                }
                if let Some(desk) = &self.desk {
                    desk.note_run(&run.run_id, self.outbox.has_sent());
                }
                self.status.set(Status::Running);
                self.conversation.start_response(now());
                // Where a balancer sees which conversation it is.
                (self.server.map(|_| "/agent"), run.body.clone())
            }
        };
        let path = action.map(|action| conversation_path(&self.config.setup.thread_id, action));
        let abort = Abort::new();
        self.running = Some(Running { abort: abort.clone(), is_run });
        self.show_mail();
        self.save();
        Launch { endpoint: self.config.endpoint.clone(), path, body, abort, post }
    }

    /// The agent has a request, and what it brought.
    pub(crate) fn handle_accepted(&mut self, post: &Post) {
        if let Some(following) = self.following_mut() {
            following.begin();
        }
        match post {
            Post::Run(run) => {
                self.conversation.start_run(now(), run);
                if let Some(desk) = &self.desk {
                    desk.note_arrival();
                }
            }
            Post::Endpoint { .. } => {
                for (tool_call_id, outcome) in self.outbox.sent() {
                    self.conversation.settle(now(), tool_call_id, outcome);
                }
            }
        }
        self.outbox.arrive();
        self.share_held(None);
        self.show_mail();
        self.save();
    }

    /// A request is over, well or not.
    pub(crate) fn settle(&mut self, end: RunEnd) {
        if self.running.take().is_some_and(|running| running.is_run) {
            self.status.set(Status::Idle);
        }
        match end {
            RunEnd::Done => {}
            RunEnd::Failed(trouble) => match self.following_mut() {
                // The run goes on without this tab, or its server died: what has become of it is to be asked for.
                Some(following) if trouble == Trouble::BrokeOff => following.lose_runs(),
                _ => self.fail(trouble),
            },
            RunEnd::Stopped => {
                self.outbox.drop_picks();
                if let Some(following) = self.following_mut() {
                    following.lose_runs();
                }
            }
            RunEnd::Unsent(error) => self.settle_unsent(error),
        }
        self.show_mail();
        self.save();
    }

    fn settle_unsent(&mut self, error: TransportError) {
        let is_lost = error.is_lost();
        if let Some(following) = self.following_mut() {
            if is_lost || error.is_conflict() || error == TransportError::Aborted {
                following.lose_runs();
            }
            if is_lost {
                // Held until the server is there again, which tells whether it has this already.
                return self.outbox.change(&Mail::Sent, &Mail::Held);
            }
        }
        let winner = match &error {
            TransportError::Status { body, .. } => body.winner.clone(),
            TransportError::Aborted | TransportError::Network | TransportError::NoStream { .. } => None,
        };
        let trouble = Trouble::from_transport(error, &self.reach);
        tell_developers(&trouble);
        if !self.outbox.has_sent() {
            return self.status.set(Status::Failed(trouble));
        }
        let came_back = Mail::Back(trouble);
        self.outbox.change(&Mail::Sent, &came_back);
        if let Some(winner) = winner {
            self.show_mail();
            self.conversation.push_message(now(), winner);
            let (thread, asks) = (self.conversation.thread(), self.conversation.asks());
            // Somebody else was first: that reply is over, and all else goes again.
            if self.outbox.settle(asks, |id| thread.message(id).is_some()) {
                self.outbox.change(&came_back, &Mail::Held);
            }
        }
    }

    /// What to ask the server to end the run that is under way, where there is one.
    pub(crate) fn stop(&mut self) -> Option<Stop> {
        let RunState::Running { run_id } = self.conversation.thread().run() else {
            return None;
        };
        let run = [("runId", self.following()?.run_id().unwrap_or(run_id).into())];
        let body = Json::object(run).to_string();
        let path = conversation_path(&self.config.setup.thread_id, "/cancel");
        self.outbox.drop_picks();
        self.show_mail();
        Some(Stop {
            endpoint: self.config.endpoint.clone(),
            path,
            body,
            request: self.running.as_ref().map(|running| running.abort.clone()),
        })
    }

    /// The server was asked to end a run. What it kept of that run only it knows.
    pub(crate) fn handle_cancelled(&mut self) {
        if let Some(following) = self.following_mut() {
            following.fall_behind();
        }
    }

    pub(crate) fn abort(&self) {
        if let Some(running) = &self.running {
            running.abort.abort();
        }
    }
}
