//! The way back: the input of the run that carries an answer.

mod body;
mod delivery;
mod draft;
mod refusal;

use super::Asks;
use super::interrupts::Answers;
use crate::Conversation;
use crate::input::{Context, RunAgentInput, Tool};
use crate::message::Message;
use crate::thread::{RunState, Thread};
use ask_user_question::outcome::{AnsweredBy, Outcome};
use draft::Draft;
use json_tree::{Json, Members};

pub use delivery::{AskedBy, Delivery, Origin};
pub use refusal::Refusal;

/// How one ask ended, on its way to the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AskReply {
    /// The ask.
    pub tool_call_id: String,
    /// Made by the client once per reply, so that a retry is recognised.
    pub reply_id: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Where the answer was given.
    pub by: AnsweredBy,
}

/// What every run of this client has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// The conversation.
    pub thread_id: String,
    /// What the agent may call on this client.
    pub tools: Vec<Tool>,
    /// What the agent should know.
    pub context: Vec<Context>,
    /// For the agent's own use.
    pub forwarded_props: Members<'static>,
    /// How replies travel.
    pub delivery: Delivery,
    /// Whose the agent is, for [`Delivery::Automatic`].
    pub agent: Origin,
}

/// What the user wants to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// Answers to asks; all that wait must be among them.
    pub replies: Vec<AskReply>,
    /// A message of its own, beside the answers.
    pub text: Option<String>,
    /// The id of that message; a new one where it has none.
    pub text_id: Option<String>,
}

/// The run to start: a body to post, and what it makes of the conversation once the agent has taken it.
#[derive(Clone, Debug, PartialEq)]
pub struct NextRun {
    /// The run.
    pub run_id: String,
    /// The body to post, a [`RunAgentInput`] as JSON.
    pub body: String,
    /// The messages in it that the thread does not have yet, in order.
    pub messages: Vec<Message>,
    answers: Answers,
}

impl NextRun {
    /// A run that says nothing, not even the history: for an agent that has the conversation and is to go on with it.
    #[must_use]
    pub fn again(setup: &Setup, run_id: String) -> Self {
        let props = setup.forwarded_props.clone();
        let body = body::body(setup, &run_id, &[], &Json::Null, &props, &[]);
        Self { run_id, body, messages: Vec::new(), answers: Answers::default() }
    }

    /// What is posted, read again.
    #[must_use]
    pub fn input(&self) -> RunAgentInput {
        RunAgentInput::parse(&self.body).map(|(input, _)| input).unwrap_or_default()
    }
}

impl Asks {
    /// What the answers to interrupts change that an agent took.
    pub(crate) fn take_answers(&mut self, run: &NextRun) {
        self.take_resume(&run.answers);
    }
}

impl Conversation {
    /// Writes the request that carries the answer to one ask, given on its card. As [`request`](Self::request), with a reply id from `next_id`.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn answer(
        &self,
        now: u64,
        setup: &Setup,
        tool_call_id: &str,
        outcome: Outcome,
        mut next_id: impl FnMut() -> String,
    ) -> Result<NextRun, Refusal> {
        let (tool_call_id, reply_id) = (tool_call_id.to_owned(), next_id());
        let reply = AskReply { tool_call_id, reply_id, outcome, by: AnsweredBy::Card };
        self.request(now, setup, &Said { replies: vec![reply], ..Said::default() }, next_id)
    }
}

/// [`Conversation::request`](crate::Conversation::request).
pub(crate) fn next_run(
    now: u64,
    thread: &Thread,
    asks: &Asks,
    setup: &Setup,
    said: &Said,
    mut next_id: impl FnMut() -> String,
) -> Result<NextRun, Refusal> {
    if let RunState::Running { run_id } = thread.run() {
        return Err(Refusal::RunOpen { run_id: run_id.clone() });
    }
    let run_id = next_id();
    let mut draft = Draft::new(now, thread, asks, setup);
    for reply in &said.replies {
        draft.add(reply, &mut next_id)?;
    }
    draft.close_lost_asks(said, &mut next_id);
    draft.close_agents_calls(&mut next_id);
    draft.cancel_expired(said);
    if let Some(text) = &said.text {
        draft.say(said.text_id.clone().unwrap_or_else(next_id), text.clone(), None);
    }
    draft.finish(run_id)
}
