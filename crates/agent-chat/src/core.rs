//! What lies behind the handle: it decides what goes out and takes what comes in, and fetches nothing itself.

use crate::address;
use crate::browser::{self, Rest};
use crate::chat::{Connection, Status};
use crate::conversation::Conversation;
use crate::delivery::Delivery;
use crate::following::Following;
use crate::ids::{new_id, now};
use crate::kept::Kept;
use crate::options::{ChatOptions, Memory};
use crate::outbox::{Outbox, Outgoing, Post, Resend};
use crate::tabs::{Channel, Turn};
use crate::transport::{Abort, Endpoint, TransportError, conversation_path};
use crate::trouble::Trouble;
use ag_ui_stream::asks::reply::{AskReply, NextRun, Refusal, Said, next_run};
use ag_ui_stream::input::RunAgentInput;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::sse::Frame;
use ag_ui_stream::thread::RunState;
use ag_ui_stream::{Event, Message};
use ask_user_question::matching::match_message;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskUserQuestion, Outcome, json};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use serde_json::Value;

/// What lies behind the handle.
pub(crate) struct Core {
    pub(crate) options: ChatOptions,
    pub(crate) conversation: Conversation,
    pub(crate) outbox: Outbox,
    pub(crate) status: RwSignal<Status>,
    pub(crate) connection: RwSignal<Connection>,
    /// The conversation as its server tells it, where the server does.
    pub(crate) following: Option<Following>,
    /// What this browser keeps of the conversation, where no server does.
    pub(crate) kept: Option<Kept>,
    /// Whether it is known that the page may talk to the agent.
    pub(crate) allowed: bool,
    /// The request that is under way.
    pub(crate) running: Option<Running>,
    /// When the next ask that waits expires.
    pub(crate) deadline: Option<TimeoutHandle>,
    /// The line to the other tabs of this conversation.
    pub(crate) channel: Option<Channel>,
    /// The turn to hold the stream for all tabs.
    pub(crate) turn: Option<Turn>,
    /// The stream of events.
    pub(crate) listening: Option<Abort>,
    /// Whether the server could not be reached the last time.
    pub(crate) broken: bool,
    /// When the stream was heard last.
    pub(crate) heard: u64,
    /// What staying in step rests in while there is nothing to do.
    pub(crate) rest: Rest,
}

/// A request that is under way.
pub(crate) struct Running {
    abort: Abort,
    /// Whether its response tells what happens.
    is_run: bool,
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

/// How a launched request ended.
pub(crate) enum RunEnd {
    /// As the protocol has it.
    Done,
    /// The user stopped it.
    Stopped,
    /// After the agent had taken it.
    Failed(Trouble),
    /// Before the agent had taken it, as far as is known.
    Unsent {
        outgoing: Box<Outgoing>,
        error: TransportError,
    },
}

impl Core {
    /// In a conversation that may have begun in an earlier life of the page.
    pub(crate) fn new(mut options: ChatOptions) -> Self {
        let named = match options.memory {
            Memory::None => None,
            Memory::Id => Some(options.setup.thread_id.clone()),
            Memory::Address => address::conversation(),
        };
        let is_named = named.is_some();
        options.setup.thread_id = named.unwrap_or(options.setup.thread_id);
        let has_server = options.has_conversations();
        if has_server && options.delivery == Delivery::Resume {
            let interrupts = options.setup.forwarded_props.entry("interrupts");
            interrupts.or_insert(Value::Bool(true));
        }
        let remembers = options.memory != Memory::None;
        let name = format!("{} {}", options.endpoint.url, options.setup.thread_id);
        Self {
            conversation: Conversation::new(),
            outbox: match remembers {
                true => Outbox::kept(format!("agent-chat outbox {name}")),
                false => Outbox::default(),
            },
            status: RwSignal::new(Status::Idle),
            connection: RwSignal::new(Connection::Online),
            following: has_server.then(|| Following::new(is_named)),
            kept: (remembers && !has_server).then(|| Kept::new(&name)),
            allowed: false,
            running: None,
            deadline: None,
            channel: None,
            turn: None,
            listening: None,
            broken: false,
            heard: 0,
            rest: Rest::default(),
            options,
        }
    }

