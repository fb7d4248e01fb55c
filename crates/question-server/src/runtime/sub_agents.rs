//! Sub-agents: agents with a task and no user of their own. What one is asked to do and says in the end is all that its parent knows of it.

use super::Runtime;
use crate::limits::{MAX_MODEL_CALLS, MAX_SUB_AGENTS};
use crate::log::Log;
use crate::models::{Request, SPAWN_AGENTS};
use crate::turn::Turn;
use futures_util::StreamExt as _;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::{Message, UserMessage};
use question_agent::registry::{ToolContext, ToolRegistry};
use question_agent::{ConvState, Conversation, Effect, Event};
use serde::Deserialize;
use uuid::Uuid;

/// The arguments of a call that spawns them.
#[derive(Debug, Deserialize)]
struct Arguments {
    tasks: Vec<String>,
}

/// The tasks of a call, if it spawns sub-agents.
///
/// # Errors
/// The result for the model, where it may not or its arguments cannot be read.
pub(super) fn tasks(context: &ToolContext, call: &ToolCall) -> Option<Result<Vec<String>, ToolResult>> {
    if call.name() != SPAWN_AGENTS {
        return None;
    }
    let refuse = |why: &str| Some(Err(ToolResult::error(&call.id, why)));
    if context.is_sub_agent {
        return refuse("spawn_agents is not available to sub-agents");
    }
    match serde_json::from_str::<Arguments>(call.arguments()) {
        Ok(Arguments { tasks }) if (1..=MAX_SUB_AGENTS).contains(&tasks.len()) => Some(Ok(tasks)),
        Ok(_) => refuse(&format!("Invalid input: Must have 1-{MAX_SUB_AGENTS} tasks")),
        Err(error) => refuse(&format!("Invalid input: {error}")),
    }
}

impl Runtime {
    /// Lets a sub-agent do its task, and gives what it says in the end.
    pub(super) async fn run_sub_agent(&self, parent: &ToolContext, task: String) -> String {
        let context = ToolContext {
            is_sub_agent: true,
            // They have no client either.
            client_tools: Vec::new(),
            ..parent.clone()
        };
        let registry = self.registry(&context);
        let mut conversation = Conversation::new();
        let id = Uuid::new_v4().to_string();
        let ask = None;
        let message = UserMessage { id, text: task, ask };
        let mut event = Some(Event::UserMessage { messages: vec![message] });
        let mut asked = 0;
        while let Some(next) = event.take() {
            let effects = match conversation.handle(next) {
                Ok(effects) => effects,
                Err(rejected) => return format!("The sub-agent broke off: {rejected}."),
            };
            for effect in effects {
                event = match effect {
                    Effect::RequestLlm if asked == MAX_MODEL_CALLS => None,
                    Effect::RequestLlm => {
                        asked += 1;
                        Some(self.hear(&registry, &conversation).await)
                    }
                    Effect::ExecuteTool(call) => Some(execute(&registry, &call)),
                    Effect::PersistMessage(_)
                    | Effect::PersistToolResults { .. }
                    | Effect::PersistState
                    | Effect::NotifyStateChange(_)
                    | Effect::NotifyLlmRequesting { .. }
                    | Effect::NotifyAgentDone => None,
                };
            }
        }
        last_words(&conversation)
    }

    async fn hear(&self, registry: &ToolRegistry, conversation: &Conversation) -> Event {
        let attempt = match conversation.state() {
            ConvState::LlmRequesting { attempt } => *attempt,
            _ => 1,
        };
        // Nobody watches a sub-agent.
        let log = Log::new(0, 0);
        let mut turn = Turn::new(&log, registry.context().clone());
        let mut deltas = self.model.respond(Request::new(registry, conversation, attempt));
        while let Some(delta) = deltas.next().await {
            if let Err(error) = delta.and_then(|delta| turn.take(delta)) {
                let pause = error.pause_after(attempt);
                if let Some(pause) = pause {
                    // The endpoint said when to come back. Stopping the run ends it: all of this is dropped then.
                    tokio::time::sleep(pause).await;
                }
                return Event::LlmFailed { reason: error.reason, retryable: pause.is_some() };
            }
        }
        Event::LlmResponse(turn.finish())
    }
}

fn execute(registry: &ToolRegistry, call: &ToolCall) -> Event {
    if let Some(Err(result)) = tasks(registry.context(), call) {
        return Event::ToolComplete { result };
    }
    let intercepted = registry.intercept(call).into_event(call, None);
    intercepted.unwrap_or_else(|| Event::ToolComplete { result: registry.run(call) })
}

fn last_words(conversation: &Conversation) -> String {
    match (conversation.state(), conversation.messages().last()) {
        (ConvState::Failed { reason }, _) => format!("The sub-agent failed: {reason}"),
        (_, Some(Message::Assistant(message))) => message.text.clone(),
        _ => "The sub-agent said nothing.".to_owned(),
    }
}
