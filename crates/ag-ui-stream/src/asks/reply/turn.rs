use super::delivery::{Delivery, Origin};
use crate::input::{Context, ResumeEntry, Tool};
use crate::message::Message;
use ask_user_question::attachment::Attachment;
use ask_user_question::outcome::{AnsweredBy, Outcome};
use json_tree::Members;

/// The outcome of one ask, to be sent to the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AskReply {
    /// The id of the ask.
    pub tool_call_id: String,
    /// An id that the client creates once per reply, so that a retry is recognised.
    pub reply_id: String,
    /// How the user answered.
    pub outcome: Outcome,
    /// Where the user answered, such as on the card.
    pub by: AnsweredBy,
}

/// The members that are the same in every run of this client.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunDefaults {
    /// The id of the conversation.
    pub thread_id: String,
    /// The tools that the agent may call on this client.
    pub tools: Vec<Tool>,
    /// Facts for the agent, beside the messages.
    pub context: Vec<Context>,
    /// Any members, for the agent's own use.
    pub forwarded_props: Members<'static>,
    /// How replies are sent.
    pub delivery: Delivery,
    /// Whose agent it is, for [`Delivery::Automatic`].
    pub agent: Origin,
}

/// One turn of the user: answers, a message, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserTurn {
    /// Answers to asks. Every waiting ask must be among them.
    pub replies: Vec<AskReply>,
    /// The text of a message beside the answers.
    pub text: Option<String>,
    /// The id of that message; `None` generates one.
    pub text_id: Option<String>,
    /// The call whose answer the message [changes](ask_user_question::Reply::change_message).
    pub replaces: Option<String>,
    /// Files in the message. With files, the text may be absent.
    pub files: Vec<Attachment>,
}

/// The run to start: the body to post, and what changes in the conversation once the agent accepts it.
#[derive(Clone, Debug, PartialEq)]
pub struct NextRun {
    /// The id of the new run.
    pub run_id: String,
    /// The body to post, a [`RunAgentInput`](crate::input::RunAgentInput) as JSON.
    pub body: String,
    /// The messages in the body that the thread does not have yet, in order.
    pub messages: Vec<Message>,
    /// The answers to interrupts in the body, in the protocol's form or another.
    pub(crate) answers: Vec<ResumeEntry>,
}
