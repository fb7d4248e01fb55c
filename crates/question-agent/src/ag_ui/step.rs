//! What a transition means for a host: the one place where effects are read.

use super::view::View;
use super::wire;
use crate::call::{ToolCall, ToolResult};
use crate::effect::StateChange;
use crate::message::Message;
use crate::{Effect, Event};

/// What a transition means for a host.
#[derive(Debug, Default)]
pub struct Step {
    /// What is new to the history, in the order in which a store keeps it.
    pub messages: Vec<Message>,
    /// What clients are told, in this order.
    pub news: Vec<News>,
    /// What has to be done before the state machine can go on.
    pub work: Option<Work>,
}

/// What clients are told of a transition.
#[derive(Debug)]
pub enum News {
    /// A call came to a result.
    Result {
        /// The result.
        result: ToolResult,
        /// True if the call ran or waited. Those behind it never did, and nobody has seen them.
        has_been_shown: bool,
    },
    /// It stands somewhere else now.
    State(StateChange),
}

/// What clients are sent.
#[derive(Clone, Debug)]
pub enum Outgoing {
    /// An event of AG-UI.
    Event(ag_ui_stream::Event),
    /// Where the conversation stands, which AG-UI has no event for.
    State(StateChange),
}

/// What has to be done before the state machine can go on.
#[derive(Debug)]
pub enum Work {
    /// The model goes on.
    AskModel,
    /// A tool runs, unless the call is intercepted.
    Execute(ToolCall),
}

impl Step {
    /// Reads effects.
    #[must_use]
    pub fn of(effects: Vec<Effect>) -> Self {
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

    /// What clients are sent. A result that the client brought itself, in a message of this id, is not told again. Calls that were held back are
    /// looked up in the conversation; `None` if clients are just given all of it.
    #[must_use]
    pub fn outgoing(&self, view: Option<View<'_>>, brought: Option<&str>) -> Vec<Outgoing> {
        let mut outgoing = Vec::new();
        let show = |outgoing: &mut Vec<Outgoing>, tool_use_id: &str| {
            let events = view.map(|view| wire::held_back(view, tool_use_id));
            outgoing.extend(events.into_iter().flatten().map(Outgoing::Event));
        };
        for news in &self.news {
            match news {
                News::Result { result, .. } if brought == Some(&result.message_id) => {}
                News::Result { result, has_been_shown } => {
                    if !has_been_shown {
                        show(&mut outgoing, &result.tool_use_id);
                    }
                    outgoing.push(Outgoing::Event(wire::result_event(result)));
                }
                News::State(change) => outgoing.push(Outgoing::State(change.clone())),
            }
        }
        if let Some(Work::Execute(call)) = &self.work {
            show(&mut outgoing, &call.id);
        }
        outgoing
    }

    /// The same for clients of AG-UI alone.
    #[must_use]
    pub fn events(&self, view: View<'_>, brought: Option<&str>) -> Vec<ag_ui_stream::Event> {
        let outgoing = self.outgoing(Some(view), brought).into_iter();
        let events = outgoing.filter_map(|outgoing| match outgoing {
            Outgoing::Event(event) => Some(event),
            Outgoing::State(_) => None,
        });
        events.collect()
    }

    /// The messages that a run was started with, for the clients that did not start it.
    #[must_use]
    pub fn taken(&self, brought: Option<&str>) -> Vec<ag_ui_stream::Message> {
        let taken = self.messages.iter().filter_map(|message| match message {
            Message::User(user) => Some(wire::user_message(user)),
            Message::Tool(result) if brought == Some(&result.message_id) => Some(wire::result_message(result)),
            Message::Tool(_) | Message::Assistant(_) => None,
        });
        taken.collect()
    }
}

/// The id of the tool message by which a client delivered its reply, or the result of a tool that it runs.
#[must_use]
pub fn brought_message(event: &Event) -> Option<&str> {
    match event {
        Event::UserQuestionResponse(response) => response.tool_message_id.as_deref(),
        Event::ToolComplete { result } => Some(&result.message_id),
        _ => None,
    }
}
