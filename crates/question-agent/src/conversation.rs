//! A conversation: its history and its state.

use crate::background;
use crate::call::{ToolCall, ToolResult};
use crate::effect::Effect;
use crate::event::{Event, Response};
use crate::message::{AssistantMessage, Message, UserMessage};
use crate::rejected::Rejected;
use crate::state::{AwaitingUserResponse, ConvState};
use crate::transition::{Transition, entered, settle, transition};
use std::collections::HashSet;

/// A conversation: its history and its state.
///
/// - Looking: [`state`](Self::state), [`messages`](Self::messages), [`waiting`](Self::waiting), [`result_of`](Self::result_of),
///   [`result_by`](Self::result_by), [`end_of`](Self::end_of).
/// - Events: [`handle`](Self::handle), and [`resume`](Self::resume) after a restart.
///
/// The one rule: carry out the effects in order, and feed their results back to `handle`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversation {
    state: ConvState,
    messages: Vec<Message>,
}

impl Conversation {
    /// A conversation without messages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The state.
    #[must_use]
    pub fn state(&self) -> &ConvState {
        &self.state
    }

    /// The history, every call followed by its results as providers want it.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The ask that waits, if one does.
    #[must_use]
    pub fn waiting(&self) -> Option<&AwaitingUserResponse> {
        self.state.waiting()
    }

    /// The result of a call, if it has one.
    #[must_use]
    pub fn result_of(&self, tool_use_id: &str) -> Option<&ToolResult> {
        self.results().find(|result| result.tool_use_id == tool_use_id)
    }

    /// The result of this reply, if it had one.
    #[must_use]
    pub fn result_by(&self, reply_id: &str) -> Option<&ToolResult> {
        self.results().find(|result| result.ask.as_ref().is_some_and(|ask| ask.reply_id == reply_id))
    }

    /// The results, the last one first.
    pub(crate) fn results(&self) -> impl Iterator<Item = &ToolResult> {
        self.messages.iter().rev().filter_map(Message::as_result)
    }

    /// The result of a call that is over. For a background ask, it is the answer or the withdrawal, not the result that the call got at once.
    #[must_use]
    pub fn end_of(&self, tool_use_id: &str) -> Option<ToolResult> {
        let result = || self.result_of(tool_use_id).filter(|result| !background::is_asked(result)).cloned();
        background::winner(&self.messages, tool_use_id).or_else(result)
    }

    /// The call with this id.
    #[must_use]
    pub fn call(&self, id: &str) -> Option<&ToolCall> {
        background::calls(&self.messages).find(|call| call.id == id)
    }

    /// Applies an event. The returned effects say how history and state have changed; the caller stores these changes and does the work.
    ///
    /// # Errors
    /// The reasons of [`transition()`], and those that depend on the history: a reply came after the winner, or an id is taken. The
    /// conversation is unchanged.
    pub fn handle(&mut self, event: Event) -> Result<Vec<Effect>, Rejected> {
        let event = self.resolved(event);
        self.check_against_history(&event)?;
        let next = transition(&self.state, event)?;
        Ok(self.apply(next))
    }

    /// Returns the effects to carry out again after a restart. Sub-agents died with the old process and start again with their tool. A host
    /// that stores results before the state may have died in between: a result in the history is neither made nor stored again.
    pub fn resume(&mut self) -> Vec<Effect> {
        let open = self.state.open_calls().into_iter();
        let stored: Vec<ToolResult> = open.filter_map(|id| self.result_of(id).cloned()).collect();
        let persisted = stored.iter().map(|result| result.tool_use_id.clone());
        let current = match &mut self.state {
            ConvState::ToolExecuting(executing) => {
                executing.pending_sub_agents.clear();
                executing.persisted_tool_ids.extend(persisted);
                &executing.current_tool.id
            }
            ConvState::AwaitingUserResponse(waiting) => {
                let own = waiting.tool_use_id.clone();
                waiting.persisted_tool_ids.extend(persisted.filter(|id| *id != own));
                &waiting.tool_use_id
            }
            ConvState::Idle | ConvState::LlmRequesting { .. } | ConvState::Failed { .. } => return self.goes_on(),
        };
        let Some(result) = stored.iter().find(|result| result.tool_use_id == *current) else {
            return self.goes_on();
        };
        let next = match &self.state {
            ConvState::AwaitingUserResponse(waiting) => Ok(settle(waiting, result)),
            state => transition(state, Event::ToolComplete { result: result.clone() }),
        };
        self.apply(next.expect("the running tool may always complete"))
    }

