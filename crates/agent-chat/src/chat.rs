//! The hook.

use crate::conversation::Conversation;
use crate::entry::Entry;
use crate::ids::{new_id, now};
use crate::options::ChatOptions;
use crate::outbox::{Outbox, Outgoing};
use crate::transport::{self, Abort, TransportError};
use crate::trouble::Trouble;
use ag_ui_stream::asks::reply::{AskReply, NextRun, Refusal, Said, next_run};
use ask_user_question::matching::match_message;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::snapshot::Sending;
use ask_user_question::{Outcome, Reply};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

/// The longest time, in milliseconds, that browsers wait for; a later deadline is looked at again then.
const LONGEST_TIMEOUT: u64 = 2_147_483_647;

/// Where a conversation stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It is the user's turn.
    #[default]
    Idle,
    /// A run is open.
    Running,
    /// The last run failed or could not be started; [`AgentChat::retry`] tries again.
    Failed(Trouble),
}

/// A conversation with an agent. A handle: copy it wherever it is needed.
#[derive(Clone, Copy, Debug)]
pub struct AgentChat {
    /// The transcript, for a keyed list by [`Entry::key`].
    pub entries: Signal<Vec<Entry>>,
    /// Where the conversation stands.
    pub status: Signal<Status>,
    core: StoredValue<Core, LocalStorage>,
}

/// What lies behind the handle.
struct Core {
    options: ChatOptions,
    conversation: Conversation,
    outbox: Outbox,
    status: RwSignal<Status>,
    running: Option<Abort>,
    /// When the next ask that waits expires.
    deadline: Option<TimeoutHandle>,
}

/// Sets up a conversation that lives as long as the current owner; its request is aborted when the owner is cleaned up.
#[must_use]
pub fn use_agent_chat(options: ChatOptions) -> AgentChat {
    let status = RwSignal::new(Status::Idle);
    let conversation = Conversation::new();
    let entries = conversation.transcript.entries();
    let core = Core {
        options,
        conversation,
        outbox: Outbox::default(),
        status,
        running: None,
        deadline: None,
    };
    let chat = AgentChat {
        entries: entries.into(),
        status: status.into(),
        core: StoredValue::new_local(core),
    };
    on_cleanup(move || {
        chat.stop();
        if let Some(Some(deadline)) = chat.with(|core| core.deadline.take()) {
            deadline.clear();
        }
    });
    chat
}

impl AgentChat {
    /// Says something. Where a question waits, this answers it, as far as the text can be taken for an answer. False where nothing was
    /// taken, because a run is open, the text is blank, or it can't be sent, which [`status`](Self::status) then explains.
    pub fn send(&self, text: &str) -> bool {
        let free = self.with(|core| core.is_free()) == Some(true);
        free && !text.trim().is_empty() && self.start(|core| core.outgoing_text(text))
    }

    /// Answers an ask. Held until the run has ended and every other ask that waits has its reply too.
    pub fn reply(&self, tool_call_id: &str, reply: Reply) {
        self.hold(tool_call_id, Outcome::Answered(reply));
    }

    /// Declines an ask: the agent reads that the user cancelled the question. Held as [`reply`](Self::reply) is.
    pub fn cancel(&self, tool_call_id: &str) {
        self.hold(tool_call_id, Outcome::Declined);
    }

    /// Ends the open run. What arrived stays; held replies go back to their cards.
    pub fn stop(&self) {
        self.with(|core| core.running.as_ref().map(Abort::abort));
    }

    /// Starts the run again that failed: as it was, where the agent never got it, else as a new one over the same history. Where a question
    /// waits there is nothing to start, only the failure to clear.
    pub fn retry(&self) {
        if self.with(|core| core.is_free()) == Some(true) {
            self.start(Core::outgoing_again);
        }
    }

    fn hold(&self, tool_call_id: &str, outcome: Outcome) {
        let free = self.with(|core| {
            core.outbox.hold(tool_call_id, outcome, AnsweredBy::Card);
            core.conversation
                .transcript
                .set_sending(tool_call_id, Sending::Pending);
            core.is_free()
        });
        if free == Some(true) {
            self.start(Core::outgoing_held);
        }
    }

