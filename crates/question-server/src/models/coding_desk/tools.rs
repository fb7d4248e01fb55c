//! What the coding desk can do beside asking.

use crate::limits::MAX_SUB_AGENTS;
use crate::models::SPAWN_AGENTS;
use json_tree::JsonText;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::registry::{Tool, ToolContext, ToolSpec};
use serde_json::json;
use std::sync::Arc;

/// The tool that hands a plan over for approval, which no question may ask for.
pub(super) const EXIT_PLAN_MODE: &str = "ExitPlanMode";

pub(super) fn offered(context: &ToolContext) -> Vec<Arc<dyn Tool>> {
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    if context.plan_mode {
        tools.push(Arc::new(ExitPlanMode));
    }
    if !context.is_sub_agent {
        tools.push(Arc::new(SpawnAgents));
    }
    tools
}

#[derive(Debug)]
struct ExitPlanMode;

impl Tool for ExitPlanMode {
    fn spec(&self) -> ToolSpec {
        let properties = json!({"plan": {"type": "string", "description": "The plan, for the user to approve"}});
        ToolSpec {
            name: EXIT_PLAN_MODE.to_owned(),
            description: "Hands the finished plan to the user for approval.".to_owned(),
            parameters: schema(&properties, "plan"),
        }
    }

    fn run(&self, call: &ToolCall) -> ToolResult {
        ToolResult::success(&call.id, "The plan lies before the user for approval.")
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
            parameters: schema(&json!({"tasks": tasks}), "tasks"),
        }
    }

    fn run(&self, call: &ToolCall) -> ToolResult {
        ToolResult::error(&call.id, "spawn_agents must be handled by the executor")
    }
}

fn schema(properties: &serde_json::Value, required: &str) -> JsonText {
    let schema = json!({"type": "object", "required": [required], "properties": properties});
    JsonText::of(&schema).expect("a schema has only strings for keys")
}