    fn apply(&mut self, next: Transition) -> Vec<Effect> {
        self.state = next.state;
        for effect in &next.effects {
            match effect {
                Effect::PersistMessage(message) => self.insert(message.clone()),
                Effect::PersistToolResults { results } => {
                    results.iter().for_each(|result| self.insert_result(result.clone()));
                }
                Effect::PersistState
                | Effect::NotifyStateChange(_)
                | Effect::NotifyLlmRequesting { .. }
                | Effect::NotifyAgentDone
                | Effect::RequestLlm
                | Effect::ExecuteTool(_) => {}
            }
        }
        next.effects
    }

    fn goes_on(&self) -> Vec<Effect> {
        match &self.state {
            ConvState::Idle | ConvState::Failed { .. } => Vec::new(),
            state => entered(state),
        }
    }

    fn resolved(&self, event: Event) -> Event {
        let Event::QuestionWithdrawn { tool_use_id, question } = event else {
            return event;
        };
        match background::meant(&self.messages, question.as_deref()) {
            Ok(call) => Event::QuestionWithdrawn { tool_use_id, question: Some(call) },
            Err(why) => Event::ToolComplete { result: ToolResult::error(tool_use_id, why) },
        }
    }

    fn check_against_history(&self, event: &Event) -> Result<(), Rejected> {
        match event {
            Event::UserMessage { messages } => {
                self.check_new(ids(messages))?;
                background::check(&self.messages, messages)
            }
            Event::UserQuestionResponse(response) => self.check_response(response),
            Event::LlmResponse(message) | Event::ProgramAsked { message, .. } => {
                self.check_new([message.id.as_str()])?;
                match message.tool_calls.iter().find(|call| self.call(&call.id).is_some()) {
                    Some(call) => Err(Rejected::DuplicateToolCall { id: call.id.clone() }),
                    None => Ok(()),
                }
            }
            Event::LlmStopped { partial } => self.check_new([partial.id.as_str()]),
            Event::LlmFailed { .. }
            | Event::ToolComplete { .. }
            | Event::AskUserQuestionPending { .. }
            | Event::QuestionExpired { .. }
            | Event::QuestionWithdrawn { .. }
            | Event::UserCancel { .. }
            | Event::Retry
            | Event::SubAgentStarted { .. }
            | Event::SubAgentFinished { .. } => Ok(()),
        }
    }

    fn check_response(&self, response: &Response) -> Result<(), Rejected> {
        if let Some(winner) = self.result_of(&response.tool_use_id) {
            let same_reply = winner.ask.as_ref().is_some_and(|ask| ask.reply_id == response.reply_id);
            return Err(Rejected::AlreadyAnswered { same_reply, winner: Box::new(winner.clone()) });
        }
        let result = response.tool_message_id.as_deref();
        self.check_new(result.into_iter().chain(ids(&response.messages)))
    }

    /// Refuses ids that the history has already, and one that comes twice.
    fn check_new<'a>(&'a self, new: impl IntoIterator<Item = &'a str>) -> Result<(), Rejected> {
        let mut known: HashSet<&str> = self.messages.iter().map(Message::id).collect();
        match new.into_iter().find(|id| !known.insert(id)) {
            Some(id) => Err(Rejected::KnownMessage { id: id.to_owned() }),
            None => Ok(()),
        }
    }

    /// A conversation in this state, with messages in the order in which they came.
    pub(crate) fn replayed(state: ConvState, messages: Vec<Message>) -> Self {
        let mut replayed = Self { state, messages: Vec::with_capacity(messages.len()) };
        for message in messages {
            replayed.insert(message);
        }
        replayed
    }

    fn insert(&mut self, message: Message) {
        match message {
            Message::Tool(result) => self.insert_result(result),
            Message::User(_) | Message::Assistant(_) => self.messages.push(message),
        }
    }

    /// Providers refuse a history with a message between the calls of a turn and their results.
    fn insert_result(&mut self, result: ToolResult) {
        let makes = |turn: &AssistantMessage| turn.tool_calls.iter().any(|call| call.id == result.tool_use_id);
        let owns = |message: &Message| message.as_assistant().is_some_and(makes);
        let behind_owner = self.messages.iter().rposition(owns).map_or(self.messages.len(), |owner| owner + 1);
        let is_tool = |message: &&Message| matches!(message, Message::Tool(_));
        let behind_results = self.messages[behind_owner..].iter().take_while(is_tool).count();
        self.messages.insert(behind_owner + behind_results, Message::Tool(result));
    }
}

fn ids(messages: &[UserMessage]) -> impl Iterator<Item = &str> {
    messages.iter().map(|message| message.id.as_str())
}