    /// Starts a run, where there is one to start. False where there should be one and it can't be built.
    fn start(&self, outgoing: impl FnOnce(&mut Core) -> Result<Option<Outgoing>, Refusal>) -> bool {
        let launched = self.with(|core| match outgoing(core) {
            Ok(outgoing) => Some(outgoing.map(|outgoing| core.launch(outgoing))),
            Err(refusal) => {
                core.fail(refusal);
                None
            }
        });
        let launched = launched.flatten();
        let taken = launched.is_some();
        if let Some(Some(launch)) = launched {
            spawn_local(self.run(launch));
        }
        taken
    }

    async fn run(self, launch: Launch) {
        let end = self.exchange(launch).await;
        self.with(|core| core.settle(end));
        self.start(Core::outgoing_held);
        self.await_deadline();
    }

    /// Sees to it that the next deadline of a waiting ask is kept.
    fn await_deadline(self) {
        let due = self
            .with(|core| core.conversation.asks.poll_timeout())
            .flatten();
        let Some(due) = due else { return };
        let wait = Duration::from_millis(due.saturating_sub(now()).min(LONGEST_TIMEOUT));
        let on_timeout = move || {
            self.with(|core| core.conversation.handle_timeout(now()));
            self.start(Core::outgoing_held);
            self.await_deadline();
        };
        let timeout = set_timeout_with_handle(on_timeout, wait).ok();
        let earlier = self.with(|core| std::mem::replace(&mut core.deadline, timeout));
        if let Some(Some(earlier)) = earlier {
            earlier.clear();
        }
    }

    /// One request and its response, as far as it comes. The handle's owner may be gone at any await.
    async fn exchange(
        self,
        Launch {
            url,
            body,
            abort,
            outgoing,
        }: Launch,
    ) -> RunEnd {
        let mut stream = match transport::post(&url, body, &abort).await {
            Ok(stream) => stream,
            Err(error) => {
                let outgoing = Box::new(outgoing);
                return RunEnd::Unsent { outgoing, error };
            }
        };
        self.with(|core| core.handle_accepted(&outgoing));
        loop {
            let chunk = stream.next_chunk(&abort).await;
            let reads_on = match &chunk {
                Ok(Some(bytes)) => {
                    self.with(|core| core.conversation.feed(now(), bytes).is_ok()) == Some(true)
                }
                Ok(None) | Err(_) => false,
            };
            if reads_on {
                continue;
            }
            // Nothing more is read, so the agent need not go on writing.
            abort.abort();
            let end = self.with(|core| core.conversation.finish(now()));
            return match (chunk, end.and_then(Trouble::from_end)) {
                (Err(TransportError::Aborted), _) => RunEnd::Stopped,
                (_, Some(trouble)) => RunEnd::Failed(trouble),
                (_, None) => RunEnd::Done,
            };
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Core) -> T) -> Option<T> {
        self.core.try_update_value(act)
    }
}

/// A run that was launched: what its task needs.
struct Launch {
    url: String,
    body: String,
    abort: Abort,
    outgoing: Outgoing,
}

/// How a launched run ended.
enum RunEnd {
    /// As the protocol has it.
    Done,
    /// The user stopped it.
    Stopped,
    /// After the agent had taken it.
    Failed(Trouble),
    /// Before the agent had taken it.
    Unsent {
        outgoing: Box<Outgoing>,
        error: TransportError,
    },
}

impl Core {
    fn is_free(&self) -> bool {
        self.running.is_none()
    }

    /// A typed text: a message of its own, or the answer to what waits.
    fn outgoing_text(&mut self, text: &str) -> Result<Option<Outgoing>, Refusal> {
        let held = self.outbox.held();
        let waits: Vec<_> = self
            .conversation
            .waiting()
            .filter(|ask| {
                held.iter()
                    .all(|reply| reply.tool_call_id != ask.tool_call_id)
            })
            .filter_map(|ask| Some((ask.tool_call_id.clone(), ask.ask.clone()?)))
            .collect();
        if waits.is_empty() {
            return self.outgoing(Vec::new(), Some(text.to_owned())).map(Some);
        }
        for (index, (tool_call_id, ask)) in waits.iter().enumerate() {
            // One text can't answer two calls.
            let outcome = if index == 0 {
                match_message(ask, text, Vec::new())
            } else {
                Outcome::Superseded
            };
            self.outbox
                .hold(tool_call_id, outcome, AnsweredBy::Composer);
            self.conversation
                .transcript
                .set_sending(tool_call_id, Sending::Pending);
        }
        self.outgoing_held()
    }

