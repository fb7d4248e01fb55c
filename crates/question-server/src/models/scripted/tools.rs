//! What a script's agent can do beside asking.

use super::script::{Script, ToolOfScript};
use crate::limits::MAX_SUB_AGENTS;
pub(super) use crate::models::SPAWN_AGENTS;
use json_tree::JsonText;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::registry::{Tool, ToolContext, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) fn offered(script: &Script, context: &ToolContext) -> Vec<Arc<dyn Tool>> {
    let own = script.tools.iter().filter(|tool| context.plan_mode || !tool.planning);
    let own = own.map(|tool| Arc::new(tool.clone()) as Arc<dyn Tool>);
    let spawns = script.sub_agents.is_some() && !context.is_sub_agent;
    own.chain(spawns.then(|| Arc::new(SpawnAgents) as Arc<dyn Tool>)).collect()
}

impl Tool for ToolOfScript {
    fn spec(&self) -> ToolSpec {
        let Self { name, description, parameters, .. } = self;
        ToolSpec { name: name.clone(), description: description.clone(), parameters: schema(parameters) }
    }

    fn run(&self, call: &ToolCall) -> ToolResult {
        ToolResult::success(&call.id, &self.result)
    }
}

/// There for its definition: sub-agents are the server's to run.
#[derive(Debug)]
struct SpawnAgents;

impl Tool for SpawnAgents {
    fn spec(&self) -> ToolSpec {
        let items = json!({"type": "string"});
        let tasks = json!({"type": "array", "items": items, "minItems": 1, "maxItems": MAX_SUB_AGENTS});
        ToolSpec {
            name: SPAWN_AGENTS.to_owned(),
            description: "Has sub-agents do tasks side by side. They cannot ask the user.".to_owned(),
            parameters: schema(&json!({"type": "object", "required": ["tasks"], "properties": {"tasks": tasks}})),
        }
    }

    fn run(&self, call: &ToolCall) -> ToolResult {
        ToolResult::error(&call.id, "spawn_agents must be handled by the executor")
    }
}

fn schema(schema: &Value) -> JsonText {
    JsonText::of(schema).expect("a schema has only strings for keys")
}