    /// Whether something can be sent now.
    pub(crate) fn is_free(&self) -> bool {
        let following = self.following.as_ref();
        self.allowed
            && self.running.is_none()
            && following.is_none_or(|it| !it.stale && !it.is_others_turn())
    }

    /// Holds how an ask ended.
    pub(crate) fn hold(&mut self, tool_call_id: &str, outcome: Outcome, by: AnsweredBy) {
        let ask = self.conversation.asks.ask(tool_call_id);
        let nothing = AskUserQuestion {
            questions: Vec::new(),
        };
        let ask = ask.and_then(|ask| ask.ask.as_ref()).unwrap_or(&nothing);
        let content = outcome.tool_content(ask);
        self.outbox.hold(tool_call_id, outcome, by, content);
        self.conversation
            .transcript
            .set_sending(tool_call_id, Sending::Pending);
    }

    /// Whether something can be said now. It may have to wait for the server.
    pub(crate) fn can_say(&self) -> bool {
        let following = self.following.as_ref();
        self.allowed
            && self.running.is_none()
            && !self.outbox.has_message()
            && !following.is_some_and(Following::is_others_turn)
    }

    /// Holds what was typed. What it is, a message of its own or the answer to what waits, is decided when it goes.
    pub(crate) fn outgoing_text(&mut self, text: &str) -> Result<Option<Outgoing>, Refusal> {
        self.outbox.say(text);
        let outgoing = self.outgoing_held();
        self.show_message();
        outgoing
    }

    /// Takes the message that is held for the answer to what waits.
    fn answer_by_message(&mut self) {
        let waits = self.conversation.waiting();
        let waits: Vec<_> = waits
            .filter(|ask| !self.outbox.answers(&ask.tool_call_id))
            .filter_map(|ask| Some((ask.tool_call_id.clone(), ask.ask.clone()?)))
            .collect();
        if waits.is_empty() {
            return;
        }
        let Some(message) = self.outbox.take_message() else {
            return;
        };
        for (index, (tool_call_id, ask)) in waits.iter().enumerate() {
            // One text can't answer two calls.
            let outcome = if index == 0 {
                match_message(ask, &message.text, Vec::new())
            } else {
                Outcome::Superseded
            };
            self.hold(tool_call_id, outcome, AnsweredBy::Composer);
        }
        self.show_message();
    }

    /// Shows the message that is held or on its way, where the conversation does not have it yet.
    fn show_message(&mut self) {
        let message = self.outbox.any_message();
        let message = message.map(|message| (message.id.clone(), message.text.clone()));
        self.conversation.show_message(message);
    }