    /// The replies that are held, if they may go.
    fn outgoing_held(&mut self) -> Result<Option<Outgoing>, Refusal> {
        if self.outbox.held().is_empty() || !self.is_free() {
            return Ok(None);
        }
        match self.outgoing(self.outbox.held().to_vec(), None) {
            Ok(outgoing) => {
                self.outbox.take_held();
                Ok(Some(outgoing))
            }
            // The other asks wait for their replies.
            Err(Refusal::OpenCalls { .. } | Refusal::OpenInterrupts { .. })
                if self.conversation.waiting().count() > self.outbox.held().len() =>
            {
                Ok(None)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// What failed, once more.
    fn outgoing_again(&mut self) -> Result<Option<Outgoing>, Refusal> {
        self.status.set(Status::Idle);
        match self.outbox.take_unsent() {
            Some(outgoing) => Ok(Some(outgoing)),
            None if self.conversation.waiting().next().is_some() => Ok(None),
            None => self.outgoing(Vec::new(), None).map(Some),
        }
    }

    fn outgoing(&self, replies: Vec<AskReply>, text: Option<String>) -> Result<Outgoing, Refusal> {
        let Conversation { thread, asks, .. } = &self.conversation;
        let said = Said { replies, text };
        let run: NextRun = next_run(
            now(),
            thread,
            asks,
            &self.options.setup,
            self.options.delivery,
            &said,
            new_id,
        )?;
        Ok(Outgoing {
            run,
            replies: said.replies,
            started: false,
        })
    }

    /// Marks a run as open. What the user just said shows at once; an answer only when the agent has it, until then its card says "sending".
    fn launch(&mut self, mut outgoing: Outgoing) -> Launch {
        if outgoing.replies.is_empty() && !outgoing.started {
            self.conversation.start_run(&outgoing.run);
            outgoing.started = true;
        }
        self.set_sending(&outgoing.replies, &Sending::Pending);
        self.outbox.drop_unsent();
        let abort = Abort::new();
        self.running = Some(abort.clone());
        self.status.set(Status::Running);
        self.conversation.start_response();
        let body =
            serde_json::to_string(&outgoing.run.input).expect("a RunAgentInput always serializes");
        Launch {
            url: self.options.url.clone(),
            body,
            abort,
            outgoing,
        }
    }

    fn handle_accepted(&mut self, outgoing: &Outgoing) {
        if !outgoing.started {
            self.conversation.start_run(&outgoing.run);
        }
        self.set_sending(&outgoing.replies, &Sending::Idle);
    }

    /// A run is over, well or not.
    fn settle(&mut self, end: RunEnd) {
        self.running = None;
        self.status.set(Status::Idle);
        match end {
            RunEnd::Done => {}
            RunEnd::Failed(trouble) => self.status.set(Status::Failed(trouble)),
            RunEnd::Stopped => {
                let held = self.outbox.take_held();
                self.set_sending(&held, &Sending::Idle);
            }
            RunEnd::Unsent { outgoing, error } => self.settle_unsent(*outgoing, error),
        }
    }

    fn settle_unsent(&mut self, outgoing: Outgoing, error: TransportError) {
        let winner = match &error {
            TransportError::Status { body, .. } => body.winner.clone(),
            TransportError::Aborted | TransportError::Network => None,
        };
        self.report(&outgoing.replies, error.into());
        match winner {
            // Somebody else was first: there is nothing to send again.
            Some(winner) => self.conversation.push_message(winner),
            None => self.outbox.keep(outgoing),
        }
    }

    /// What can't be sent goes back to where it was said.
    fn fail(&mut self, refusal: Refusal) {
        let held = self.outbox.take_held();
        self.report(&held, refusal.into());
    }

    /// A card tells its user what became of its reply; what was typed, or nobody's, the page has to tell. A reply that the user stopped goes
    /// back to its card without a word.
    fn report(&mut self, replies: &[AskReply], trouble: Trouble) {
        let stopped = trouble == Trouble::Stopped;
        let sending = if stopped {
            Sending::Idle
        } else {
            Sending::Failed(trouble.to_string())
        };
        self.set_sending(replies, &sending);
        let typed = replies.iter().any(|reply| reply.by == AnsweredBy::Composer);
        if typed || (replies.is_empty() && !stopped) {
            self.status.set(Status::Failed(trouble));
        }
    }

    fn set_sending(&self, replies: &[AskReply], sending: &Sending) {
        for reply in replies {
            self.conversation
                .transcript
                .set_sending(&reply.tool_call_id, sending.clone());
        }
    }
}
