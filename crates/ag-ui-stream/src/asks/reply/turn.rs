use super::delivery::{Delivery, Origin};
use crate::input::{Context, ResumeEntry, Tool};
use crate::message::Message;
use ask_user_question::attachment::Attachment;
use ask_user_question::outcome::{AnsweredBy, Outcome};
use json_tree::Members;

/// The outcome of one ask, on its way to the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AskReply {
    /// The ask.
    pub tool_call_id: String,
    /// An id that the client makes once per reply, so that a retry is recognised.
    pub reply_id: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The place of the answer, such as the card.
    pub by: AnsweredBy,
}

/// The members that every run of this client has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunDefaults {
    /// The conversation.
    pub thread_id: String,
    /// The tools that the agent may call on this client.
    pub tools: Vec<Tool>,
    /// Facts for the agent.
    pub context: Vec<Context>,
    /// For the agent's own use.
    pub forwarded_props: Members<'static>,
    /// The way of the replies.
    pub delivery: Delivery,
    /// The owner of the agent, for [`Delivery::Automatic`].
    pub agent: Origin,
}

/// One turn of the user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserTurn {
    /// Answers to asks; all that wait must be among them.
    pub replies: Vec<AskReply>,
    /// A message of its own, beside the answers.
    pub text: Option<String>,
    /// The id of that message; `None` makes a new one.
    pub text_id: Option<String>,
    /// The call whose answer that message [changes](ask_user_question::Reply::change_message).
    pub replaces: Option<String>,
    /// Files in that message, which may have no text then.
    pub files: Vec<Attachment>,
}

/// The run to start: the body to post, and its effect on the conversation once the agent takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct NextRun {
    /// The run.
    pub run_id: String,
    /// The body to post, a [`RunAgentInput`](crate::input::RunAgentInput) as JSON.
    pub body: String,
    /// The messages in it that the thread does not have yet, in order.
    pub messages: Vec<Message>,
    /// The answers to interrupts in it, whatever their form.
    pub(crate) answers: Vec<ResumeEntry>,
}
