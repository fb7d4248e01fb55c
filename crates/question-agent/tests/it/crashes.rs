//! A host that stores results before the state, and dies in between.

use crate::samples::{replies, says};
use ask_user_question::{Outcome, Reply};
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::{AssistantMessage, Message};
use question_agent::registry::{ToolContext, ToolRegistry};
use question_agent::{ConvState, Conversation, Effect, Event, stored};
use serde_json::{Value, json};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const ASK: &str = r#"{"questions": [{"question": "Which?", "options": [{"label": "One"}, {"label": "Two"}]}]}"#;

/// Stores each result and then the state, with what was said, up to the write at which it dies.
#[derive(Debug, Default)]
struct Host {
    state: Value,
    messages: Vec<Message>,
    writes: usize,
    dies_at: usize,
    runs: BTreeMap<String, usize>,
}

/// It died.
struct Died;

impl Host {
    fn write(&mut self, write: impl FnOnce(&mut Self)) -> Result<(), Died> {
        self.writes += 1;
        if self.writes == self.dies_at {
            return Err(Died);
        }
        write(self);
        Ok(())
    }

    /// Carries effects out, and gives the event that comes of the last.
    fn carry_out(&mut self, conversation: &Conversation, effects: Vec<Effect>) -> Result<Option<Event>, Died> {
        let (mut next, mut said) = (None, Vec::new());
        for effect in effects {
            match effect {
                Effect::PersistMessage(message) => said.push(message),
                Effect::PersistToolResults { results } => {
                    for result in results {
                        self.write(|host| host.messages.push(Message::Tool(result)))?;
                    }
                }
                Effect::PersistState => self.write(|host| {
                    host.messages.append(&mut said);
                    host.state = json!(conversation.state());
                })?,
                Effect::RequestLlm => next = Some(Event::LlmResponse(answer(conversation, self.writes))),
                Effect::ExecuteTool(call) => {
                    *self.runs.entry(call.id.clone()).or_default() += 1;
                    let registry = ToolRegistry::new(ask_user_question::Limits::RUNTIME, ToolContext::default());
                    let judged = registry.intercept(&call, None);
                    let result = ToolResult::success(&call.id, "done");
                    next = Some(judged.unwrap_or(Event::ToolComplete { result }));
                }
                Effect::NotifyStateChange(_) | Effect::NotifyLlmRequesting { .. } | Effect::NotifyAgentDone => {}
            }
        }
        Ok(next)
    }

    /// Works until the user is needed or has what was asked for.
    fn work(&mut self, conversation: &mut Conversation, effects: Vec<Effect>) -> Result<(), Died> {
        let mut next = self.carry_out(conversation, effects)?;
        while let Some(event) = next {
            let effects = conversation.handle(event).expect("the host does as it is told");
            next = self.carry_out(conversation, effects)?;
        }
        Ok(())
    }

    /// Greets, answers the question, and so on until all is done.
    fn talk(&mut self, conversation: &mut Conversation, outcome: &Outcome) -> Result<(), Died> {
        let effects = conversation.resume();
        self.work(conversation, effects)?;
        loop {
            let event = match conversation.state() {
                ConvState::Idle if conversation.messages().is_empty() => says("u", "go"),
                ConvState::AwaitingUserResponse(waiting) => replies(&waiting.tool_use_id, "reply", outcome.clone()),
                _ => return Ok(()),
            };
            let effects = conversation.handle(event).expect("it is the user's turn");
            self.work(conversation, effects)?;
        }
    }

    fn restarts(&self) -> Conversation {
        let messages = self.messages.iter().map(|message| json!(message)).collect();
        match &self.state {
            Value::Null => Conversation::new(),
            state => {
                Conversation::from_parts(stored::VERSION, state.clone(), messages).expect("it is as it was stored")
            }
        }
    }
}

/// A tool, a question, two tools; then a word.
fn answer(conversation: &Conversation, id: usize) -> AssistantMessage {
    let has_called = |message: &Message| matches!(message, Message::Assistant(one) if !one.tool_calls.is_empty());
    let calls = match conversation.messages().iter().any(has_called) {
        true => Vec::new(),
        false => [("look", "{}"), ("ask_user_question", ASK), ("book", "{}"), ("tell", "{}")]
            .map(|(name, arguments)| ToolCall::new(format!("{name}-{id}"), name, arguments))
            .to_vec(),
    };
    AssistantMessage { id: format!("a{id}"), text: "Well.".to_owned(), tool_calls: calls, origin: None }
}

fn survives(outcome: &Outcome) {
    for dies_at in 1.. {
        let mut host = Host { dies_at, ..Host::default() };
        let mut conversation = Conversation::new();
        if host.talk(&mut conversation, outcome).is_ok() {
            assert!(dies_at > 9, "it never died");
            return;
        }
        let stored = host.messages.iter().filter(|one| matches!(one, Message::Tool(_))).count();
        host.runs.clear();
        let mut conversation = host.restarts();
        assert!(host.talk(&mut conversation, outcome).is_ok());
        assert_eq!(conversation.state(), &ConvState::Idle, "{dies_at}");
        let mut results: BTreeMap<&str, usize> = BTreeMap::new();
        for message in &host.messages {
            if let Message::Tool(result) = message {
                *results.entry(&result.tool_use_id).or_default() += 1;
            }
        }
        assert_eq!(results.len(), 4, "{dies_at}: each call has its result");
        assert!(results.values().all(|count| *count == 1), "{dies_at}: {results:?}");
        assert!(host.runs.len() <= 4 - stored, "{dies_at}: what is stored does not run again: {:?}", host.runs);
    }
}

#[test]
fn a_result_that_is_stored_is_not_stored_again_after_a_crash() {
    let ask = serde_json::from_str(ASK).expect("it is an ask");
    let reply = Reply::parse(&ask, &json!({"answers": {"Which?": "One"}})).expect("it fits");
    for outcome in [Outcome::Answered(reply), Outcome::Declined, Outcome::Superseded, Outcome::Cancelled] {
        survives(&outcome);
    }
}