    /// What is held, if it may go.
    pub(crate) fn outgoing_held(&mut self) -> Result<Option<Outgoing>, Refusal> {
        if !self.is_free() {
            return Ok(None);
        }
        self.answer_by_message();
        let held = self.outbox.held();
        let message = self.outbox.message().cloned();
        if held.is_empty() && message.is_none() {
            return Ok(None);
        }
        if let Some(outgoing) = self.outgoing_rest(&held) {
            return Ok(Some(outgoing));
        }
        self.bind_interrupts(&held);
        let count = held.len();
        let text = message.as_ref().map(|message| message.text.clone());
        match self.outgoing(held, text) {
            Ok(mut outgoing) => {
                if let (Post::Run(run), Some(message)) = (&mut outgoing.post, &message) {
                    name_last(&mut run.messages, &message.id);
                    name_last(&mut run.input.messages, &message.id);
                }
                Ok(Some(outgoing))
            }
            // The other asks wait for their replies.
            Err(Refusal::OpenCalls { .. } | Refusal::OpenInterrupts { .. })
                if self.conversation.waiting().count() > count =>
            {
                Ok(None)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// What failed, once more.
    pub(crate) fn outgoing_again(&mut self) -> Result<Option<Outgoing>, Refusal> {
        self.status.set(Status::Idle);
        match self.outbox.take_unsent() {
            Some(outgoing) => Ok(Some(outgoing)),
            None if self.conversation.waiting().next().is_some() => Ok(None),
            None if self.conversation.thread.messages().is_empty() => Ok(None),
            None => self.outgoing(Vec::new(), None).map(Some),
        }
    }

    /// Lets the server go on with a run that died with an earlier life of it. It has everything that was said.
    pub(crate) fn outgoing_revival(&mut self) -> Option<Outgoing> {
        let died = self.following.as_ref().is_some_and(|it| it.died);
        if !died || !self.is_free() {
            return None;
        }
        let setup = &self.options.setup;
        let props = Value::Object(setup.forwarded_props.clone());
        let input = RunAgentInput {
            tools: Some(setup.tools.clone()),
            forwarded_props: Some(props),
            ..RunAgentInput::new(setup.thread_id.clone(), new_id(), Vec::new())
        };
        Some(Outgoing {
            post: Post::Run(Box::new(NextRun {
                input,
                messages: Vec::new(),
            })),
            replies: Vec::new(),
            started: true,
        })
    }

    fn outgoing(&self, replies: Vec<AskReply>, text: Option<String>) -> Result<Outgoing, Refusal> {
        let Conversation { thread, asks, .. } = &self.conversation;
        let said = Said { replies, text };
        let run = next_run(
            now(),
            thread,
            asks,
            &self.options.setup,
            self.options.delivery.in_a_run(),
            &said,
            new_id,
        )?;
        Ok(Outgoing {
            post: Post::Run(Box::new(run)),
            replies: said.replies,
            started: false,
        })
    }

    /// The first reply as the conversation's own endpoints take it. They take no other outcomes than these two.
    fn outgoing_rest(&self, held: &[AskReply]) -> Option<Outgoing> {
        let reply = held.first()?;
        if self.options.delivery != Delivery::Rest {
            return None;
        }
        let (action, body) = match &reply.outcome {
            Outcome::Answered(answer) => {
                let mut body = answer.to_json();
                body["toolCallId"] = reply.tool_call_id.as_str().into();
                body["replyId"] = reply.reply_id.as_str().into();
                ("/respond", body.to_string())
            }
            Outcome::Declined => ("/cancel", "{}".to_owned()),
            Outcome::RepliedInChat { .. }
            | Outcome::Expired
            | Outcome::Superseded
            | Outcome::Cancelled => return None,
        };
        Some(Outgoing {
            post: Post::Rest { action, body },
            replies: vec![reply.clone()],
            started: true,
        })
    }

    /// The server takes an answer by interrupt whether or not the run that asked ended in one, and a history does not tell.
    fn bind_interrupts(&mut self, held: &[AskReply]) {
        if self.following.is_none() || self.options.delivery != Delivery::Resume {
            return;
        }
        for reply in held {
            if self.conversation.thread.open_interrupts().is_empty() {
                self.conversation.interrupt_by(now(), &reply.tool_call_id);
            }
        }
    }

    /// Marks a request as under way. What the user just said shows at once; an answer only when the agent has it, until then its card says
    /// "sending".
    pub(crate) fn launch(&mut self, mut outgoing: Outgoing) -> Launch {
        self.set_sending(&outgoing.replies, &Sending::Pending);
        self.outbox.drop_unsent();
        let id = &self.options.setup.thread_id;
        let (path, body) = match &outgoing.post {
            Post::Rest { action, body } => (Some(conversation_path(id, action)), body.clone()),
            Post::Run(run) => {
                if self.options.memory == Memory::Address {
                    address::name_conversation(id);
                }
                if outgoing.replies.is_empty() && !outgoing.started {
                    self.conversation.start_run(run);
                    outgoing.started = true;
                }
                if let Some(following) = &mut self.following {
                    following.start_run(&run.input.run_id);
                }
                self.status.set(Status::Running);
                self.conversation.start_response();
                let body =
                    serde_json::to_string(&run.input).expect("a RunAgentInput always serializes");
                (None, body)
            }
        };
        let (abort, is_run) = (Abort::new(), path.is_none());
        self.running = Some(Running {
            abort: abort.clone(),
            is_run,
        });
        self.outbox.send(&outgoing.replies, is_run);
        self.save();
        Launch {
            endpoint: self.options.endpoint.clone(),
            path,
            body,
            abort,
            outgoing,
        }
    }

    /// The agent has a request, and what it brought.
    pub(crate) fn handle_accepted(&mut self, outgoing: &Outgoing) {
        if let Some(following) = &mut self.following {
            // From its first run on, the events go on behind a history.
            following.stale |= !following.begun;
            following.begun = true;
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
                _ => self.status.set(Status::Failed(trouble)),
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
        self.report(&outgoing.replies, error.into());
        match winner {
            // Somebody else was first: there is nothing to send again.
            Some(winner) => self.conversation.push_message(winner),
            None => self.outbox.keep_unsent(outgoing),
        }
    }

    /// Ends the run that is under way. Where its server can be asked to end it, gives what to ask.
    pub(crate) fn stop(&mut self) -> Option<(Endpoint, String, String)> {
        let RunState::Running { run_id } = self.conversation.thread.run() else {
            self.abort();
            return None;
        };
        let Some(following) = &self.following else {
            self.abort();
            return None;
        };
        let run_id = Value::from(following.run_id().unwrap_or(run_id));
        let path = conversation_path(&self.options.setup.thread_id, "/cancel");
        let held = self.outbox.take_held();
        self.set_sending(&held, &Sending::Idle);
        let endpoint = self.options.endpoint.clone();
        Some((endpoint, path, format!(r#"{{"runId":{run_id}}}"#)))
    }

    /// The server was asked to end a run. What it kept of that run only it knows.
    pub(crate) fn handle_cancelled(&mut self, is_taken: bool) {
        if !is_taken {
            self.abort();
        }
        if let Some(following) = &mut self.following {
            following.stale = true;
        }
    }

    fn abort(&self) {
        if let Some(running) = &self.running {
            running.abort.abort();
        }
    }

    /// The page leaves the conversation.
    pub(crate) fn leave(&mut self) {
        self.save();
        self.abort();
        if let Some(listening) = &self.listening {
            listening.abort();
        }
        if let Some(deadline) = self.deadline.take() {
            deadline.clear();
        }
        self.rest.wake();
    }

    /// What can't be sent goes back to where it was said.
    pub(crate) fn fail(&mut self, refusal: Refusal) {
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
            Sending::Failed((self.options.words)(&trouble))
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

/// What comes from elsewhere.
impl Core {
    /// Takes a frame of the conversation's events.
    pub(crate) fn take_frame(&mut self, frame: Frame) {
        let is_reading = self.running.as_ref().is_some_and(|running| running.is_run);
        let Some(following) = &mut self.following else {
            return;
        };
        let news = following.take(frame, is_reading);
        if news.is_anew {
            self.conversation.begin_again();
        }
        news.events.iter().for_each(|event| self.take_event(event));
        if news.is_anew {
            self.conversation.begun_again();
            self.settle_outbox(Resend::Safely);
        }
    }

    fn take_event(&mut self, event: &Event) {
        self.conversation.take(now(), event);
        match event {
            Event::RunStarted(_) => self.status.set(Status::Running),
            Event::RunFinished(_) => self.status.set(Status::Idle),
            Event::RunError(error) => {
                let trouble = Trouble::Agent(error.message.clone());
                self.status.set(Status::Failed(trouble));
            }
            _ => {}
        }
    }

    /// Takes what the server says of the conversation as a whole.
    pub(crate) fn take_description(&mut self, text: &str) {
        let description = json::parse(text).unwrap_or_default();
        let messages = &description["messages"];
        let history = format!(r#"{{"type":"MESSAGES_SNAPSHOT","messages":{messages}}}"#);
        let last_id = description["lastEventId"].as_str().unwrap_or_default();
        let run_id = description["runId"].as_str();
        if !self.take_history(&history, last_id, run_id) {
            let trouble = Trouble::Unreadable(text.chars().take(100).collect());
            self.status.set(Status::Failed(trouble));
            self.following = None;
            return;
        }
        let state = &description["state"];
        let is_at_work = matches!(
            state["type"].as_str(),
            Some("llm_requesting" | "tool_executing")
        );
        if let Some(following) = &mut self.following {
            following.died = is_at_work && run_id.is_none();
        }
        if state["type"] == "failed" {
            let reason = state["reason"].as_str().unwrap_or_default();
            let trouble = Trouble::Agent(reason.to_owned());
            self.status.set(Status::Failed(trouble));
        }
    }

    /// Takes the whole history over. False, and nothing has changed, where it is none.
    fn take_history(&mut self, history: &str, last_id: &str, run_id: Option<&str>) -> bool {
        if !self.conversation.restore(now(), &[history], None) {
            return false;
        }
        let thread_id = self.options.setup.thread_id.clone();
        let run = run_id.map(|run_id| (thread_id.as_str(), run_id));
        let started = self
            .following
            .as_mut()
            .and_then(|following| following.catch_up(last_id, run));
        self.status.set(Status::Idle);
        if let Some(started) = &started {
            self.take_event(started);
        }
        self.settle_outbox(Resend::Safely);
        true
    }

    /// The server does not have the conversation any more.
    pub(crate) fn lose_conversation(&mut self) {
        if let Some(following) = &mut self.following {
            *following = Following::new(false);
        }
        self.turn = None;
        self.conversation.abandon_asks();
        self.settle_outbox(Resend::Safely);
        // What is about to be sent begins it anew.
        if !self.outbox.has_message() {
            self.status.set(Status::Failed(Trouble::Gone));
        }
    }

    /// Drops what is held for nothing, and shows on the cards what is held and what is not.
    fn settle_outbox(&mut self, resend: Resend) {
        let Conversation { thread, asks, .. } = &self.conversation;
        let is_said = |id: &str| thread.message(id).is_some();
        let back = self.outbox.settle(asks, is_said, resend);
        self.show_message();
        for ask in self.conversation.transcript.asks() {
            let is_held = self.outbox.answers(&ask.tool_call_id);
            let is_pending = ask.sending.with_untracked(|it| *it == Sending::Pending);
            match (is_held, is_pending) {
                (true, false) => ask.sending.set(Sending::Pending),
                (false, true) => ask.sending.set(Sending::Idle),
                _ => {}
            }
        }
        if !back.is_empty() {
            self.report(&back, Trouble::Unknown);
        }
    }

    /// Takes over what this browser has kept of the conversation.
    pub(crate) fn read_kept(&mut self) {
        let kept = self.kept.as_ref().and_then(Kept::read);
        let is_restored = kept.is_some_and(|kept| {
            let history: Vec<&str> = kept.events.iter().map(String::as_str).collect();
            self.conversation
                .restore(now(), &history, kept.ended.as_deref())
        });
        let broke_off = RunState::Ended {
            outcome: EndOutcome::Error,
        };
        if is_restored && *self.conversation.thread.run() == broke_off {
            self.status.set(Status::Failed(Trouble::BrokeOff));
        }
        if self.kept.is_some() {
            self.settle_outbox(Resend::WhenTold);
        }
    }

    /// Takes over what another tab has kept of the conversation.
    pub(crate) fn read_others(&mut self) {
        if self.kept.is_some() && self.is_free() {
            self.read_kept();
        }
    }

    /// Keeps the conversation in this browser, where no server does.
    pub(crate) fn save(&self) {
        let thread = &self.conversation.thread;
        if let Some(kept) = self.kept.as_ref().filter(|_| !thread.messages().is_empty()) {
            kept.write(thread);
        }
    }

    /// Shows whether the server can be reached.
    pub(crate) fn show_connection(&mut self, broken: bool) {
        self.broken = broken;
        let connection = if !browser::is_online() {
            Connection::Offline
        } else if broken {
            Connection::Reconnecting
        } else {
            Connection::Online
        };
        if self.connection.get_untracked() != connection {
            self.connection.set(connection);
        }
    }
}

fn name_last(messages: &mut [Message], id: &str) {
    if let Some(Message::User(user)) = messages.last_mut() {
        id.clone_into(&mut user.id);
    }
}
