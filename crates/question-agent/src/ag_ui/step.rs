//! The steps of a host: the one place where effects are read.

use super::view::View;
use super::wire;
use crate::call::{ToolCall, ToolResult};
use crate::effect::StateChange;
use crate::message::Message;
use crate::{ConvState, Effect, Event};

/// The result of a transition for a host.
#[derive(Debug, Default)]
pub struct Step {
    /// The new messages of the history, in the order in which a store keeps them.
    pub messages: Vec<Message>,
    /// The new results, for clients. True if the call ran or waited: those behind it never did, and no client has seen them.
    results: Vec<(ToolResult, bool)>,
    /// The new state, for clients.
    state: Option<StateChange>,
    /// The work to do before the state machine can continue.
    pub work: Option<Work>,
}

/// A message to clients.
#[derive(Clone, Debug)]
pub enum Outgoing {
    /// An event of AG-UI.
    Event(ag_ui_stream::Event),
    /// The state of the conversation, for which AG-UI has no event.
    State(StateChange),
}

/// The work to do before the state machine can continue.
#[derive(Debug)]
pub enum Work {
    /// Ask the model to continue.
    AskModel,
    /// Run a tool, unless the call is intercepted.
    Execute(ToolCall),
}

impl Step {
    /// Sorts effects into messages to store, updates for clients and work.
    #[must_use]
    pub fn of(effects: Vec<Effect>) -> Self {
        let mut step = Self::default();
        for effect in effects {
            match effect {
                Effect::PersistMessage(message) => step.messages.push(message),
                Effect::PersistToolResults { results } => {
                    for (index, result) in results.into_iter().enumerate() {
                        step.messages.push(Message::Tool(result.clone()));
                        step.results.push((result, index == 0));
                    }
                }
                Effect::NotifyStateChange(change) => step.state = Some(change),
                Effect::NotifyLlmRequesting { attempt } => {
                    step.state = Some(StateChange(ConvState::LlmRequesting { attempt }));
                }
                Effect::RequestLlm => step.work = Some(Work::AskModel),
                Effect::ExecuteTool(call) => step.work = Some(Work::Execute(call)),
                // The state is stored with the messages, and the end of a run says that the agent is done.
                Effect::PersistState | Effect::NotifyAgentDone => {}
            }
        }
        step
    }

    /// Returns true if the agent begins anew from an answer that its user changed: clients need the history again, which says what is undone.
    #[must_use]
    pub fn begins_anew(&self) -> bool {
        self.messages.iter().any(|message| matches!(message, Message::User(user) if user.undoes.is_some()))
    }

    /// The messages to clients. A result that the client itself brought, in a message of this id, is left out. Calls that were held back
    /// are looked up in the conversation; pass `None` if clients get the whole conversation anyway.
    #[must_use]
    pub fn outgoing(&self, view: Option<View<'_>>, brought: Option<&str>) -> Vec<Outgoing> {
        let mut outgoing = Vec::new();
        let show = |outgoing: &mut Vec<Outgoing>, tool_use_id: &str| {
            let events = view.map(|view| wire::held_back(view, tool_use_id));
            outgoing.extend(events.into_iter().flatten().map(Outgoing::Event));
        };
        for (result, has_been_shown) in self.results.iter().filter(|(new, _)| brought != Some(&new.message_id)) {
            if !has_been_shown {
                show(&mut outgoing, &result.tool_use_id);
            }
            outgoing.push(Outgoing::Event(wire::result_event(result)));
        }
        outgoing.extend(self.state.clone().map(Outgoing::State));
        if let Some(Work::Execute(call)) = &self.work {
            show(&mut outgoing, &call.id);
        }
        outgoing
    }

    /// The events for clients of AG-UI alone.
    #[must_use]
    pub fn events(&self, view: View<'_>, brought: Option<&str>) -> Vec<ag_ui_stream::Event> {
        let outgoing = self.outgoing(Some(view), brought).into_iter();
        let events = outgoing.filter_map(|outgoing| match outgoing {
            Outgoing::Event(event) => Some(event),
            Outgoing::State(_) => None,
        });
        events.collect()
    }

    /// The messages that started a run, for the clients that did not start it.
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
