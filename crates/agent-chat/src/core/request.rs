//! A request from its launch to its end.

use super::{Core, tell_developers};
use crate::chat::Status;
use crate::outbox::{Outgoing, Post};
use crate::transport::{Abort, Endpoint, TransportError, conversation_path};
use crate::trouble::Trouble;
use ag_ui_stream::thread::RunState;
use ask_user_question::snapshot::Sending;
use leptos::prelude::*;

/// A request that is under way.
pub(crate) struct Running {
    abort: Abort,
    /// Whether its response tells what happens.
    pub(super) is_run: bool,
}

/// A request that was launched: what its task needs.
pub(crate) struct Launch {
    pub(crate) endpoint: Endpoint,
    /// Where it goes beside the agent, if not to the agent.
    pub(crate) path: Option<String>,
    pub(crate) body: String,
    pub(crate) abort: Abort,
    pub(crate) outgoing: Outgoing,
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
    Unsent { outgoing: Box<Outgoing>, error: TransportError },
}

impl Core {
    /// Marks a request as under way. What the user just said shows at once; an answer only when the agent has it, until then its card says
    /// "sending".
    pub(crate) fn launch(&mut self, mut outgoing: Outgoing) -> Launch {
        self.set_sending(&outgoing.replies, &Sending::Pending);
        self.outbox.drop_unsent();
        let id = &self.options.setup.thread_id;
        let (path, body) = match &outgoing.post {
            Post::Rest { action, body } => (Some(conversation_path(id, action)), body.clone()),
            Post::Run(run) => {
                if outgoing.replies.is_empty() && !outgoing.started {
                    self.conversation.start_run(run);
                    outgoing.started = true;
                }
                if let Some(following) = &mut self.following {
                    following.start_run(&run.input.run_id);
                }
                self.status.set(Status::Running);
                self.conversation.start_response();
                let body = serde_json::to_string(&run.input).expect("a RunAgentInput always serializes");
                (None, body)
            }
        };
        let (abort, is_run) = (Abort::new(), path.is_none());
        self.running = Some(Running { abort: abort.clone(), is_run });
        self.outbox.send(&outgoing.replies, is_run);
        self.save();
        Launch { endpoint: self.options.endpoint.clone(), path, body, abort, outgoing }
    }

    /// The agent has a request, and what it brought.
    pub(crate) fn handle_accepted(&mut self, outgoing: &Outgoing) {
        if let Some(following) = &mut self.following {
            following.begin();
        }
        match &outgoing.post {
            Post::Run(run) if !outgoing.started => self.conversation.start_run(run),
            Post::Run(_) => {}
            Post::Rest { .. } => {
                for reply in &outgoing.replies {
                    let ask = self.conversation.asks.ask(&reply.tool_call_id);
                    let ask = ask.and_then(|ask| ask.ask.clone());
                    let content = ask.map(|ask| reply.outcome.tool_content(&ask));
                    let content = content.unwrap_or_default();
                    self.conversation.settle(&reply.tool_call_id, content);
                }
            }
        }
        self.outbox.drop_sent();
        self.show_message();
        self.set_sending(&outgoing.replies, &Sending::Idle);
        self.save();
    }

    /// A request is over, well or not.
    pub(crate) fn settle(&mut self, end: RunEnd) {
        if self.running.take().is_some_and(|running| running.is_run) {
            self.status.set(Status::Idle);
        }
        match end {
            RunEnd::Done => {}
            RunEnd::Failed(trouble) => match &mut self.following {
                // The run goes on without this tab, or its server died: what has become of it is to be asked for.
                Some(following) if trouble == Trouble::BrokeOff => following.lose_runs(),
                _ => {
                    tell_developers(&trouble);
                    self.status.set(Status::Failed(trouble));
                }
            },
            RunEnd::Stopped => {
                let held = self.outbox.take_held();
                self.set_sending(&held, &Sending::Idle);
                if let Some(following) = &mut self.following {
                    following.lose_runs();
                }
            }
            RunEnd::Unsent { outgoing, error } => self.settle_unsent(*outgoing, error),
        }
        self.save();
    }

    fn settle_unsent(&mut self, outgoing: Outgoing, error: TransportError) {
        let is_lost = error.is_lost();
        if let Some(following) = &mut self.following {
            if is_lost || error.is_conflict() || error == TransportError::Aborted {
                following.lose_runs();
            }
            if is_lost {
                // Held until the server is there again, which tells whether it has this already.
                return self.outbox.hold_sent();
            }
        }
        self.outbox.drop_sent();
        self.show_message();
        let winner = match &error {
            TransportError::Status { body, .. } => body.winner.clone(),
            TransportError::Aborted | TransportError::Network => None,
        };
        let trouble = Trouble::from_transport(error, &self.reach);
        self.report(&outgoing.replies, trouble);
        match winner {
            // Somebody else was first: there is nothing to send again.
            Some(winner) => self.conversation.push_message(winner),
            None => self.outbox.keep_unsent(outgoing),
        }
    }

    /// Ends the run that is under way. Where its server can be asked to end it, gives what to ask.
    pub(crate) fn stop(&mut self) -> Option<Stop> {
        let RunState::Running { run_id } = self.conversation.thread.run() else {
            self.abort();
            return None;
        };
        let Some(following) = &self.following else {
            self.abort();
            return None;
        };
        let run = [("runId", following.run_id().unwrap_or(run_id).into())];
        let body = json_tree::text(&json_tree::object(run).into());
        let path = conversation_path(&self.options.setup.thread_id, "/cancel");
        let held = self.outbox.take_held();
        self.set_sending(&held, &Sending::Idle);
        Some(Stop {
            endpoint: self.options.endpoint.clone(),
            path,
            body,
            request: self.running.as_ref().map(|running| running.abort.clone()),
        })
    }

    /// The server was asked to end a run. What it kept of that run only it knows.
    pub(crate) fn handle_cancelled(&mut self) {
        if let Some(following) = &mut self.following {
            following.stale = true;
        }
    }

    pub(super) fn abort(&self) {
        if let Some(running) = &self.running {
            running.abort.abort();
        }
    }
}
