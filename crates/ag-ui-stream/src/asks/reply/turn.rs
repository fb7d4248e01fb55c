use super::delivery::{Delivery, Origin};
use crate::asks::interrupts::Answers;
use crate::input::{Context, Tool};
use crate::message::Message;
use ask_user_question::outcome::{AnsweredBy, Outcome};
use json_tree::Members;

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
pub struct RunDefaults {
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
pub struct UserTurn {
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
    pub(crate) answers: Answers,
}
