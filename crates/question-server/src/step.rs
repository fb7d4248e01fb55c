//! What a transition means for a server: the one place where effects are read.

use question_agent::Effect;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::effect::StateChange;
use question_agent::message::Message;

/// What a transition means for a server.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// What is new to the history, in the order in which a store keeps it.
    pub(crate) messages: Vec<Message>,
    /// What clients are told, in this order.
    pub(crate) news: Vec<News>,
    /// What has to be done before the state machine can go on.
    pub(crate) work: Option<Work>,
}

/// What clients are told of a transition.
#[derive(Debug)]
pub(crate) enum News {
    /// A call came to a result.
    Result {
        result: ToolResult,
        /// True if the call ran or waited. Those behind it never did, and nobody has seen them.
        has_been_shown: bool,
    },
    State(StateChange),
}

/// What has to be done before the state machine can go on.
#[derive(Debug)]
pub(crate) enum Work {
    AskModel,
    Execute(ToolCall),
}

impl Step {
    pub(crate) fn of(effects: Vec<Effect>) -> Self {
        let mut step = Self::default();
        for effect in effects {
            match effect {
                Effect::PersistMessage(message) => step.messages.push(message),
                Effect::PersistToolResults { results } => {
                    for (index, result) in results.into_iter().enumerate() {
                        step.messages.push(Message::Tool(result.clone()));
                        step.news.push(News::Result { result, has_been_shown: index == 0 });
                    }
                }
                Effect::NotifyStateChange(change) => step.news.push(News::State(change)),
                Effect::NotifyLlmRequesting { attempt } => {
                    step.news.push(News::State(StateChange::LlmRequesting { attempt }));
                }
                Effect::RequestLlm => step.work = Some(Work::AskModel),
                Effect::ExecuteTool(call) => step.work = Some(Work::Execute(call)),
                // The state is stored with whatever else there is; and a run's end says that the agent is done.
                Effect::PersistState | Effect::NotifyAgentDone => {}
            }
        }
        step
    }
}
